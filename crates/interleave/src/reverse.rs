//! Reversing races: planning an execution in which the later event comes first.
//!
//! `source` is Source-DPOR as published (algorithm 1 of *Optimal dynamic partial order reduction*):
//! with all events between the two that do not happen after the earlier one, it plans the first
//! action of a sequence none of whose initials is planned or explored yet.
//!
//! `optimal` plans whole sequences. The published algorithm looks for races when an execution is
//! complete, each time in all of it, and its sequences hold every event that does not happen after
//! the earlier one: those are needed to see that nothing asleep can come first. Here a race is
//! looked at once, when its later event is first performed, and its sequence holds what that event
//! needs, plus, for each sleeper that could still come first, the first event that conflicts with
//! it. If there is no such event yet, the race is *deferred* until there is one, on any execution
//! that has the race in it. So the work per event is in proportion to its own races, not to the
//! length of the execution. What a short sequence leaves open is found by the races of the
//! executions it leads to. That each trace is visited exactly once, and none abandoned, is checked
//! against the oracles.

use crate::api::Strategy;
use crate::clock::ClockId;
use crate::event::{Action, Class};
use crate::model::Buffering;
use crate::record::Race;
use crate::search::Search;
use crate::wakeup::{Item, LAST, is_initial, is_weak_initial};

/// A race whose reversal is covered by something asleep, as far as the execution goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deferred {
    race: Race,
    last: Action,
    /// A run of [`Search::blockers`]: what is asleep and could come first.
    blockers: (u32, u32),
    settled: bool,
}

enum Attempt {
    /// Planned, or covered for good.
    Settled,
    /// Something asleep could come first, and nothing that conflicts with it has happened yet.
    Blocked,
}

impl Search<'_, '_> {
    /// Plans an execution in which `last` happens before the event that it races with.
    pub(crate) fn reverse(&mut self, race: Race, last: Action) {
        let mut sequence = std::mem::take(&mut self.sequence);
        if self.options.strategy == Strategy::Source {
            self.plan_first(race, last, &mut sequence);
        } else {
            self.plan_whole(race, last, &mut sequence);
        }
        self.sequence = sequence;
    }

    fn asleep_before(&self, event: u32) -> &[Action] {
        let level = &self.levels[event as usize];
        &self.sleepers[level.sleep_start as usize..level.sleep_end as usize]
    }

    // ---- Source-DPOR ----

    fn plan_first(&mut self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        self.all_but_dependent(race, last, sequence);
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

    /// All events after the earlier one that do not happen after it, then `last`.
    fn all_but_dependent(&self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        sequence.clear();
        // The last event is the one that is moved, unless that has not happened at all.
        let end = self.system.events.len() as u32 - u32::from(race.happened);
        for position in race.earlier + 1..end {
            let event = &self.system.events[position as usize];
            if !self.system.seen(race.earlier, event.clock) {
                sequence.push(Item { action: event.action, position });
            }
        }
        sequence.push(Item { action: last, position: LAST });
    }

    // ---- Optimal-DPOR ----

    fn plan_whole(&mut self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        if let Attempt::Settled = self.attempt(race, last, sequence) {
            return;
        }
        if !race.happened {
            // The execution is complete: there is nothing to wait for.
            return;
        }
        let start = self.blockers.len() as u32;
        let level = &self.levels[race.earlier as usize];
        for n in level.sleep_start..level.sleep_end {
            let sleeper = self.sleepers[n as usize];
            self.blockers.push(sleeper);
        }
        let blockers = (start, self.blockers.len() as u32);
        self.deferred.push(Deferred { race, last, blockers, settled: false });
    }

    /// Looks again at the deferred races that the newest event could settle.
    pub(crate) fn retry_deferred(&mut self, count: usize) {
        let newest = self.system.events.len() as u32 - 1;
        let event = self.system.events[newest as usize];
        if event.action.class == Class::Local {
            return;
        }
        for n in 0..count {
            let Deferred { race, last, blockers, settled } = self.deferred[n];
            if settled || self.system.seen(race.earlier, event.clock) {
                continue;
            }
            let blockers = &self.blockers[blockers.0 as usize..blockers.1 as usize];
            let touches = |blocker: &Action| {
                Action { forwarded: 0, ..*blocker }
                    .conflicts(&Action { forwarded: 0, ..event.action })
            };
            if blockers.iter().any(touches) {
                let mut sequence = std::mem::take(&mut self.sequence);
                let attempt = self.attempt(race, last, &mut sequence);
                self.sequence = sequence;
                self.deferred[n].settled = matches!(attempt, Attempt::Settled);
            }
        }
    }

    fn attempt(&mut self, race: Race, last: Action, sequence: &mut Vec<Item>) -> Attempt {
        let mut needs = race.needs;
        loop {
            self.needed(race, needs, last, sequence);
            let system = &self.system;
            let happens_before = |a: u32, b: u32| {
                let clock = if b == LAST { race.needs } else { system.events[b as usize].clock };
                system.seen(a, clock)
            };
            let mut asleep = self.asleep_before(race.earlier).iter();
            let first = asleep.find(|s| is_weak_initial(s, sequence, &happens_before)).copied();
            let Some(sleeper) = first else {
                let branches = &mut self.levels[race.earlier as usize].branches;
                self.trees.insert(branches, sequence, &happens_before);
                return Attempt::Settled;
            };
            if sequence.iter().any(|item| item.action.same_process(&sleeper)) {
                return Attempt::Settled;
            }
            match self.conflict_with(race, sleeper) {
                Some(conflict) => needs = self.with_conflict(race, conflict, needs),
                None => return Attempt::Blocked,
            }
        }
    }

    /// The first event after the earlier one that does not happen after it and conflicts with a
    /// sleeper, when all such events come before `last`.
    fn conflict_with(&self, race: Race, mut sleeper: Action) -> Option<u32> {
        for position in race.earlier + 1..self.system.events.len() as u32 {
            let event = &self.system.events[position as usize];
            if self.system.seen(race.earlier, event.clock) {
                continue;
            }
            let mut action = event.action;
            let stays = |update: u32| {
                self.system.seen(race.earlier, self.system.events[update as usize].clock)
            };
            action.forwarded +=
                self.own_updates(&action, race.earlier..position).filter(|u| stays(*u)).count()
                    as u32;
            if sleeper.conflicts(&action) {
                return Some(position);
            }
            sleeper.after(&action);
        }
        None
    }

    /// Adds to `needs` an event that conflicts with a sleeper; for a load, also the updates of its
    /// own thread that let it see memory.
    fn with_conflict(&mut self, race: Race, conflict: u32, needs: ClockId) -> ClockId {
        let action = self.system.events[conflict as usize].action;
        let updates: Vec<u32> = self.own_updates(&action, race.earlier + 1..conflict).collect();
        updates.into_iter().chain([conflict]).fold(needs, |needs, event| {
            let clock = self.system.events[event as usize].clock;
            self.system.clocks.joined(needs, clock)
        })
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

    /// The events after the earlier one that `needs` has seen, then `last`.
    fn needed(&self, race: Race, needs: ClockId, last: Action, sequence: &mut Vec<Item>) {
        sequence.clear();
        let system = &self.system;
        for position in race.earlier + 1..system.events.len() as u32 {
            if !system.seen(position, needs) {
                continue;
            }
            let mut action = system.events[position as usize].action;
            // Updates that are left out leave their stores in the buffer.
            let left_out = self.own_updates(&action, race.earlier..position);
            action.forwarded +=
                left_out.filter(|update| !system.seen(*update, needs)).count() as u32;
            sequence.push(Item { action, position });
        }
        sequence.push(Item { action: last, position: LAST });
    }
}
