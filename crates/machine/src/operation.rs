//! The effect of each visible operation: the bytes that it touches, the value that it waits for, the value
//! that it writes, the value that its thread gets, and its faults.
//!
//! An engine decides when an operation happens, and records it. Everything else about the operation is
//! defined here, once for all engines.

use crate::eval::{int_pred, rmw_result};
use crate::fault::Fault;
use crate::machine::Machine;
use crate::memory::{Purpose, Slice};
use crate::thread::ThreadId;
use crate::visible::{DESTROYED, Ending, LOCK_BYTES, UNLOCKED, Visible, held_by};
use raddle_ir::{IntPred, Order, Type};

/// One access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    pub addr: u64,
    pub bytes: u32,
    pub writes: bool,
}

/// The values that an operation waits for: those that meet the predicate, and the one on which it fails.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    pred: IntPred,
    ty: Type,
    value: u128,
    fails_on: Option<u128>,
}

impl Needs {
    /// A lock can be taken when it is free, and fails when it was destroyed.
    pub const FREE_LOCK: Needs = Needs {
        pred: IntPred::Eq,
        ty: Type::Int(LOCK_BYTES as u8 * 8),
        value: UNLOCKED,
        fails_on: Some(DESTROYED),
    };

    pub fn bytes(&self) -> u32 {
        self.ty.bytes()
    }

    pub fn met_by(&self, value: u128) -> bool {
        let value = value & self.ty.mask();
        int_pred(self.pred, self.ty, value, self.value) || self.fails_on == Some(value)
    }
}

/// The effect of an operation on the value it finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    pub new: u128,
    /// Whether `new` is written. A conditional operation gives this back as its success.
    pub happens: bool,
    /// The value that the thread gets.
    pub result: u128,
}

/// When the buffer drains for a store of order `seq_cst`. No thread can observe the difference: the
/// storing thread does nothing in between, and the store is the last to leave the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrongStore {
    /// The store enters the buffer, and its thread waits until the buffer is empty.
    DrainsAfter,
    /// The store waits for the empty buffer, and goes straight to memory.
    DrainsBefore,
}

/// The fault of an operation on a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LockFault {
    Destroyed,
    /// The address is not that of a lock.
    Access(Fault),
    /// The thread does not hold the lock. This does not depend on other threads.
    NotHeld(Fault),
}

impl From<LockFault> for Fault {
    fn from(fault: LockFault) -> Fault {
        match fault {
            LockFault::Destroyed => Fault::lock_destroyed(),
            LockFault::Access(fault) | LockFault::NotHeld(fault) => fault,
        }
    }
}

impl Visible {
    /// The address and the number of the bytes that the operation touches; only the first byte for the end of
    /// an object. `None` if it does not touch memory.
    #[inline]
    pub fn bytes(&self) -> Option<(u64, u32)> {
        Some(match *self {
            Visible::Load { addr, ty, .. }
            | Visible::Await { addr, ty, .. }
            | Visible::Store { addr, ty, .. }
            | Visible::Rmw { addr, ty, .. }
            | Visible::CmpXchg { addr, ty, .. }
            | Visible::StoreCond { addr, ty, .. } => (addr, ty.bytes()),
            Visible::Lock { addr }
            | Visible::Relock { addr, .. }
            | Visible::TryLock { addr }
            | Visible::Unlock { addr }
            | Visible::CondEnqueue { addr, .. }
            | Visible::CondLeave { addr }
            | Visible::Signal { addr }
            | Visible::Broadcast { addr } => (addr, LOCK_BYTES),
            Visible::Free { addr, .. } => (addr, 1),
            Visible::Choose { .. }
            | Visible::Fence { .. }
            | Visible::Spawn
            | Visible::Join { .. }
            | Visible::Format => return None,
        })
    }

    /// The purpose of the access.
    #[inline]
    pub fn purpose(&self) -> Purpose {
        match self {
            Visible::Load { access, .. } if access.raw => Purpose::Copy,
            Visible::Load { .. }
            | Visible::Await { .. }
            | Visible::CondEnqueue { .. }
            | Visible::CondLeave { .. } => Purpose::Read,
            Visible::Store { .. } | Visible::StoreCond { .. } => Purpose::Write,
            _ => Purpose::Update,
        }
    }

    /// The address and the values that the operation waits for; `None` if it does not wait for a value.
    #[inline]
    pub fn needs(&self) -> Option<(u64, Needs)> {
        let (addr, ty, pred, value) = match *self {
            Visible::Lock { addr } | Visible::Relock { addr, woken: true } => {
                return Some((addr, Needs::FREE_LOCK));
            }
            Visible::Await { addr, ty, pred, value } => (addr, ty, pred, value),
            Visible::Rmw { addr, ty, when: Some((pred, value)), .. } => (addr, ty, pred, value),
            _ => return None,
        };
        Some((addr, Needs { pred, ty, value, fails_on: None }))
    }

    /// The effect on the value that the operation finds. `reserved` says whether the reservation of a
    /// store-conditional still holds.
    #[inline]
    pub fn change(&self, thread: ThreadId, old: u128, reserved: bool) -> Change {
        match *self {
            Visible::Store { value, .. } => Change { new: value, happens: true, result: 0 },
            Visible::StoreCond { value, .. } => Change { new: value, happens: reserved, result: 0 },
            Visible::Rmw { ty, op, operand, .. } => {
                Change { new: rmw_result(op, ty, old, operand), happens: true, result: old }
            }
            Visible::CmpXchg { ty, expected, new, .. } => {
                Change { new, happens: old & ty.mask() == expected, result: old }
            }
            Visible::Lock { .. } | Visible::Relock { .. } | Visible::TryLock { .. } => {
                Change { new: held_by(thread), happens: old == UNLOCKED, result: 0 }
            }
            Visible::Unlock { .. } => Change { new: UNLOCKED, happens: true, result: 0 },
            _ => Change { new: old, happens: false, result: old },
        }
    }

    /// Whether the operation is a change that another thread can observe, independent of the value that it
    /// finds. Read-modify-writes are not included: they are a change only if they change the value.
    #[inline]
    pub fn is_change(&self) -> bool {
        matches!(
            self,
            Visible::Store { .. }
                | Visible::CondEnqueue { .. }
                | Visible::Signal { .. }
                | Visible::Broadcast { .. }
                | Visible::Free { by: Ending::Free, .. }
                | Visible::Choose { .. }
        )
    }

    /// Whether the operation waits until the buffer of its thread is empty, and so happens after all updates
    /// of the thread's earlier stores.
    #[inline]
    pub fn needs_empty_buffer(&self, strong: StrongStore) -> bool {
        match self {
            Visible::Load { access, .. } => access.exclusive,
            Visible::Store { access, .. } => {
                strong == StrongStore::DrainsBefore && access.order == Order::SeqCst
            }
            Visible::Await { .. } | Visible::Choose { .. } => false,
            _ => true,
        }
    }
}

impl Machine<'_> {
    /// The value in memory; `None` if the address is not valid, or the bytes were never written.
    #[inline]
    pub fn in_memory(&self, addr: u64, bytes: u32) -> Option<u128> {
        let slice = self.memory.find(&self.trail, addr, bytes, Purpose::Read)?;
        Some(self.memory.read(&self.trail, slice))
    }

    /// The access of an operation in the current state; `None` if it does not touch memory. `reserved` says
    /// whether a store-conditional to these bytes would succeed.
    #[inline]
    pub fn touch(
        &self,
        visible: &Visible,
        reserved: impl FnOnce(u64, u32) -> bool,
    ) -> Option<Touch> {
        let (addr, mut bytes) = visible.bytes()?;
        let writes = match *visible {
            Visible::Load { .. }
            | Visible::Await { .. }
            | Visible::CondEnqueue { .. }
            | Visible::CondLeave { .. } => false,
            Visible::CmpXchg { ty, expected, .. } => {
                let seen = self.in_memory(addr, bytes);
                seen.is_some_and(|seen| seen & ty.mask() == expected)
            }
            Visible::StoreCond { .. } => reserved(addr, bytes),
            // A lock at a bad address counts as free, so that taking it can fail.
            Visible::TryLock { .. } => {
                self.in_memory(addr, bytes).is_none_or(|held| held == UNLOCKED)
            }
            Visible::Free { by, .. } => {
                let whole = self.memory.whole(&self.trail, addr, by.is_implicit());
                bytes = whole.map_or(1, |slice| slice.bytes());
                true
            }
            _ => true,
        };
        Some(Touch { addr, bytes, writes })
    }

    /// The fault of an operation that cannot use its lock.
    #[inline]
    pub fn lock_fault(&self, thread: ThreadId, visible: &Visible) -> Option<LockFault> {
        let (addr, must_hold) = match *visible {
            Visible::Lock { addr } | Visible::Relock { addr, .. } | Visible::TryLock { addr } => {
                (addr, false)
            }
            Visible::Unlock { addr } | Visible::CondEnqueue { mutex: addr, .. } => (addr, true),
            _ => return None,
        };
        let held = self.in_memory(addr, LOCK_BYTES);
        if held == Some(DESTROYED) {
            return Some(LockFault::Destroyed);
        }
        if !must_hold || held == Some(held_by(thread)) {
            return None;
        }
        // A faulty address is reported first: a lock at such an address is not held either.
        Some(match self.memory.access(&self.trail, addr, LOCK_BYTES, Purpose::Update) {
            Err(fault) => LockFault::Access(fault),
            Ok(_) => LockFault::NotHeld(match visible {
                Visible::Unlock { .. } => Fault::unlocks_without_holding(),
                _ => Fault::waits_without_holding(),
            }),
        })
    }

    /// The object that [`Visible::Free`] ends. `None` if the operation has no effect: `free(NULL)`, and the
    /// end of a frame or thread for an object that was freed before.
    pub fn ending(&self, addr: u64, by: Ending) -> Result<Option<Slice>, Fault> {
        match self.memory.whole(&self.trail, addr, by.is_implicit()) {
            Ok(slice) => Ok(Some(slice)),
            Err(_) if addr == 0 || by.is_implicit() => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// The fault of a store that enters a buffer. A store to a dead object has none yet: whether the object
    /// ended before the store is decided when the store leaves the buffer.
    pub fn check_buffered(&self, addr: u64, bytes: u32) -> Result<(), Fault> {
        match self.memory.access(&self.trail, addr, bytes, Purpose::Write) {
            Err(fault) if !self.memory.is_dead(&self.trail, addr, bytes) => Err(fault),
            _ => Ok(()),
        }
    }

    /// The thread that a join waits for.
    pub fn join_target(&self, thread: ThreadId, handle: u64) -> Result<ThreadId, Fault> {
        let target = self.thread_of(handle).filter(|target| *target != thread);
        target.ok_or_else(Fault::joins_no_thread)
    }

    /// The effect of a read-modify-write that does not wait and leaves memory unchanged; otherwise `None`.
    pub fn idle(&self, thread: ThreadId, visible: &Visible) -> Option<Change> {
        match visible {
            Visible::Rmw { when: None, .. } | Visible::CmpXchg { .. } | Visible::TryLock { .. } => {
                let (addr, bytes) = visible.bytes()?;
                let old = self.in_memory(addr, bytes)?;
                let change = visible.change(thread, old, false);
                (!change.happens || change.new == old).then_some(change)
            }
            _ => None,
        }
    }

    // ---- alternatives ----

    /// The number of alternatives of a thread's next operation.
    pub fn choice_count(&self, thread: ThreadId) -> u32 {
        match self.visible(thread) {
            // `run` does not stop before more than `MAX_CHOICES`.
            Visible::Choose { count } => count as u32,
            Visible::Signal { addr } => self.waiters(addr).count().max(1) as u32,
            _ => 1,
        }
    }

    /// The `n`-th alternative: for `choose`, `n` itself; for a signal, the number plus 1 of the thread that
    /// it wakes, or 0 if no thread waits.
    pub fn nth_choice(&self, thread: ThreadId, n: u32) -> u32 {
        match self.visible(thread) {
            Visible::Signal { addr } => self.waiters(addr).nth(n as usize).map_or(0, |id| id.0 + 1),
            _ => n,
        }
    }

    /// The threads that a signal on the condition at `addr` could wake, in order.
    pub fn waiters(&self, addr: u64) -> impl Iterator<Item = ThreadId> + '_ {
        self.thread_ids().filter(move |id| self.waits_on(*id) == Some(addr))
    }

    /// The threads that an operation wakes, given its alternative.
    pub fn woken_by(&self, visible: &Visible, choice: u32) -> Vec<ThreadId> {
        match *visible {
            Visible::Broadcast { addr } => self.waiters(addr).collect(),
            Visible::Signal { addr } => {
                self.waiters(addr).filter(|id| id.0 + 1 == choice).collect()
            }
            _ => Vec::new(),
        }
    }
}
