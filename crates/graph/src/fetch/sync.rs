//! Locks, awaits, starting threads and allocations.
//!
//! A lock is four bytes of memory: 0, or its holder's number plus 1. To lock is a read-modify-write
//! that waits for 0, with acquire order; to unlock is one with release order that must find the value that
//! the lock wrote. Starting and joining a thread order like a full fence.
//!
//! Condition variables are in `condition`, joins in `join`.
//!
//! Not supported: formatting into memory. Printing is ignored, and its result is 0.

use super::access::{Ask, ReadModifyWrite};
use super::calls::PassedOp;
use super::event::{Check, Kind, When};
use super::sets::DepsId;
use super::step::Next;
use super::value::Val;
use super::{Threads, field, unsupported};
use raddle_ir::{Order, RmwOp, Type};
use raddle_machine::code::{Args, Op, Slot, Src, Target, is_wide};
use raddle_machine::layout::{global_address, object_address};
use raddle_machine::memory::ObjectKind;
use raddle_machine::visible::{UNLOCKED, handle, held_by};
use raddle_machine::{Fault, ThreadId};

/// The type of a lock's value.
pub(super) const LOCK: Type = Type::I32;

impl Threads<'_> {
    pub(super) fn thread_step(&mut self, thread: ThreadId, op: Op) -> Result<Next, Fault> {
        match op {
            Op::Spawn { dst, target, args } => return self.spawn_step(thread, dst, target, args),
            Op::Join { dst, thread: handle } => return self.join_step(thread, dst, handle),
            Op::SelfId { dst } => self.put(thread, dst, Val::known(handle(thread).into()), false),
            Op::Lock { addr } => {
                let addr = self.read(thread, addr, false)?;
                self.refuse_memory_lock(addr)?;
                self.take_lock(thread, addr)?;
            }
            Op::Unlock { addr } => {
                let addr = self.read(thread, addr, false)?;
                self.give_lock(thread, addr)?;
            }
            Op::TryLock { dst, addr } => {
                let addr = self.read(thread, addr, false)?;
                self.refuse_memory_lock(addr)?;
                let (expected, new) = (Val::known(UNLOCKED), Val::known(held_by(thread)));
                let swap = super::access::Swap {
                    ty: LOCK,
                    addr,
                    expected,
                    new,
                    order: Order::Acquire,
                    failure: Order::Relaxed,
                    check: Some(Check::Destroyed),
                };
                let Some((_, ok)) = self.compare_and_swap(thread, swap)? else {
                    return Ok(Next::Wait);
                };
                self.put(thread, dst, ok, false);
            }
            Op::Await { dst, ty, pred, addr, value, order } => {
                let addr = self.read(thread, addr, false)?;
                let wanted = self.read(thread, value, is_wide(ty))?;
                let (before, after) = (self.rules.load)(order);
                self.barrier(thread, before, DepsId::NONE);
                let when = Some(When::Compares(pred, wanted));
                let ask = Ask { when, ..Ask::NOTHING };
                let (_, value) = self.fetch_load(thread, ty, addr, ask)?;
                // It stands for a loop, and a loop ends in a branch.
                self.follows(thread, value);
                self.barrier(thread, after, value.deps);
                self.put(thread, dst, value, is_wide(ty));
            }
            Op::CondWait { woken, cond, mutex } => {
                let (cond, mutex) =
                    (self.read(thread, cond, false)?, self.read(thread, mutex, false)?);
                self.wait_step(thread, woken, cond, mutex)?;
            }
            Op::CondSignal { cond } => {
                let cond = self.read(thread, cond, false)?;
                return self.signal_step(thread, cond, false);
            }
            Op::CondBroadcast { cond } => {
                let cond = self.read(thread, cond, false)?;
                return self.signal_step(thread, cond, true);
            }
            Op::Format { to: Some(_), .. } => {
                return Err(unsupported(
                    "formatting into memory is not supported by the graph engine",
                ));
            }
            Op::Format { dst, .. } => self.put(thread, dst, Val::known(0), false),
            op => return self.object_step(thread, op),
        }
        Ok(Next::Go)
    }

    /// Fails if a lock is, or may be, the memory lock: the axioms do not let writes of other threads wait.
    fn refuse_memory_lock(&self, lock: Val) -> Result<(), Fault> {
        let Some(global) = self.program.memory_lock else { return Ok(()) };
        let refused = self.value(lock).is_none_or(|addr| addr == global_address(global).into());
        if refused { Err(Fault::takes_memory_lock()) } else { Ok(()) }
    }

    pub(super) fn take_lock(&mut self, thread: ThreadId, addr: Val) -> Result<(), Fault> {
        let (op, ty, operand) = (RmwOp::Xchg, LOCK, Val::known(held_by(thread)));
        let rmw = ReadModifyWrite { op, ty, addr, operand, order: Order::Acquire };
        let (when, check) = (Some(When::Free), Some(Check::Destroyed));
        self.read_modify_write(thread, rmw, Ask { when, check, ..Ask::UPDATE })?;
        Ok(())
    }

    /// Unlocks. A thread that is known not to hold the lock fails at once, whatever others do; one that holds it
    /// reads its own store.
    pub(super) fn give_lock(&mut self, thread: ThreadId, addr: Val) -> Result<(), Fault> {
        if self.holds_not(thread, addr) {
            return Err(self.not_held(thread, addr, Fault::unlocks_without_holding()));
        }
        let (op, ty, operand) = (RmwOp::Xchg, LOCK, Val::known(UNLOCKED));
        let rmw = ReadModifyWrite { op, ty, addr, operand, order: Order::Release };
        let check = Some(Check::NotHeld);
        self.read_modify_write(thread, rmw, Ask { check, ..Ask::UPDATE })?;
        Ok(())
    }

    /// Whether a thread is known not to hold a lock, by its own last write there.
    pub(super) fn holds_not(&self, thread: ThreadId, addr: Val) -> bool {
        let Some(at) = self.value(addr) else { return false };
        let mine = held_by(thread);
        for po in (0..self.fetched(thread)).rev() {
            let event = self.event(self.event_at(thread, po));
            let Kind::Store(store) = event.kind else { continue };
            match self.value(event.addr) {
                Some(other) if other != at => {}
                Some(_) => return self.value(store.value).is_some_and(|value| value != mine),
                None => return false,
            }
        }
        self.initial_at(at as u64, LOCK.bytes()) != Some(mine)
    }

    /// The fault of using a lock that the thread does not hold: an invalid address comes first.
    pub(super) fn not_held(&self, thread: ThreadId, addr: Val, not_held: Fault) -> Fault {
        let addr = self.value(addr).unwrap_or(0) as u64;
        match self.accessible(thread, self.fetched(thread), addr, LOCK.bytes(), true) {
            Err(fault) => fault,
            Ok(_) => not_held,
        }
    }

    /// Adds a control dependency on a value, without waiting for it.
    pub(super) fn follows(&mut self, thread: ThreadId, value: Val) {
        let ctrl = self.deps.union(self.deps_of(thread, field::CTRL), value.deps);
        self.set(thread, field::CTRL, ctrl.0.into());
    }

    fn object_step(&mut self, thread: ThreadId, op: Op) -> Result<Next, Fault> {
        match op {
            Op::Alloca { dst, size, private } => {
                let Some(size) = self.now(thread, size)? else { return Ok(Next::Wait) };
                let addr = self.alloca(thread, size, private)?;
                self.put(thread, dst, Val::known(addr.into()), false);
            }
            Op::Malloc { dst, size, zeroed } => {
                let Some(size) = self.now(thread, size)? else { return Ok(Next::Wait) };
                let kind = if zeroed { ObjectKind::ZeroedHeap } else { ObjectKind::Heap };
                let object = self.allocate(thread, size, kind)?;
                self.note_change(thread);
                self.put(thread, dst, Val::known(object_address(object).into()), false);
            }
            Op::Free { addr } => {
                let Some(addr) = self.now(thread, addr)? else { return Ok(Next::Wait) };
                self.note_change(thread);
                self.free(thread, addr)?;
            }
            Op::DropAllocas => self.drop_allocas(thread),
            Op::Extent { dst, addr } => {
                let Some(addr) = self.now(thread, addr)? else { return Ok(Next::Wait) };
                let bytes = self.extent(addr);
                self.put(thread, dst, Val::known(bytes.into()), false);
            }
            // Only the reachability engine looks for goals.
            Op::Pause => {}
            _ => return Err(unsupported("an operation that the graph engine does not have")),
        }
        Ok(Next::Go)
    }

    /// A word that is needed at once, if it is known.
    pub(super) fn now(&mut self, thread: ThreadId, src: Src) -> Result<Option<u64>, Fault> {
        let value = self.read(thread, src, false)?;
        Ok(self.value(value).map(|bits| bits as u64))
    }

    fn spawn_step(
        &mut self,
        thread: ThreadId,
        dst: Slot,
        target: Target,
        args: Args,
    ) -> Result<Next, Fault> {
        let Some(func) = self.callee(thread, target)? else { return Ok(Next::Wait) };
        let args = self.arguments(thread, args)?;
        let child = self.spawn(thread, func, &args)?;
        self.note_passed(thread, PassedOp::Spawn(child));
        self.note_change(thread);
        self.put(thread, dst, Val::known(handle(child).into()), false);
        Ok(Next::Go)
    }
}
