//! Updates: stores that leave their buffer and reach memory.

use crate::buffer::Entry;
use crate::event::{Action, Class, ONLY, Turn};
use crate::race::Race;
use crate::record::Base;
use crate::system::{System, field};
use raddle_engine::Buffering;
use raddle_machine::ThreadId;
use raddle_machine::memory::Purpose;

impl System<'_> {
    /// The store that an update of this address takes out of its thread's buffer.
    #[inline(always)]
    pub(crate) fn leaving(&self, thread: ThreadId, addr: u64) -> Option<Entry> {
        let buffer = &self.process(thread).buffer;
        match self.rules.buffering {
            Buffering::Fifo => buffer.oldest(&self.machine.trail),
            // Of the stores to one address, only the oldest can leave.
            _ => buffer.oldest_at(&self.machine.trail, addr),
        }
    }

    /// Performs an update.
    pub(crate) fn perform_update(&mut self, turn: Turn, races: &mut Vec<Race>) {
        let thread = turn.thread;
        let Some(entry) = self.leaving(thread, turn.addr) else {
            unreachable!("no entry for {turn:x?} can leave")
        };
        let action = Action {
            thread,
            update: true,
            class: Class::Write,
            bytes: entry.bytes,
            addr: entry.addr,
            forwarded: 0,
            choice: ONLY,
        };
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let slice = memory.find(trail, entry.addr, entry.bytes, Purpose::Write);
        let base = self.update_base(thread, &entry);
        let position = match slice {
            Some(slice) => {
                let position = self.record_write(action, base, slice, Some(entry.stored()), races);
                self.machine.memory.write(&mut self.machine.trail, slice, entry.value);
                position
            }
            None => self.fail_update(action, base, &entry, races),
        };
        if self.rules.buffering == Buffering::Fifo {
            // With one queue, the newest update has seen all earlier ones.
            let clock = self.events[position as usize].clock;
            self.set(thread, field::UPDATES, clock.0.into());
        }
        self.remove_entry(thread, &entry);
        if self.notes.is_some() {
            self.note_leaving(thread, entry.index, entry.addr, entry.bytes);
        }
        if self.slots.is_some() {
            self.free_slot(thread, entry.index);
        }
        if self.is_drained(thread) {
            self.drained(thread);
        }
    }

    /// The events before an update, conflicts not included: the store, and the updates that must come first.
    #[inline(always)]
    pub(crate) fn update_base(&mut self, thread: ThreadId, entry: &Entry) -> Base {
        if self.rules.buffering == Buffering::Fifo {
            return Base(entry.clock, self.clock(thread, field::UPDATES));
        }
        // The first update of an epoch: all earlier updates are of earlier epochs, and this epoch happens
        // after all of them.
        if u64::from(entry.epoch) > self.get(thread, field::LEFT_EPOCH) {
            let before = self.updates(thread);
            self.set(thread, field::LEFT_EPOCH, entry.epoch.into());
            self.set(thread, field::EARLIER_UPDATES, before.0.into());
        }
        Base(entry.clock, self.clock(thread, field::EARLIER_UPDATES))
    }

    /// Records and fails an update of memory that no longer exists.
    #[cold]
    fn fail_update(
        &mut self,
        action: Action,
        base: Base,
        entry: &Entry,
        races: &mut Vec<Race>,
    ) -> u32 {
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let Err(fault) = memory.access(trail, entry.addr, entry.bytes, Purpose::Write) else {
            unreachable!("an update of {entry:x?} is possible")
        };
        let slice = memory.remains(trail, entry.addr, entry.bytes);
        let action = Action { class: Class::Read, ..action };
        let position = match slice {
            Some(slice) => self.record(action, base, slice, None, Some(entry.stored()), races),
            None => {
                let base = self.clocks.both(base.0, base.1);
                self.record_cells(action, base, &[], None, Some(entry.stored()), races)
            }
        };
        let loc = self.stored_at(action.thread, entry.index);
        self.fail_at(action.thread, fault, loc);
        position
    }

    fn remove_entry(&mut self, thread: ThreadId, entry: &Entry) {
        let buffer = &mut self.processes[thread.0 as usize].buffer;
        buffer.remove(&mut self.machine.trail, entry.index);
    }
}
