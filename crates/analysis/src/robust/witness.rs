//! The witness of a program that is not robust: a schedule under the model, replayed, and a cycle in it.
//!
//! The replay is on a fresh system, and [`crate::cycle`] computes the order of its events. Both are
//! independent of how the schedule was found.

use crate::cycle::story::Order;
use crate::cycle::{Edge, Link, Node};
use crate::shorten::{Allowance, Candidate, Finding, shorten};
use crate::witness::Witness;
use raddle_engine::{Budget, Engine, Model, Options, ReplayEnd, ReplayEvent, Step};
use raddle_interleave::{replay, replay_reach};
use raddle_ir::Verified;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The maximal number of pairs from which cycles are searched; the shortest cycle is taken.
const MOST_PAIRS: usize = 64;

/// A proof that a program is not robust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleWitness {
    pub witness: Witness,
    /// The store that was delayed, and the later access of its thread that overtook it. A fence
    /// between the two would cut the cycle.
    pub store: Node,
    pub overtaken_by: Node,
    /// Begins with the store.
    pub cycle: Vec<Link>,
}

/// The witnesses that the workers of a search have found, by the numbers that they have told the search.
#[derive(Default)]
pub(super) struct Witnesses(Mutex<Vec<CycleWitness>>);

impl Witnesses {
    pub(super) fn add(&self, witness: CycleWitness) -> usize {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(witness);
        all.len() - 1
    }

    pub(super) fn take(&self, number: usize) -> Option<CycleWitness> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (number < all.len()).then(|| all.swap_remove(number))
    }
}

/// Replays a schedule of the engine that found it, and looks for a shorter one; `None` if it does not fit the
/// program or has no cycle. In a schedule of the reachability engine, threads may spin.
pub(super) fn witness(
    program: &Verified,
    found_by: Engine,
    model: Model,
    budget: &Budget,
    schedule: Vec<Step>,
) -> Option<CycleWitness> {
    let options = Options::new(model).within(budget.clone());
    let (first, cycle) = candidate(program, found_by, &options, &schedule)?;
    let again = |schedule: &[Step]| {
        let (found, links) = candidate(program, found_by, &options, schedule)?;
        (links.len() <= cycle.len()).then_some(found)
    };
    let allowance = Allowance::after(Duration::ZERO, budget);
    let witness = shorten(first, found_by, program.threads.len(), &allowance, again);
    let cycle = cycle_of(&witness.events)?;
    let (store, overtaken_by) = (cycle[0].event, cycle[1].event);
    Some(CycleWitness { witness, store, overtaken_by, cycle })
}

/// Replays a schedule, and looks for its cycle.
fn candidate(
    program: &Verified,
    found_by: Engine,
    options: &Options,
    schedule: &[Step],
) -> Option<(Candidate, Vec<Link>)> {
    let replayed = match found_by {
        Engine::Reach => replay_reach(program, options, schedule).0,
        Engine::Interleave | Engine::Graph => replay(program, options, schedule),
    };
    if matches!(replayed.end, ReplayEnd::Stuck(_) | ReplayEnd::Spent(_)) {
        return None;
    }
    let steps = replayed.steps();
    let (events, origins) = (replayed.events, replayed.origins);
    let cycle = cycle_of(&events)?;
    let finding = Finding::Events(cycle.iter().map(|link| link.event).collect());
    let witness = Witness { schedule: schedule.to_vec(), events, origins, why: None };
    Some((Candidate { witness, steps, finding }, cycle))
}

/// The cycle of an execution, which begins with a delayed store.
fn cycle_of(events: &[ReplayEvent]) -> Option<Vec<Link>> {
    Some(links(events, &shortest(&Order::of(events), events.len())?))
}

/// A cycle with the fewest events: a delayed store, the access that overtook it, and a path back to the
/// store.
fn shortest(order: &Order, count: usize) -> Option<Vec<Link>> {
    let graph = &order.conflicts.graph;
    let component = graph.cycles(&vec![true; count]);
    let pairs = order.delayed.iter().chain(&order.overtaken);
    let pairs = pairs.filter(|(store, later)| component[*store] == component[*later]);
    let cycles = pairs.take(MOST_PAIRS).filter_map(|(store, later)| {
        let back = graph.path(*later, *store, usize::MAX, |_| true)?;
        Some([vec![Link { event: *store, edge: Edge::Program }], back].concat())
    });
    cycles.min_by_key(Vec::len)
}

/// The first event of a cycle and the events at which the thread changes, with the edges between them. An
/// edge within a thread counts as program order, whatever else it is.
fn links(events: &[ReplayEvent], cycle: &[Link]) -> Vec<Link> {
    let count = cycle.len();
    let number = |n: usize| events[cycle[n % count].event].number;
    let kept = (0..count).filter(|n| {
        let [before, this, after] = [n + count - 1, *n, n + 1].map(number);
        *n < 2 || before != this || this != after
    });
    let link = |n: usize| match number(n) == number(n + 1) {
        true => Link { edge: Edge::Program, ..cycle[n] },
        false => cycle[n],
    };
    kept.map(link).collect()
}
