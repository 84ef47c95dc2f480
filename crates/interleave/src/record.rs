//! Recording events: happens-before.
//!
//! Paper 000, appendix B. A cell's word leads to its newest write and to the reads since. A read
//! happens after the newest write, unless that is an update of its own thread; a write happens
//! after the newest write and the reads since. All earlier accesses happen before those already.

use crate::buffer::Entry;
use crate::clock::{Chain, ClockId};
use crate::event::{Action, CellWord, Class, Condition, Detail, Event, Identity, Link, Point};
use crate::model::Buffering;
use crate::race::{Conflicts, Race};
use crate::system::{System, field};
use crate::wait::Needs;
use crate::wakeup::LAST;
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

impl CellWord {
    /// The word after an access of that name; with an update come the loads that it was forwarded to.
    #[inline(always)]
    fn with(self, class: Class, name: u32, entry: Option<&Entry>) -> CellWord {
        match class {
            Class::Read => CellWord { read: name, ..self },
            _ => CellWord { write: name, read: entry.map_or(0, |entry| entry.load) },
        }
    }
}

/// What is behind an event before its conflicts: for an update, what its thread had seen when it
/// stored, and the updates before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base(pub ClockId, pub ClockId);

impl Base {
    pub const fn of(clock: ClockId) -> Base {
        Base(clock, ClockId::NONE)
    }
}

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
            Some(place) => self.record_access(action, place, Some(&recording), races),
            None => {
                let base = self.clock(action.thread, field::CLOCK);
                let position = self.record_cells(action, base, &[], Some(&recording), None, races);
                self.advance_clock(action.thread, position)
            }
        }
    }

    /// Records an event of a thread that others have no part in, and that takes its value from
    /// `source`, which the load named `before` took its own from.
    #[inline]
    pub fn record_alone(&mut self, action: Action, source: Identity, before: u32) -> u32 {
        let event = self.events.len() as u32;
        let base = self.clock(action.thread, field::CLOCK);
        let chain = self.process(action.thread).chain;
        let none = ClockId::NONE;
        let (clock, index) = self.clocks.next([base, none, none, none], chain);
        let point = Point { event, chain, index, clock };
        self.push_event(action, point, source, None, None, before);
        self.advance_clock(action.thread, event)
    }

    /// Records an event of a thread that touches memory.
    #[inline(always)]
    pub fn record_access(
        &mut self,
        action: Action,
        place: Place,
        recording: Option<&Recording>,
        races: &mut Vec<Race>,
    ) -> u32 {
        let base = Base::of(self.clock(action.thread, field::CLOCK));
        let position = self.record(action, base, place, recording, None, races);
        self.advance_clock(action.thread, position)
    }

    #[inline]
    pub fn advance_clock(&mut self, thread: ThreadId, position: u32) -> u32 {
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
        recording: Option<&Recording>,
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
        mut base: Base,
        cell: Word,
        recording: Option<&Recording>,
        entry: Option<&Entry>,
        races: &mut Vec<Race>,
    ) -> u32 {
        let word = CellWord::unpack(self.machine.trail.get(cell));
        let (mut source, mut write, mut read) = (Identity::INITIAL, None, None);
        let mut simple = recording.is_none_or(|recording| recording.needs.is_none());
        if let Some(link) = self.link(word.write) {
            source = link.identity;
            let own = source.is_store_of(action.thread)
                && (entry.is_some() || action.class == Class::Read);
            let behind = self.is_behind(base, &link.point);
            match (behind, own) {
                (true, _) => {}
                (false, false) => write = Some(link.point),
                // Updates of one thread to one location leave in order.
                (false, true) if entry.is_some() && base.1 == ClockId::NONE => {
                    base.1 = link.point.clock;
                }
                // A load does not wait for an update of all its bytes by its own thread.
                (false, true) => {
                    let earlier = &self.events[link.point.event as usize].action;
                    simple &= entry.is_none() && earlier.covers(&action);
                }
            }
        }
        if action.class == Class::Write {
            let mut list = word.read;
            while let Some(link) = self.link(list) {
                list = link.before;
                if !self.is_behind(base, &link.point) && self.is_touched(&link, &action) {
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
        let before_it = self.before(&action, word);
        self.push_event(action, point, source, recording, entry, before_it);
        if self.wants_races && (read.is_some() || write.is_some()) {
            self.race_with(base, write, before.is_some(), read, races);
        }
        let word = word.with(action.class, position + 1, entry);
        self.machine.trail.set(cell, word.pack());
        position
    }

    /// Records an event that touches any number of cells.
    #[inline(never)]
    pub fn record_cells(
        &mut self,
        action: Action,
        base: ClockId,
        cells: &[Word],
        recording: Option<&Recording>,
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
        let identity = self.push_event(action, point, source, recording, entry, 0);
        if self.wants_races && !conflicts.points.is_empty() {
            let needs = recording.and_then(|recording| recording.needs);
            self.find_races(&action, base, needs, cells, &conflicts, races);
        }
        for cell in cells {
            let word = CellWord::unpack(self.machine.trail.get(*cell));
            let before = self.before(&action, word);
            let name = CellWord::LINK | self.links.len() as u32;
            self.links.push(Link { point, identity, before });
            self.machine.trail.set(*cell, word.with(action.class, name, entry).pack());
        }
        position
    }

    #[inline(always)]
    fn push_event(
        &mut self,
        action: Action,
        point: Point,
        source: Identity,
        recording: Option<&Recording>,
        entry: Option<&Entry>,
        before: u32,
    ) -> Identity {
        let identity = match entry {
            None => Identity::step(action.thread, point.index),
            Some(entry) => Identity::store(action.thread, entry.index),
        };
        let Point { chain, index, clock, .. } = point;
        let detail = match recording {
            Some(Recording { detail, .. })
                if detail.open
                    || detail.condition != Condition::Fixed
                    || action.class == Class::Write && self.keeps_old =>
            {
                self.details.push(*detail);
                self.details.len() as u32
            }
            _ => 0,
        };
        self.events.push(Event { action, chain, index, clock, detail, identity, source, before });
        identity
    }

    /// The access of that name.
    #[inline(always)]
    pub(crate) fn link(&self, name: u32) -> Option<Link> {
        if name == 0 {
            return None;
        }
        if name & CellWord::LINK != 0 {
            return Some(self.links[(name & !CellWord::LINK) as usize]);
        }
        let Event { chain, index, clock, identity, before, .. } = self.events[name as usize - 1];
        let point = Point { event: name - 1, chain, index, clock };
        Some(Link { point, identity, before })
    }

    /// A chain of the thread's updates that an update which has seen these clocks extends.
    #[inline(always)]
    fn update_chain(&mut self, thread: ThreadId, seen: [ClockId; 4]) -> Chain {
        // One queue is one chain.
        if self.buffering == Buffering::Fifo
            && let Some((chain, _)) = self.process(thread).update_chains.first()
        {
            return *chain;
        }
        self.fitting_chain(thread, seen)
    }

    fn fitting_chain(&mut self, thread: ThreadId, seen: [ClockId; 4]) -> Chain {
        let fits = self.process(thread).update_chains.iter().find(|(chain, newest)| {
            let newest = ClockId(self.machine.trail.get(*newest) as u32);
            let newest = self.clocks.get(newest, *chain);
            seen.iter().any(|clock| self.clocks.get(*clock, *chain) == newest)
        });
        match fits {
            Some((chain, _)) => *chain,
            None => self.new_update_chain(thread),
        }
    }

    /// What all updates of a thread have seen.
    pub fn updates(&mut self, thread: ThreadId) -> ClockId {
        if self.buffering != Buffering::PerLocation {
            return self.clock(thread, field::UPDATES);
        }
        // The newest of a chain has seen those before it.
        let mut all = ClockId::NONE;
        for n in 0..self.process(thread).update_chains.len() {
            let (_, newest) = self.process(thread).update_chains[n];
            let newest = ClockId(self.machine.trail.get(newest) as u32);
            all = self.clocks.joined(all, newest);
        }
        all
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
        if self.buffering == Buffering::Fifo {
            return;
        }
        let chains = &self.processes[thread.0 as usize].update_chains;
        if let Some((_, newest)) = chains.iter().find(|(known, _)| *known == chain) {
            self.machine.trail.set(*newest, clock.0.into());
        }
    }

    /// The name of the access that comes before a new one in the list of a cell with this word.
    #[inline(always)]
    fn before(&self, action: &Action, word: CellWord) -> u32 {
        match action.class {
            Class::Read => match self.link(word.read) {
                // The newest read of a thread stands for its earlier ones.
                Some(last) if last.identity.is_of(action.thread) => last.before,
                _ => word.read,
            },
            _ => word.write,
        }
    }

    /// Whether an access in the list of a cell is to some of an action's bytes. A load that took its
    /// value from a buffer is in the lists of all cells of that store.
    #[inline]
    pub(crate) fn is_touched(&self, link: &Link, action: &Action) -> bool {
        self.events[link.point.event as usize].action.overlaps(action)
    }

    /// Whether an event is among what is behind.
    #[inline(always)]
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

    /// Whether the event at `position` is among what another needs.
    #[inline]
    pub fn is_needed(&self, position: u32, needs: Base) -> bool {
        self.needs(needs, &self.events[position as usize])
    }

    /// Whether an event is among what another needs.
    #[inline(always)]
    pub fn needs(&self, needs: Base, event: &Event) -> bool {
        let seen = |clock: ClockId| event.index <= self.clocks.get(clock, event.chain);
        seen(needs.0) || needs.1 != ClockId::NONE && seen(needs.1)
    }

    /// Whether the event at `a` happens before the one at `b`, which, if it is
    /// [`LAST`](crate::wakeup::LAST), has not happened and `needs` these.
    #[inline]
    pub fn precedes(&self, a: u32, b: u32, needs: Base) -> bool {
        match b {
            LAST => self.is_needed(a, needs),
            _ => self.seen(a, self.events[b as usize].clock),
        }
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
