//! Shorter schedules with the same finding.
//!
//! A search stops at the first schedule that fails; a reader wants one with few steps and few changes of
//! thread. Each candidate is replayed on a fresh system, and counts only if the replay shows the same finding
//! and if its cause is known as well as before. So nothing here has to be exact:
//!
//! | module | proposes |
//! |---|---|
//! | [`depend`] | steps that the finding does not depend on can be left out |
//! | [`rounds`] | rounds of loops, from one visit of a thread to a place up to the next, may be cut |
//! | [`switches`] | steps that do not conflict can change places, so that threads run longer at a time |
//!
//! The result never has more steps than the original, more changes of thread, or stores that stay longer in
//! their buffers. It is the original where nothing better replays within the [`Allowance`].

mod depend;
mod rounds;
pub(crate) mod switches;

use crate::cycle::Node;
use crate::why::{Cause, Why};
use crate::witness::Witness;
use depend::Dependences;
use raddle_engine::{Budget, Deed, Engine, ReplayEvent, Step};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// The least time for shortening all witnesses of one search.
const LEAST_TIME: Duration = Duration::from_secs(1);
/// The part of the time of the search that shortening may take.
const PART: u32 = 10;
/// The number of steps that replays for one witness may have together, in units of its own length and at most.
const REPLAYS: usize = 100;
const MOST_STEPS: usize = 100_000;
/// The number of steps of a schedule that is reordered for its updates alone.
const MOST_READ: usize = 1000;

/// The time for all witnesses of one search.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    until: Instant,
    budget: Budget,
}

impl Allowance {
    /// After a search that took some time, within what is left of a budget.
    pub(crate) fn after(search: Duration, budget: &Budget) -> Allowance {
        let time = (search / PART).max(LEAST_TIME);
        // Half of what is left: the report needs some time, too.
        let time = budget.time_left().map_or(time, |left| time.min(left / 2));
        Allowance { until: Instant::now() + time, budget: budget.clone() }
    }

    fn is_spent(&self) -> bool {
        Instant::now() >= self.until || self.budget.is_spent()
    }
}

/// A schedule that shows the finding.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub witness: Witness,
    /// The step of each event; `None` before the first step.
    pub steps: Vec<Option<usize>>,
    pub finding: Finding,
}

/// The events that a finding is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// An event that fails, after which nothing matters; of a race also the other access.
    Failure { event: Node, against: Option<Node> },
    /// Some events, and all that they depend on.
    Events(Vec<Node>),
    /// A state of threads: those that run to it cannot be told from the others.
    State,
    /// The end of all threads.
    End,
}

/// Looks for a better schedule; `replay` yields the candidate of a schedule that shows the same finding.
pub(crate) fn shorten(
    first: Candidate,
    engine: Engine,
    initial_threads: usize,
    allowance: &Allowance,
    replay: impl Fn(&[Step]) -> Option<Candidate>,
) -> Witness {
    let length = first.witness.schedule.len();
    let steps_left = (length * REPLAYS).min(MOST_STEPS.max(length * 4));
    let mut work = Work { best: first, engine, initial_threads, allowance, replay, steps_left };
    work.leave_out();
    if work.cut_rounds() {
        work.leave_out();
    }
    work.reorder();
    work.best.witness
}

struct Work<'a, R> {
    best: Candidate,
    engine: Engine,
    initial_threads: usize,
    allowance: &'a Allowance,
    replay: R,
    /// The number of steps that may still be replayed.
    steps_left: usize,
}

impl<R: Fn(&[Step]) -> Option<Candidate>> Work<'_, R> {
    fn dependences(&self) -> Dependences {
        Dependences::of(&self.best, self.engine, self.initial_threads)
    }

    fn is_spent(&self) -> bool {
        self.steps_left == 0 || self.allowance.is_spent()
    }

    /// Replays a schedule, which becomes the best one if it is better.
    fn attempt(&mut self, schedule: &[Step]) -> bool {
        if self.is_spent() || !self.is_promising(schedule) {
            return false;
        }
        self.steps_left = self.steps_left.saturating_sub(schedule.len().max(1));
        let found = (self.replay)(schedule).filter(|found| {
            is_as_clear(found.witness.why.as_ref(), self.best.witness.why.as_ref())
                && Price::of(found).is_below(&Price::of(&self.best))
        });
        match found {
            Some(found) => {
                self.best = found;
                true
            }
            None => false,
        }
    }

    /// Whether a schedule may be better, by its steps alone.
    fn is_promising(&self, schedule: &[Step]) -> bool {
        let known = &self.best.witness.schedule;
        let (own, others) = (count_of(schedule), count_of(known));
        let is_no_more = own.0 <= others.0 && own.1 <= others.1;
        // Earlier updates alone are worth replaying only a schedule that is read as a whole.
        is_no_more && (own != others || schedule != known && own.0 <= MOST_READ)
    }

    /// Leaves out steps that the finding does not depend on.
    fn leave_out(&mut self) {
        let roots = match &self.best.finding {
            Finding::End => return,
            Finding::State => return self.leave_out_threads(),
            Finding::Failure { event, against } => [*event].into_iter().chain(*against).collect(),
            Finding::Events(events) => events.clone(),
        };
        let roots: Vec<Node> = roots.into_iter().chain(self.best.causes()).collect();
        let step = |event: &Node| self.best.steps.get(*event).copied().flatten();
        let steps: Vec<usize> = roots.iter().filter_map(step).collect();
        let updates: Vec<usize> = self.updates(&roots).iter().filter_map(step).collect();
        let dependences = self.dependences();
        let both = [steps.as_slice(), updates.as_slice()].concat();
        let most = kept_of(&self.best, &dependences.past(steps));
        let less = kept_of(&self.best, &dependences.past(both));
        let done = self.attempt(&most) || less != most && self.attempt(&less);
        if let Some(last) = self.last_step().filter(|_| !done) {
            let upto: Vec<Step> = self.best.witness.schedule[..=last].to_vec();
            self.attempt(&upto);
        }
    }

    /// The step of the failure, if the finding is one.
    fn last_step(&self) -> Option<usize> {
        match self.best.finding {
            Finding::Failure { event, .. } => self.best.steps.get(event).copied().flatten(),
            _ => None,
        }
    }

    /// The events at which stores leave their buffers.
    fn updates(&self, stores: &[Node]) -> Vec<Node> {
        let events = &self.best.witness.events;
        let stored = stores.iter().filter_map(|n| match events[*n].deed {
            Deed::Buffer { store, .. } => Some((events[*n].number, store)),
            _ => None,
        });
        let stored: HashSet<(u32, u32)> = stored.collect();
        let leaves = |event: &ReplayEvent| match event.deed {
            Deed::Update { store, .. } => stored.contains(&(event.number, store)),
            _ => false,
        };
        (0..events.len()).filter(|n| leaves(&events[*n])).collect()
    }

    /// Leaves out a thread's steps and what depends on them, thread by thread.
    fn leave_out_threads(&mut self) {
        let threads = self.best.witness.schedule.iter().map(|step| step.thread().0 + 1);
        for thread in (0..threads.max().unwrap_or(0)).rev() {
            if self.is_spent() {
                return;
            }
            let steps = self.best.witness.schedule.iter().enumerate();
            let others: Vec<usize> =
                steps.filter(|(_, step)| step.thread().0 != thread).map(|(n, _)| n).collect();
            let kept = self.dependences().past(others);
            if kept.iter().any(|kept| !kept) {
                self.attempt(&kept_of(&self.best, &kept));
            }
        }
    }

    /// Cuts rounds of loops, many at a time first. Returns whether any were cut.
    fn cut_rounds(&mut self) -> bool {
        let mut any = false;
        for nth in 0.. {
            // Loops are looked for again after each, because the steps have other numbers then.
            let Some(mut visits) = rounds::of(&self.best).into_iter().nth(nth) else { break };
            let mut chunk = visits.len() - 1;
            while chunk > 0 && !self.is_spent() {
                let mut at = 0;
                while at + chunk < visits.len() && !self.is_spent() {
                    let cut = rounds::without(&self.best, visits[at], visits[at + chunk]);
                    if self.attempt(&cut) {
                        any = true;
                        match rounds::of(&self.best).into_iter().nth(nth) {
                            Some(left) => visits = left,
                            None => return any,
                        }
                    } else {
                        at += chunk;
                    }
                }
                chunk /= 2;
            }
        }
        any
    }

    /// Puts steps in an order with fewer changes of thread.
    fn reorder(&mut self) {
        let threads: Vec<u32> =
            self.best.witness.schedule.iter().map(|step| step.thread().0).collect();
        let graph = self.dependences().for_order(&self.best.witness.schedule, self.last_step());
        // Stores of the cause stay in their buffers as long as they did.
        let causes = self.updates(&self.best.causes());
        let kept: HashSet<Option<usize>> = causes.iter().map(|n| self.best.steps[*n]).collect();
        let steps = self.best.witness.schedule.iter().enumerate();
        let late = |(n, step): (usize, &Step)| {
            !matches!(step, Step::Update { .. }) || kept.contains(&Some(n))
        };
        let late: Vec<bool> = steps.map(late).collect();
        let mut orders = switches::orders(&threads, &late, &graph);
        let switches = |order: &Vec<Node>| switches::count(order.iter().map(|n| threads[*n]));
        orders.sort_by_key(switches);
        for order in orders {
            let schedule: Vec<Step> =
                order.iter().map(|n| self.best.witness.schedule[*n]).collect();
            if schedule != self.best.witness.schedule && self.attempt(&schedule) {
                return;
            }
        }
    }
}

impl Candidate {
    /// The events of the cause.
    fn causes(&self) -> Vec<Node> {
        let causes = self.witness.why.iter().flat_map(|why| why.causes.iter());
        causes.flat_map(Cause::events).collect()
    }
}

fn kept_of(candidate: &Candidate, kept: &[bool]) -> Vec<Step> {
    let steps = candidate.witness.schedule.iter().zip(kept);
    steps.filter(|(_, kept)| **kept).map(|(step, _)| *step).collect()
}

/// The number of steps, and of changes of thread.
fn count_of(schedule: &[Step]) -> (usize, usize) {
    (schedule.len(), switches::count(schedule.iter().map(|step| step.thread().0)))
}

/// How long and how scattered a schedule is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Price {
    steps: usize,
    switches: usize,
    /// The number of events between stores into a buffer and their ways out of it, but for the stores that
    /// are part of the cause.
    delay: usize,
}

impl Price {
    fn of(candidate: &Candidate) -> Price {
        let Witness { schedule, events, .. } = &candidate.witness;
        let causes: HashSet<Node> = candidate.causes().into_iter().collect();
        let mut stored = HashMap::new();
        let mut delay = 0;
        for (n, event) in events.iter().enumerate() {
            match event.deed {
                Deed::Buffer { store, .. } if !causes.contains(&n) => {
                    stored.insert((event.number, store), n);
                }
                Deed::Update { store, .. } => {
                    delay += stored.get(&(event.number, store)).map_or(0, |at| n - at - 1);
                }
                _ => {}
            }
        }
        let (steps, switches) = count_of(schedule);
        Price { steps, switches, delay }
    }

    /// Fewer steps or fewer switches, and not more of either; or else less delay.
    fn is_below(&self, other: &Price) -> bool {
        let (own, others) = ((self.steps, self.switches), (other.steps, other.switches));
        let is_no_more = own.0 <= others.0 && own.1 <= others.1;
        is_no_more && (own != others || self.delay < other.delay)
    }
}

/// Whether a cause says all that another one says.
fn is_as_clear(found: Option<&Why>, known: Option<&Why>) -> bool {
    let Some(known) = known else { return true };
    let Some(found) = found else { return false };
    let count = |why: &Why, kind: u8| why.causes.iter().filter(|c| weight(c) == kind).count();
    (0..=4).all(|kind| count(found, kind) >= count(known, kind).min(1))
        && count(found, 4) >= count(known, 4)
}

/// The kind of a cause; a delayed store is more than an order of accesses.
fn weight(cause: &Cause) -> u8 {
    match cause {
        Cause::Source { .. } => 0,
        Cause::Between { .. } => 1,
        Cause::Object { .. } => 2,
        Cause::Waits { .. } => 3,
        Cause::StaleRead { .. }
        | Cause::Overtaken { .. }
        | Cause::Delayed { .. }
        | Cause::InCycle { .. } => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_below_another_only_if_nothing_grows() {
        let price = |steps, switches, delay| Price { steps, switches, delay };
        assert!(price(3, 2, 9).is_below(&price(4, 2, 0)));
        assert!(price(4, 1, 9).is_below(&price(4, 2, 0)));
        assert!(price(4, 2, 0).is_below(&price(4, 2, 1)));
        assert!(!price(3, 3, 0).is_below(&price(4, 2, 0)));
        assert!(!price(4, 2, 1).is_below(&price(4, 2, 1)));
    }

    #[test]
    fn a_cause_may_only_become_clearer() {
        let why = |causes: &[Cause]| Why { words: String::new(), causes: causes.to_vec() };
        let stale = Cause::StaleRead { read: 1, store: 0, overtaken_by: None };
        let source = Cause::Source { read: 1, write: 0 };
        let as_clear =
            |found: &[Cause], known: &[Cause]| is_as_clear(Some(&why(found)), Some(&why(known)));
        assert!(is_as_clear(None, None) && is_as_clear(Some(&why(&[])), None));
        assert!(!is_as_clear(None, Some(&why(&[]))));
        assert!(as_clear(&[stale, source], &[stale]));
        assert!(!as_clear(&[source], &[stale]));
        assert!(!as_clear(&[stale], &[stale, stale]));
    }
}
