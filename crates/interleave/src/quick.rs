//! Short implementations of the most common events: ordinary loads and stores, and updates, of initialised
//! bytes that form one cell.
//!
//! They have the same effect as the general implementations in [`crate::perform`] and [`crate::update`].
//! Invariant: each function either performs the whole event and returns true, or returns false before it has
//! changed anything. After `false`, the caller takes the general implementation.

use crate::event::{Action, Class, ONLY, Turn};
use crate::observe::What;
use crate::race::Race;
use crate::record::Base;
use crate::system::{System, field};
use raddle_engine::Buffering;
use raddle_ir::Order;
use raddle_machine::memory::Purpose;
use raddle_machine::{QuickLoad, QuickStore, ThreadId};

impl System<'_> {
    /// An ordinary load, from memory or from the buffer of its thread.
    #[inline(never)]
    pub(crate) fn quick_load(&mut self, thread: ThreadId, races: &mut Vec<Race>) -> bool {
        let Some(load) = self.machine.at_load(thread) else { return false };
        if !self.is_drained(thread) {
            let buffer = &self.process(thread).buffer;
            let covering = buffer.covering(&self.machine.trail, load.addr, load.bytes);
            // The load takes bytes of several stores, or of a store and memory.
            if covering.partly {
                return false;
            }
            if covering.count > 0 {
                return self.quick_forwarded(thread, &load, covering.count, covering.newest);
            }
        }
        let QuickLoad { addr, bytes, .. } = load;
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let Some(spot) = memory.spot(trail, addr, bytes, Purpose::Read) else {
            return self.load_any_bytes(thread, &load, races);
        };
        // A spot is the value and the cell of the bytes in one lookup, for bytes that are one cell.
        let value = spot.read(trail);
        let base = Base::of(self.clock(thread, field::CLOCK));
        let point = self.record_cell(reading(thread, &load), base, spot.cell(), None, None, races);
        self.set(thread, field::CLOCK, point.clock.0.into());
        self.loaded(thread, &load, value)
    }

    /// [`System::quick_load`] for all other bytes that can be read without a fault, such as several cells.
    #[inline(never)]
    fn load_any_bytes(
        &mut self,
        thread: ThreadId,
        load: &QuickLoad,
        races: &mut Vec<Race>,
    ) -> bool {
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let Some(slice) = memory.find(trail, load.addr, load.bytes, Purpose::Read) else {
            return false;
        };
        let value = memory.read(trail, slice) as u64;
        self.record_access(reading(thread, load), slice, None, races);
        self.loaded(thread, load, value)
    }

    /// A load that is served by the newest of `count` stores in the buffer.
    #[inline(never)]
    fn quick_forwarded(
        &mut self,
        thread: ThreadId,
        load: &QuickLoad,
        count: u32,
        newest: u32,
    ) -> bool {
        let QuickLoad { addr, bytes, .. } = *load;
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        if memory.find(trail, addr, bytes, Purpose::Copy).is_none() {
            return false;
        }
        let value = self.process(thread).buffer.value_at(trail, newest, addr, bytes);
        let action = Action { forwarded: count, ..reading(thread, load) };
        self.forwarded_load(action, newest);
        self.loaded(thread, load, value)
    }

    /// Completes a recorded load with its value.
    #[inline(always)]
    fn loaded(&mut self, thread: ThreadId, load: &QuickLoad, value: u64) -> bool {
        self.machine.give(thread, load, value);
        if self.notes.is_some() {
            self.note_plain(thread, What::Read, load.addr, load.bytes);
        }
        self.settle_quickly(thread, load.pc);
        true
    }

    /// A store that goes straight to memory.
    #[inline(never)]
    pub(crate) fn quick_store(&mut self, thread: ThreadId, races: &mut Vec<Race>) -> bool {
        if self.rules.buffering != Buffering::None || self.slots.is_some() {
            return false;
        }
        let Some(store) = self.machine.at_store(thread) else { return false };
        let QuickStore { addr, bytes, value, .. } = store;
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let action =
            Action { class: Class::Write, bytes, addr, ..Action::of(Turn::step(thread, ONLY)) };
        let base = Base::of(self.clock(thread, field::CLOCK));
        // The shortest path records no overwritten value. Record before writing: the general path reads the
        // old value when it records.
        let spot = memory.spot(trail, addr, bytes, Purpose::Write);
        let clock = match spot.filter(|_| !self.keeps_old) {
            Some(spot) => {
                let point = self.record_cell(action, base, spot.cell(), None, None, races);
                spot.write(&mut self.machine.trail, value);
                point.clock
            }
            None => {
                let Some(slice) = memory.find(trail, addr, bytes, Purpose::Write) else {
                    return false;
                };
                let position = self.record_write(action, base, slice, None, races);
                self.machine.memory.write(&mut self.machine.trail, slice, value.into());
                self.events[position as usize].clock
            }
        };
        self.set(thread, field::CLOCK, clock.0.into());
        self.machine.note_change(thread);
        if self.notes.is_some() {
            let order = self.machine.order(thread, true).unwrap_or(Order::Asm);
            self.note_plain(thread, What::Write(order), addr, bytes);
        }
        self.settle_quickly(thread, store.pc);
        true
    }

    /// An update that needs no recorded old value and frees no slot of a bounded buffer.
    #[inline(never)]
    pub(crate) fn quick_update(
        &mut self,
        thread: ThreadId,
        addr: u64,
        races: &mut Vec<Race>,
    ) -> bool {
        if self.keeps_old || self.slots.is_some() {
            return false;
        }
        let Some(entry) = self.leaving(thread, addr) else { return false };
        let (addr, bytes) = (entry.addr, entry.bytes);
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let Some(spot) = memory.spot(trail, addr, bytes, Purpose::Write) else { return false };
        let action =
            Action { class: Class::Write, bytes, ..Action::of(Turn::update(thread, addr)) };
        let base = self.update_base(thread, &entry);
        let stored = Some(entry.stored());
        let point = self.record_cell(action, base, spot.cell(), None, stored, races);
        let trail = &mut self.machine.trail;
        spot.write(trail, entry.value as u64);
        self.processes[thread.0 as usize].buffer.remove(trail, entry.index);
        if self.rules.buffering == Buffering::Fifo {
            // With one queue, the newest update has seen all earlier ones.
            self.set(thread, field::UPDATES, point.clock.0.into());
        }
        if self.notes.is_some() {
            self.note_leaving(thread, entry.index, addr, bytes);
        }
        if self.is_drained(thread) {
            self.drained(thread);
        }
        true
    }
}

/// The action of a load from memory.
#[inline(always)]
fn reading(thread: ThreadId, load: &QuickLoad) -> Action {
    let QuickLoad { addr, bytes, .. } = *load;
    Action { class: Class::Read, bytes, addr, ..Action::of(Turn::step(thread, ONLY)) }
}
