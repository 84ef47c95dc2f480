//! The cause of a failure in an execution that is a graph: its events have relations, but no order in time.
//!
//! A schedule of the graph engine gives, for each load, the store it reads from, and for each store, its
//! predecessor in coherence order. If these relations and program order have a cycle within the past of the
//! failure, sequential consistency forbids the execution, and the cycle is the cause. If there is no cycle,
//! the events are sorted so that every load reads the last write, and are explained like any other
//! execution.

use super::cycle::{in_words, stretches};
use super::object::object;
use super::waits::waits;
use super::{Cause, Told, Why, why};
use crate::check::Offence;
use crate::cycle::graph::Graph;
use crate::cycle::{Edge, Node};
use crate::shorten::switches::sorted;
use raddle_engine::{Bytes, Cell, Deed, EventRef, ReplayEvent, Replayed, Step};
use raddle_ir::Program;
use raddle_machine::layout::split_address;
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
    replayed: &Replayed,
    offence: &Offence,
) -> Explained {
    let events = &replayed.events;
    let unsorted = || (0..events.len()).collect();
    let mut graph = relations(schedule, replayed);
    let cycle = graph.shortest_cycle(&past(&graph, events, offence));
    if !cycle.is_empty() {
        let cycle = stretches(cycle);
        let told = Told { program, events: super::upto_failure(events, offence) };
        let mut words = in_words(&Told { program, events }, &cycle);
        let mut causes: Vec<_> =
            cycle.into_iter().map(|link| Cause::InCycle { event: link.event }).collect();
        for reason in waits(&told).into_iter().chain(object(&told)) {
            words = format!("{}; {words}", reason.words);
            causes.splice(0..0, reason.causes);
        }
        let why = Some(Why { words, causes });
        return Explained { events: events.clone(), order: unsorted(), why };
    }
    let Some(order) = in_time(&mut graph, replayed) else {
        return Explained { events: events.clone(), order: unsorted(), why: None };
    };
    let events: Vec<ReplayEvent> = order.iter().map(|node| events[*node].clone()).collect();
    let why = why(program, &events, offence);
    Explained { events, order, why }
}

/// An order of the events in which every load reads the last write, with few changes of thread; `None` if the
/// relations have a cycle.
pub(crate) fn in_time(graph: &mut Graph, replayed: &Replayed) -> Option<Vec<Node>> {
    let Replayed { events, starts, asides, .. } = replayed;
    let threads: Vec<u32> = events.iter().map(|event| event.number).collect();
    // Failures and stuck threads come last, as they are; but an access to an object that has ended fails there.
    let mut after = Vec::new();
    for end in starts.len() + asides.len()..events.len() {
        match late_access(events, starts, end) {
            Some(access) => after.push((access, end)),
            None => (0..end).for_each(|earlier| graph.add(earlier, end, Edge::Program)),
        }
    }
    for (access, end) in after {
        let next = graph.next().of(access).iter();
        let next: Vec<Node> =
            next.filter(|(_, edge)| *edge == Edge::Program).map(|(to, _)| *to as Node).collect();
        graph.add(access, end, Edge::Program);
        next.into_iter().for_each(|next| graph.add(end, next, Edge::Program));
    }
    graph.index(events.len());
    sorted(&threads, graph)
}

/// The relations of an execution. Failures and stuck threads have none.
pub(crate) fn relations(schedule: &[Step], replayed: &Replayed) -> Graph {
    let mut graph = Graph::default();
    let Replayed { events, starts, asides, .. } = replayed;
    let committed = |step: &Step| match step {
        Step::CommitLoad { event, .. } | Step::CommitStore { event, .. } => Some(*event),
        _ => None,
    };
    let steps = || schedule.iter().zip(starts.iter().copied());
    let named: BTreeMap<EventRef, Node> =
        steps().filter_map(|(step, node)| Some((committed(step)?, node))).collect();
    // Of what is at one place of program order, the events are last: the others are before them.
    let mut threads: BTreeMap<u32, Vec<(u32, bool, Node)>> = BTreeMap::new();
    for (event, node) in &named {
        threads.entry(event.thread.0).or_default().push((event.index, true, *node));
    }
    for aside in asides {
        let thread = events[aside.event].number;
        threads.entry(thread).or_default().push((aside.before, false, aside.event));
    }
    for own in threads.values_mut() {
        own.sort_unstable();
        for pair in own.windows(2) {
            graph.add(pair[0].2, pair[1].2, Edge::Program);
        }
    }
    for aside in asides {
        match &events[aside.event].deed {
            Deed::Spawn(child) => {
                let first = threads.get(&child.number).and_then(|own| own.first());
                first.iter().for_each(|first| graph.add(aside.event, first.2, Edge::Sync));
            }
            Deed::Join(Some(child)) => {
                let last = threads.get(&child.number).and_then(|own| own.last());
                last.iter().for_each(|last| graph.add(last.2, aside.event, Edge::Sync));
            }
            Deed::Free { at, .. } => {
                let late = accesses_of_failures(events, starts, at);
                late.for_each(|access| graph.add(aside.event, access, Edge::Sync));
            }
            _ => {}
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
    for (step, n) in steps() {
        match &events[n].deed {
            Deed::Read { cell: Cell { at, .. }, .. }
            | Deed::Mismatch { cell: Cell { at, .. }, .. }
            | Deed::FindsLocked(at)
            | Deed::Touch(at) => reads.push((n, at.addr, source(step))),
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

/// The accesses that fail because an object had ended.
fn accesses_of_failures<'e>(
    events: &'e [ReplayEvent],
    starts: &'e [Node],
    ended: &Bytes,
) -> impl Iterator<Item = Node> + use<'e> {
    let object = |at: &Bytes| split_address(at.addr).map(|(object, _)| object);
    let ended = object(ended);
    let fails = move |event: &ReplayEvent| match &event.deed {
        Deed::Fail { at: Some(at), .. } => object(at) == ended,
        _ => false,
    };
    let failures = (0..events.len()).filter(move |node| fails(&events[*node]));
    failures.filter_map(|failure| late_access(events, starts, failure))
}

/// The access that a failure is of, if that is an event of its own.
fn late_access(events: &[ReplayEvent], starts: &[Node], failure: Node) -> Option<Node> {
    let failure = &events[failure];
    let Deed::Fail { at: Some(failed), .. } = &failure.deed else { return None };
    starts.iter().copied().find(|node| {
        let event = &events[*node];
        let touches = match &event.deed {
            Deed::Read { cell, .. } | Deed::Write { cell, .. } | Deed::Mismatch { cell, .. } => {
                cell.at.addr == failed.addr
            }
            _ => false,
        };
        touches && (event.number, event.loc) == (failure.number, failure.loc)
    })
}

/// The past of a failure: the past of its thread, or of all stuck threads.
fn past(graph: &Graph, events: &[ReplayEvent], offence: &Offence) -> Vec<bool> {
    let Offence::Failed(failure) = offence else { return vec![true; events.len()] };
    let ends = |event: &ReplayEvent| matches!(event.deed, Deed::Stuck(_));
    let stuck: Vec<u32> = events.iter().filter(|e| ends(e)).map(|e| e.number).collect();
    let fails = |e: &ReplayEvent| e.thread == failure.thread || stuck.contains(&e.number);
    graph.past((0..events.len()).filter(|node| fails(&events[*node])))
}
