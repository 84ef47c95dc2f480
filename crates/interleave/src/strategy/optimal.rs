//! Optimal-DPOR (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014): explores exactly one execution per trace
//! and abandons none, because it plans whole wakeup sequences.
//!
//! The published algorithm looks for races when an execution is complete, each time in the whole execution.
//! Its sequences hold every event that does not happen after the earlier one. All of them are needed to show
//! that no sleeper can come first. Deviation: here a race is processed when its later event is first
//! performed, and its sequence holds only the events that the later event needs. If a sleeper could come
//! before this short sequence, the race is *deferred*. A deferred race is tried again after every event
//! that conflicts with such a sleeper, with all events that do not happen after the earlier one, on every
//! execution that contains the race. So the work per event is proportional to its own races, not to the
//! length of the execution.
//!
//! Why this should suffice: a sequence is planned only if no sleeper and no branch can come before it, so it
//! leads to new traces. The reversals that a short sequence leaves open are found by the races of the
//! executions that it leads to, unless a sleeper stops them; in that case the race is deferred. This is an
//! argument, not a proof. Both halves are needed: the benchmark `lastzero(4)` loses traces without deferring,
//! and also if a deferred race is dropped once a sequence was planned for it. The tests check that each trace
//! is visited exactly once and that no execution is abandoned: against the oracles, against `source`, and
//! with pinned counts.
//!
//! Where operations wait (locks, `await`, `rmw … when`) short sequences are not enough. An event that the
//! sequence leaves out may be disabled by the sequence, and a disabled event reports no race. So in programs
//! that can wait, a sequence holds every event so far that does not happen after the earlier one. Otherwise
//! the test `a_wait_that_a_short_sequence_forgets` loses two traces.

use super::{Mark, Plan};
use crate::clock::Chain;
use crate::event::{Action, Class, Event};
use crate::race::Race;
use crate::search::Search;
use crate::wakeup::{Item, LAST, List, Trees, is_initial, is_weak_initial};
use raddle_engine::Budget;

/// A race that is not reversed yet: in the execution so far, a sleeper covers its reversal.
#[derive(Clone, Copy, Debug)]
struct Deferred {
    race: Race,
    last: Action,
    /// The earlier event: its chain and its number there.
    chain: Chain,
    index: u32,
    /// A run of [`Optimal::blockers`]: the actions that sleep before the earlier event.
    blockers: (u32, u32),
}

#[derive(Debug, Default)]
pub(super) struct Optimal {
    deferred: Vec<Deferred>,
    blockers: Vec<Action>,
}

impl Plan for Optimal {
    /// The number of deferred races and of their blockers.
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
    fn covers(
        trees: &Trees,
        branches: List,
        sequence: &mut Vec<Item>,
        happens_before: &impl Fn(u32, u32) -> bool,
        budget: &Budget,
    ) -> bool {
        trees.covers(branches, sequence, happens_before, budget)
    }

    #[inline(always)]
    fn insert(
        trees: &mut Trees,
        branches: &mut List,
        sequence: &mut Vec<Item>,
        happens_before: &impl Fn(u32, u32) -> bool,
        budget: &Budget,
    ) {
        trees.insert(branches, sequence, happens_before, budget);
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
    /// Plans the sequence that reverses a race, or defers the race.
    fn plan_whole(&mut self, race: Race, last: Action) {
        let mut sequence = std::mem::take(&mut self.sequence);
        match self.system.machine.code().has_waits {
            true => self.collect_all(race, last, &mut sequence),
            false => self.collect_needed(race, last, &mut sequence),
        }
        // A sleeper that the sequence can start with: the reversal was explored from that sleeper.
        // A sleeper that is only independent of the sequence may conflict with a later event, and then
        // the reversal is new: the race is deferred.
        if !self.plan_unless_asleep(race, &mut sequence) && !self.is_asleep(race, &sequence) {
            self.defer(race, last, &mut sequence);
        }
        self.sequence = sequence;
    }

    /// [`Search::plan_whole`] for the most common case: `last` needs no event after the earlier one, so it is
    /// the whole sequence. False, without any effect, in all other cases.
    #[inline]
    fn plan_alone(&mut self, race: &Race, last: &Action) -> bool {
        let system = &self.system;
        // The later event, if it has happened, is not part of what it needs.
        let end = race.happened.map_or(system.events.len(), |happened| happened as usize);
        let between = &system.events[race.earlier as usize + 1..end];
        if between.iter().any(|event| system.needs(race.needs, event))
            || system.machine.code().has_waits
        {
            return false;
        }
        let level = &mut self.levels[race.earlier as usize];
        let asleep = &self.sleepers[level.sleep_start as usize..level.sleep_end as usize];
        // The three cases of `plan_whole`, for a sequence of one action: a sleeper is an initial of it
        // iff it is that action, and a weak initial iff it is independent of the action.
        if asleep.iter().any(|sleeper| sleeper.same_process(last)) {
            return true;
        }
        if asleep.iter().any(|sleeper| !sleeper.conflicts(last)) {
            let mut sequence = std::mem::take(&mut self.sequence);
            self.defer(*race, *last, &mut sequence);
            self.sequence = sequence;
            return true;
        }
        if (race.earlier as usize) < self.floor {
            let mut sequence = vec![Item { action: *last, position: LAST }];
            self.plan_at(race.earlier, &mut sequence, race.needs);
        } else {
            self.trees.insert_one(&mut level.branches, *last);
        }
        true
    }

    /// Plans a sequence unless a sleeper could come first. False if one could.
    fn plan_unless_asleep(&mut self, race: Race, sequence: &mut Vec<Item>) -> bool {
        let system = &self.system;
        let happens_before = |a: u32, b: u32| system.precedes(a, b, race.needs);
        let asleep = self.asleep_before(race.earlier);
        let budget = system.budget();
        // With a spent budget the sequence may be incomplete, so nothing is planned.
        let covers = |sleeper: &Action| {
            budget.is_spent() || is_weak_initial(sleeper, sequence, &happens_before)
        };
        if asleep.iter().any(covers) {
            return false;
        }
        self.plan_at(race.earlier, sequence, race.needs);
        true
    }

    /// Whether a sleeper is an initial of the sequence.
    fn is_asleep(&self, race: Race, sequence: &[Item]) -> bool {
        let happens_before = |a: u32, b: u32| self.system.precedes(a, b, race.needs);
        let mut asleep = self.asleep_before(race.earlier).iter();
        asleep.any(|sleeper| is_initial(sleeper, sequence, &happens_before))
    }

    /// Defers a race. Also tries the long sequence at once: the execution may already have an event that
    /// conflicts with the sleeper.
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

    /// Tries the deferred races again for which the newest event makes a difference.
    #[inline(always)]
    fn retry_deferred(&mut self) {
        if let Some(first) = self.plan.deferred.iter().position(|deferred| self.is_due(deferred)) {
            self.retry_from(first, self.plan.deferred.len());
        }
    }

    /// Tries the deferred races of `first..end` that are due. A race stays deferred when a sequence was
    /// planned for it: other continuations of this execution may need other sequences.
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

    /// Whether the newest event can change the result for a deferred race: it joins the sequence, because it
    /// does not happen after the earlier event, and it conflicts with a blocker.
    #[inline(always)]
    fn is_due(&self, deferred: &Deferred) -> bool {
        let Some(Event { action, clock, .. }) = self.system.events.last() else { return false };
        if deferred.index <= self.system.clocks.get(*clock, deferred.chain) {
            return false;
        }
        // `may_conflict`, not `conflicts`: a store that hides memory from a blocker may have left the buffer
        // since. `is_weak_initial` takes the events in between into account.
        let (start, end) = deferred.blockers;
        let mut blockers = self.plan.blockers[start as usize..end as usize].iter();
        action.class != Class::Local && blockers.any(|blocker| blocker.may_conflict(action))
    }
}
