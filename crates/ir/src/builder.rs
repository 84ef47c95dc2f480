//! Builders for programs: they number registers and blocks.
//!
//! [`ProgramBuilder`] collects globals, functions and threads; [`FunctionBuilder`] appends
//! instructions to a current block. Neither checks anything: the verifier does, once, at the end.

use crate::inst::{Inst, InstKind, Operand, Terminator, TerminatorKind};
use crate::program::{
    Block, BlockId, FuncId, Function, Global, GlobalId, InitThread, Loc, LocId, Observable,
    ObservableId, Observed, Program, Reg, RegInfo, ThreadIdx,
};
use crate::source::SourceId;
use crate::types::Type;
use cranelift_entity::PrimaryMap;

/// Collects the parts of a [`Program`].
#[derive(Debug, Default)]
pub struct ProgramBuilder {
    pub program: Program,
}

impl ProgramBuilder {
    pub fn new(name: impl Into<String>) -> ProgramBuilder {
        ProgramBuilder { program: Program { name: name.into(), ..Program::default() } }
    }

    /// Adds a source file and gives the number that positions use for it.
    pub fn file(&mut self, name: impl Into<String>) -> u32 {
        self.program.files.push(name.into());
        self.program.files.len() as u32 - 1
    }

    pub fn loc(&mut self, file: u32, line: u32, column: u32) -> LocId {
        self.program.locs.push(Loc { file, line, column, inlined_at: LocId::NONE });
        LocId(self.program.locs.len() as u32 - 1)
    }

    pub fn global(&mut self, global: Global) -> GlobalId {
        self.program.globals.push(global)
    }

    /// A global that holds one scalar.
    pub fn scalar(&mut self, name: impl Into<String>, ty: Type, value: u128) -> GlobalId {
        let bytes = ty.bytes();
        let mut global = Global::zeroed(name, bytes.into(), bytes.next_power_of_two());
        if value != 0 {
            global.init = value.to_le_bytes()[..bytes as usize].to_vec();
        }
        self.global(global)
    }

    pub fn function(&mut self, function: Function) -> FuncId {
        self.program.funcs.push(function)
    }

    pub fn thread(
        &mut self,
        name: impl Into<String>,
        func: FuncId,
        args: Vec<Operand>,
    ) -> ThreadIdx {
        self.program.threads.push(InitThread { name: name.into(), func, args })
    }

    pub fn observe(&mut self, name: impl Into<String>, what: Observed) -> ObservableId {
        self.program.observables.push(Observable { name: name.into(), what })
    }

    pub fn finish(self) -> Program {
        self.program
    }
}

/// Builds one function, block by block.
///
/// Blocks can be created before they are filled. A block without a terminator ends in
/// `unreachable`.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    current: BlockId,
    loc: LocId,
}

impl FunctionBuilder {
    /// Starts with an empty entry block as the current block.
    pub fn new(name: impl Into<String>) -> FunctionBuilder {
        let mut function = Function {
            name: name.into(),
            params: Vec::new(),
            ret: None,
            regs: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            loc: LocId::NONE,
            library: false,
        };
        let current = function.blocks.push(empty_block(Some("entry".into())));
        FunctionBuilder { function, current, loc: LocId::NONE }
    }

    /// Adds a parameter. All parameters must be added before any other register.
    pub fn param(&mut self, name: Option<&str>, ty: Type) -> Reg {
        let reg = self.reg(name, ty);
        self.function.params.push(reg);
        reg
    }

    pub fn returns(&mut self, ty: Type) {
        self.function.ret = Some(ty);
    }

    /// Marks the function as part of a library: see [`Function::library`].
    pub fn library(&mut self) {
        self.function.library = true;
    }

    pub fn reg(&mut self, name: Option<&str>, ty: Type) -> Reg {
        self.function.regs.push(RegInfo::new(ty, name.map(str::to_owned)))
    }

    /// The objects whose addresses are put into a register have this type in the source.
    pub fn holds(&mut self, reg: Reg, object: SourceId) {
        self.function.regs[reg].object = Some(object);
    }

    pub fn block(&mut self, name: Option<&str>) -> BlockId {
        self.function.blocks.push(empty_block(name.map(str::to_owned)))
    }

    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Sets the position of the instructions that follow.
    pub fn at(&mut self, loc: LocId) {
        self.loc = loc;
    }

    pub fn push(&mut self, kind: InstKind) {
        let inst = Inst { kind, loc: self.loc };
        self.function.blocks[self.current].insts.push(inst);
    }

    /// Ends the current block.
    pub fn end(&mut self, kind: TerminatorKind) {
        self.function.blocks[self.current].term = Terminator { kind, loc: self.loc };
    }

    pub fn jump(&mut self, to: BlockId) {
        self.end(TerminatorKind::Jump(to));
    }

    pub fn branch(&mut self, cond: impl Into<Operand>, then: BlockId, els: BlockId) {
        self.end(TerminatorKind::Branch { cond: cond.into(), then, els });
    }

    pub fn ret(&mut self, value: Option<Operand>) {
        self.end(TerminatorKind::Return(value));
    }

    pub fn finish(self) -> Function {
        self.function
    }
}

fn empty_block(name: Option<String>) -> Block {
    let term = Terminator { kind: TerminatorKind::Unreachable, loc: LocId::NONE };
    Block { name, insts: Vec::new(), term }
}
