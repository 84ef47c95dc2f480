//! Locations: bytes that are read and written as a whole.
//!
//! The models order whole accesses. Accesses that overlap and differ in their bytes are not supported: the
//! thread that makes the second one fails.

use super::event::{EventId, Location, word};
use super::{Threads, field, unsupported};
use crate::table::{Table, to_word};
use raddle_machine::layout::{ObjectId, split_address};
use raddle_machine::{Fault, ThreadId, Trail, Word, in_bytes};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug)]
struct Known {
    addr: u64,
    bytes: u32,
    /// Whether it was accessed in this execution.
    touched: Word,
}

impl Known {
    /// Whether it was accessed in this execution and has one of these bytes.
    fn overlaps(&self, trail: &Trail, addr: u64, bytes: u32) -> bool {
        trail.get(self.touched) != 0
            && self.addr < addr + u64::from(bytes)
            && addr < self.addr + u64::from(self.bytes)
    }
}

/// The locations of all executions so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Locations {
    known: Table<Location, Known>,
    ids: FxHashMap<(u64, u32), Location>,
    of_object: FxHashMap<ObjectId, Vec<Location>>,
    /// Those with bytes in each stretch of [`STRETCH`].
    near: FxHashMap<u64, Vec<Location>>,
}

/// As many bytes as the longest access has, so that none is in more than two.
const STRETCH: u64 = 16;

/// The stretches that bytes are in.
fn stretches(addr: u64, bytes: u32) -> impl Iterator<Item = u64> {
    let last = addr.saturating_add(u64::from(bytes).saturating_sub(1));
    addr / STRETCH..=last / STRETCH
}

impl Locations {
    fn intern(&mut self, trail: &mut Trail, object: ObjectId, addr: u64, bytes: u32) -> Location {
        if let Some(id) = self.ids.get(&(addr, bytes)) {
            return *id;
        }
        let id = self.known.push(Known { addr, bytes, touched: trail.reserve(1) });
        self.ids.insert((addr, bytes), id);
        self.of_object.entry(object).or_default().push(id);
        for stretch in stretches(addr, bytes) {
            self.near.entry(stretch).or_default().push(id);
        }
        id
    }

    fn overlap(&self, trail: &Trail, addr: u64, bytes: u32) -> Option<Known> {
        let near = stretches(addr, bytes).filter_map(|stretch| self.near.get(&stretch));
        let mut known = near.flatten().map(|id| self.known[*id]);
        known.find(|known| known.overlaps(trail, addr, bytes))
    }
}

impl Threads<'_> {
    /// The address and the bytes of a location.
    pub(crate) fn extent_of(&self, location: Location) -> (u64, u32) {
        let known = self.locations.known[location];
        (known.addr, known.bytes)
    }

    /// The location of just these bytes, if they were accessed so.
    pub(crate) fn location_at(&self, addr: u64, bytes: u32) -> Option<Location> {
        let location = *self.locations.ids.get(&(addr, bytes))?;
        let touched = self.locations.known[location].touched;
        (self.trail.get(touched) != 0).then_some(location)
    }

    /// The locations that were accessed among some bytes.
    pub(crate) fn locations_within(&self, addr: u64, bytes: u32) -> Vec<Location> {
        let object = split_address(addr).map(|(object, _)| object);
        let known = object.and_then(|object| self.locations.of_object.get(&object));
        let overlaps =
            |id: &&Location| self.locations.known[**id].overlaps(&self.trail, addr, bytes);
        known.into_iter().flatten().filter(overlaps).copied().collect()
    }

    /// Finds the location of an event, if its address is known and was not before.
    pub(super) fn locate(&mut self, id: EventId) -> Result<(), Fault> {
        let event = self.events[id];
        if self.location(id).is_some() {
            return Ok(());
        }
        let Some(addr) = self.value(event.addr) else { return Ok(()) };
        let (addr, bytes) = (addr as u64, event.ty.bytes());
        let object = self.accessible(event.thread, event.po, addr, bytes, event.is_store())?;
        let location = self.locations.intern(&mut self.trail, object, addr, bytes);
        let touched = self.locations.known[location].touched;
        if self.trail.get(touched) == 0 {
            if let Some(other) = self.locations.overlap(&self.trail, addr, bytes) {
                return Err(unsupported(format!(
                    "accesses of different sizes that overlap ({} and {}) are not supported under {}",
                    in_bytes(other.bytes),
                    in_bytes(bytes),
                    self.rules.model,
                )));
            }
            self.trail.set(touched, 1);
        }
        self.trail.set(event.words.at(word::LOCATION), to_word(Some(location)));
        Ok(())
    }

    /// Finds the locations of a thread's events whose addresses have become known. The thread fails at the first
    /// invalid address; this event and later ones of the thread never happen.
    pub(super) fn locate_all(&mut self, thread: ThreadId) {
        for po in self.settled(thread)..self.fetched(thread) {
            let id = self.event_at(thread, po);
            if let Err(fault) = self.locate(id) {
                let at = self.events[id].at;
                self.set(thread, field::EVENTS, po.into());
                self.note_fault(thread, self.value(self.events[id].addr).map(|addr| addr as u64));
                self.fail(thread, at, fault);
                return;
            }
        }
    }

    /// The value of a location before every store; `None` if it has none.
    pub(crate) fn initial(&self, location: Location) -> Option<u128> {
        let (addr, bytes) = self.extent_of(location);
        self.initial_at(addr, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_bytes_are_found() {
        let (mut trail, mut locations) = (Trail::default(), Locations::default());
        let object = ObjectId(0);
        let four = locations.intern(&mut trail, object, 100, 4);
        trail.set(locations.known[four].touched, 1);
        assert!(locations.overlap(&trail, 103, 1).is_some());
        assert!(locations.overlap(&trail, 104, 4).is_none());
        assert!(locations.overlap(&trail, 96, 4).is_none());
        assert!(locations.overlap(&trail, 96, 8).is_some());
    }
}
