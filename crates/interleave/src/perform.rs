//! Performing actions: the effect of an event on memory and threads.
//!
//! Each action has one general implementation here or in `update` and `locks`. The common ones also have a
//! short one in [`crate::quick`], which has the same effect and is tried first.

use crate::buffer::Stored;
use crate::event::{Action, Class, Condition, Detail, Identity, Turn};
use crate::race::Race;
use crate::record::{Base, Recording};
use crate::system::{System, field};
use raddle_machine::memory::{Purpose, Slice};
use raddle_machine::visible::UNLOCKED;
use raddle_machine::{Change, Ending, Fault, Needs, Status, StrongStore, ThreadId, Visible};

impl System<'_> {
    /// Performs an enabled action with a chosen alternative. Then its thread, and the threads that this
    /// unblocks, run up to their next events. Appends the event to the execution, and its races with earlier
    /// events to `races`.
    #[inline]
    pub(crate) fn perform(&mut self, turn: Turn, races: &mut Vec<Race>) {
        // A quick function returns false before any effect, so the general one can start from here.
        let done = self.quick
            && match turn.update {
                true => self.quick_update(turn.thread, turn.addr, races),
                false => {
                    self.quick_load(turn.thread, races) || self.quick_store(turn.thread, races)
                }
            };
        if !done {
            self.perform_general(turn, races);
        }
    }

    /// [`System::perform`] for every action.
    #[inline(never)]
    fn perform_general(&mut self, turn: Turn, races: &mut Vec<Race>) {
        if turn.update {
            if self.data_races.is_some() {
                self.watch_update(turn);
            }
            self.perform_update(turn, races);
            return;
        }
        let thread = turn.thread;
        let noted = self.notes.is_some().then(|| self.about(turn));
        if self.data_races.is_some() {
            self.perform_watched(turn, races);
        } else {
            let visible = self.machine.visible(thread);
            self.perform_step(thread, visible, turn.choice, races);
        }
        if let Some(about) = noted {
            self.note_step(about);
        }
        self.settle(thread);
    }

    /// Records an unconditional write; it is an update if it has an `entry`. The overwritten value is
    /// recorded only if something depends on it.
    #[inline(always)]
    pub(crate) fn record_write(
        &mut self,
        action: Action,
        base: Base,
        slice: Slice,
        entry: Option<Stored>,
        races: &mut Vec<Race>,
    ) -> u32 {
        match self.keeps_old {
            true => self.record_overwriting(action, base, slice, entry, races),
            false => self.record(action, base, slice, None, entry, races),
        }
    }

    #[inline(never)]
    fn record_overwriting(
        &mut self,
        action: Action,
        base: Base,
        slice: Slice,
        entry: Option<Stored>,
        races: &mut Vec<Race>,
    ) -> u32 {
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let (old, fresh) = (memory.read(trail, slice), memory.is_fresh(trail, slice));
        let recording = Recording::write(old, fresh);
        self.record(action, base, slice, Some(&recording), entry, races)
    }

    /// Performs the visible operation of a thread.
    pub(crate) fn perform_step(
        &mut self,
        thread: ThreadId,
        visible: Visible,
        choice: u32,
        races: &mut Vec<Race>,
    ) {
        let mut action = self.action(thread, visible);
        action.choice = choice;
        if visible.needs_empty_buffer(StrongStore::DrainsAfter) {
            let updates = self.updates(thread);
            self.see(thread, updates);
        }
        if visible.is_change() {
            self.machine.note_change(thread);
        }
        match visible {
            Visible::Load { access, .. } => {
                self.load(action, &visible, races);
                if access.exclusive {
                    self.reserve(&action);
                }
            }
            Visible::Await { .. } => self.load(action, &visible, races),
            Visible::Store { .. } => {
                if self.slots.is_some() {
                    // A store is an event only without buffers, and then a bound means a bound of 0. A buffer
                    // of size 0 is always full.
                    self.note_full(thread);
                }
                self.modify(action, &visible, Condition::Fixed, races);
            }
            Visible::Rmw { .. } => {
                self.modify(action, &visible, Condition::FindsSomething, races);
            }
            Visible::CmpXchg { expected, .. } => {
                self.modify(action, &visible, Condition::Finds(expected), races);
            }
            Visible::StoreCond { .. } => self.store_conditional(action, &visible, races),
            Visible::Lock { .. } => {
                self.lock(action, &visible, Condition::FindsSomething, races);
            }
            Visible::Relock { .. } => {
                let woken_by = self.clock(thread, field::WOKEN_BY);
                self.see(thread, woken_by);
                self.lock(action, &visible, Condition::FindsSomething, races);
            }
            Visible::TryLock { .. } => {
                self.lock(action, &visible, Condition::Finds(UNLOCKED), races);
            }
            Visible::Unlock { .. } => self.unlock(action, &visible, races),
            Visible::CondEnqueue { mutex, .. } => self.enqueue(action, &visible, mutex, races),
            Visible::CondLeave { .. } => self.read_only(action, &visible, races),
            Visible::Signal { .. } | Visible::Broadcast { .. } => {
                self.signal(action, &visible, races);
            }
            Visible::Free { addr, by } => self.free(action, addr, by, races),
            Visible::Choose { .. } => {
                let recording =
                    Recording { detail: Detail { open: true, ..Detail::NONE }, needs: None };
                self.record_step(action, None, recording, races);
                self.machine.complete(thread, choice.into(), true);
            }
            Visible::Fence { .. } | Visible::Spawn | Visible::Join { .. } | Visible::Format => {
                unreachable!("{visible:?} is not an event")
            }
        }
    }

    /// An event that reads its bytes, and whose thread gets no value.
    pub(crate) fn read_only(&mut self, action: Action, visible: &Visible, races: &mut Vec<Race>) {
        let Some(slice) = self.checked(&action, visible.purpose(), None, races) else { return };
        self.record_step(action, Some(slice), Recording::NONE, races);
        self.machine.complete(action.thread, 0, true);
    }

    /// The bytes of an access. If the access is faulty, records it, fails the thread and returns `None`.
    pub(crate) fn checked(
        &mut self,
        action: &Action,
        purpose: Purpose,
        needs: Option<Needs>,
        races: &mut Vec<Race>,
    ) -> Option<Slice> {
        let trail = &self.machine.trail;
        match self.machine.memory.access(trail, action.addr, action.bytes, purpose) {
            Ok(slice) => Some(slice),
            Err(fault) => {
                let condition = Condition::Unless(action.class);
                self.failing_access(*action, fault, condition, needs, races);
                None
            }
        }
    }

    /// A failing access. It is an event too: whether it fails may depend on what another thread did to the
    /// object. It changes nothing, so it counts as a read.
    pub(crate) fn failing_access(
        &mut self,
        action: Action,
        fault: Fault,
        condition: Condition,
        needs: Option<Needs>,
        races: &mut Vec<Race>,
    ) {
        let trail = &self.machine.trail;
        let slice = self.machine.memory.remains(trail, action.addr, action.bytes);
        let recording = Recording { detail: Detail { condition, ..Detail::NONE }, needs };
        let action = Action { class: Class::Read, ..action };
        self.record_step(action, slice, recording, races);
        self.fail(action.thread, fault);
    }

    /// A failure that depends on no other thread.
    pub(crate) fn failing_alone(&mut self, action: Action, fault: Fault) {
        let action = Action { class: Class::Local, ..action };
        self.record_step(action, None, Recording::NONE, &mut Vec::new());
        self.fail(action.thread, fault);
    }

    fn load(&mut self, action: Action, visible: &Visible, races: &mut Vec<Race>) {
        let needs = visible.needs().map(|(_, needs)| needs);
        // A value from the buffer counts as written, although memory may never have been written.
        let purpose = if action.forwarded > 0 { Purpose::Copy } else { visible.purpose() };
        let Some(slice) = self.checked(&action, purpose, needs, races) else { return };
        let value = match self.is_drained(action.thread) {
            true => self.machine.memory.read(&self.machine.trail, slice),
            false => self.value_seen(action.thread, action.addr, action.bytes).unwrap_or(0),
        };
        // Before the event is recorded: recording changes the clock and the cells that this looks at.
        let mixed = needs.is_some() && self.is_mixed(&action);
        if action.forwarded > 0 {
            let buffer = &self.process(action.thread).buffer;
            let covering = buffer.covering(&self.machine.trail, action.addr, action.bytes);
            self.forwarded_load(action, covering.newest);
        } else {
            let recording = Recording { needs, ..Recording::NONE };
            self.record_step(action, Some(slice), recording, races);
        }
        self.machine.complete(action.thread, value, true);
        if mixed {
            self.fail_mixed(action.thread);
        }
    }

    /// A load that is served by the buffer. Paper 000, appendix B, "load from buffer": it joins the list of
    /// its cell only when the update of that store does. Until then the store keeps a list of such loads. A
    /// new load replaces those at the head of the list whose bytes it covers.
    pub(crate) fn forwarded_load(&mut self, action: Action, store: u32) {
        let source = Identity::store(action.thread, store);
        let buffer = &self.process(action.thread).buffer;
        let mut before = buffer.forwarded(&self.machine.trail, store);
        while let Some(earlier) = before.checked_sub(1).map(|n| &self.events[n as usize])
            && action.covers(&earlier.action)
        {
            before = earlier.before;
        }
        let position = self.record_alone(action, source, before);
        let buffer = &self.processes[action.thread.0 as usize].buffer;
        buffer.forwarded_to(&mut self.machine.trail, store, position);
    }

    /// An event that reads its bytes and may change them. Inlined at each call, where the operation is known,
    /// so that its purpose and its change are constants.
    #[inline(always)]
    pub(crate) fn modify(
        &mut self,
        action: Action,
        visible: &Visible,
        condition: Condition,
        races: &mut Vec<Race>,
    ) {
        let needs = visible.needs().map(|(_, needs)| needs);
        let slice = self.checked(&action, visible.purpose(), needs, races);
        let Some(slice) = slice else { return };
        let old = self.machine.memory.read(&self.machine.trail, slice);
        let fresh = self.machine.memory.is_fresh(&self.machine.trail, slice);
        let reserved = action.class == Class::Write;
        let Change { new, happens, result } = visible.change(action.thread, old, reserved);
        debug_assert_eq!(happens, action.class == Class::Write);
        let mixed = needs.is_some() && self.is_mixed(&action);
        let detail = Detail { old, fresh, condition, open: false };
        let recording = Recording { detail, needs };
        self.record_step(action, Some(slice), recording, races);
        if happens {
            self.machine.memory.write(&mut self.machine.trail, slice, new);
            if new != old {
                self.machine.note_change(action.thread);
            }
        }
        self.machine.complete(action.thread, result, happens);
        if mixed {
            self.fail_mixed(action.thread);
        }
    }

    /// Whether an operation that waits for a value, and is about to happen, races with writes whose bytes are
    /// not exactly its own.
    fn is_mixed(&mut self, action: &Action) -> bool {
        let base = self.clock(action.thread, field::CLOCK);
        self.waits_among_others(action, base)
    }

    fn free(&mut self, action: Action, addr: u64, by: Ending, races: &mut Vec<Race>) {
        let trail = &self.machine.trail;
        match self.machine.ending(addr, by) {
            Ok(None) => {
                let nothing = Action { class: Class::Local, bytes: 0, ..action };
                self.record_step(nothing, None, Recording::NONE, races);
                self.machine.complete(action.thread, 0, true);
            }
            Err(fault) => {
                let condition = Condition::Unless(action.class);
                self.failing_access(action, fault, condition, None, races);
            }
            Ok(Some(slice)) => {
                // A thread that waits for a value here could have found this value before the free.
                let small = (1..=16).contains(&slice.bytes());
                let old = if small { self.machine.memory.read(trail, slice) } else { 0 };
                self.record_step(action, Some(slice), Recording::write(old, false), races);
                self.machine.memory.kill(&mut self.machine.trail, slice.object());
                self.machine.complete(action.thread, 0, true);
            }
        }
    }

    // ---- store-conditional ----

    fn reserve(&mut self, action: &Action) {
        if self.machine.status(action.thread) != Status::Ready {
            return;
        }
        let after = self.last_write(action.addr, action.bytes).unwrap_or(0);
        self.set(action.thread, field::RESERVED, action.addr);
        self.set(action.thread, field::RESERVED_BYTES, action.bytes.into());
        self.set(action.thread, field::RESERVED_AFTER, after.into());
    }

    /// Whether a store-conditional of the thread would succeed now: no write since its reservation.
    pub(crate) fn reservation_holds(&self, thread: ThreadId, addr: u64, bytes: u32) -> bool {
        self.has_reservation(thread, addr, bytes)
            && self.last_write(addr, bytes).map(u64::from)
                == Some(self.get(thread, field::RESERVED_AFTER))
    }

    fn has_reservation(&self, thread: ThreadId, addr: u64, bytes: u32) -> bool {
        self.get(thread, field::RESERVED) == addr
            && self.get(thread, field::RESERVED_BYTES) == u64::from(bytes)
    }

    fn store_conditional(&mut self, action: Action, visible: &Visible, races: &mut Vec<Race>) {
        let thread = action.thread;
        let condition = match self.has_reservation(thread, action.addr, action.bytes) {
            true => Condition::After(self.get(thread, field::RESERVED_AFTER) as u32),
            false => Condition::Fixed,
        };
        self.set(thread, field::RESERVED_BYTES, 0);
        self.modify(action, visible, condition, races);
    }
}
