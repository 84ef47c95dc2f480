//! What shows that a program is not robust: a schedule under the model, replayed, and a cycle in it.
//!
//! The replay is on a fresh system, and the order of its story is [`crate::why`]'s: neither knows how
//! the schedule was found.

use crate::why::order::{Node, Order};
use raddle_interleave::{
    Budget, Checks, Deed, Model, ReplayEnd, ReplayEvent, Replayed, Step, replay_reach,
    replay_within,
};
use raddle_ir::Program;
use std::collections::VecDeque;

/// Cycles are looked for from so many pairs at most; the shortest is taken.
const MOST_PAIRS: usize = 64;

/// Why one event comes before the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    Program,
    ReadsFrom,
    Coherence,
    FromRead,
    /// Threads that start, end, wait or wake each other.
    Sync,
}

impl Edge {
    /// As the field writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Edge::Program => "po",
            Edge::ReadsFrom => "rf",
            Edge::Coherence => "co",
            Edge::FromRead => "fr",
            Edge::Sync => "sync",
        }
    }
}

/// An event of a cycle, and why it comes before the next one; the last leads back to the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Position in [`Witness::events`].
    pub event: Node,
    pub edge: Edge,
}

/// Shows that a program is not robust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub schedule: Vec<Step>,
    pub events: Vec<ReplayEvent>,
    /// The store that was delayed, and the later access of its thread that overtook it. A fence
    /// between the two would cut the cycle.
    pub store: Node,
    pub overtaken_by: Node,
    /// Begins with the store.
    pub cycle: Vec<Link>,
}

/// Replays a schedule; `None` if it does not fit the program or has no cycle.
pub(super) fn witness(
    program: &Program,
    model: Model,
    budget: &Budget,
    schedule: Vec<Step>,
) -> Option<Witness> {
    let checks = Checks::default();
    of_replay(replay_within(program, model, checks, budget, &schedule), schedule)
}

/// The same for a schedule in which threads may spin.
pub(super) fn unwatched(
    program: &Program,
    model: Model,
    budget: &Budget,
    schedule: Vec<Step>,
) -> Option<Witness> {
    of_replay(replay_reach(program, model, false, budget, &schedule).0, schedule)
}

fn of_replay(replayed: Replayed, schedule: Vec<Step>) -> Option<Witness> {
    if matches!(replayed.end, ReplayEnd::Stuck(_) | ReplayEnd::Spent(_)) {
        return None;
    }
    let events = replayed.events;
    let order = Order::of(&events);
    let path = shortest(&order, events.len())?;
    let (store, overtaken_by) = (path[0], path[1]);
    let cycle = links(&events, &path);
    Some(Witness { schedule, events, store, overtaken_by, cycle })
}

/// A cycle with as few events as can be: a delayed store, what overtook it, and from there back.
fn shortest(order: &Order, count: usize) -> Option<Vec<Node>> {
    let component = order.cycles(&vec![true; count]);
    let pairs = order.delayed.iter().chain(&order.overtaken);
    let pairs = pairs.filter(|(store, later)| component[*store] == component[*later]);
    let paths = pairs.take(MOST_PAIRS).filter_map(|(store, later)| path(order, *later, *store));
    let least = paths.min_by_key(Vec::len)?;
    // The path ends with the store; the cycle begins with it.
    let (store, rest) = least.split_last()?;
    Some(std::iter::once(*store).chain(rest.iter().copied()).collect())
}

/// A shortest path, both ends included.
fn path(order: &Order, from: Node, to: Node) -> Option<Vec<Node>> {
    let mut before: Vec<Option<Node>> = vec![None; order.next().len()];
    let mut work = VecDeque::from([from]);
    while let Some(node) = work.pop_front() {
        if node == to {
            let mut path = vec![to];
            while let Some(node) = path.last().copied().filter(|node| *node != from) {
                path.push(before[node]?);
            }
            path.reverse();
            return Some(path);
        }
        for next in &order.next()[node] {
            if *next != from && before[*next].is_none() {
                before[*next] = Some(node);
                work.push_back(*next);
            }
        }
    }
    None
}

/// The events of a cycle at which threads change, but for the first, with the edges between.
fn links(events: &[ReplayEvent], cycle: &[Node]) -> Vec<Link> {
    let number = |node: Node| events[node].number;
    let count = cycle.len();
    let kept = (0..count).filter(|n| {
        let [before, this, after] = [n + count - 1, *n, n + 1].map(|n| number(cycle[n % count]));
        *n < 2 || before != this || this != after
    });
    let kept: Vec<Node> = kept.map(|n| cycle[n]).collect();
    let next = kept.iter().cycle().skip(1);
    let link = |(event, next): (&Node, &Node)| Link {
        event: *event,
        edge: edge(&events[*event], &events[*next]),
    };
    kept.iter().zip(next).map(link).collect()
}

fn edge(from: &ReplayEvent, to: &ReplayEvent) -> Edge {
    if from.number == to.number {
        return Edge::Program;
    }
    match (touch(&from.deed), touch(&to.deed)) {
        (Some(true), Some(true)) => Edge::Coherence,
        (Some(true), Some(false)) => Edge::ReadsFrom,
        (Some(false), Some(true)) => Edge::FromRead,
        _ => Edge::Sync,
    }
}

/// Whether an event writes memory, if it touches any.
fn touch(deed: &Deed) -> Option<bool> {
    match deed {
        Deed::Write { .. }
        | Deed::Buffer { .. }
        | Deed::Lock { .. }
        | Deed::Unlock(_)
        | Deed::Free { .. }
        | Deed::Signal { .. }
        | Deed::Broadcast(_)
        | Deed::StopWaiting(_) => Some(true),
        Deed::Read { .. }
        | Deed::Mismatch { .. }
        | Deed::FindsLocked(_)
        | Deed::Touch(_)
        | Deed::StartWaiting(_) => Some(false),
        _ => None,
    }
}
