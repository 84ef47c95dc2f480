//! What a thread is about to do, when that is more than its own business.

use crate::thread::ThreadId;
use raddle_ir::{Access, FenceKind, IntPred, RmwOp, Type};

/// A visible operation with its operands read.
///
/// A wait on a condition variable is three of them: [`Visible::CondEnqueue`], [`Visible::Unlock`],
/// and [`Visible::Relock`], which stays disabled until the thread is woken. Enqueuing first, while
/// the lock is still held, is indistinguishable from POSIX's atomic release-and-wait for anyone who
/// signals: a signal between the two wakes the thread just as one right after would. A wait that may
/// time out has one more, [`Visible::CondLeave`], which finds out whether it was woken: it can come
/// at any time, and after it the thread wants its lock back in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visible {
    Load {
        addr: u64,
        ty: Type,
        access: Access,
    },
    Store {
        addr: u64,
        ty: Type,
        value: u128,
        access: Access,
    },
    Rmw {
        addr: u64,
        ty: Type,
        op: RmwOp,
        operand: u128,
        /// What it waits for.
        when: Option<(IntPred, u128)>,
    },
    CmpXchg {
        addr: u64,
        ty: Type,
        expected: u128,
        new: u128,
    },
    StoreCond {
        addr: u64,
        ty: Type,
        value: u128,
    },
    Fence {
        kind: FenceKind,
    },
    /// Ends the object at `addr`.
    Free {
        addr: u64,
        by: Ending,
    },
    Spawn,
    Join {
        handle: u64,
    },
    Lock {
        addr: u64,
    },
    TryLock {
        addr: u64,
    },
    Unlock {
        addr: u64,
    },
    CondEnqueue {
        addr: u64,
        mutex: u64,
    },
    CondLeave {
        addr: u64,
    },
    Relock {
        addr: u64,
        woken: bool,
    },
    Signal {
        addr: u64,
    },
    Broadcast {
        addr: u64,
    },
    Await {
        addr: u64,
        ty: Type,
        pred: IntPred,
        value: u128,
    },
    Choose {
        count: u64,
    },
    /// Formats text: see [`Machine::formatted`](crate::Machine::formatted).
    Format,
}

/// What ends an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// A call of `free`.
    Free,
    /// The end of the frame that it belongs to.
    Frame,
    /// The end of the thread whose copy of a thread-local global it is.
    Thread,
}

impl Ending {
    /// Whether objects end so that were never on the heap.
    pub fn is_implicit(self) -> bool {
        self != Ending::Free
    }
}

/// The most values that a `choose` may have.
pub const MAX_CHOICES: u32 = 1 << 31;

/// How far a thread is in a wait on a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Outside,
    /// On the condition's list, the lock still held.
    Enqueued,
    /// On the list, the lock released.
    Waiting,
    /// Woken before it released the lock.
    EnqueuedWoken,
    /// Woken; wants the lock back.
    Woken,
    /// Woken or not, no longer on the list; wants the lock back.
    Left,
}

impl Phase {
    pub(crate) const ALL: [Phase; 6] = [
        Phase::Outside,
        Phase::Enqueued,
        Phase::Waiting,
        Phase::EnqueuedWoken,
        Phase::Woken,
        Phase::Left,
    ];

    /// Whether a signal can still wake the thread.
    pub fn is_waiting(self) -> bool {
        matches!(self, Phase::Enqueued | Phase::Waiting)
    }
}

/// The handle that programs hold for a thread: never 0.
pub const fn handle(thread: ThreadId) -> u64 {
    thread.0 as u64 + 1
}

/// Bytes of a mutex or condition variable that count.
pub const LOCK_BYTES: u32 = 4;
/// The value of a lock that is free.
pub const UNLOCKED: u128 = 0;
/// The value of a lock that was destroyed.
pub const DESTROYED: u128 = 0xffff_ffff;

/// The value of a lock that `thread` holds.
pub const fn held_by(thread: ThreadId) -> u128 {
    thread.0 as u128 + 1
}
