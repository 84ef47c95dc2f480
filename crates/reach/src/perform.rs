//! What a move does: under SC, but for stores that are delayed.
//!
//! The same as `raddle_interleave`'s `perform` and `locks` without events and clocks; a test holds
//! the two together on generated programs.

use crate::attack::{Attack, Chain, Delay, Window};
use crate::delay::{Cover, Delayed, Entry};
use crate::moves::{Kind, Move, writing};
use crate::past::{Range, Touch};
use crate::system::System;
use raddle_machine::memory::{Purpose, Slice};
use raddle_machine::visible::{DESTROYED, LOCK_BYTES, UNLOCKED, held_by};
use raddle_machine::{Ending, Fault, FaultKind, Status, ThreadId, Visible, rmw_result};

/// What is to be known of a move that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Made {
    /// It changed nothing but its thread.
    pub is_local: bool,
    /// It completes an attack.
    pub completes: bool,
}

impl System<'_> {
    /// Makes a move that can happen, and lets go on what it lets go on.
    pub fn perform(&mut self, made: Move) -> Made {
        let thread = made.thread;
        let touch = match made.kind {
            Kind::Flush => self.delayed(thread).oldest().map(|oldest| writing(&oldest)),
            _ => self.touch(thread, self.machine.visible(thread)),
        };
        let closed = self.note(thread, touch.as_ref());
        match made.kind {
            Kind::Flush => self.flush(thread),
            Kind::Begin => self.begin(thread),
            Kind::Step => {
                let visible = self.machine.visible(thread);
                if let Err(fault) = self.step(thread, visible, made.choice) {
                    self.fail(thread, fault);
                }
            }
            Kind::Close => {
                self.close(thread, touch.map(|touch| touch.range));
                return Made { is_local: false, completes: false };
            }
        }
        let is_local = touch.is_none_or(|touch| !touch.writes) && made.kind == Kind::Step;
        self.settle(thread);
        let attacker = self.soft.attack.chain().map(|chain| chain.delay.thread);
        let completes = closed && attacker.is_some_and(|attacker| !self.is_shut_out(attacker));
        Made { is_local, completes }
    }

    /// Notes an access if there is an attack; true if the cycle is closed.
    fn note(&mut self, thread: ThreadId, touch: Option<&Touch>) -> bool {
        if self.soft.attack == Attack::None {
            return false;
        }
        self.touch_soft();
        self.soft.attack.note(thread, touch)
    }

    // ---- attacks ----

    fn begin(&mut self, thread: ThreadId) {
        let Visible::Store { addr, ty, value, .. } = self.machine.visible(thread) else { return };
        let delay =
            Delay { thread, store: self.machine.pc(thread), range: Range::new(addr, ty.bytes()) };
        if let Err(fault) = self.check_delayed(addr, ty.bytes()) {
            return self.fail(thread, fault);
        }
        let mut own = Delayed::default();
        own.push(Entry { addr, bytes: ty.bytes(), value });
        self.touch_soft();
        self.soft.attack = Attack::Window(Window::begin(delay, own));
        self.machine.complete(thread, 0, true);
    }

    fn close(&mut self, thread: ThreadId, range: Option<Range>) {
        let (Attack::Window(window), Some(range)) = (&self.soft.attack, range) else { return };
        let chain = Chain::begin(window.delay, self.machine.pc(thread), range);
        self.touch_soft();
        self.soft.attack = Attack::Chain(chain);
        self.machine.set_status(thread, Status::Blocked);
    }

    // ---- delayed stores ----

    fn flush(&mut self, thread: ThreadId) {
        self.touch_soft();
        let Some(entry) = self.soft.delayed[thread.0 as usize].pop() else { return };
        let trail = &self.machine.trail;
        match self.machine.memory.access(trail, entry.addr, entry.bytes, Purpose::Write) {
            Ok(slice) => self.write(slice, Range::new(entry.addr, entry.bytes), entry.value),
            Err(fault) => self.fail(thread, fault),
        }
    }

    /// A store that is delayed fails at once unless its object may be one that another thread has
    /// freed: whether that comes first is seen when the store becomes visible.
    fn check_delayed(&self, addr: u64, bytes: u32) -> Result<(), Fault> {
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        match memory.access(trail, addr, bytes, Purpose::Write) {
            Err(fault) if !memory.is_dead(trail, addr, bytes) => Err(fault),
            _ => Ok(()),
        }
    }

    fn store(&mut self, thread: ThreadId, visible: Visible) -> Result<(), Fault> {
        let Visible::Store { addr, ty, value, .. } = visible else { return Ok(()) };
        let bytes = ty.bytes();
        let entry = Entry { addr, bytes, value };
        if self.is_delayed(thread, visible) {
            self.check_delayed(addr, bytes)?;
            self.touch_soft();
            self.soft.delayed[thread.0 as usize].push(entry);
        } else if self.soft.attack.window_of(thread).is_some() {
            self.check_delayed(addr, bytes)?;
            self.touch_soft();
            if let Attack::Window(window) = &mut self.soft.attack {
                window.own.push_newest(entry);
            }
        } else {
            let slice = self.slice(addr, bytes, Purpose::Write)?;
            self.write(slice, Range::new(addr, bytes), value);
        }
        self.machine.complete(thread, 0, true);
        Ok(())
    }

    // ---- operations ----

    fn slice(&self, addr: u64, bytes: u32, purpose: Purpose) -> Result<Slice, Fault> {
        self.machine.memory.access(&self.machine.trail, addr, bytes, purpose)
    }

    /// Writes memory; reservations of the bytes are lost.
    fn write(&mut self, slice: Slice, range: Range, value: u128) {
        self.machine.memory.write(&mut self.machine.trail, slice, value);
        let lost = |reserved: &Option<(u64, u32)>| {
            reserved.is_some_and(|(addr, bytes)| Range::new(addr, bytes).overlaps(&range))
        };
        if self.soft.reserved.iter().any(lost) {
            self.touch_soft();
            for reserved in self.soft.reserved.iter_mut().filter(|reserved| lost(reserved)) {
                *reserved = None;
            }
        }
    }

    fn step(&mut self, thread: ThreadId, visible: Visible, choice: u32) -> Result<(), Fault> {
        match visible {
            Visible::Load { addr, ty, access } => {
                let purpose = if access.raw { Purpose::Copy } else { Purpose::Read };
                self.load(thread, addr, ty.bytes(), purpose)?;
                if access.exclusive {
                    self.touch_soft();
                    self.soft.reserved[thread.0 as usize] = Some((addr, ty.bytes()));
                }
            }
            Visible::Await { addr, ty, .. } => {
                self.load(thread, addr, ty.bytes(), Purpose::Read)?;
            }
            Visible::Store { .. } => self.store(thread, visible)?,
            Visible::Rmw { addr, ty, op, operand, .. } => {
                self.modify(thread, addr, ty.bytes(), |old| {
                    (rmw_result(op, ty, old, operand), old, true)
                })?;
            }
            Visible::CmpXchg { addr, ty, expected, new } => {
                let mask = ty.mask();
                self.modify(thread, addr, ty.bytes(), |old| (new, old, old & mask == expected))?;
            }
            Visible::StoreCond { addr, ty, value } => {
                let holds = self.has_reserved(thread, addr, ty.bytes());
                self.touch_soft();
                self.soft.reserved[thread.0 as usize] = None;
                let slice = self.slice(addr, ty.bytes(), Purpose::Write)?;
                if holds {
                    self.write(slice, Range::new(addr, ty.bytes()), value);
                }
                self.machine.complete(thread, 0, holds);
            }
            Visible::Free { addr, by } => self.free(thread, addr, by)?,
            Visible::Choose { count } => {
                if count > u64::from(choice.max(1 << 16)) {
                    let message = "chooses among more than 65536 values";
                    return Err(Fault::new(FaultKind::Unsupported, message));
                }
                self.machine.complete(thread, choice.into(), true);
            }
            _ => self.lock_step(thread, visible, choice)?,
        }
        Ok(())
    }

    fn load(
        &mut self,
        thread: ThreadId,
        addr: u64,
        bytes: u32,
        purpose: Purpose,
    ) -> Result<(), Fault> {
        let value = match self.cover(thread, addr, bytes) {
            Cover::Value(value) => {
                self.slice(addr, bytes, Purpose::Copy)?;
                value
            }
            Cover::Nothing | Cover::Partly => {
                let slice = self.slice(addr, bytes, purpose)?;
                self.machine.memory.read(&self.machine.trail, slice)
            }
        };
        self.machine.complete(thread, value, true);
        Ok(())
    }

    /// Reads and maybe changes bytes in one step: `change` maps the old value to the new one, to what
    /// the thread gets, and to whether the change happens.
    fn modify(
        &mut self,
        thread: ThreadId,
        addr: u64,
        bytes: u32,
        change: impl FnOnce(u128) -> (u128, u128, bool),
    ) -> Result<(), Fault> {
        let slice = self.slice(addr, bytes, Purpose::Update)?;
        let old = self.machine.memory.read(&self.machine.trail, slice);
        let (new, result, happens) = change(old);
        if happens {
            self.write(slice, Range::new(addr, bytes), new);
        }
        self.machine.complete(thread, result, happens);
        Ok(())
    }

    fn free(&mut self, thread: ThreadId, addr: u64, by: Ending) -> Result<(), Fault> {
        match self.machine.memory.whole(&self.machine.trail, addr, by.is_implicit()) {
            Ok(slice) => self.machine.memory.kill(&mut self.machine.trail, slice.object()),
            // `free(NULL)`, and an object of the frame that was freed by hand.
            Err(_) if addr == 0 || by.is_implicit() => {}
            Err(fault) => return Err(fault),
        }
        self.machine.complete(thread, 0, true);
        Ok(())
    }

    // ---- locks and condition variables ----

    fn lock_step(&mut self, thread: ThreadId, visible: Visible, choice: u32) -> Result<(), Fault> {
        match visible {
            Visible::Lock { addr } | Visible::Relock { addr, .. } | Visible::TryLock { addr } => {
                self.check_lock(addr)?;
                let mine = held_by(thread);
                self.modify(thread, addr, LOCK_BYTES, |old| (mine, 0, old == UNLOCKED))
            }
            Visible::Unlock { addr } => {
                self.check_held(thread, addr, "unlocks a lock that it does not hold")?;
                self.modify(thread, addr, LOCK_BYTES, |_| (UNLOCKED, 0, true))
            }
            Visible::CondEnqueue { addr, mutex } => {
                let message = "waits on a condition with a lock that it does not hold";
                self.check_held(thread, mutex, message)?;
                self.slice(addr, LOCK_BYTES, Purpose::Read)?;
                self.machine.complete(thread, 0, true);
                Ok(())
            }
            Visible::CondLeave { addr } => {
                self.slice(addr, LOCK_BYTES, Purpose::Read)?;
                self.machine.complete(thread, 0, true);
                Ok(())
            }
            Visible::Signal { addr } | Visible::Broadcast { addr } => {
                let all = matches!(visible, Visible::Broadcast { .. });
                self.signal(thread, addr, all, choice)
            }
            other => unreachable!("{other:?} is no move"),
        }
    }

    fn check_lock(&self, addr: u64) -> Result<(), Fault> {
        match self.in_memory(addr, LOCK_BYTES) {
            Some(DESTROYED) => {
                Err(Fault::new(FaultKind::LockMisuse, "uses a mutex that was destroyed"))
            }
            _ => Ok(()),
        }
    }

    fn check_held(&self, thread: ThreadId, mutex: u64, message: &str) -> Result<(), Fault> {
        self.check_lock(mutex)?;
        self.slice(mutex, LOCK_BYTES, Purpose::Update)?;
        match self.in_memory(mutex, LOCK_BYTES) == Some(held_by(thread)) {
            true => Ok(()),
            false => Err(Fault::new(FaultKind::LockMisuse, message)),
        }
    }

    fn signal(&mut self, thread: ThreadId, addr: u64, all: bool, choice: u32) -> Result<(), Fault> {
        self.slice(addr, LOCK_BYTES, Purpose::Update)?;
        for waiter in self.waiters(addr) {
            if all || waiter.0 + 1 == choice {
                self.machine.wake(waiter);
                self.follows(waiter, thread);
            }
        }
        self.machine.complete(thread, 0, true);
        Ok(())
    }
}
