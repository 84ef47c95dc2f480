//! Optimal-DPOR (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014): exactly one execution per trace, none
//! abandoned, by planning whole wakeup sequences.
//!
//! The published algorithm looks for races when an execution is
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

use super::{Mark, Plan};
use crate::clock::Chain;
use crate::event::{Action, Class, Event};
use crate::race::Race;
use crate::search::Search;
use crate::wakeup::{Item, is_initial, is_weak_initial};

/// A race whose reversal is covered by something asleep, as far as the execution goes.
#[derive(Clone, Copy, Debug)]
struct Deferred {
    race: Race,
    last: Action,
    /// The place of the earlier event.
    chain: Chain,
    index: u32,
    /// A run of [`Optimal::blockers`]: the actions that are asleep and could come first.
    blockers: (u32, u32),
}

#[derive(Debug, Default)]
pub(super) struct Optimal {
    deferred: Vec<Deferred>,
    blockers: Vec<Action>,
}

impl Plan for Optimal {
    /// How many races were deferred, with how many blockers.
    #[inline(always)]
    fn mark(&self) -> Mark {
        (self.deferred.len() as u32, self.blockers.len() as u32)
    }

    #[inline(always)]
    fn restore(&mut self, (deferred, blockers): Mark) {
        self.deferred.truncate(deferred as usize);
        self.blockers.truncate(blockers as usize);
    }

    #[inline(always)]
    fn reverse(search: &mut Search<'_, '_, Optimal>, race: Race, last: Action) {
        if !search.plan_alone(&race, &last) {
            search.plan_whole(race, last);
        }
    }

    #[inline(always)]
    fn reconsider(search: &mut Search<'_, '_, Optimal>) {
        if !search.plan.deferred.is_empty() {
            search.retry_deferred();
        }
    }
}

impl Search<'_, '_, Optimal> {
    fn plan_whole(&mut self, race: Race, last: Action) {
        let mut sequence = std::mem::take(&mut self.sequence);
        match self.system.machine.has_waits() {
            true => self.collect_all(race, last, &mut sequence),
            false => self.collect_needed(race, last, &mut sequence),
        }
        if !self.plan_unless_asleep(race, &mut sequence) && !self.is_asleep(race, &sequence) {
            self.defer(race, last, &mut sequence);
        }
        self.sequence = sequence;
    }

    /// [`Search::plan_whole`] for the commonest case: nothing that came after the earlier event is
    /// needed, so that the sequence is `last` alone. False if that is not so.
    #[inline]
    fn plan_alone(&mut self, race: &Race, last: &Action) -> bool {
        let system = &self.system;
        // What has happened is the newest event, if it is recorded.
        let end = race.happened.map_or(system.events.len(), |happened| happened as usize);
        let between = &system.events[race.earlier as usize + 1..end];
        if between.iter().any(|event| system.needs(race.needs, event)) || system.machine.has_waits()
        {
            return false;
        }
        let level = &mut self.levels[race.earlier as usize];
        let asleep = &self.sleepers[level.sleep_start as usize..level.sleep_end as usize];
        if asleep.iter().any(|sleeper| sleeper.same_process(last)) {
            return true;
        }
        if asleep.iter().any(|sleeper| !sleeper.conflicts(last)) {
            let mut sequence = std::mem::take(&mut self.sequence);
            self.defer(*race, *last, &mut sequence);
            self.sequence = sequence;
            return true;
        }
        self.trees.insert_one(&mut level.branches, *last);
        true
    }

    /// Plans a sequence if nothing that is asleep could come first.
    fn plan_unless_asleep(&mut self, race: Race, sequence: &mut Vec<Item>) -> bool {
        let system = &self.system;
        let happens_before = |a: u32, b: u32| system.precedes(a, b, race.needs);
        let level = &mut self.levels[race.earlier as usize];
        let asleep = &self.sleepers[level.sleep_start as usize..level.sleep_end as usize];
        let budget = system.budget();
        let covers = |sleeper: &Action| {
            budget.is_spent() || is_weak_initial(sleeper, sequence, &happens_before)
        };
        if asleep.iter().any(covers) {
            return false;
        }
        self.trees.insert(&mut level.branches, sequence, &happens_before, budget);
        true
    }

    /// Whether a sequence starts with something that is asleep.
    fn is_asleep(&self, race: Race, sequence: &[Item]) -> bool {
        let happens_before = |a: u32, b: u32| self.system.precedes(a, b, race.needs);
        let mut asleep = self.asleep_before(race.earlier).iter();
        asleep.any(|sleeper| is_initial(sleeper, sequence, &happens_before))
    }

    /// Leaves a race for later, and plans for it what can be planned now.
    #[inline(never)]
    fn defer(&mut self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        let start = self.plan.blockers.len() as u32;
        let level = &self.levels[race.earlier as usize];
        for n in level.sleep_start..level.sleep_end {
            let sleeper = self.sleepers[n as usize];
            self.plan.blockers.push(sleeper);
        }
        let blockers = (start, self.plan.blockers.len() as u32);
        let Event { chain, index, .. } = self.system.events[race.earlier as usize];
        self.plan.deferred.push(Deferred { race, last, chain, index, blockers });
        self.collect_all(race, last, sequence);
        self.plan_unless_asleep(race, sequence);
    }

    /// Looks again at the deferred races for which the newest event makes a difference.
    #[inline(always)]
    fn retry_deferred(&mut self) {
        if let Some(first) = self.plan.deferred.iter().position(|deferred| self.is_due(deferred)) {
            self.retry_from(first, self.plan.deferred.len());
        }
    }

    #[inline(never)]
    fn retry_from(&mut self, first: usize, end: usize) {
        for n in first..end {
            let deferred = self.plan.deferred[n];
            if self.system.budget().is_spent() {
                return;
            }
            if self.is_due(&deferred) {
                let mut sequence = std::mem::take(&mut self.sequence);
                self.collect_all(deferred.race, deferred.last, &mut sequence);
                self.plan_unless_asleep(deferred.race, &mut sequence);
                self.sequence = sequence;
            }
        }
    }

    /// Whether the earlier event of a deferred race is not behind the newest event, and the race waits
    /// for something that this conflicts with.
    #[inline(always)]
    fn is_due(&self, deferred: &Deferred) -> bool {
        let Some(Event { action, clock, .. }) = self.system.events.last() else { return false };
        if deferred.index <= self.system.clocks.get(*clock, deferred.chain) {
            return false;
        }
        let (start, end) = deferred.blockers;
        let mut blockers = self.plan.blockers[start as usize..end as usize].iter();
        action.class != Class::Local && blockers.any(|blocker| blocker.may_conflict(action))
    }
}
