//! Instructions, operands and terminators.

use crate::program::{BlockId, FuncId, GlobalId, LocId, Reg};
use crate::types::Type;
use crate::words::{BinOp, CastOp, FailKind, FenceKind, FloatPred, IntPred, Order, RmwOp, UnOp};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Pred {
    Int(IntPred),
    Float(FloatPred),
}

/// How an access touches memory, apart from its address and width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Access {
    pub order: Order,
    pub volatile: bool,
    /// A load-linked (`lwarx`, `ldrex`) or the store of a store-conditional.
    pub exclusive: bool,
    /// A load for copying: it may also read bytes that were never written, and reads them as 0.
    pub raw: bool,
}

impl Access {
    pub const fn new(order: Order) -> Access {
        Access { order, volatile: false, exclusive: false, raw: false }
    }

    pub const ASM: Access = Access::new(Order::Asm);
}

/// An input of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Operand {
    Reg(Reg),
    /// The bits of a constant; its type comes from the context (floats are given by their encoding).
    Int(u128),
    /// The address of a global, plus an offset in bytes.
    Global(GlobalId, i64),
    /// The address of a function.
    Func(FuncId),
    /// An unspecified value (LLVM's `undef` and `poison`); it is 0 when the program runs.
    Undef,
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

impl From<GlobalId> for Operand {
    fn from(global: GlobalId) -> Operand {
        Operand::Global(global, 0)
    }
}

impl From<u64> for Operand {
    fn from(bits: u64) -> Operand {
        Operand::Int(bits as u128)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    /// A call through a pointer.
    Indirect(Operand),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Inst {
    pub kind: InstKind,
    pub loc: LocId,
}

/// The instructions. Destination registers come first. If a `ty` stands beside operands, all of
/// them have that type; addresses always have the type [`Type::Ptr`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum InstKind {
    // ---- local ----
    Bin {
        op: BinOp,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Un {
        op: UnOp,
        ty: Type,
        dst: Reg,
        a: Operand,
    },
    /// `dst` is an `i1`.
    Cmp {
        pred: Pred,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: CastOp,
        from: Type,
        to: Type,
        dst: Reg,
        a: Operand,
    },
    /// `cond` is an `i1`.
    Select {
        ty: Type,
        dst: Reg,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    Move {
        ty: Type,
        dst: Reg,
        a: Operand,
    },
    Call {
        dst: Option<Reg>,
        callee: Callee,
        args: Vec<Operand>,
    },

    // ---- memory ----
    /// A fresh, uninitialised object that dies with the function's frame; `size` is an `i64`. A
    /// `private` object is only ever touched by its own thread: accesses to it are local steps and
    /// take effect at once under every model.
    Alloca {
        dst: Reg,
        size: Operand,
        align: u32,
        private: bool,
    },
    /// A fresh object that lives until it is freed; `size` is an `i64`. It is uninitialised unless
    /// `zeroed`.
    Malloc {
        dst: Reg,
        size: Operand,
        align: u32,
        zeroed: bool,
    },
    Free {
        addr: Operand,
    },
    /// `dst` (an `i64`) gets the number of bytes from `addr` to the end of its object, whether the object
    /// is alive or dead; 0 if `addr` is not in an object. The value never changes, so this is not an event.
    Extent {
        dst: Reg,
        addr: Operand,
    },
    Load {
        dst: Reg,
        ty: Type,
        addr: Operand,
        access: Access,
    },
    Store {
        ty: Type,
        addr: Operand,
        value: Operand,
        access: Access,
    },
    /// `dst` gets the old value. With `when`, the instruction waits until the value in memory compares
    /// as given (as integers), and then acts in the same step.
    Rmw {
        op: RmwOp,
        ty: Type,
        dst: Reg,
        addr: Operand,
        value: Operand,
        access: Access,
        when: Option<(IntPred, Operand)>,
    },
    /// `dst` gets the old value, `ok` (an `i1`) whether the exchange happened. A weak exchange may fail
    /// spuriously on machines where that happens.
    CmpXchg {
        ty: Type,
        dst: Reg,
        ok: Reg,
        addr: Operand,
        expected: Operand,
        new: Operand,
        weak: bool,
        success: Access,
        failure: Order,
    },
    /// `stwcx.`, `strex`: stores if the thread still has its reservation; `ok` (an `i1`) tells whether.
    StoreCond {
        ty: Type,
        ok: Reg,
        addr: Operand,
        value: Operand,
        access: Access,
    },
    Fence {
        kind: FenceKind,
    },

    // ---- threads ----
    /// Starts `callee(args)` as a new thread; `dst` (an `i64`) gets its handle.
    Spawn {
        dst: Reg,
        callee: Callee,
        args: Vec<Operand>,
    },
    /// Waits for a thread (by handle, an `i64`) to end; `dst` (an `i64`) gets the thread's result.
    Join {
        dst: Option<Reg>,
        thread: Operand,
    },
    /// The handle of the running thread, an `i64`.
    SelfId {
        dst: Reg,
    },
    /// Ends the running thread with a result (an `i64`), at any call depth.
    ThreadExit {
        value: Operand,
    },
    /// A hint to let other threads run; it does not change the set of behaviours.
    Yield,
    /// The program ends, like C's `exit`: the running thread stops, and threads that are blocked
    /// afterwards are not a deadlock. Other threads continue: their steps could as well have come before.
    Halt,

    // ---- locks and condition variables, named by the address of 4 bytes that start as zero ----
    // All ones mark a destroyed lock: using it is an error.
    Lock {
        addr: Operand,
    },
    /// `dst` (an `i1`) says whether the lock was taken.
    TryLock {
        dst: Reg,
        addr: Operand,
    },
    Unlock {
        addr: Operand,
    },
    /// Releases `mutex`, waits to be woken, takes `mutex` again. With `woken` (an `i1`) the wait may
    /// also end at any time; `woken` tells whether a signal ended it.
    CondWait {
        woken: Option<Reg>,
        cond: Operand,
        mutex: Operand,
    },
    /// Wakes any one waiting thread, if one waits.
    CondSignal {
        cond: Operand,
    },
    CondBroadcast {
        cond: Operand,
    },
    /// Waits until the value at `addr` compares as given with `value`, then loads it.
    Await {
        dst: Reg,
        ty: Type,
        pred: IntPred,
        addr: Operand,
        value: Operand,
        access: Access,
    },

    // ---- verification ----
    /// Discards runs in which `cond` (an `i1`) is false: the thread stops here.
    Assume {
        cond: Operand,
    },
    /// `cond` (an `i1`) must hold.
    Assert {
        cond: Operand,
        message: String,
    },
    /// A value of `lo..=hi`; every one is explored. `dst` has type `ty`, an integer of at most 64 bits.
    Choose {
        dst: Reg,
        ty: Type,
        lo: u64,
        hi: u64,
        /// The range is only a part of the values that the input can have; the others are not explored.
        partial: bool,
    },
    /// A construct that the front end could not translate: reaching it fails with this message.
    Unsupported {
        what: String,
    },
    /// The thread fails here.
    Fail {
        kind: FailKind,
        message: String,
    },

    // ---- output ----
    /// C's `printf` formatting. `format` and `args` are pointers; `args` points to one slot of eight
    /// bytes for each argument: integers and pointers as they are, floats as `f64`. Without `to`
    /// the text is output, which only witnesses show; with it (a pointer and a size, an `i64`) at
    /// most size - 1 bytes and a NUL go there. `dst` (an `i32`) gets the length of the whole text.
    /// All of it happens silently: it is not an event.
    Format {
        dst: Reg,
        format: Operand,
        args: Operand,
        to: Option<(Operand, Operand)>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Terminator {
    pub kind: TerminatorKind,
    pub loc: LocId,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TerminatorKind {
    Jump(BlockId),
    /// `cond` is an `i1`.
    Branch {
        cond: Operand,
        then: BlockId,
        els: BlockId,
    },
    Switch {
        ty: Type,
        value: Operand,
        cases: Vec<(u128, BlockId)>,
        default: BlockId,
    },
    Return(Option<Operand>),
    /// Control cannot get here; reaching it is an error of the program.
    Unreachable,
}

impl TerminatorKind {
    /// The blocks that may come next, in the order of the text form.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            TerminatorKind::Jump(to) => vec![*to],
            TerminatorKind::Branch { then, els, .. } => vec![*then, *els],
            TerminatorKind::Switch { cases, default, .. } => {
                cases.iter().map(|(_, to)| *to).chain([*default]).collect()
            }
            TerminatorKind::Return(_) | TerminatorKind::Unreachable => vec![],
        }
    }
}
