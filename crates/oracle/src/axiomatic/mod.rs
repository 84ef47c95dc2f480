//! The axiomatic oracle: candidate executions, filtered by the axioms of a model.
//!
//! With com = rf ∪ co ∪ fr, an execution is allowed if
//!
//! ```text
//! SC:   acyclic(po ∪ com)
//! TSO:  acyclic(po-loc ∪ com), acyclic((po \ W×R) ∪ fences ∪ rfe ∪ co ∪ fr)
//! PSO:  acyclic(po-loc ∪ com), acyclic((po ∩ R×M) ∪ fences ∪ (sfence ∩ W×W) ∪ rfe ∪ co ∪ fr)
//! all:  no write stands in co between a read-modify-write and the write that it reads
//! ```
//!
//! where `fences` orders the events on the two sides of a full barrier, and a read-modify-write or
//! compare-and-swap (even a failed one) with all events before and after it. The write of the
//! initial value is first in co for every place and is not an event.
//!
//! A read-modify-write is one event that reads and writes. Merging the two does not change the result: by
//! atomicity and the implied fence, an event after the read in the order of memory is also
//! after the write, and an event before the write is also before the read. Atomicity then follows
//! from coherence, since a write in between would be both before and after the single event; it is
//! stated nevertheless.
//!
//! Not covered: locks, condition variables, spawn, join, await, allocation, accesses that overlap
//! without covering the same bytes, more than 64 memory events. A loop may run until the budget
//! is spent.

mod candidates;
mod graph;

use crate::layout::Extent;
use crate::local::Context;
use crate::outcome::{Model, Outcome, Trouble, observe};
use crate::relation::{EventId, Relation};
use candidates::{Candidate, Candidates};
use graph::Graph;
use raddle_ir::Program;
use std::collections::BTreeMap;

/// Every allowed execution of `program`: control paths and choices, reads-from and coherence.
pub fn executions(program: &Program, model: Model) -> Result<Outcome, Trouble> {
    let cx = Context::new(program)?;
    let mut outcome = Outcome::default();
    for candidate in Candidates::new(&cx).all()? {
        let graph = Graph::new(&candidate)?;
        count_coherence_orders(&cx, model, &candidate, &graph, &mut outcome);
    }
    Ok(outcome)
}

/// A coherence order: the writes of each place, first to last.
type Coherence = BTreeMap<Extent, Vec<EventId>>;

fn count_coherence_orders(
    cx: &Context,
    model: Model,
    candidate: &Candidate,
    graph: &Graph,
    outcome: &mut Outcome,
) {
    let order = graph.preserved(model);
    for co in coherence_orders(graph) {
        let mut all = order.clone();
        for writes in co.values() {
            all.union(&graph.coherence_and_from_reads(writes));
        }
        if all.is_acyclic() {
            let state = || final_state(cx, candidate, graph, &co);
            outcome.count(&candidate.ends(), state);
        }
    }
}

/// All coherence orders that respect atomicity and, for each place, acyclic(po-loc ∪ com).
fn coherence_orders(graph: &Graph) -> Vec<Coherence> {
    let mut orders = vec![Coherence::new()];
    for place in graph.places() {
        let per_place: Vec<Vec<EventId>> = permutations(&graph.writes(place))
            .into_iter()
            .filter(|writes| graph.is_atomic(writes) && is_coherent(graph, place, writes))
            .collect();
        let extend = |co: &Coherence, writes: &Vec<EventId>| {
            let mut co = co.clone();
            co.insert(place, writes.clone());
            co
        };
        orders =
            orders.iter().flat_map(|co| per_place.iter().map(move |w| extend(co, w))).collect();
    }
    orders
}

fn is_coherent(graph: &Graph, place: Extent, writes: &[EventId]) -> bool {
    let mut all: Relation = graph.program_order_and_reads_from(place);
    all.union(&graph.coherence_and_from_reads(writes));
    all.is_acyclic()
}

fn permutations(items: &[EventId]) -> Vec<Vec<EventId>> {
    if items.is_empty() {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for (i, first) in items.iter().enumerate() {
        let rest = [&items[..i], &items[i + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|tail| [&[*first], &tail[..]].concat()));
    }
    all
}

fn final_state(cx: &Context, candidate: &Candidate, graph: &Graph, co: &Coherence) -> Vec<u64> {
    let last = |(place, writes): (&Extent, &Vec<EventId>)| {
        writes.last().and_then(|w| graph.written(*w)).map(|value| (*place, value))
    };
    let memory = co.iter().filter_map(last).collect();
    observe(cx.program, &cx.layout, &candidate.locals(), &memory)
}
