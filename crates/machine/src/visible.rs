//! Visible operations: those that other threads can observe.

use crate::thread::ThreadId;
use raddle_ir::{Access, FenceKind, IntPred, RmwOp, Type};

/// A visible operation with its operands read.
///
/// A wait on a condition variable consists of three operations: [`Visible::CondEnqueue`],
/// [`Visible::Unlock`], and [`Visible::Relock`], which is disabled until the thread is woken. The thread
/// enqueues first, while it still holds the lock. A thread that signals cannot distinguish this from POSIX's
/// atomic release-and-wait: a signal between the two wakes the thread, as a signal right after them would. A
/// wait with a timeout has one more operation, [`Visible::CondLeave`], which reads whether the thread was
/// woken. It is always enabled, and after it the thread takes its lock again in any case.
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
        /// The condition that it waits for.
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

/// The cause of the end of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// A call of `free`.
    Free,
    /// The end of its frame.
    Frame,
    /// The end of its thread, for a copy of a thread-local global.
    Thread,
}

impl Ending {
    /// Whether this ends objects without a call of `free`.
    pub fn is_implicit(self) -> bool {
        self != Ending::Free
    }
}

/// The most values that a `choose` may have.
pub const MAX_CHOICES: u32 = 1 << 31;

/// The progress of a thread in a wait on a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Outside,
    /// In the queue, the lock still held.
    Enqueued,
    /// In the queue, the lock released.
    Waiting,
    /// Woken before it released the lock.
    EnqueuedWoken,
    /// Woken; waits for the lock.
    Woken,
    /// Woken or timed out, no longer in the queue; waits for the lock.
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

/// The number of bytes of a mutex or condition variable that are used.
pub const LOCK_BYTES: u32 = 4;
/// The value of a lock that is free.
pub const UNLOCKED: u128 = 0;
/// The value of a lock that was destroyed.
pub const DESTROYED: u128 = 0xffff_ffff;

/// The value of a lock that `thread` holds.
pub const fn held_by(thread: ThreadId) -> u128 {
    thread.0 as u128 + 1
}
