//! The effects of moves: as under SC, except for delayed stores.
//!
//! `raddle_machine::operation` defines the effects of operations. This module carries them out, and
//! updates reservations, delayed stores and attacks.

use crate::attack::{Attack, Chain, Delay, Window};
use crate::delay::{Cover, Delayed, Entry};
use crate::moves::{Kind, MAX_CHOICES, Move, writing};
use crate::past::Range;
use crate::system::System;
use raddle_machine::memory::{Purpose, Slice};
use raddle_machine::visible::LOCK_BYTES;
use raddle_machine::{Change, Fault, Status, ThreadId, Touch, Visible};

/// Facts about a move that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Made {
    /// It changed only its own thread.
    pub is_local: bool,
    /// It completes an attack.
    pub completes: bool,
}

impl System<'_> {
    /// Makes an enabled move. Then runs all threads that it enables up to their next moves.
    pub(crate) fn perform(&mut self, made: Move) -> Made {
        let thread = made.thread;
        // The access is computed and recorded first: the move changes the state that determines it.
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
                self.close(thread, touch.as_ref());
                return Made { is_local: false, completes: false };
            }
        }
        let is_local = touch.is_none_or(|touch| !touch.writes) && made.kind == Kind::Step;
        self.settle(thread);
        // A closed cycle is an attack only if the attacker's store can be flushed now.
        let attacker = self.extra.attack.chain().map(|chain| chain.delay.thread);
        let completes = closed && attacker.is_some_and(|attacker| !self.is_shut_out(attacker));
        Made { is_local, completes }
    }

    /// Records an access if an attack is in progress. Returns whether the cycle is closed.
    fn note(&mut self, thread: ThreadId, touch: Option<&Touch>) -> bool {
        if self.extra.attack == Attack::None {
            return false;
        }
        self.mark_extra_changed();
        self.extra.attack.note(thread, touch)
    }

    // ---- attacks ----

    /// Begins an attack: the next operation, a store, is delayed and opens the window.
    fn begin(&mut self, thread: ThreadId) {
        let Visible::Store { addr, ty, value, .. } = self.machine.visible(thread) else { return };
        let delay =
            Delay { thread, store: self.machine.pc(thread), range: Range::new(addr, ty.bytes()) };
        if let Err(fault) = self.machine.check_buffered(addr, ty.bytes()) {
            return self.fail(thread, fault);
        }
        let mut own = Delayed::default();
        own.push(Entry { addr, bytes: ty.bytes(), value });
        self.mark_extra_changed();
        self.extra.attack = Attack::Window(Window::begin(delay, own));
        self.machine.complete(thread, 0, true);
    }

    /// Ends the window with the next operation, a load, and begins the chain. The attacker stops for good.
    fn close(&mut self, thread: ThreadId, touch: Option<&Touch>) {
        let (Attack::Window(window), Some(touch)) = (&self.extra.attack, touch) else { return };
        let chain = Chain::begin(window.delay, self.machine.pc(thread), touch);
        self.mark_extra_changed();
        self.extra.attack = Attack::Chain(chain);
        self.machine.set_status(thread, Status::Blocked);
    }

    // ---- delayed stores ----

    /// Writes the oldest delayed store of a thread to memory.
    fn flush(&mut self, thread: ThreadId) {
        self.mark_extra_changed();
        let Some(entry) = self.extra.delayed[thread.0 as usize].pop() else { return };
        let trail = &self.machine.trail;
        match self.machine.memory.access(trail, entry.addr, entry.bytes, Purpose::Write) {
            Ok(slice) => self.write(slice, Range::new(entry.addr, entry.bytes), entry.value),
            Err(fault) => self.fail(thread, fault),
        }
    }

    fn store(&mut self, thread: ThreadId, visible: Visible) -> Result<(), Fault> {
        let Visible::Store { addr, ty, value, .. } = visible else { return Ok(()) };
        let bytes = ty.bytes();
        let entry = Entry { addr, bytes, value };
        if self.is_delayed(thread, visible) {
            self.machine.check_buffered(addr, bytes)?;
            self.mark_extra_changed();
            self.extra.delayed[thread.0 as usize].push(entry);
        } else if self.extra.attack.window_of(thread).is_some() {
            self.machine.check_buffered(addr, bytes)?;
            self.mark_extra_changed();
            if let Attack::Window(window) = &mut self.extra.attack {
                window.own.push_newest(entry);
            }
        } else {
            let slice = self.access(addr, bytes, Purpose::Write)?;
            self.write(slice, Range::new(addr, bytes), value);
        }
        self.machine.complete(thread, 0, true);
        Ok(())
    }

    // ---- operations ----

    fn access(&self, addr: u64, bytes: u32, purpose: Purpose) -> Result<Slice, Fault> {
        self.machine.memory.access(&self.machine.trail, addr, bytes, purpose)
    }

    /// Writes memory and clears all reservations of the bytes.
    fn write(&mut self, slice: Slice, range: Range, value: u128) {
        self.machine.memory.write(&mut self.machine.trail, slice, value);
        let lost = |reserved: &Option<(u64, u32)>| {
            reserved.is_some_and(|(addr, bytes)| Range::new(addr, bytes).overlaps(&range))
        };
        if self.extra.reserved.iter().any(lost) {
            self.mark_extra_changed();
            for reserved in self.extra.reserved.iter_mut().filter(|reserved| lost(reserved)) {
                *reserved = None;
            }
        }
    }

    fn step(&mut self, thread: ThreadId, visible: Visible, choice: u32) -> Result<(), Fault> {
        if let Some(fault) = self.machine.lock_fault(thread, &visible) {
            return Err(fault.into());
        }
        match visible {
            Visible::Load { addr, ty, access } => {
                self.load(thread, &visible)?;
                if access.exclusive {
                    self.mark_extra_changed();
                    self.extra.reserved[thread.0 as usize] = Some((addr, ty.bytes()));
                }
            }
            Visible::Await { .. } => self.load(thread, &visible)?,
            Visible::Store { .. } => self.store(thread, visible)?,
            Visible::Rmw { .. }
            | Visible::CmpXchg { .. }
            | Visible::StoreCond { .. }
            | Visible::Lock { .. }
            | Visible::Relock { .. }
            | Visible::TryLock { .. }
            | Visible::Unlock { .. } => self.modify(thread, &visible)?,
            Visible::CondEnqueue { addr, .. } | Visible::CondLeave { addr } => {
                self.access(addr, LOCK_BYTES, visible.purpose())?;
                self.machine.complete(thread, 0, true);
            }
            Visible::Signal { addr } | Visible::Broadcast { addr } => {
                self.access(addr, LOCK_BYTES, visible.purpose())?;
                for waiter in self.machine.woken_by(&visible, choice) {
                    self.machine.wake(waiter);
                    self.follows(waiter, thread);
                }
                self.machine.complete(thread, 0, true);
            }
            Visible::Free { addr, by } => {
                if let Some(slice) = self.machine.ending(addr, by)? {
                    self.machine.memory.kill(&mut self.machine.trail, slice.object());
                }
                self.machine.complete(thread, 0, true);
            }
            Visible::Choose { count } => {
                if count > MAX_CHOICES.into() {
                    return Err(Fault::too_many_choices(MAX_CHOICES));
                }
                self.machine.complete(thread, choice.into(), true);
            }
            Visible::Fence { .. } | Visible::Spawn | Visible::Join { .. } | Visible::Format => {
                unreachable!("{visible:?} is not a move")
            }
        }
        Ok(())
    }

    fn load(&mut self, thread: ThreadId, visible: &Visible) -> Result<(), Fault> {
        let Some((addr, bytes)) = visible.bytes() else { return Ok(()) };
        let value = match self.cover(thread, addr, bytes) {
            Cover::Value(value) => {
                self.access(addr, bytes, Purpose::Copy)?;
                value
            }
            Cover::Nothing | Cover::Partly => {
                let slice = self.access(addr, bytes, visible.purpose())?;
                self.machine.memory.read(&self.machine.trail, slice)
            }
        };
        self.machine.complete(thread, value, true);
        Ok(())
    }

    /// Reads bytes and possibly changes them, in one step.
    fn modify(&mut self, thread: ThreadId, visible: &Visible) -> Result<(), Fault> {
        let Some((addr, bytes)) = visible.bytes() else { return Ok(()) };
        let mut reserved = false;
        if let Visible::StoreCond { .. } = visible {
            reserved = self.has_reserved(thread, addr, bytes);
            self.mark_extra_changed();
            self.extra.reserved[thread.0 as usize] = None;
        }
        let slice = self.access(addr, bytes, visible.purpose())?;
        let old = self.machine.memory.read(&self.machine.trail, slice);
        let Change { new, happens, result } = visible.change(thread, old, reserved);
        if happens {
            self.write(slice, Range::new(addr, bytes), new);
        }
        self.machine.complete(thread, result, happens);
        Ok(())
    }
}
