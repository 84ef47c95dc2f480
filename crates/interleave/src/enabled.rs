//! The actions that are enabled in the current state.

use crate::event::{ANY, Action, Class, ONLY, Turn};
use crate::system::{System, field};
use raddle_engine::Buffering;
use raddle_machine::memory::Purpose;
use raddle_machine::{Needs, StrongStore, ThreadId, Touch, Visible};

impl System<'_> {
    /// The next step of a thread, if it is enabled. Several alternatives count as one step.
    #[inline(always)]
    pub(crate) fn enabled_step(&self, thread: ThreadId) -> Option<Turn> {
        if !self.machine.is_ready(thread) || self.get(thread, field::DRAINING) != 0 {
            return None;
        }
        let simple = match self.is_drained(thread) {
            true => self.machine.is_at_access(thread),
            false => self.is_at_simple_load(thread),
        };
        let choice = if simple { ONLY } else { self.enabled_choice(thread)? };
        Some(Turn::step(thread, choice))
    }

    /// Whether a thread is at an ordinary load that its buffer does not cover in part.
    #[inline(always)]
    fn is_at_simple_load(&self, thread: ThreadId) -> bool {
        let load = self.machine.at_load(thread);
        load.is_some_and(|load| !self.is_partly_buffered(thread, load.addr, load.bytes))
    }

    /// The choice of a thread's next step ([`ANY`] or [`ONLY`]), if it is enabled.
    fn enabled_choice(&self, thread: ThreadId) -> Option<u32> {
        let visible = self.machine.visible(thread);
        if !self.can_happen(thread, visible) {
            return None;
        }
        let several = matches!(visible, Visible::Choose { .. } | Visible::Signal { .. });
        Some(if several { ANY } else { ONLY })
    }

    /// Whether a turn is enabled.
    pub(crate) fn is_enabled(&self, turn: &Turn) -> bool {
        match turn.update {
            true => self.enabled_updates(turn.thread).any(|update| update.addr == turn.addr),
            false => self.enabled_step(turn.thread).is_some(),
        }
    }

    fn can_happen(&self, thread: ThreadId, visible: Visible) -> bool {
        match visible {
            Visible::Fence { .. }
            | Visible::Spawn
            | Visible::Join { .. }
            | Visible::Format
            | Visible::Relock { woken: false, .. } => false,
            // With buffers, a store is not an event. It waits here for a free slot in the buffer.
            Visible::Store { .. } => self.rules.buffering == Buffering::None,
            // A load waits for a buffered store to leave that has only some of its bytes.
            Visible::Load { addr, ty, access } => {
                self.is_drained(thread)
                    || !access.exclusive && !self.is_partly_buffered(thread, addr, ty.bytes())
            }
            _ if visible.needs_empty_buffer(StrongStore::DrainsAfter)
                && !self.is_drained(thread) =>
            {
                false
            }
            _ => visible.needs().is_none_or(|(addr, needs)| self.is_met(thread, addr, needs)),
        }
    }

    /// Whether a thread finds the value that it waits for.
    fn is_met(&self, thread: ThreadId, addr: u64, needs: Needs) -> bool {
        let bytes = needs.bytes();
        // A faulty operation is enabled, and fails when it is performed.
        !self.is_partly_buffered(thread, addr, bytes)
            && self.value_seen(thread, addr, bytes).is_none_or(|seen| needs.met_by(seen))
    }

    fn is_partly_buffered(&self, thread: ThreadId, addr: u64, bytes: u32) -> bool {
        self.process(thread).buffer.covering(&self.machine.trail, addr, bytes).partly
    }

    fn held(&self, addr: u64, bytes: u32, purpose: Purpose) -> Option<u128> {
        let trail = &self.machine.trail;
        let slice = self.machine.memory.access(trail, addr, bytes, purpose).ok()?;
        Some(self.machine.memory.read(trail, slice))
    }

    /// The value that a load by the thread would read, its own buffer included.
    pub(crate) fn value_seen(&self, thread: ThreadId, addr: u64, bytes: u32) -> Option<u128> {
        if self.is_drained(thread) {
            return self.machine.in_memory(addr, bytes);
        }
        let trail = &self.machine.trail;
        // A value from the buffer counts as written, although memory may never have been written.
        let covering = self.process(thread).buffer.covering(trail, addr, bytes);
        let served = covering.count > 0 || covering.partly;
        let mut value =
            self.held(addr, bytes, if served { Purpose::Copy } else { Purpose::Read })?;
        for entry in self.process(thread).buffer.oldest_first(trail) {
            for byte in 0..u64::from(entry.bytes) {
                let at = (entry.addr + byte).wrapping_sub(addr);
                if at < u64::from(bytes) {
                    let new = entry.value >> (byte * 8) & 0xff;
                    value = value & !(0xff << (at * 8)) | new << (at * 8);
                }
            }
        }
        Some(value)
    }

    /// The action of a thread's operation in the current state.
    pub(crate) fn action(&self, thread: ThreadId, visible: Visible) -> Action {
        let reserved = |addr, bytes| self.reservation_holds(thread, addr, bytes);
        let mut action = Action::of(Turn::step(thread, ONLY));
        if let Some(Touch { addr, bytes, writes }) = self.machine.touch(&visible, reserved) {
            let class = if writes { Class::Write } else { Class::Read };
            action = Action { class, addr, bytes, ..action };
        }
        match visible {
            Visible::Load { .. } | Visible::Await { .. } => {
                action.forwarded = self.forwarded(&action);
            }
            Visible::Choose { .. } | Visible::Signal { .. } => action.choice = ANY,
            _ => {}
        }
        action
    }

    /// The number of buffered stores of the thread that cover the action's bytes.
    #[inline]
    pub(crate) fn forwarded(&self, action: &Action) -> u32 {
        if self.is_drained(action.thread) {
            return 0;
        }
        let buffer = &self.process(action.thread).buffer;
        buffer.covering(&self.machine.trail, action.addr, action.bytes).count
    }

    /// The oldest update of a thread. Except under PSO, it is the only enabled one.
    #[inline(always)]
    pub(crate) fn oldest_update(&self, thread: ThreadId) -> Option<Turn> {
        let addr = self.process(thread).buffer.oldest_address(&self.machine.trail)?;
        Some(Turn::update(thread, addr))
    }

    /// The enabled updates of a thread.
    #[inline]
    pub(crate) fn enabled_updates(&self, thread: ThreadId) -> impl Iterator<Item = Turn> + '_ {
        let leaving =
            self.process(thread).buffer.leaving(&self.machine.trail, self.rules.buffering);
        leaving.map(move |(_, addr)| Turn::update(thread, addr))
    }
}
