//! Programs: functions, blocks, globals, initial threads, observables, source positions.

use crate::cond::Condition;
use crate::inst::{Inst, Operand, Terminator};
use crate::source::{SourceId, SourceType};
use crate::types::Type;
use cranelift_entity::{PrimaryMap, entity_impl};
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident $prefix:literal),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

/// A source position, as an index into [`Program::locs`]; [`LocId::NONE`] if no position is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct LocId(pub u32);

impl LocId {
    pub const NONE: LocId = LocId(u32::MAX);
}

/// The point before an instruction. An index equal to the number of instructions is the point before the
/// terminator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Point {
    pub func: FuncId,
    pub block: BlockId,
    pub index: u32,
}

/// The calls of a function that have the same position, or none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct CallSite {
    pub func: FuncId,
    pub at: LocId,
}

/// A place in a source file, and the call into which it was inlined, if it was inlined.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Loc {
    /// Index into [`Program::files`].
    pub file: u32,
    pub line: u32,
    /// 0 when only the line is known.
    pub column: u32,
    pub inlined_at: LocId,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RegInfo {
    pub ty: Type,
    /// The name in the source; unique within a function if present.
    pub name: Option<String>,
    /// The type of the object whose address `alloca` puts there.
    pub object: Option<SourceId>,
}

impl RegInfo {
    pub fn new(ty: Type, name: Option<String>) -> RegInfo {
        RegInfo { ty, name, object: None }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// A label, unique within the function if present.
    pub name: Option<String>,
    pub insts: Vec<Inst>,
    pub term: Terminator,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// The registers that hold the arguments on entry: the first registers, in order.
    pub params: Vec<Reg>,
    pub ret: Option<Type>,
    pub regs: PrimaryMap<Reg, RegInfo>,
    /// The first block is the entry. Empty if the function is only declared: a call fails when reached.
    pub blocks: PrimaryMap<BlockId, Block>,
    pub loc: LocId,
    /// Part of a library: its steps are reported at the place that called it.
    pub library: bool,
}

/// A memory object that exists from the start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub align: u32,
    /// The first bytes; the rest is zero. Never longer than `size`.
    pub init: Vec<u8>,
    /// Eight-byte little-endian addresses that overwrite `init`, by offset.
    pub relocs: Vec<(u64, Operand)>,
    /// Writes to it are errors.
    pub constant: bool,
    /// The type in the source.
    pub ty: Option<SourceId>,
    /// Every thread has its own copy.
    pub thread_local: bool,
    /// Only the owning thread ever touches its copy of this thread-local: accesses to it are local steps
    /// and take effect at once under every model.
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
            ty: None,
            thread_local: false,
            private: false,
        }
    }
}

/// A thread that runs from the start. A C program has one (`main`); a litmus test has one for each column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InitThread {
    pub name: String,
    pub func: FuncId,
    pub args: Vec<Operand>,
}

/// A register or memory cell whose final value is part of the outcome of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Observable {
    /// The name in the source: `0:EAX`, `x`.
    pub name: String,
    pub what: Observed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Observed {
    /// A register of the thread's outermost function.
    Reg(ThreadIdx, Reg),
    Mem {
        global: GlobalId,
        offset: u64,
        ty: Type,
    },
}

/// A question of reachability: can every thread named here be at the start of its block, in its
/// outermost function, all at the same time? Only control locations count: memory, registers and
/// store buffers may have any contents.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Goal {
    /// Each thread at most once; at least one thread.
    pub places: Vec<(ThreadIdx, BlockId)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    pub name: String,
    pub files: Vec<String>,
    pub locs: Vec<Loc>,
    /// Each refers only to types before it.
    pub types: PrimaryMap<SourceId, SourceType>,
    /// For calls that allocate: the type of the objects, or of their elements. Sorted.
    pub allocations: Vec<(CallSite, SourceId)>,
    /// For calls that start a thread through a wrapper: the function that the thread is named after. Sorted.
    pub starts: Vec<(CallSite, FuncId)>,
    pub globals: PrimaryMap<GlobalId, Global>,
    pub funcs: PrimaryMap<FuncId, Function>,
    pub threads: PrimaryMap<ThreadIdx, InitThread>,
    pub observables: PrimaryMap<ObservableId, Observable>,
    pub condition: Option<Condition>,
    /// The question is answered as soon as one of the goals is reached.
    pub goals: Vec<Goal>,
    /// A lock whose holder has the exclusive right to write memory: while a thread holds it, stores
    /// and read-modify-writes of other threads wait, and so do the stores in their buffers.
    /// Other threads may still read, and store into their buffers.
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

    /// The type of the objects that a call allocates.
    pub fn allocated(&self, at: CallSite) -> Option<SourceId> {
        let found = self.allocations.binary_search_by_key(&at, |(site, _)| *site).ok()?;
        Some(self.allocations[found].1)
    }

    /// The function after which the thread that a call starts is named.
    pub fn started(&self, at: CallSite) -> Option<FuncId> {
        let found = self.starts.binary_search_by_key(&at, |(site, _)| *site).ok()?;
        Some(self.starts[found].1)
    }

    /// A file's name without its folders, or with as many of them as tell it apart from the other files.
    pub fn short_name(&self, file: &str) -> String {
        let end = |count: usize, name: &str| -> String {
            let parts: Vec<&str> = name.rsplit(['/', '\\']).take(count).collect();
            parts.into_iter().rev().collect::<Vec<_>>().join("/")
        };
        let depth = file.matches(['/', '\\']).count() + 1;
        let tells = |count: &usize| {
            let short = end(*count, file);
            !self.files.iter().any(|other| other != file && end(*count, other) == short)
        };
        (1..=depth).find(tells).map_or_else(|| file.to_owned(), |count| end(count, file))
    }

    /// `file:line` of a position, with the short name of the file.
    pub fn short_place(&self, id: LocId) -> Option<String> {
        let loc = self.loc(id)?;
        let file = self.files.get(loc.file as usize)?;
        Some(format!("{}:{}", self.short_name(file), loc.line))
    }

    /// The approximate number of bytes that the functions take.
    pub fn code_bytes(&self) -> u64 {
        let blocks = self.funcs.values().flat_map(|func| func.blocks.values());
        let bytes = |block: &Block| size_of::<Block>() + size_of_val(&block.insts[..]);
        blocks.map(|block| bytes(block) as u64).sum()
    }

    /// The type of an observable's value.
    pub fn observable_type(&self, id: ObservableId) -> Type {
        match self.observables[id].what {
            Observed::Mem { ty, .. } => ty,
            Observed::Reg(thread, reg) => self.funcs[self.threads[thread].func].regs[reg].ty,
        }
    }
}
