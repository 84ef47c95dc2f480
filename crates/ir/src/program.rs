//! Programs: functions, blocks, globals, initial threads, observables, source positions.

use crate::cond::Condition;
use crate::inst::{Inst, Operand, Terminator};
use crate::types::Type;
use cranelift_entity::{PrimaryMap, entity_impl};

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident $prefix:literal),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    )+};
}

ids! {
    FuncId "func",
    GlobalId "global",
    BlockId "block",
    /// A virtual register of one function.
    Reg "%",
    ObservableId "observable",
    /// An initial thread, by its place in [`Program::threads`].
    ThreadIdx "thread",
}

/// A source position, as an index into [`Program::locs`]; [`LocId::NONE`] where there is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocId(pub u32);

impl LocId {
    pub const NONE: LocId = LocId(u32::MAX);
}

/// Before an instruction; an index that is the number of instructions is before the terminator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    pub func: FuncId,
    pub block: BlockId,
    pub index: u32,
}

/// A place in a source file, and the call it was inlined at, if it was.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Loc {
    /// Index into [`Program::files`].
    pub file: u32,
    pub line: u32,
    /// 0 when only the line is known.
    pub column: u32,
    pub inlined_at: LocId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegInfo {
    pub ty: Type,
    /// How the source calls it; unique within a function when present.
    pub name: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// A label, unique within the function when present.
    pub name: Option<String>,
    pub insts: Vec<Inst>,
    pub term: Terminator,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: String,
    /// Registers that hold the arguments on entry; the first registers, in order.
    pub params: Vec<Reg>,
    pub ret: Option<Type>,
    pub regs: PrimaryMap<Reg, RegInfo>,
    /// The first block is the entry. Empty: declared but not defined; a call fails when reached.
    pub blocks: PrimaryMap<BlockId, Block>,
    pub loc: LocId,
    /// Part of a library: what happens in it is reported at the place that called it.
    pub library: bool,
}

/// A memory object that exists from the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub align: u32,
    /// The first bytes; the rest is zero. Never longer than `size`.
    pub init: Vec<u8>,
    /// Eight-byte little-endian addresses written over `init`, by offset.
    pub relocs: Vec<(u64, Operand)>,
    /// Writes to it are errors.
    pub constant: bool,
    /// Bytes of an element, if the source has an array here: for names only, `x[1]` for `x+4`.
    pub element: Option<u64>,
    /// Every thread has its own copy.
    pub thread_local: bool,
    /// Only its own thread ever touches a thread-local copy: accesses to it are local steps, in
    /// effect at once under every model.
    pub private: bool,
}

impl Global {
    /// An ordinary zeroed global of `size` bytes.
    pub fn zeroed(name: impl Into<String>, size: u64, align: u32) -> Global {
        Global {
            name: name.into(),
            size,
            align,
            init: Vec::new(),
            relocs: Vec::new(),
            constant: false,
            element: None,
            thread_local: false,
            private: false,
        }
    }
}

/// A thread that runs from the start. A C program has one (`main`); a litmus test, one a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InitThread {
    pub name: String,
    pub func: FuncId,
    pub args: Vec<Operand>,
}

/// Something whose final value tells executions apart for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observable {
    /// How the source calls it: `0:EAX`, `x`.
    pub name: String,
    pub what: Observed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observed {
    /// A register of the thread's outermost function.
    Reg(ThreadIdx, Reg),
    Mem {
        global: GlobalId,
        offset: u64,
        ty: Type,
    },
}

/// What reachability asks for: that every thread named here is at the start of its block, in its
/// outermost function, all at the same time. Only control counts: memory, registers and what is
/// still in store buffers do not.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Goal {
    /// Different threads, at least one.
    pub places: Vec<(ThreadIdx, BlockId)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub name: String,
    pub files: Vec<String>,
    pub locs: Vec<Loc>,
    pub globals: PrimaryMap<GlobalId, Global>,
    pub funcs: PrimaryMap<FuncId, Function>,
    pub threads: PrimaryMap<ThreadIdx, InitThread>,
    pub observables: PrimaryMap<ObservableId, Observable>,
    pub condition: Option<Condition>,
    /// Reaching any of them is reaching what was asked for.
    pub goals: Vec<Goal>,
    /// A lock whose holder has the sole right to write memory: as long as a thread holds it, stores
    /// and read-modify-writes of other threads wait, and so does what is in their store buffers.
    /// They may still read, and store into their buffers.
    pub memory_lock: Option<GlobalId>,
}

impl Program {
    pub fn loc(&self, id: LocId) -> Option<&Loc> {
        self.locs.get(id.0 as usize)
    }

    /// `file:line` of a position, for messages.
    pub fn place(&self, id: LocId) -> Option<String> {
        let loc = self.loc(id)?;
        let file = self.files.get(loc.file as usize)?;
        Some(format!("{file}:{}", loc.line))
    }

    /// About how many bytes its functions take.
    pub fn code_bytes(&self) -> u64 {
        let blocks = self.funcs.values().flat_map(|func| func.blocks.values());
        let bytes = |block: &Block| size_of::<Block>() + size_of_val(&block.insts[..]);
        blocks.map(|block| bytes(block) as u64).sum()
    }

    /// The type an observable's value has.
    pub fn observable_type(&self, id: ObservableId) -> Type {
        match self.observables[id].what {
            Observed::Mem { ty, .. } => ty,
            Observed::Reg(thread, reg) => self.funcs[self.threads[thread].func].regs[reg].ty,
        }
    }
}
