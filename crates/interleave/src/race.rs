//! Conflicts of a new event with earlier ones, and races.
//!
//! A *race* of a new event is an earlier event that happens before it because of a conflict of the
//! two alone: neither through program order (or the store, for an update) nor through another conflict.
//! An operation that waits for a value has its own rule: [`crate::wait`].

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
    /// What the later event needs to have happened before it, if it is moved before the earlier.
    pub needs: Needed,
    /// Position of the later event; an operation that waits has none, nor has an alternative to
    /// the earlier event.
    pub happened: Option<u32>,
}

/// Conflicts of the event being recorded: earlier events, writes first.
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
    /// Collects the events that conflict with the action and that `base` has not seen already, and
    /// names what the action reads from or overwrites.
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
            // Neighbours with one source count once: how far cells are split is no part of a trace.
            if newest != last && newest != Identity::INITIAL {
                source = source.and(newest);
            }
            last = newest;
            if let Some(link) = link {
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

    /// Updates of one thread to one location leave in order, and a load waits for the updates of its
    /// own thread that it could not get all its bytes from: no race, but something to wait for.
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

    /// The races of the event that is about to be recorded with the newest write to its one cell and
    /// with reads since.
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
            // Moved before the one, the event is still behind the others.
            if !self.has_seen(write.clock, &read) && !self.has_seen(other.clock, &read) {
                let needs = Needed([base.0, base.1, write.clock, other.clock]);
                races.push(Race { earlier: read.event, needs, happened });
            }
        }
    }

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
            // The updates that a load waited for may have seen it.
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
                    // With one cell, the other conflicts are reads of what this event wrote.
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

    /// Whether a conflicting event happens before another one.
    #[inline]
    fn is_behind_another(&self, point: &Point, conflicts: &Conflicts) -> bool {
        conflicts.points.len() > 1
            && conflicts
                .points
                .iter()
                .any(|other| other.event != point.event && self.has_seen(other.clock, point))
    }

    /// What an event still needs if it is moved before the `n`-th that it conflicts with: the other
    /// conflicts that do not happen after that one. (A load of the same bytes by the thread of a
    /// write that it need not happen after gets that write's value from the buffer then.)
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
