//! Conflicts of a new event with earlier ones, and races.
//!
//! A new event *races* with an earlier event if only the conflict of the two orders them: the earlier event
//! does not happen before the new one through program order (or, for an update, through its store), nor
//! through another conflict. An operation that waits for a value has its own rule: [`crate::wait`].

use crate::clock::ClockId;
use crate::event::{Action, CellWord, Class, Identity, Point};
use crate::record::{Base, Needed};
use crate::system::System;
use raddle_machine::{Needs, Word};
use smallvec::SmallVec;

/// A reversible race of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Race {
    /// Position of the earlier event.
    pub earlier: u32,
    /// The events that must happen before the later event if it is moved before the earlier one.
    pub needs: Needed,
    /// Position of the later event. `None` for an operation that waits, and for an alternative to the
    /// earlier event: neither has happened.
    pub happened: Option<u32>,
}

/// Earlier events that the event being recorded conflicts with, the `writes` first.
#[derive(Default)]
pub(crate) struct Conflicts {
    pub points: SmallVec<[Point; 4]>,
    pub writes: usize,
}

impl Conflicts {
    #[inline]
    fn add(&mut self, point: Point) {
        if !self.points.iter().any(|known| known.event == point.event) {
            self.points.push(point);
        }
    }
}

impl System<'_> {
    /// Collects the events that conflict with the action and that `base` has not seen. Returns the identity
    /// of the write that the action reads from or overwrites.
    #[inline]
    pub(crate) fn gather(
        &self,
        action: &Action,
        base: ClockId,
        cells: &[Word],
        conflicts: &mut Conflicts,
    ) -> Identity {
        let (mut source, mut last) = (Identity::INITIAL, Identity::INITIAL);
        for cell in cells {
            let word = CellWord::unpack(self.machine.trail.get(*cell));
            let link = self.link(word.write);
            let newest = link.map_or(Identity::INITIAL, |link| link.identity);
            // Adjacent cells with one source count once: how cells are split is not part of a trace.
            if newest != last && newest != Identity::INITIAL {
                source = source.and(newest);
            }
            last = newest;
            if let Some(link) = link {
                // A load is independent of an update of all its bytes by its own thread.
                let own = action.class == Class::Read
                    && link.identity.is_store_of(action.thread)
                    && self.events[link.point.event as usize].action.covers(action);
                if !own && !self.has_seen(base, &link.point) {
                    conflicts.add(link.point);
                }
            }
        }
        conflicts.writes = conflicts.points.len();
        if action.class == Class::Write {
            for cell in cells {
                let mut next = CellWord::unpack(self.machine.trail.get(*cell)).read;
                while let Some(link) = self.link(next) {
                    if !self.has_seen(base, &link.point) && self.is_touched(&link, action) {
                        conflicts.add(link.point);
                    }
                    next = link.before;
                }
            }
        }
        source
    }

    /// Moves the updates of the action's own thread from the conflicts into `base`. They order the action,
    /// but they do not race with it: updates of one thread to one location leave in order, and a load waits
    /// for updates of its own thread that have only some of its bytes.
    #[inline]
    pub(crate) fn after_own_updates(
        &mut self,
        action: &Action,
        mut base: ClockId,
        conflicts: &mut Conflicts,
    ) -> ClockId {
        if !action.update && action.class != Class::Read {
            return base;
        }
        let mut n = 0;
        while n < conflicts.writes {
            let point = conflicts.points[n];
            let earlier = &self.events[point.event as usize].action;
            if earlier.update && earlier.thread == action.thread {
                base = self.clocks.joined(base, point.clock);
                conflicts.points.remove(n);
                conflicts.writes -= 1;
            } else {
                n += 1;
            }
        }
        base
    }

    /// Appends the races of an event that is about to be recorded: with the newest write to its one cell, and
    /// with the reads since. Absent points are [`Point::NONE`].
    #[inline]
    pub(crate) fn race_with(
        &self,
        base: Base,
        write: Point,
        write_races: bool,
        reads: [Point; 2],
        races: &mut Vec<Race>,
    ) {
        let happened = Some(self.events.len() as u32);
        if write.is_some() && write_races {
            races.push(Race { earlier: write.event, needs: base.needed(), happened });
        }
        for (read, other) in [(reads[0], reads[1]), (reads[1], reads[0])] {
            if !read.is_some() {
                return;
            }
            // Moved before this read, the event still happens after the write and the other read.
            if !self.has_seen(write.clock, &read) && !self.has_seen(other.clock, &read) {
                let needs = Needed([base.0, base.1, write.clock, other.clock]);
                races.push(Race { earlier: read.event, needs, happened });
            }
        }
    }

    /// Appends the races of the newest event with its conflicts.
    #[inline]
    pub(crate) fn find_races(
        &mut self,
        action: &Action,
        base: ClockId,
        needs: Option<Needs>,
        cells: &[Word],
        conflicts: &Conflicts,
        races: &mut Vec<Race>,
    ) {
        let happened = Some(self.events.len() as u32 - 1);
        for (n, point) in conflicts.points.iter().enumerate() {
            let earlier = point.event;
            // An update that a load waited for, now in `base`, may have seen this event.
            if self.has_seen(base, point) || self.is_behind_another(point, conflicts) {
                continue;
            }
            if n >= conflicts.writes {
                let needs = self.needs_without(n, base, conflicts);
                races.push(Race { earlier, needs: Needed::of(needs), happened });
                continue;
            }
            let race =
                match needs {
                    // With one cell, the other conflicts are reads of this write, so they happen after
                    // it and are not needed.
                    None if cells.len() == 1 => {
                        Some(Race { earlier, needs: Needed::of(base), happened })
                    }
                    None => {
                        let needs = self.needs_without(n, base, conflicts);
                        Some(Race { earlier, needs: Needed::of(needs), happened })
                    }
                    Some(needs) => self
                        .last_chance(action, cells, base, needs)
                        .map(|earlier| Race { earlier, needs: Needed::of(base), happened }),
                };
            races.extend(race);
        }
    }

    /// Whether a conflicting event happens before another conflicting event.
    #[inline]
    fn is_behind_another(&self, point: &Point, conflicts: &Conflicts) -> bool {
        conflicts.points.len() > 1
            && conflicts
                .points
                .iter()
                .any(|other| other.event != point.event && self.has_seen(other.clock, point))
    }

    /// The needs of an event that is moved before the `n`-th of its conflicts: the other conflicts that do
    /// not happen after that one. (A read of the moved write by the writer's own thread need not happen after
    /// that write; without the write it is served by the buffer.)
    fn needs_without(&mut self, n: usize, base: ClockId, conflicts: &Conflicts) -> ClockId {
        let moved = &conflicts.points[n];
        let mut needs = base;
        for (m, other) in conflicts.points.iter().enumerate() {
            let reads_it = m >= conflicts.writes && n < conflicts.writes && {
                let moved = &self.events[moved.event as usize].action;
                self.events[other.event as usize].action.overlaps(moved)
            };
            if m != n && !reads_it && !self.has_seen(other.clock, moved) {
                needs = self.clocks.joined(needs, other.clock);
            }
        }
        needs
    }
}
