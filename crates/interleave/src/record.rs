//! Recording events: happens-before.
//!
//! Paper 000, appendix B. A cell's word leads to its newest write and to the reads since. A read
//! happens after the newest write, unless that is an update of its own thread; a write happens
//! after the newest write and the reads since. All earlier accesses happen before those already.

use crate::buffer::Entry;
use crate::clock::{Chain, ClockId};
use crate::event::{Action, CellWord, Class, Condition, Detail, Event, Identity, Link, Point};
use crate::race::{Conflicts, Race};
use crate::system::{System, field};
use crate::wait::Needs;
use raddle_machine::memory::{Place, Purpose};
use raddle_machine::{ThreadId, Word};

/// What an event says of itself beside its action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recording {
    pub detail: Detail,
    pub needs: Option<Needs>,
}

impl Recording {
    /// Nothing.
    pub const NONE: Recording = Recording { detail: Detail::NONE, needs: None };

    /// A write over a value, or over memory that was never written.
    pub const fn write(old: u128, fresh: bool) -> Recording {
        Recording { detail: Detail { old, fresh, ..Detail::NONE }, needs: None }
    }
}

/// What is behind an event before its conflicts: for an update, what its thread had seen when it
/// stored, and the updates before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base(pub ClockId, pub ClockId);

impl System<'_> {
    /// Records an event of a thread. `place` is `None` if it does not touch memory.
    pub fn record_step(
        &mut self,
        action: Action,
        place: Option<Place>,
        recording: Recording,
        races: &mut Vec<Race>,
    ) -> u32 {
        match place.filter(|place| place.bytes() > 0) {
            Some(place) => self.record_access(action, place, recording, races),
            None => {
                let base = self.clock(action.thread, field::CLOCK);
                let position = self.record_cells(action, base, &[], recording, None, races);
                self.advance_clock(action.thread, position)
            }
        }
    }

    /// Records an event of a thread that others have no part in, and that takes its value from
    /// `source`.
    #[inline]
    pub fn record_alone(&mut self, action: Action, source: Identity) -> u32 {
        let event = self.events.len() as u32;
        let base = self.clock(action.thread, field::CLOCK);
        let chain = self.process(action.thread).chain;
        let none = ClockId::NONE;
        let (clock, index) = self.clocks.next([base, none, none, none], chain);
        let point = Point { event, chain, index, clock };
        self.push_event(action, point, source, Detail::NONE, None);
        self.advance_clock(action.thread, event)
    }

    /// Records an event of a thread that touches memory.
    #[inline(always)]
    pub fn record_access(
        &mut self,
        action: Action,
        place: Place,
        recording: Recording,
        races: &mut Vec<Race>,
    ) -> u32 {
        let base = Base(self.clock(action.thread, field::CLOCK), ClockId::NONE);
        let position = self.record(action, base, place, recording, None, races);
        self.advance_clock(action.thread, position)
    }

    #[inline]
    fn advance_clock(&mut self, thread: ThreadId, position: u32) -> u32 {
        let clock = self.events[position as usize].clock;
        self.set(thread, field::CLOCK, clock.0.into());
        position
    }

    /// Records an event at a place that already has `base` behind it; `entry` if it is an update.
    #[inline(always)]
    pub fn record(
        &mut self,
        action: Action,
        base: Base,
        place: Place,
        recording: Recording,
        entry: Option<&Entry>,
        races: &mut Vec<Race>,
    ) -> u32 {
        match self.machine.memory.single_cell(&self.machine.trail, place) {
            Some(cell) => self.record_cell(action, base, cell, recording, entry, races),
            None => {
                let mut cells = Vec::new();
                self.machine.memory.cells(&mut self.machine.trail, place, &mut cells);
                let base = self.clocks.both(base.0, base.1);
                self.record_cells(action, base, &cells, recording, entry, races)
            }
        }
    }

    /// [`System::record_cells`] for the usual case: one cell, and conflicts with the newest write and
    /// with one read since, at most.
    #[inline(always)]
    fn record_cell(
        &mut self,
        action: Action,
        base: Base,
        cell: Word,
        recording: Recording,
        entry: Option<&Entry>,
        races: &mut Vec<Race>,
    ) -> u32 {
        let word = CellWord::unpack(self.machine.trail.get(cell));
        let (mut source, mut write, mut read) = (Identity::INITIAL, None, None);
        let mut simple = recording.needs.is_none();
        if let Some(link) = self.link(word.write) {
            source = link.identity;
            if !self.is_behind(base, &link.point) {
                write = Some(link.point);
                // An update of the own thread is another matter.
                let steps_over = entry.is_none() && action.class == Class::Write;
                simple &= steps_over || !source.is_store_of(action.thread);
            }
        }
        if action.class == Class::Write {
            let mut list = word.read;
            while let Some(link) = self.link(list) {
                list = link.before;
                if !self.is_behind(base, &link.point) {
                    simple &= read.is_none();
                    read = Some(link.point);
                }
            }
        }
        if !simple {
            let base = self.clocks.both(base.0, base.1);
            return self.record_cells(action, base, &[cell], recording, entry, races);
        }
        let position = self.events.len() as u32;
        // A read that has seen the write brings it along.
        let before =
            write.filter(|write| read.is_none_or(|read| !self.has_seen(read.clock, write)));
        let others = [read, before].map(|point| point.map_or(ClockId::NONE, |point| point.clock));
        let chain = match entry {
            None => self.processes[action.thread.0 as usize].chain,
            Some(_) => self.update_chain(action.thread, [base.0, base.1, others[0], others[1]]),
        };
        let (clock, index) = self.clocks.next([base.0, base.1, others[0], others[1]], chain);
        if entry.is_some() {
            self.note_update(action.thread, chain, clock);
        }
        let point = Point { event: position, chain, index, clock };
        let identity = self.push_event(action, point, source, recording.detail, entry);
        if self.wants_races && (read.is_some() || write.is_some()) {
            self.race_with(base, write, before.is_some(), read, races);
        }
        self.note_access(cell, word, point, identity, &action, entry);
        position
    }

    /// Records an event that touches any number of cells.
    #[inline(never)]
    pub fn record_cells(
        &mut self,
        action: Action,
        base: ClockId,
        cells: &[Word],
        recording: Recording,
        entry: Option<&Entry>,
        races: &mut Vec<Race>,
    ) -> u32 {
        let position = self.events.len() as u32;
        let mut conflicts = Conflicts::default();
        let source = self.gather(&action, base, cells, &mut conflicts);
        let base = self.after_own_updates(&action, base, &mut conflicts);
        let mut all = base;
        for point in &conflicts.points {
            all = self.clocks.both(all, point.clock);
        }
        let seen = [all, ClockId::NONE, ClockId::NONE, ClockId::NONE];
        let chain = match entry {
            None => self.process(action.thread).chain,
            Some(_) => self.update_chain(action.thread, seen),
        };
        let (clock, index) = self.clocks.next(seen, chain);
        if entry.is_some() {
            self.note_update(action.thread, chain, clock);
        }
        let point = Point { event: position, chain, index, clock };
        let identity = self.push_event(action, point, source, recording.detail, entry);
        if self.wants_races && !conflicts.points.is_empty() {
            self.find_races(&action, base, recording.needs, cells, &conflicts, races);
        }
        for cell in cells {
            let word = CellWord::unpack(self.machine.trail.get(*cell));
            self.note_access(*cell, word, point, identity, &action, entry);
        }
        position
    }

    #[inline(always)]
    fn push_event(
        &mut self,
        action: Action,
        point: Point,
        source: Identity,
        detail: Detail,
        entry: Option<&Entry>,
    ) -> Identity {
        let identity = match entry {
            None => Identity::step(action.thread, point.index),
            Some(entry) => Identity::store(action.thread, entry.index),
        };
        let Point { chain, index, clock, .. } = point;
        let needs_detail =
            action.class == Class::Write || detail.open || detail.condition != Condition::Fixed;
        if needs_detail {
            self.details.push(detail);
        }
        let detail = if needs_detail { self.details.len() as u32 } else { 0 };
        self.events.push(Event { action, chain, index, clock, detail, identity, source });
        identity
    }

    #[inline]
    pub(crate) fn link(&self, link: u32) -> Option<&Link> {
        link.checked_sub(1).map(|link| &self.links[link as usize])
    }

    /// A chain of the thread's updates that an update which has seen these clocks extends.
    #[inline]
    fn update_chain(&mut self, thread: ThreadId, seen: [ClockId; 4]) -> Chain {
        let chains = &self.process(thread).update_chains;
        let fits = chains.iter().copied().find(|(chain, newest)| {
            let newest = ClockId(self.machine.trail.get(*newest) as u32);
            let newest = self.clocks.get(newest, *chain);
            seen.iter().any(|clock| self.clocks.get(*clock, *chain) == newest)
        });
        fits.map_or_else(|| self.new_update_chain(thread), |(chain, _)| chain)
    }

    #[cold]
    fn new_update_chain(&mut self, thread: ThreadId) -> Chain {
        let chain = self.new_chain();
        let newest = self.machine.trail.reserve(1);
        self.processes[thread.0 as usize].update_chains.push((chain, newest));
        chain
    }

    /// Notes the newest update of a chain of the thread.
    #[inline]
    fn note_update(&mut self, thread: ThreadId, chain: Chain, clock: ClockId) {
        let chains = &self.processes[thread.0 as usize].update_chains;
        if let Some((_, newest)) = chains.iter().find(|(known, _)| *known == chain) {
            self.machine.trail.set(*newest, clock.0.into());
        }
    }

    #[inline(always)]
    fn note_access(
        &mut self,
        cell: Word,
        mut word: CellWord,
        point: Point,
        identity: Identity,
        action: &Action,
        entry: Option<&Entry>,
    ) {
        if action.class == Class::Read {
            let mut before = word.read;
            // The newest read of a thread stands for its earlier ones.
            if let Some(last) = self.link(before)
                && self.events[last.point.event as usize].action.thread == action.thread
            {
                before = last.before;
            }
            self.links.push(Link { point, identity, before });
            word.read = self.links.len() as u32;
        } else {
            self.links.push(Link { point, identity, before: word.write });
            word = CellWord { write: self.links.len() as u32, read: 0 };
            if let Some(load) = entry.and_then(|entry| entry.load.checked_sub(1)) {
                let Event { chain, index, clock, identity, .. } = self.events[load as usize];
                let point = Point { event: load, chain, index, clock };
                self.links.push(Link { point, identity, before: 0 });
                word.read = self.links.len() as u32;
            }
        }
        self.machine.trail.set(cell, word.pack());
    }

    /// Whether an event is among what is behind.
    #[inline]
    fn is_behind(&self, base: Base, point: &Point) -> bool {
        self.has_seen(base.0, point) || base.1 != ClockId::NONE && self.has_seen(base.1, point)
    }

    /// Whether an event is among what `clock` has seen.
    #[inline]
    pub(crate) fn has_seen(&self, clock: ClockId, point: &Point) -> bool {
        point.index <= self.clocks.get(clock, point.chain)
    }

    /// Whether the event at `position` is among what `clock` has seen.
    #[inline]
    pub fn seen(&self, position: u32, clock: ClockId) -> bool {
        let event = &self.events[position as usize];
        event.index <= self.clocks.get(clock, event.chain)
    }

    /// Position, plus 1, of the newest write to a cell; 0 if it has its initial value.
    pub fn last_write(&self, addr: u64, bytes: u32) -> Option<u32> {
        let trail = &self.machine.trail;
        let place = self.machine.memory.place(trail, addr, bytes, Purpose::Read).ok()?;
        let cell = self.machine.memory.single_cell(trail, place)?;
        let write = CellWord::unpack(trail.get(cell)).write;
        Some(self.link(write).map_or(0, |link| link.point.event + 1))
    }
}
