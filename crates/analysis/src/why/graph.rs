//! Why, for executions that are graphs: no order of time tells them, only relations.
//!
//! A schedule of the graph engine says which store each load reads from and which store each store
//! follows in coherence order. If that, with program order, has a cycle within what the failure follows
//! from, sequential consistency forbids it, and the cycle is the reason. Without any cycle the story is
//! put into an order in which every load reads what was written last, and told as any other.

use super::cycle::{Cycle, Link, in_words, stretches};
use super::waits::waits;
use super::{Cause, Told, Why, why};
use crate::check::Offence;
use raddle_engine::{Cell, Deed, EventRef, ReplayEvent, Step};
use raddle_ir::Program;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// The events of a story and what directly precedes what.
struct Trace {
    next: Vec<Vec<(usize, Link)>>,
}

/// The story in an order that can be told, and why it went wrong.
pub(crate) fn explained(
    program: &Program,
    schedule: &[Step],
    events: Vec<ReplayEvent>,
    offence: &Offence,
) -> (Vec<ReplayEvent>, Option<Why>) {
    let trace = Trace::of(schedule, &events);
    let cycle = trace.shortest_cycle(&trace.past(&events, offence));
    if !cycle.is_empty() {
        let cycle = stretches(cycle);
        let told = Told { program, events: &events };
        let mut words = in_words(&told, &cycle);
        let mut causes: Vec<_> =
            cycle.into_iter().map(|(event, _)| Cause::InCycle { event }).collect();
        if let Some(waits) = waits(&told) {
            words = format!("{}; {words}", waits.words);
            causes.splice(0..0, waits.causes);
        }
        return (events, Some(Why { words, causes }));
    }
    let Some(order) = trace.sorted() else { return (events, None) };
    let events: Vec<ReplayEvent> = order.into_iter().map(|node| events[node].clone()).collect();
    let why = why(program, &events, offence);
    (events, why)
}

impl Trace {
    /// Steps and the first events are the same in number: what follows are failures, and who is stuck.
    fn of(schedule: &[Step], events: &[ReplayEvent]) -> Trace {
        let mut trace = Trace { next: vec![Vec::new(); events.len()] };
        let committed = |step: &Step| match step {
            Step::CommitLoad { event, .. } | Step::CommitStore { event, .. } => Some(*event),
            _ => None,
        };
        let steps = schedule.iter().enumerate();
        let named: BTreeMap<EventRef, usize> =
            steps.filter_map(|(n, step)| Some((committed(step)?, n))).collect();
        for ((earlier, a), (later, b)) in named.iter().zip(named.iter().skip(1)) {
            if earlier.thread == later.thread {
                trace.next[*a].push((*b, Link::Program));
            }
        }
        let source = |step: &Step| match step {
            Step::CommitLoad { from: store, .. } | Step::CommitStore { after: store, .. } => {
                named.get(store.as_ref()?).copied()
            }
            _ => None,
        };
        let mut coherence: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
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
                trace.next[pair[0]].push((pair[1], Link::OverwrittenBy));
            }
        }
        for (read, addr, source) in reads {
            if let Some(store) = source {
                trace.next[store].push((read, Link::ReadBy));
            }
            let stores = coherence.get(&addr).map_or(&[][..], Vec::as_slice);
            let at = stores.iter().position(|store| Some(*store) == source);
            if let Some(missed) = stores.get(at.map_or(0, |at| at + 1)) {
                trace.next[read].push((*missed, Link::Missed));
            }
        }
        trace
    }

    /// What a failure follows from: the past of its thread, or of those that are stuck, by program order
    /// and values that were read.
    fn past(&self, events: &[ReplayEvent], offence: &Offence) -> Vec<bool> {
        let Offence::Failed(failure) = offence else { return vec![true; events.len()] };
        let mut before = vec![Vec::new(); events.len()];
        for (a, links) in self.next.iter().enumerate() {
            let flows = links.iter().filter(|(_, l)| matches!(l, Link::Program | Link::ReadBy));
            flows.for_each(|(b, _)| before[*b].push(a));
        }
        let ends = |event: &ReplayEvent| matches!(event.deed, Deed::Stuck(_) | Deed::Spin);
        let stuck: Vec<u32> = events.iter().filter(|e| ends(e)).map(|e| e.number).collect();
        let fails = |e: &ReplayEvent| e.thread == failure.thread || stuck.contains(&e.number);
        let mut past: Vec<bool> = events.iter().map(fails).collect();
        let mut open: Vec<usize> = (0..events.len()).filter(|node| past[*node]).collect();
        while let Some(node) = open.pop() {
            for earlier in &before[node] {
                if !std::mem::replace(&mut past[*earlier], true) {
                    open.push(*earlier);
                }
            }
        }
        past
    }

    /// The shortest cycle within a part, each event with how it comes before the next; of several, one
    /// with the earliest first event. Empty if there is none.
    fn shortest_cycle(&self, part: &[bool]) -> Cycle {
        let cycles = (0..self.next.len()).filter_map(|start| self.cycle_through(start, part));
        cycles.min_by_key(Vec::len).unwrap_or_default()
    }

    fn cycle_through(&self, start: usize, part: &[bool]) -> Option<Cycle> {
        let mut from: Vec<Option<(usize, Link)>> = vec![None; self.next.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for (to, link) in self.next[node].iter().filter(|(to, _)| part[*to] && part[node]) {
                if from[*to].is_none() {
                    from[*to] = Some((node, *link));
                    queue.push_back(*to);
                }
            }
        }
        let mut cycle = vec![from[start]?];
        while let Some((node, _)) = cycle.last().copied().filter(|(node, _)| *node != start) {
            cycle.push(from[node]?);
        }
        cycle.reverse();
        Some(cycle)
    }

    /// An order of all events that follows all relations, as close to the given one as can be; what has
    /// no relations (failures, who is stuck) stays last. `None` if there is a cycle.
    fn sorted(&self) -> Option<Vec<usize>> {
        let mut waits = vec![0u32; self.next.len()];
        self.next.iter().flatten().for_each(|(to, _)| waits[*to] += 1);
        let free = |waits: &[u32], node: usize| waits[node] == 0;
        let ready = (0..waits.len()).filter(|node| free(&waits, *node));
        let mut ready: BinaryHeap<_> = ready.map(std::cmp::Reverse).collect();
        let mut order = Vec::new();
        while let Some(std::cmp::Reverse(node)) = ready.pop() {
            order.push(node);
            for (to, _) in &self.next[node] {
                waits[*to] -= 1;
                if free(&waits, *to) {
                    ready.push(std::cmp::Reverse(*to));
                }
            }
        }
        (order.len() == waits.len()).then_some(order)
    }
}
