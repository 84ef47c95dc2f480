//! Lowering of threads to functions: registers, positions and instructions.

use super::Shared;
use super::holding::Holding;
use super::state::Leaving;
use crate::ast::{Instruction, RegisterId, StateId, Thread};
use raddle_ir::{
    Access, BlockId, FailKind, FenceKind, Function, FunctionBuilder, InstKind, LocId, Operand,
    ProgramBuilder, Reg, Type,
};

/// The function of a thread, and the blocks of its states.
pub(super) fn thread(
    program: &mut ProgramBuilder,
    shared: Shared,
    thread: &Thread,
) -> (Function, Vec<BlockId>) {
    let mut builder = FunctionBuilder::new(&thread.name);
    let registers = thread.registers.iter().map(|n| builder.reg(Some(n), Type::I32)).collect();
    let holding = Holding::of(thread);
    let held = holding.dynamic.then(|| builder.reg(None, Type::BOOL));
    let states = thread.states.iter().map(|name| builder.block(Some(name))).collect();
    let temporaries = Vec::new();
    let mut lowering = Lowering { builder, shared, states, registers, held, holding, temporaries };
    lowering.entry(thread.initial);
    let mut leaving = vec![Vec::new(); thread.states.len()];
    for transition in &thread.transitions {
        let loc = program.loc(shared.file, transition.at.line, transition.at.column);
        leaving[transition.from.0 as usize].push(Leaving { transition, loc });
    }
    for (state, leaving) in leaving.iter().enumerate() {
        lowering.state(StateId(state as u32), leaving);
    }
    let mut function = lowering.builder.finish();
    // A state may have any name, even that of the entry block.
    function.blocks[BlockId::from_u32(0)].name = None;
    function.loc = program.loc(shared.file, thread.at.line, thread.at.column);
    (function, lowering.states)
}

/// A temporary register, which holds a value only within one state.
#[derive(Debug)]
struct Temporary {
    reg: Reg,
    ty: Type,
    in_use: bool,
}

/// The state while a thread is lowered.
#[derive(Debug)]
pub(super) struct Lowering {
    pub builder: FunctionBuilder,
    pub shared: Shared,
    pub states: Vec<BlockId>,
    registers: Vec<Reg>,
    /// Holds whether the lock is held, if the state does not determine it.
    pub held: Option<Reg>,
    pub holding: Holding,
    temporaries: Vec<Temporary>,
}

impl Lowering {
    /// Registers start as 0.
    fn entry(&mut self, initial: StateId) {
        for dst in self.registers.clone() {
            self.push(InstKind::Move { ty: Type::I32, dst, a: Operand::Int(0) });
        }
        self.set_held(false);
        self.builder.jump(self.states[initial.0 as usize]);
    }

    fn set_held(&mut self, held: bool) {
        if let Some(dst) = self.held {
            self.push(InstKind::Move { ty: Type::BOOL, dst, a: Operand::Int(held.into()) });
        }
    }

    pub(super) fn push(&mut self, kind: InstKind) {
        self.builder.push(kind);
    }

    pub(super) fn at(&mut self, loc: LocId) {
        self.builder.at(loc);
    }

    pub(super) fn register(&self, id: RegisterId) -> Reg {
        self.registers[id.0 as usize]
    }

    /// A register that is not otherwise used in this state.
    pub(super) fn temporary(&mut self, ty: Type) -> Reg {
        if let Some(free) = self.temporaries.iter_mut().find(|t| t.ty == ty && !t.in_use) {
            free.in_use = true;
            return free.reg;
        }
        let reg = self.builder.reg(None, ty);
        self.temporaries.push(Temporary { reg, ty, in_use: true });
        reg
    }

    /// Frees the temporaries of the previous state for reuse.
    pub(super) fn forget_temporaries(&mut self) {
        self.temporaries.iter_mut().for_each(|temporary| temporary.in_use = false);
    }

    /// Continues in a new block if the address is inside the memory, and fails otherwise.
    pub(super) fn require_inside(&mut self, inside: Operand) {
        let next = self.builder.block(None);
        let outside = self.outside_block();
        self.builder.branch(inside, next, outside);
        self.builder.switch_to(next);
    }

    /// Creates a failure block; one for each access, so that each has its own position.
    fn outside_block(&mut self) -> BlockId {
        let back = self.builder.current();
        let block = self.builder.block(None);
        self.builder.switch_to(block);
        let cells = self.shared.cells;
        let message =
            format!("the address is outside of the memory of {cells} cells (memory_size)");
        self.push(InstKind::Fail { kind: FailKind::Memory, message });
        self.builder.switch_to(back);
        block
    }

    /// Executes the transition in the current block, then jumps to its target state.
    pub(super) fn perform(&mut self, leaving: Leaving<'_>) {
        self.at(leaving.loc);
        match &leaving.transition.instruction {
            Instruction::Read { register, address } => {
                let addr = self.address(address);
                let dst = self.register(*register);
                self.push(InstKind::Load { dst, ty: Type::I32, addr, access: Access::ASM });
            }
            Instruction::Write { value, address } => {
                let value = self.value(value);
                let addr = self.address(address);
                self.push(InstKind::Store { ty: Type::I32, addr, value, access: Access::ASM });
            }
            Instruction::Local { register, value } => {
                let a = self.value(value);
                let dst = self.register(*register);
                self.push(InstKind::Move { ty: Type::I32, dst, a });
            }
            Instruction::Fence => self.push(InstKind::Fence { kind: FenceKind::Full }),
            Instruction::Lock => self.lock(true),
            Instruction::Unlock => self.lock(false),
            Instruction::Check(_) | Instruction::Noop => {}
        }
        self.builder.jump(self.states[leaving.transition.to.0 as usize]);
    }

    fn lock(&mut self, take: bool) {
        let Some(bus) = self.shared.bus else { return };
        let addr = Operand::Global(bus, 0);
        let kind = if take { InstKind::Lock { addr } } else { InstKind::Unlock { addr } };
        self.push(kind);
        self.set_held(take);
    }
}
