//! What could happen next.

use crate::attack::Attack;
use crate::delay::{Cover, Entry};
use crate::system::System;
use raddle_machine::code::Pc;
use raddle_machine::layout::global_address;
use raddle_machine::visible::{LOCK_BYTES, UNLOCKED, held_by};
use raddle_machine::{Status, StrongStore::DrainsBefore, ThreadId, Touch, Visible};

/// The most alternatives of one operation that are tried.
pub const MAX_CHOICES: u32 = 1 << 16;

/// How a thread moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It performs its next operation.
    Step,
    /// Its oldest delayed store becomes visible.
    Flush,
    /// It delays its next operation, a store: an attack begins.
    Begin,
    /// It performs its next operation, a load past which the attack's store is delayed, and stops.
    Close,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    pub thread: ThreadId,
    pub kind: Kind,
    /// Which alternative, where there are several: the value of a `choose`; for a signal, whom it
    /// wakes (the thread's number plus 1, or 0 for nobody).
    pub choice: u32,
}

impl Move {
    /// Whether the program makes it, not an attack on it.
    pub fn is_of_program(&self) -> bool {
        !matches!(self.kind, Kind::Begin | Kind::Close)
    }
}

impl System<'_> {
    /// Appends the moves that can happen now.
    pub fn moves(&mut self, out: &mut Vec<Move>) {
        for thread in self.machine.thread_ids() {
            self.thread_moves(thread, out);
        }
    }

    /// Appends the moves of a thread that come before all others without loss, if there is one: what
    /// it does is its own business, now and whatever the others do first. (An ample set: all its
    /// moves commute with those of others. That others are not put off for ever is for the search
    /// to see to.)
    pub fn own_moves(&mut self, out: &mut Vec<Move>) {
        let own = self.machine.thread_ids().find(|thread| self.is_own_business(*thread));
        if let Some(thread) = own {
            self.step_moves(thread, out);
        }
    }

    /// Whether a thread's next operation is a choice, or a store that it keeps to itself. Where a
    /// goal asks for a thread it makes a difference that the thread stays.
    pub fn is_own_business(&self, thread: ThreadId) -> bool {
        if self.machine.status(thread) != Status::Ready
            || self.machine.is_paused(thread)
            || !self.soft.attack.allows(thread, None)
        {
            return false;
        }
        let visible = self.machine.visible(thread);
        match visible {
            Visible::Choose { .. } => true,
            Visible::Store { .. } if self.soft.attack.window_of(thread).is_some() => {
                !visible.needs_empty_buffer(DrainsBefore)
            }
            Visible::Store { .. } => {
                self.is_delayed(thread, visible) && self.delayed(thread).len() < self.rules.cap
            }
            _ => false,
        }
    }

    /// Appends the moves of a thread.
    pub fn thread_moves(&mut self, thread: ThreadId, out: &mut Vec<Move>) {
        if self.soft.attack.has_stopped(thread) {
            return;
        }
        let step = |kind| Move { thread, kind, choice: 0 };
        let flushes = self.soft.attack.window_of(thread).is_none();
        if let Some(oldest) = self.delayed(thread).oldest().filter(|_| flushes)
            && !self.is_shut_out(thread)
            && self.is_allowed(thread, Some(writing(&oldest)))
        {
            out.push(step(Kind::Flush));
        }
        if self.machine.status(thread) == Status::Ready {
            self.step_moves(thread, out);
        }
    }

    /// The moves that perform a thread's next operation.
    fn step_moves(&mut self, thread: ThreadId, out: &mut Vec<Move>) {
        let step = |kind| Move { thread, kind, choice: 0 };
        let visible = self.machine.visible(thread);
        let touch = self.touch(thread, visible);
        if !self.is_allowed(thread, touch) {
            return;
        }
        if self.may_attack(thread, visible) {
            out.push(step(Kind::Begin));
        }
        if !self.can_happen(thread, visible, touch) {
            return;
        }
        match visible {
            Visible::Choose { .. } | Visible::Signal { .. } => {
                let count = self.machine.choice_count(thread).min(MAX_CHOICES + 1);
                let choices = (0..count).map(|n| self.machine.nth_choice(thread, n));
                out.extend(choices.map(|choice| Move { choice, ..step(Kind::Step) }));
            }
            _ => out.push(step(Kind::Step)),
        }
        let loads = matches!(visible, Visible::Load { .. } | Visible::Await { .. });
        if loads && touch.is_some() && self.soft.attack.window_of(thread).is_some() {
            out.push(step(Kind::Close));
        }
    }

    /// Whether a thread can begin an attack with its next operation. It can do so while another has
    /// the sole right to write memory.
    fn may_attack(&self, thread: ThreadId, visible: Visible) -> bool {
        self.rules.attacks
            && self.soft.attack == Attack::None
            && matches!(visible, Visible::Store { .. })
            && !visible.needs_empty_buffer(DrainsBefore)
            && self.delayed(thread).is_empty()
            && !self.rules.delayable.contains(&self.machine.pc(thread))
            && (self.rules.whole_windows
                || self.loads_ahead.is_ahead(self.machine.pc(thread).next()))
    }

    /// Whether an attack, if there is one, allows this: see [`crate::attack`].
    fn is_allowed(&self, thread: ThreadId, touch: Option<Touch>) -> bool {
        self.soft.attack.allows(thread, touch.as_ref())
            || self.waited_for_memory(touch)
            || self.rules.whole_windows && self.soft.attack.chain().is_none()
    }

    /// Whether a write in the window may have had to wait until someone who is followed gave back
    /// the sole right to write: then it cannot come before, though it touches nothing in common.
    fn waited_for_memory(&self, touch: Option<Touch>) -> bool {
        let Attack::Window(window) = &self.soft.attack else { return false };
        let lock = self.machine.program.memory_lock.filter(|_| touch.is_some_and(|t| t.writes));
        lock.is_some_and(|lock| {
            let addr = global_address(lock);
            window.past.conflicts(&Touch { addr, bytes: LOCK_BYTES, writes: true })
        })
    }

    fn can_happen(&mut self, thread: ThreadId, visible: Visible, touch: Option<Touch>) -> bool {
        if visible.needs_empty_buffer(DrainsBefore) && !self.is_drained(thread) {
            return false;
        }
        if touch.is_some_and(|touch| touch.writes) && self.is_shut_out(thread) {
            return false;
        }
        match visible {
            Visible::Fence { .. }
            | Visible::Spawn
            | Visible::Join { .. }
            | Visible::Format
            | Visible::Relock { woken: false, .. } => false,
            Visible::Load { addr, ty, .. } => self.cover(thread, addr, ty.bytes()) != Cover::Partly,
            Visible::Store { .. } => {
                let full = self.delayed(thread).len() >= self.rules.cap;
                let fits = !full || !self.is_delayed(thread, visible);
                self.capped |= !fits;
                fits
            }
            // What is at fault is let through, to fail when it happens.
            _ => visible.needs().is_none_or(|(addr, needs)| {
                match self.cover(thread, addr, needs.bytes()) {
                    Cover::Value(seen) => needs.met_by(seen),
                    Cover::Nothing => {
                        let seen = self.machine.in_memory(addr, needs.bytes());
                        seen.is_none_or(|seen| needs.met_by(seen))
                    }
                    Cover::Partly => false,
                }
            }),
        }
    }

    /// Whether another thread has the sole right to write memory.
    pub fn is_shut_out(&self, thread: ThreadId) -> bool {
        let Some(lock) = self.machine.program.memory_lock else { return false };
        let held = self.machine.in_memory(global_address(lock), LOCK_BYTES);
        held.is_some_and(|held| held != UNLOCKED && held != held_by(thread))
    }

    /// The store that a thread of a program under TSO cannot perform now and could keep to itself, if there
    /// is one.
    pub fn shut_out_store(&self) -> Option<Pc> {
        let is_shut_out = |thread: &ThreadId| {
            self.machine.status(*thread) == Status::Ready && self.is_shut_out(*thread) && {
                let visible = self.machine.visible(*thread);
                matches!(visible, Visible::Store { .. })
                    && !visible.needs_empty_buffer(DrainsBefore)
            }
        };
        let thread = self.machine.thread_ids().filter(|_| self.rules.attacks).find(is_shut_out)?;
        Some(self.machine.pc(thread))
    }

    /// Whether a store goes to the thread's delayed stores for others to see it later.
    pub fn is_delayed(&self, thread: ThreadId, visible: Visible) -> bool {
        !visible.needs_empty_buffer(DrainsBefore)
            && (!self.delayed(thread).is_empty()
                || self.rules.delayable.contains(&self.machine.pc(thread)))
    }

    /// How a thread's next operation would touch memory; `None` if only the thread itself has a part
    /// in it.
    pub fn touch(&self, thread: ThreadId, visible: Visible) -> Option<Touch> {
        match visible {
            Visible::Load { addr, ty, .. } | Visible::Await { addr, ty, .. }
                if self.cover(thread, addr, ty.bytes()) != Cover::Nothing =>
            {
                None
            }
            Visible::Store { .. }
                if self.is_delayed(thread, visible)
                    || self.soft.attack.window_of(thread).is_some() =>
            {
                None
            }
            _ => {
                let reserved = |addr, bytes| self.has_reserved(thread, addr, bytes);
                self.machine.touch(&visible, reserved)
            }
        }
    }

    /// Whether a thread's reservation of these bytes still holds.
    pub fn has_reserved(&self, thread: ThreadId, addr: u64, bytes: u32) -> bool {
        self.soft.reserved[thread.0 as usize] == Some((addr, bytes))
    }
}

/// What the end of a delay does to memory.
pub fn writing(entry: &Entry) -> Touch {
    Touch { addr: entry.addr, bytes: entry.bytes, writes: true }
}
