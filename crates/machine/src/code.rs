//! The program as a flat array of operations, ready to run.
//!
//! Registers are slots of a frame (two for integers wider than 64 bits). Blocks and functions are indices of
//! one array. `decode` builds it.

use crate::quick::Quick;
use raddle_ir::{
    Access, BinOp, BlockId, CastOp, FailKind, FenceKind, FuncId, GlobalId, IntPred, LocId, Order,
    Pred, RmwOp, Type, UnOp,
};

/// An index of [`Code::ops`]: a program counter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pc(pub u32);

impl Pc {
    /// The next index.
    #[inline]
    #[must_use]
    pub fn next(self) -> Pc {
        Pc(self.0 + 1)
    }
}

/// A register's word within a frame; a wide register also has the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub u32);

/// The source of an operand, packed into 32 bits, because operations are read very often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Src(u32);

/// An unpacked [`Src`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Slot(Slot),
    /// A constant: index into [`Code::constants`].
    Constant(u32),
    /// A constant of more than 64 bits: index into [`Code::wides`].
    Wide(u32),
    /// The address of the running thread's copy of a global: index into [`Code::thread_locals`].
    ThreadLocal(u32),
}

impl Src {
    const INDEX_BITS: u32 = 30;

    pub fn new(source: Source) -> Src {
        let (tag, index) = match source {
            Source::Slot(Slot(slot)) => (0, slot),
            Source::Constant(index) => (1, index),
            Source::Wide(index) => (2, index),
            Source::ThreadLocal(index) => (3, index),
        };
        assert!(index >> Self::INDEX_BITS == 0, "a function or program of more than 2^30 operands");
        Src(tag << Self::INDEX_BITS | index)
    }

    /// Whether the operand is at hand: it is not a copy of a thread-local global, which may have to be
    /// created first.
    #[inline]
    pub fn is_at_hand(self) -> bool {
        !matches!(self.get(), Source::ThreadLocal(_))
    }

    #[inline]
    pub fn is_slot(self) -> bool {
        matches!(self.get(), Source::Slot(_))
    }

    #[inline]
    pub fn get(self) -> Source {
        let index = self.0 & ((1 << Self::INDEX_BITS) - 1);
        match self.0 >> Self::INDEX_BITS {
            0 => Source::Slot(Slot(index)),
            1 => Source::Constant(index),
            2 => Source::Wide(index),
            _ => Source::ThreadLocal(index),
        }
    }
}

/// A run of [`Code::args`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Args {
    pub start: u32,
    pub len: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Func(FuncId),
    Pointer(Src),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Bin {
        op: BinOp,
        ty: Type,
        dst: Slot,
        a: Src,
        b: Src,
    },
    Un {
        op: UnOp,
        ty: Type,
        dst: Slot,
        a: Src,
    },
    Cmp {
        pred: Pred,
        ty: Type,
        dst: Slot,
        a: Src,
        b: Src,
    },
    Cast {
        op: CastOp,
        from: Type,
        to: Type,
        dst: Slot,
        a: Src,
    },
    Select {
        ty: Type,
        dst: Slot,
        cond: Src,
        a: Src,
        b: Src,
    },
    Move {
        ty: Type,
        dst: Slot,
        a: Src,
    },
    Call {
        target: Target,
        args: Args,
        dst: Option<(Slot, Type)>,
    },
    /// Ends the objects of the frame, one by one, before a return.
    DropAllocas,
    Return {
        value: Option<Src>,
        ty: Type,
    },
    Jump(Pc),
    Branch {
        cond: Src,
        then: Pc,
        els: Pc,
    },
    /// Index into [`Code::switches`].
    Switch {
        value: Src,
        ty: Type,
        table: u32,
    },
    Unreachable,
    /// The entry of a loop, and the head that every iteration passes.
    LoopEntry(LoopId),
    LoopHead(LoopId),

    Alloca {
        dst: Slot,
        size: Src,
        private: bool,
    },
    Malloc {
        dst: Slot,
        size: Src,
        zeroed: bool,
    },
    Free {
        addr: Src,
    },
    Load {
        dst: Slot,
        ty: Type,
        addr: Src,
        access: Access,
    },
    Store {
        ty: Type,
        addr: Src,
        value: Src,
        access: Access,
    },
    Rmw {
        op: RmwOp,
        ty: Type,
        dst: Slot,
        addr: Src,
        value: Src,
        order: Order,
        when: Option<(IntPred, Src)>,
    },
    CmpXchg {
        ty: Type,
        dst: Slot,
        ok: Slot,
        addr: Src,
        expected: Src,
        new: Src,
        order: Order,
        /// The order if the comparison fails.
        failure: Order,
    },
    StoreCond {
        ty: Type,
        ok: Slot,
        addr: Src,
        value: Src,
        order: Order,
    },
    Fence {
        kind: FenceKind,
    },

    Spawn {
        dst: Slot,
        target: Target,
        args: Args,
    },
    Join {
        dst: Option<Slot>,
        thread: Src,
    },
    Extent {
        dst: Slot,
        addr: Src,
    },
    SelfId {
        dst: Slot,
    },
    ThreadExit {
        value: Src,
    },
    Halt,
    Nop,
    /// The start of a block that a goal names.
    Pause,

    Lock {
        addr: Src,
    },
    TryLock {
        dst: Slot,
        addr: Src,
    },
    Unlock {
        addr: Src,
    },
    CondWait {
        /// For a wait with a timeout: the destination for whether the thread was woken.
        woken: Option<Slot>,
        cond: Src,
        mutex: Src,
    },
    CondSignal {
        cond: Src,
    },
    CondBroadcast {
        cond: Src,
    },
    Await {
        dst: Slot,
        ty: Type,
        pred: IntPred,
        addr: Src,
        value: Src,
        order: Order,
    },

    Assume {
        cond: Src,
    },
    /// Index into [`Code::messages`].
    Assert {
        cond: Src,
        message: u32,
    },
    Choose {
        dst: Slot,
        lo: u64,
        hi: u64,
    },
    /// Index into [`Code::messages`].
    Unsupported {
        message: u32,
    },
    /// Index into [`Code::messages`].
    Fail {
        kind: FailKind,
        message: u32,
    },
    Format {
        dst: Slot,
        format: Src,
        args: Src,
        to: Option<(Src, Src)>,
    },
}

impl Op {
    /// The address that the operation touches, if it touches memory.
    pub fn address(&self) -> Option<Src> {
        match *self {
            Op::Load { addr, .. }
            | Op::Store { addr, .. }
            | Op::Rmw { addr, .. }
            | Op::CmpXchg { addr, .. }
            | Op::StoreCond { addr, .. }
            | Op::Free { addr }
            | Op::Lock { addr }
            | Op::TryLock { addr, .. }
            | Op::Unlock { addr }
            | Op::Await { addr, .. } => Some(addr),
            Op::CondWait { cond, .. } | Op::CondSignal { cond } | Op::CondBroadcast { cond } => {
                Some(cond)
            }
            _ => None,
        }
    }

    /// Whether a thread stops before the operation: see [`crate::visible`].
    #[inline]
    pub fn is_visible(&self) -> bool {
        matches!(
            self,
            Op::Load { .. }
                | Op::Store { .. }
                | Op::Rmw { .. }
                | Op::CmpXchg { .. }
                | Op::StoreCond { .. }
                | Op::Fence { .. }
                | Op::Free { .. }
                | Op::Spawn { .. }
                | Op::Join { .. }
                | Op::Lock { .. }
                | Op::TryLock { .. }
                | Op::Unlock { .. }
                | Op::CondWait { .. }
                | Op::CondSignal { .. }
                | Op::CondBroadcast { .. }
                | Op::Await { .. }
                | Op::Choose { .. }
                | Op::Format { .. }
        )
    }
}

#[derive(Clone, Debug)]
pub struct Switch {
    pub cases: Vec<(u128, Pc)>,
    pub default: Pc,
}

/// Index into [`Code::loops`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopId(pub u32);

/// A loop that is watched: because it may spin, or to bound its iterations.
#[derive(Clone, Copy, Debug)]
pub struct LoopCode {
    pub func: FuncId,
    pub head: BlockId,
    /// The first of its words in a frame: see [`crate::spin`].
    pub slot: Slot,
    pub may_spin: bool,
    /// Whether a thread could leave it: see `exits`.
    pub has_way_out: bool,
    /// The number of loops of the function around it.
    pub nesting: u32,
    /// How often the loop may go back, each time it is entered.
    pub most: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct FuncCode {
    /// `None` for a function that is only declared.
    pub entry: Option<Pc>,
    /// Words of a frame, without its header.
    pub slots: u32,
    /// How many of those hold registers; the others belong to loops.
    pub register_slots: u32,
    /// The slot and the type of each register.
    pub regs: Vec<(Slot, Type)>,
    pub params: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    /// The quick form of each operation.
    pub(crate) quick: Vec<Quick>,
    /// The source position of each operation.
    pub locs: Vec<LocId>,
    /// The block of each operation, and the index of its instruction there.
    pub insts: Vec<(BlockId, u32)>,
    pub funcs: Vec<FuncCode>,
    /// Arguments of calls, with whether they are wide.
    pub args: Vec<(Src, bool)>,
    pub constants: Vec<u64>,
    pub wides: Vec<u128>,
    pub thread_locals: Vec<(GlobalId, i64)>,
    pub switches: Vec<Switch>,
    pub messages: Vec<String>,
    pub loops: Vec<LoopCode>,
    /// The start of each block that a goal names.
    pub pauses: Vec<(FuncId, BlockId, Pc)>,
    /// Whether a loop may spin.
    pub may_spin: bool,
    /// Whether some operation waits for the end of a thread.
    pub has_joins: bool,
    /// Whether any thread can wait for a value in memory.
    pub has_waits: bool,
    /// Whether the effect of some operation depends on the value that it overwrites.
    pub has_conditions: bool,
    /// Whether private objects exist.
    pub has_private: bool,
    /// Whether threads have copies of thread-local globals that other threads may touch.
    pub shares_thread_locals: bool,
    /// Whether the program begins with one thread, which may spawn others: see [`crate::private`].
    pub begins_alone: bool,
    /// Whether some operation formats text, which reads memory without an event.
    pub has_formats: bool,
}

impl Code {
    #[inline]
    pub fn op(&self, pc: Pc) -> Op {
        self.ops[pc.0 as usize]
    }

    pub fn loc(&self, pc: Pc) -> LocId {
        self.locs[pc.0 as usize]
    }

    /// The function of an operation.
    pub fn function_at(&self, pc: Pc) -> Option<FuncId> {
        // The code of functions is consecutive and in order.
        let entries = self.funcs.iter().enumerate().filter_map(|(n, f)| Some((n, f.entry?)));
        let found = entries.take_while(|(_, entry)| *entry <= pc).last()?;
        Some(FuncId::from_u32(found.0 as u32))
    }

    /// The operations of a function: those from its entry up to the entry of the next function.
    pub fn operations(&self, func: FuncId) -> std::ops::Range<usize> {
        let Some(first) = self.funcs[func.as_u32() as usize].entry else { return 0..0 };
        let later = self.funcs.iter().filter_map(|f| f.entry).filter(|entry| *entry > first);
        let end = later.map(|entry| entry.0 as usize).min().unwrap_or(self.ops.len());
        first.0 as usize..end
    }

    /// The loop whose head is this operation.
    pub fn loop_at(&self, pc: Pc) -> Option<LoopId> {
        match self.ops[pc.0 as usize] {
            Op::LoopHead(id) => Some(id),
            _ => None,
        }
    }

    pub fn args(&self, args: Args) -> &[(Src, bool)] {
        &self.args[args.start as usize..][..args.len as usize]
    }
}

/// Whether values of a type take two words.
#[inline]
pub fn is_wide(ty: Type) -> bool {
    ty.bits() > 64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations are read very often, so their size matters.
    #[test]
    fn operations_are_small() {
        assert!(std::mem::size_of::<Op>() <= 40);
    }
}
