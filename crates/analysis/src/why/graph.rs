//! The cause of a failure in an execution that is a graph: its events have relations, but no order in time.
//!
//! A schedule of the graph engine gives, for each load, the store it reads from, and for each store, its
//! predecessor in coherence order. If these relations and program order have a cycle within the past of the
//! failure, sequential consistency forbids the execution, and the cycle is the cause. If there is no cycle,
//! the events are sorted so that every load reads the last write, and are explained like any other
//! execution.

use super::cycle::{in_words, stretches};
use super::waits::waits;
use super::{Cause, Told, Why, why};
use crate::check::Offence;
use crate::cycle::graph::Graph;
use crate::cycle::{Edge, Node};
use crate::shorten::switches::sorted;
use raddle_engine::{Cell, Deed, EventRef, ReplayEvent, Step};
use raddle_ir::Program;
use std::collections::BTreeMap;

/// The events in an order suitable for output, and the cause of the failure.
pub(crate) struct Explained {
    pub events: Vec<ReplayEvent>,
    /// The place of each event in the replay.
    pub order: Vec<Node>,
    pub why: Option<Why>,
}

pub(crate) fn explained(
    program: &Program,
    schedule: &[Step],
    events: Vec<ReplayEvent>,
    offence: &Offence,
) -> Explained {
    let unsorted = (0..events.len()).collect();
    let mut graph = relations(schedule, &events);
    let cycle = graph.shortest_cycle(&past(&graph, &events, offence));
    if !cycle.is_empty() {
        let cycle = stretches(cycle);
        let told = Told { program, events: &events };
        let mut words = in_words(&told, &cycle);
        let mut causes: Vec<_> =
            cycle.into_iter().map(|link| Cause::InCycle { event: link.event }).collect();
        if let Some(waits) = waits(&told) {
            words = format!("{}; {words}", waits.words);
            causes.splice(0..0, waits.causes);
        }
        return Explained { events, order: unsorted, why: Some(Why { words, causes }) };
    }
    let Some(order) = in_time(&mut graph, schedule, &events) else {
        return Explained { events, order: unsorted, why: None };
    };
    let events: Vec<ReplayEvent> = order.iter().map(|node| events[*node].clone()).collect();
    let why = why(program, &events, offence);
    Explained { events, order, why }
}

/// An order of the events in which every load reads the last write, with few changes of thread; `None` if the
/// relations have a cycle.
pub(crate) fn in_time(
    graph: &mut Graph,
    schedule: &[Step],
    events: &[ReplayEvent],
) -> Option<Vec<Node>> {
    let threads: Vec<u32> = events.iter().map(|event| event.number).collect();
    // Failures and stuck threads come last, as they are.
    for end in schedule.len()..events.len() {
        (0..end).for_each(|earlier| graph.add(earlier, end, Edge::Program));
    }
    graph.index(events.len());
    sorted(&threads, graph)
}

/// The relations of an execution. The first events correspond to the steps one to one; the events after
/// them are failures and stuck threads.
pub(crate) fn relations(schedule: &[Step], events: &[ReplayEvent]) -> Graph {
    let mut graph = Graph::default();
    let committed = |step: &Step| match step {
        Step::CommitLoad { event, .. } | Step::CommitStore { event, .. } => Some(*event),
        _ => None,
    };
    let steps = schedule.iter().enumerate();
    let named: BTreeMap<EventRef, Node> =
        steps.filter_map(|(n, step)| Some((committed(step)?, n))).collect();
    for ((earlier, a), (later, b)) in named.iter().zip(named.iter().skip(1)) {
        if earlier.thread == later.thread {
            graph.add(*a, *b, Edge::Program);
        }
    }
    let source = |step: &Step| match step {
        Step::CommitLoad { from: store, .. } | Step::CommitStore { after: store, .. } => {
            named.get(store.as_ref()?).copied()
        }
        _ => None,
    };
    let mut coherence: BTreeMap<u64, Vec<Node>> = BTreeMap::new();
    let mut reads = Vec::new();
    for (n, (step, event)) in schedule.iter().zip(events).enumerate() {
        match &event.deed {
            Deed::Read { cell, .. } => reads.push((n, cell.at.addr, source(step))),
            Deed::Write { cell: Cell { at, .. }, .. }
            | Deed::Lock { at, .. }
            | Deed::Unlock(at)
            | Deed::StartWaiting(at)
            | Deed::StopWaiting(at)
            | Deed::Signal { at, .. }
            | Deed::Broadcast(at) => {
                let stores = coherence.entry(at.addr).or_default();
                let previous = source(step);
                let at = stores.iter().position(|store| Some(*store) == previous);
                stores.insert(at.map_or(0, |at| at + 1), n);
            }
            _ => {}
        }
    }
    for stores in coherence.values() {
        for pair in stores.windows(2) {
            graph.add(pair[0], pair[1], Edge::Coherence);
        }
    }
    for (read, addr, source) in reads {
        if let Some(store) = source {
            graph.add(store, read, Edge::ReadsFrom);
        }
        let stores = coherence.get(&addr).map_or(&[][..], Vec::as_slice);
        let at = stores.iter().position(|store| Some(*store) == source);
        if let Some(missed) = stores.get(at.map_or(0, |at| at + 1)) {
            graph.add(read, *missed, Edge::FromRead);
        }
    }
    graph.index(events.len());
    graph
}

/// The past of a failure: the past of its thread, or of all stuck threads.
fn past(graph: &Graph, events: &[ReplayEvent], offence: &Offence) -> Vec<bool> {
    let Offence::Failed(failure) = offence else { return vec![true; events.len()] };
    let ends = |event: &ReplayEvent| matches!(event.deed, Deed::Stuck(_));
    let stuck: Vec<u32> = events.iter().filter(|e| ends(e)).map(|e| e.number).collect();
    let fails = |e: &ReplayEvent| e.thread == failure.thread || stuck.contains(&e.number);
    graph.past((0..events.len()).filter(|node| fails(&events[*node])))
}
