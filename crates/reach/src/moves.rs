//! The moves that are enabled in a state.
//!
//! A move is one event of one thread: a step of the program, the end of a delay, or the begin or the end
//! of an attack's window ([`crate::attack`]). Operations that need no event (fences, spawns, joins,
//! formatted text) are not moves: [`System::settle`] performs them.

use crate::attack::Attack;
use crate::delay::{Cover, Entry};
use crate::system::System;
use raddle_machine::code::Pc;
use raddle_machine::layout::global_address;
use raddle_machine::visible::{LOCK_BYTES, UNLOCKED, held_by};
use raddle_machine::{Status, StrongStore::DrainsBefore, ThreadId, Touch, Visible};

/// The maximal number of alternatives of one operation.
pub(crate) const MAX_CHOICES: u32 = 1 << 16;

/// How a thread moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
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
pub(crate) struct Move {
    pub thread: ThreadId,
    pub kind: Kind,
    /// The alternative, if there are several: the value of a `choose`; for a signal, the thread that it
    /// wakes (its number plus 1, or 0 if it wakes no thread).
    pub choice: u32,
}

impl Move {
    /// Whether the move belongs to the program, not to an attack on it.
    pub(crate) fn is_of_program(&self) -> bool {
        !matches!(self.kind, Kind::Begin | Kind::Close)
    }
}

impl System<'_> {
    /// Appends all enabled moves.
    pub(crate) fn moves(&mut self, out: &mut Vec<Move>) {
        for thread in self.machine.thread_ids() {
            self.thread_moves(thread, out);
        }
    }

    /// Appends the moves of one thread that form an ample set, if there is such a thread: its moves commute
    /// with those of all other threads, now and after any moves of theirs, so it is enough to explore
    /// these first. The search has to make sure that the other threads are not postponed forever.
    pub(crate) fn own_moves(&mut self, out: &mut Vec<Move>) {
        let own = self.machine.thread_ids().find(|thread| self.is_own_business(*thread));
        if let Some(thread) = own {
            self.step_moves(thread, out);
        }
    }

    /// Whether a thread's next operation concerns only the thread: a choice, or a store that is delayed. A
    /// thread paused at a place of a goal does not qualify, because the goal may need it to stay there.
    pub(crate) fn is_own_business(&self, thread: ThreadId) -> bool {
        if self.machine.status(thread) != Status::Ready
            || self.machine.is_paused(thread)
            || !self.extra.attack.allows(thread, None)
        {
            return false;
        }
        let visible = self.machine.visible(thread);
        match visible {
            Visible::Choose { .. } => true,
            Visible::Store { .. } if self.extra.attack.window_of(thread).is_some() => {
                !visible.needs_empty_buffer(DrainsBefore)
            }
            // A store beyond the cap is not enabled, so it cannot be in an ample set.
            Visible::Store { .. } => {
                self.is_delayed(thread, visible) && self.delayed(thread).len() < self.rules.cap
            }
            _ => false,
        }
    }

    /// Whether a move of a thread, which was at `pc` before, brought it nearer to a move that is not its own business: forward
    /// in the text of the program, or through a loop that ends, or to its own end. In an endless row of moves that are
    /// only its own business, a thread goes back in a loop that is not known to end, again and again.
    pub(crate) fn is_forward(&self, thread: ThreadId, pc: Pc) -> bool {
        match self.machine.status(thread) {
            Status::Ready => self.machine.pc(thread) > pc || !self.repeating.at(pc),
            // The end of a thread may let another one go on, which starts the next one: without an end.
            _ => !self.machine.code().has_joins || !self.is_drained(thread),
        }
    }

    /// Appends the moves of a thread.
    pub(crate) fn thread_moves(&mut self, thread: ThreadId, out: &mut Vec<Move>) {
        if self.extra.attack.has_stopped(thread) {
            return;
        }
        let step = |kind| Move { thread, kind, choice: 0 };
        // In its window the attacker's stores stay delayed: the attack flushes them after the chain.
        let flushes = self.extra.attack.window_of(thread).is_none();
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
        // Before `can_happen`: an attack delays the store, so it may begin where the store itself cannot be
        // performed.
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
        // Any load of memory in the window may be the one past which the attack delays its store.
        let loads = matches!(visible, Visible::Load { .. } | Visible::Await { .. });
        if loads && touch.is_some() && self.extra.attack.window_of(thread).is_some() {
            out.push(step(Kind::Close));
        }
    }

    /// Whether a thread can begin an attack with its next operation. It can do so while another thread
    /// holds the memory lock. A store that the rules delay anyway, and a store from which no load is
    /// reachable before a fence, do not begin an attack.
    fn may_attack(&self, thread: ThreadId, visible: Visible) -> bool {
        self.rules.attacks
            && self.extra.attack == Attack::None
            && matches!(visible, Visible::Store { .. })
            && !visible.needs_empty_buffer(DrainsBefore)
            && self.delayed(thread).is_empty()
            && !self.rules.delayable.contains(&self.machine.pc(thread))
            && (self.rules.whole_windows
                || self.loads_ahead.is_ahead(self.machine.pc(thread).next()))
    }

    /// Whether the attack in progress, if any, allows an access: see [`crate::attack`].
    fn is_allowed(&self, thread: ThreadId, touch: Option<Touch>) -> bool {
        self.extra.attack.allows(thread, touch.as_ref())
            || self.waited_for_memory(touch)
            || self.rules.whole_windows && self.extra.attack.chain().is_none()
    }

    /// Whether a write in the window may have waited for the memory lock, which a thread of the
    /// happens-after set released. Then the write cannot be moved before `store`, although it touches no
    /// common byte.
    fn waited_for_memory(&self, touch: Option<Touch>) -> bool {
        let Attack::Window(window) = &self.extra.attack else { return false };
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
            // These are not moves. If the machine stopped at one, it waits for something.
            Visible::Fence { .. }
            | Visible::Spawn
            | Visible::Join { .. }
            | Visible::Format
            | Visible::Relock { woken: false, .. } => false,
            // A load that delayed stores cover in part waits until they have left.
            Visible::Load { addr, ty, .. } => self.cover(thread, addr, ty.bytes()) != Cover::Partly,
            Visible::Store { .. } => {
                let full = self.delayed(thread).len() >= self.rules.cap;
                let fits = !full || !self.is_delayed(thread, visible);
                self.capped |= !fits;
                fits
            }
            // An access to invalid memory is enabled: it fails when it is performed.
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

    /// Whether another thread holds the memory lock ([`raddle_ir::Program::memory_lock`]), so that this one
    /// cannot write memory.
    pub(crate) fn is_shut_out(&self, thread: ThreadId) -> bool {
        let Some(lock) = self.machine.program.memory_lock else { return false };
        let held = self.machine.in_memory(global_address(lock), LOCK_BYTES);
        held.is_some_and(|held| held != UNLOCKED && held != held_by(thread))
    }

    /// A store at which a thread waits for the memory lock under SC, and which it could buffer under TSO, if
    /// there is one.
    pub(crate) fn shut_out_store(&self) -> Option<Pc> {
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

    /// Whether a store goes to the thread's list of delayed stores. A store behind a delayed one is delayed
    /// too, as in a FIFO buffer.
    pub(crate) fn is_delayed(&self, thread: ThreadId, visible: Visible) -> bool {
        !visible.needs_empty_buffer(DrainsBefore)
            && (!self.delayed(thread).is_empty()
                || self.rules.delayable.contains(&self.machine.pc(thread)))
    }

    /// The access of a thread's next operation to shared memory; `None` if the operation concerns only the
    /// thread.
    pub(crate) fn touch(&self, thread: ThreadId, visible: Visible) -> Option<Touch> {
        match visible {
            Visible::Load { addr, ty, .. } | Visible::Await { addr, ty, .. }
                if self.cover(thread, addr, ty.bytes()) != Cover::Nothing =>
            {
                None
            }
            Visible::Store { .. }
                if self.is_delayed(thread, visible)
                    || self.extra.attack.window_of(thread).is_some() =>
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
    pub(crate) fn has_reserved(&self, thread: ThreadId, addr: u64, bytes: u32) -> bool {
        self.extra.reserved[thread.0 as usize] == Some((addr, bytes))
    }
}

/// The access to memory by which a delayed store becomes visible.
pub(crate) fn writing(entry: &Entry) -> Touch {
    Touch { addr: entry.addr, bytes: entry.bytes, writes: true }
}
