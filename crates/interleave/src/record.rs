//! Records events and computes happens-before.
//!
//! Paper 000, appendix B. The word of a cell leads to its newest write and to the reads since. A read
//! happens after the newest write, unless that is an update of its own thread. A write happens after the
//! newest write and after the reads since. All older accesses happen before those already, so one step back
//! in each list is enough.
//!
//! Terms: an event is *behind* a clock if the clock has seen it. An access is *named* by a number, as
//! [`CellWord`] describes.

use crate::buffer::Stored;
use crate::clock::{Chain, ClockId};
use crate::event::{Action, CellWord, Class, Condition, Detail, Event, Identity, Link, Point};
use crate::race::{Conflicts, Race};
use crate::system::{System, field};
use crate::wakeup::LAST;
use raddle_machine::memory::{Purpose, Slice};
use raddle_machine::{Needs, ThreadId, Word};

/// Facts about an event beside its action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recording {
    pub detail: Detail,
    pub needs: Option<Needs>,
}

impl Recording {
    /// No facts.
    pub(crate) const NONE: Recording = Recording { detail: Detail::NONE, needs: None };

    /// A write over a value, or over memory that was never written.
    pub(crate) const fn write(old: u128, fresh: bool) -> Recording {
        Recording { detail: Detail { old, fresh, ..Detail::NONE }, needs: None }
    }
}

impl CellWord {
    /// The word after an access with this name. An update brings along the loads that its store `served`:
    /// they have read this write.
    #[inline(always)]
    fn with(self, class: Class, name: u32, served: u32) -> CellWord {
        match class {
            Class::Read => CellWord { read: name, ..self },
            _ => CellWord { write: name, read: served },
        }
    }
}

/// The events before a new event, conflicts not included, as two clocks. For an update: the clock of its
/// thread at the time of the store, and the clock of the updates before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base(pub ClockId, pub ClockId);

impl Base {
    pub(crate) const fn of(clock: ClockId) -> Base {
        Base(clock, ClockId::NONE)
    }

    /// The needs of an event with this base and no conflicts.
    pub(crate) const fn needed(self) -> Needed {
        Needed([self.0, self.1, ClockId::NONE, ClockId::NONE])
    }
}

/// The events that must happen before an event: those that any of the clocks has seen. The clocks are not
/// joined, because most races are processed without the joined clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needed(pub [ClockId; 4]);

impl Needed {
    pub(crate) const fn of(clock: ClockId) -> Needed {
        Base::of(clock).needed()
    }
}

/// The accesses to one cell that a new access conflicts with, by name; 0 for none. The names of the reads
/// fill the array from the front.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FewConflicts {
    pub write: u32,
    pub reads: [u32; 2],
}

impl FewConflicts {
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.write | self.reads[0] == 0
    }

    /// Adds a read. False if both places are taken; then the contents are wrong, and the caller gives up.
    #[inline(always)]
    fn add_read(&mut self, name: u32) -> bool {
        let place = usize::from(self.reads[0] != 0);
        let free = self.reads[place] == 0;
        self.reads[place] = name;
        free
    }
}

impl System<'_> {
    /// Records an event of a thread. `slice` is `None` if it does not touch memory.
    pub(crate) fn record_step(
        &mut self,
        action: Action,
        slice: Option<Slice>,
        recording: Recording,
        races: &mut Vec<Race>,
    ) -> u32 {
        match slice.filter(|slice| slice.bytes() > 0) {
            Some(slice) => self.record_access(action, slice, Some(&recording), races),
            None => {
                let base = self.clock(action.thread, field::CLOCK);
                let position = self.record_cells(action, base, &[], Some(&recording), None, races);
                self.advance_clock(action.thread, position)
            }
        }
    }

    /// Records a load that is served by the buffer of its thread, from the store `source`. `before` names the
    /// previous load that this store served. Such a load conflicts with nothing yet.
    #[inline]
    pub(crate) fn record_alone(&mut self, action: Action, source: Identity, before: u32) -> u32 {
        let event = self.events.len() as u32;
        let base = self.clock(action.thread, field::CLOCK);
        let chain = self.process(action.thread).chain;
        let (clock, index) = self.clocks.next([base], chain);
        let point = Point { event, chain, index, clock };
        self.push_event(action, point, source, None, None, before);
        self.advance_clock(action.thread, event)
    }

    /// Records an event of a thread that touches memory.
    #[inline(always)]
    pub(crate) fn record_access(
        &mut self,
        action: Action,
        slice: Slice,
        recording: Option<&Recording>,
        races: &mut Vec<Race>,
    ) -> u32 {
        let base = Base::of(self.clock(action.thread, field::CLOCK));
        let position = self.record(action, base, slice, recording, None, races);
        self.advance_clock(action.thread, position)
    }

    /// Sets the clock of a thread to that of its newest event.
    #[inline]
    pub(crate) fn advance_clock(&mut self, thread: ThreadId, position: u32) -> u32 {
        let clock = self.events[position as usize].clock;
        self.set(thread, field::CLOCK, clock.0.into());
        position
    }

    /// Records an access with this base; `entry` is the buffered store if the access is an update.
    #[inline(always)]
    pub(crate) fn record(
        &mut self,
        action: Action,
        base: Base,
        slice: Slice,
        recording: Option<&Recording>,
        entry: Option<Stored>,
        races: &mut Vec<Race>,
    ) -> u32 {
        match self.machine.memory.single_cell(&self.machine.trail, slice) {
            Some(cell) => self.record_cell(action, base, cell, recording, entry, races).event,
            None => {
                let mut cells = Vec::new();
                self.machine.memory.cells(&mut self.machine.trail, slice, &mut cells);
                let base = self.clocks.both(base.0, base.1);
                self.record_cells(action, base, &cells, recording, entry, races)
            }
        }
    }

    /// [`System::record_cells`] for the usual case: one cell, all of whose accesses so far touched only this
    /// cell, and conflicts with at most the newest write and two reads since. The clocks of these conflicts
    /// go into the new clock in one pass, without intermediate clocks. In all other cases, `simple` becomes
    /// false before anything has changed, and [`System::record_cells`] starts again.
    #[inline(always)]
    pub(crate) fn record_cell(
        &mut self,
        action: Action,
        mut base: Base,
        cell: Word,
        recording: Option<&Recording>,
        entry: Option<Stored>,
        races: &mut Vec<Race>,
    ) -> Point {
        let word = CellWord::unpack(self.machine.trail.get(cell));
        let (mut source, mut few) = (Identity::INITIAL, FewConflicts::default());
        let mut simple = recording.is_none_or(|recording| recording.needs.is_none())
            && (word.write | word.read) & CellWord::LINK == 0;
        if simple && word.write != 0 {
            let event = &self.events[word.write as usize - 1];
            source = event.identity();
            // A write that is behind `base` is ordered before the new event already.
            if !self.is_behind(base, event) {
                let earlier = &event.action;
                let own = earlier.update
                    && earlier.thread == action.thread
                    && (entry.is_some() || action.class == Class::Read);
                if !own {
                    few.write = word.write;
                } else if entry.is_some() && base.1 == ClockId::NONE {
                    // Updates of one thread to one location leave in order: this is an edge, not a race.
                    // The second clock of `base` is free for it.
                    base.1 = event.clock;
                } else {
                    // A load is independent of an update of all its bytes by its own thread.
                    simple = entry.is_none() && earlier.covers(&action);
                }
            }
        }
        if action.class == Class::Write {
            // The reads since the newest write. The list also holds loads that this write served from the
            // buffer; they may have read other bytes, so `overlaps` has to decide.
            let mut list = word.read;
            while simple && list != 0 {
                let event = &self.events[list as usize - 1];
                if !self.is_behind(base, event) && event.action.overlaps(&action) {
                    simple = few.add_read(list);
                }
                list = event.before;
                simple &= list & CellWord::LINK == 0;
            }
        }
        if !simple {
            let base = self.clocks.both(base.0, base.1);
            let event = self.record_cells(action, base, &[cell], recording, entry, races);
            return self.point(event);
        }
        // From here on the system changes.
        let chain = match entry {
            None => self.processes[action.thread.0 as usize].chain,
            Some(_) => self.update_chain(action.thread, base, few),
        };
        let (clock, index) = match few.is_empty() {
            true => self.clocks.next([base.0, base.1], chain),
            false => self.next_after(base, few, chain, races),
        };
        if entry.is_some() {
            self.note_update(action.thread, chain, clock);
        }
        let event = self.events.len() as u32;
        let point = Point { event, chain, index, clock };
        let before = match action.class {
            // The newest read of a thread replaces the one before it, if both are at the head of the list.
            // An event that happens after the newer one happens after the older one too.
            Class::Read if word.read != 0 => {
                let last = &self.events[word.read as usize - 1];
                if last.action.thread == action.thread { last.before } else { word.read }
            }
            Class::Read => 0,
            _ => word.write,
        };
        self.push_event(action, point, source, recording, entry, before);
        let served = entry.map_or(0, |entry| entry.load);
        let word = word.with(action.class, event + 1, served);
        self.machine.trail.set(cell, word.pack());
        point
    }

    /// The clock and the number of the next event of a chain, given its base and its conflicts. Appends its
    /// races.
    #[inline(never)]
    fn next_after(
        &mut self,
        base: Base,
        few: FewConflicts,
        chain: Chain,
        races: &mut Vec<Race>,
    ) -> (ClockId, u32) {
        let (write, reads) = (self.named(few.write), few.reads.map(|name| self.named(name)));
        // A read that has seen the write brings it along. Then the write is not a race of the new event:
        // the two are also ordered through the read.
        let brought = reads.iter().any(|read| self.has_seen(read.clock, &write));
        let newest = if brought { ClockId::NONE } else { write.clock };
        if self.wants_races {
            self.race_with(base, write, !brought, reads, races);
        }
        self.clocks.next([base.0, base.1, reads[0].clock, reads[1].clock, newest], chain)
    }

    /// The place of an event in happens-before.
    #[inline(always)]
    fn point(&self, event: u32) -> Point {
        let Event { chain, index, clock, .. } = self.events[event as usize];
        Point { event, chain, index, clock }
    }

    /// The place of the event with this name, which touches one cell; [`Point::NONE`] for 0.
    #[inline(always)]
    pub(crate) fn named(&self, name: u32) -> Point {
        if name == 0 { Point::NONE } else { self.point(name - 1) }
    }

    /// Records an event that touches any number of cells.
    #[inline(never)]
    pub(crate) fn record_cells(
        &mut self,
        action: Action,
        base: ClockId,
        cells: &[Word],
        recording: Option<&Recording>,
        entry: Option<Stored>,
        races: &mut Vec<Race>,
    ) -> u32 {
        let position = self.events.len() as u32;
        let mut conflicts = Conflicts::default();
        // Edges that are not races go into `base` first: the races of the event are judged against it.
        let source = self.gather(&action, base, cells, &mut conflicts);
        let base = self.after_own_updates(&action, base, &mut conflicts);
        let mut all = base;
        for point in &conflicts.points {
            all = self.clocks.both(all, point.clock);
        }
        let chain = match entry {
            None => self.process(action.thread).chain,
            Some(_) => self.update_chain(action.thread, Base::of(all), FewConflicts::default()),
        };
        let (clock, index) = self.clocks.next([all], chain);
        if entry.is_some() {
            self.note_update(action.thread, chain, clock);
        }
        let point = Point { event: position, chain, index, clock };
        self.push_event(action, point, source, recording, entry, 0);
        let identity = self.events[position as usize].identity();
        if self.wants_races && !conflicts.points.is_empty() {
            let needs = recording.and_then(|recording| recording.needs);
            self.find_races(&action, base, needs, cells, &conflicts, races);
        }
        let served = entry.map_or(0, |entry| entry.load);
        for cell in cells {
            let word = CellWord::unpack(self.machine.trail.get(*cell));
            let before = self.before(&action, word);
            let name = CellWord::LINK | self.links.len() as u32;
            self.links.push(Link { point, identity, before });
            self.machine.trail.set(*cell, word.with(action.class, name, served).pack());
        }
        position
    }

    /// Appends an event. Its detail is kept only where something can depend on it.
    #[inline(always)]
    fn push_event(
        &mut self,
        action: Action,
        point: Point,
        source: Identity,
        recording: Option<&Recording>,
        entry: Option<Stored>,
        before: u32,
    ) {
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
        let nth = entry.map_or(index, |entry| entry.index);
        self.events.push(Event { action, chain, index, clock, detail, source, nth, before });
    }

    /// The access with this name, as an entry of the list of its cell; `None` for 0.
    #[inline(always)]
    pub(crate) fn link(&self, name: u32) -> Option<Link> {
        if name == 0 {
            return None;
        }
        if name & CellWord::LINK != 0 {
            return Some(self.links[(name & !CellWord::LINK) as usize]);
        }
        let event = &self.events[name as usize - 1];
        let Event { chain, index, clock, before, .. } = *event;
        let point = Point { event: name - 1, chain, index, clock };
        Some(Link { point, identity: event.identity(), before })
    }

    /// The name of the access that precedes a new one in the list of a cell with this word.
    #[inline(always)]
    fn before(&self, action: &Action, word: CellWord) -> u32 {
        match action.class {
            Class::Read => match self.link(word.read) {
                // The newest read of a thread replaces the one before it.
                Some(last) if last.identity.is_of(action.thread) => last.before,
                _ => word.read,
            },
            _ => word.write,
        }
    }

    /// Whether an access in the list of a cell overlaps the bytes of an action. It may not: a load that was
    /// served by the buffer is in the lists of all cells of that store.
    #[inline]
    pub(crate) fn is_touched(&self, link: &Link, action: &Action) -> bool {
        self.events[link.point.event as usize].action.overlaps(action)
    }

    /// Whether one of the clocks of `base` has seen an event.
    #[inline(always)]
    fn is_behind(&self, base: Base, event: &Event) -> bool {
        let seen = |clock: ClockId| event.index <= self.clocks.get(clock, event.chain);
        seen(base.0) || base.1 != ClockId::NONE && seen(base.1)
    }

    /// Whether `clock` has seen an event.
    #[inline]
    pub(crate) fn has_seen(&self, clock: ClockId, point: &Point) -> bool {
        point.index <= self.clocks.get(clock, point.chain)
    }

    /// Whether `clock` has seen the event at `position`.
    #[inline]
    pub(crate) fn seen(&self, position: u32, clock: ClockId) -> bool {
        let event = &self.events[position as usize];
        event.index <= self.clocks.get(clock, event.chain)
    }

    /// Whether the event at `position` is among the needs of another.
    #[inline]
    pub(crate) fn is_needed(&self, position: u32, needs: Needed) -> bool {
        self.needs(needs, &self.events[position as usize])
    }

    /// Whether an event is among the needs of another.
    #[inline(always)]
    pub(crate) fn needs(&self, needs: Needed, event: &Event) -> bool {
        let seen = |clock: ClockId| event.index <= self.clocks.get(clock, event.chain);
        let Needed([first, others @ ..]) = needs;
        seen(first) || others.into_iter().any(|clock| clock != ClockId::NONE && seen(clock))
    }

    /// Whether the event at `a` happens before the one at `b`. If `b` is [`LAST`], it
    /// stands for the moved event, which has these `needs`.
    #[inline]
    pub(crate) fn precedes(&self, a: u32, b: u32, needs: Needed) -> bool {
        match b {
            LAST => self.is_needed(a, needs),
            _ => self.seen(a, self.events[b as usize].clock),
        }
    }

    /// Position, plus 1, of the newest write to a cell; 0 if the cell has its initial value.
    pub(crate) fn last_write(&self, addr: u64, bytes: u32) -> Option<u32> {
        let trail = &self.machine.trail;
        let slice = self.machine.memory.access(trail, addr, bytes, Purpose::Read).ok()?;
        let cell = self.machine.memory.single_cell(trail, slice)?;
        let write = CellWord::unpack(trail.get(cell)).write;
        Some(self.link(write).map_or(0, |link| link.point.event + 1))
    }
}
