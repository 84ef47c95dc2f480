//! Reversing races: planning an execution in which the later event comes first.
//!
//! `source` is Source-DPOR as published (algorithm 1 of *Optimal dynamic partial order reduction*):
//! with all events between the two that do not happen after the earlier one, it plans the first
//! action of a sequence none of whose initials is planned or explored yet.
//!
//! `persistent` is in [`crate::persistent`].
//!
//! `optimal` plans whole sequences. The published algorithm looks for races when an execution is
//! complete, each time in all of it, and its sequences hold every event that does not happen after
//! the earlier one: those are needed to see that nothing asleep can come first. Deviation: here a
//! race is looked at when its later event is first performed, and its sequence holds only what that
//! event needs. If something asleep could come before even that, the race is *deferred*: it is
//! looked at again, with every event that does not happen after the earlier one, whenever an event
//! has happened that conflicts with a sleeper, on every execution that has the race in it. So the
//! work per event is in proportion to its own races, not to the length of the execution.
//!
//! Why that should do: a sequence is planned only if nothing asleep and no branch can come before
//! it, so what it leads to is new; what a short sequence leaves open is found by the races of the
//! executions that it leads to, unless a sleeper stops them, and then the race is deferred. This is
//! an argument, not a proof. Both halves are needed: without deferring, or if a deferred race is
//! done with once a sequence for it was planned, `lastzero(4)` of the benchmarks loses traces. That
//! each trace is visited exactly once, and none abandoned, is checked against the oracles, against
//! `source`, and on pinned counts.
//!
//! Where operations wait (locks, `await`, `rmw … when`) short sequences are not enough: what such a
//! sequence leaves out may be disabled by what it is put behind, and then no race tells of it. So in
//! programs that can wait, a sequence holds every event so far that does not happen after the
//! earlier one. `a_wait_that_a_short_sequence_forgets` of the tests loses two traces otherwise.

use crate::api::Strategy;
use crate::event::{Action, Class};
use crate::model::Buffering;
use crate::race::Race;
use crate::search::Search;
use crate::system::System;
use crate::wakeup::{Item, LAST, is_initial, is_weak_initial};

/// A race whose reversal is covered by something asleep, as far as the execution goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deferred {
    race: Race,
    last: Action,
    /// A run of [`Search::blockers`]: what is asleep and could come first.
    blockers: (u32, u32),
}

impl Search<'_, '_> {
    /// Plans an execution in which `last` happens before the event that it races with.
    pub(crate) fn reverse(&mut self, race: Race, last: Action) {
        let mut sequence = std::mem::take(&mut self.sequence);
        match self.options.strategy {
            Strategy::Source => self.plan_first(race, last, &mut sequence),
            Strategy::Persistent => self.plan_persistent(race, last, &mut sequence),
            _ => self.plan_whole(race, last, &mut sequence),
        }
        self.sequence = sequence;
    }

    pub(crate) fn asleep_before(&self, event: u32) -> &[Action] {
        let level = &self.levels[event as usize];
        &self.sleepers[level.sleep_start as usize..level.sleep_end as usize]
    }

    // ---- Source-DPOR ----

    fn plan_first(&mut self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        self.collect_all(race, last, sequence);
        let system = &self.system;
        let happens_before = |a: u32, b: u32| {
            let clock = if b == LAST { race.needs } else { system.events[b as usize].clock };
            system.seen(a, clock)
        };
        let initial = |action: &Action| is_initial(action, sequence, &happens_before);
        let branches = self.levels[race.earlier as usize].branches;
        if !self.asleep_before(race.earlier).iter().any(initial)
            && !self.trees.heads(branches).any(initial)
        {
            let branches = &mut self.levels[race.earlier as usize].branches;
            self.trees.push(branches, sequence[0].action);
        }
    }

    // ---- Optimal-DPOR ----

    fn plan_whole(&mut self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        match self.system.machine.has_waits() {
            true => self.collect_all(race, last, sequence),
            false => self.collect_needed(race, last, sequence),
        }
        if !self.plan_unless_asleep(race, sequence) && !self.is_asleep(race, sequence) {
            self.defer(race, last);
            self.collect_all(race, last, sequence);
            self.plan_unless_asleep(race, sequence);
        }
    }

    /// Plans a sequence if nothing that is asleep could come first.
    fn plan_unless_asleep(&mut self, race: Race, sequence: &mut Vec<Item>) -> bool {
        let system = &self.system;
        let happens_before = |a: u32, b: u32| {
            let clock = if b == LAST { race.needs } else { system.events[b as usize].clock };
            system.seen(a, clock)
        };
        let level = &mut self.levels[race.earlier as usize];
        let asleep = &self.sleepers[level.sleep_start as usize..level.sleep_end as usize];
        if asleep.iter().any(|sleeper| is_weak_initial(sleeper, sequence, &happens_before)) {
            return false;
        }
        self.trees.insert(&mut level.branches, sequence, &happens_before);
        true
    }

    /// Whether a sequence starts with something that is asleep.
    fn is_asleep(&self, race: Race, sequence: &[Item]) -> bool {
        let happens_before = |a: u32, b: u32| {
            let clock = if b == LAST { race.needs } else { self.system.events[b as usize].clock };
            self.system.seen(a, clock)
        };
        let mut asleep = self.asleep_before(race.earlier).iter();
        asleep.any(|sleeper| is_initial(sleeper, sequence, &happens_before))
    }

    fn defer(&mut self, race: Race, last: Action) {
        let start = self.blockers.len() as u32;
        let level = &self.levels[race.earlier as usize];
        for n in level.sleep_start..level.sleep_end {
            let sleeper = self.sleepers[n as usize];
            self.blockers.push(sleeper);
        }
        let blockers = (start, self.blockers.len() as u32);
        self.deferred.push(Deferred { race, last, blockers });
    }

    /// Looks again at the deferred races for which the newest event makes a difference.
    pub(crate) fn retry_deferred(&mut self, count: usize) {
        let newest = self.system.events.len() as u32 - 1;
        let event = self.system.events[newest as usize];
        if event.action.class == Class::Local {
            return;
        }
        for n in 0..count {
            let Deferred { race, last, blockers } = self.deferred[n];
            if self.system.seen(race.earlier, event.clock) {
                continue;
            }
            let blockers = &self.blockers[blockers.0 as usize..blockers.1 as usize];
            let touches = |blocker: &Action| {
                Action { forwarded: 0, ..*blocker }
                    .conflicts(&Action { forwarded: 0, ..event.action })
            };
            if blockers.iter().any(touches) {
                let mut sequence = std::mem::take(&mut self.sequence);
                self.collect_all(race, last, &mut sequence);
                self.plan_unless_asleep(race, &mut sequence);
                self.sequence = sequence;
            }
        }
    }

    /// The updates of a load's own thread to its bytes, among the events of `range`.
    fn own_updates(&self, load: &Action, range: std::ops::Range<u32>) -> impl Iterator<Item = u32> {
        let load = *load;
        let buffered = self.system.buffering != Buffering::None && load.class == Class::Read;
        let range = if buffered { range } else { 0..0 };
        range.filter(move |position| {
            let action = &self.system.events[*position as usize].action;
            action.update && action.thread == load.thread && action.covers(&load)
        })
    }

    /// The events after the earlier one that `last` needs, then `last`.
    #[inline]
    pub(crate) fn collect_needed(&self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        self.collect(race, last, sequence, |system, position| system.seen(position, race.needs));
    }

    /// All events after the earlier one that do not happen after it, then `last`.
    fn collect_all(&self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        self.collect(race, last, sequence, |system, position| {
            !system.seen(race.earlier, system.events[position as usize].clock)
        });
    }

    /// The events after the earlier one that are `kept`, then `last`.
    #[inline(always)]
    fn collect(
        &self,
        race: Race,
        last: Action,
        sequence: &mut Vec<Item>,
        kept: impl Fn(&System<'_>, u32) -> bool,
    ) {
        sequence.clear();
        let system = &self.system;
        let kept = |position: u32| race.happened != Some(position) && kept(system, position);
        let between = race.earlier + 1..system.events.len() as u32;
        for position in between.filter(|position| kept(*position)) {
            let mut action = system.events[position as usize].action;
            // Updates that are left out leave their stores in the buffer.
            let left_out = self.own_updates(&action, race.earlier..position);
            action.forwarded += left_out.filter(|update| !kept(*update)).count() as u32;
            sequence.push(Item { action, position });
        }
        sequence.push(Item { action: last, position: LAST });
    }
}
