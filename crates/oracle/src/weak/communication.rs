//! Reads-from and coherence: every coherent choice for one place.
//!
//! acyclic(po-loc ∪ com) concerns one place at a time, so it is checked for each place before the
//! choices for the places are combined. The write of the initial value is not an event: no event is
//! before it, so it is on no cycle.

use super::graph::Graph;
use super::trace::Direction;
use crate::layout::Extent;
use crate::outcome::Trouble;
use crate::relation::{EventId, Relation};

/// The communication relations of one place, or of several places together.
#[derive(Clone, Debug)]
pub(super) struct Communication {
    pub rf: Relation,
    pub co: Relation,
    pub fr: Relation,
    /// The last value written to each place that is written.
    pub last: Vec<(Extent, u128)>,
}

impl Communication {
    pub(super) fn none(events: usize) -> Communication {
        let none = || Relation::empty(events);
        Communication { rf: none(), co: none(), fr: none(), last: Vec::new() }
    }

    /// rf ∪ co ∪ fr
    pub(super) fn com(&self) -> Relation {
        self.rf.clone().or(&self.co).or(&self.fr)
    }

    pub(super) fn with(mut self, other: &Communication) -> Communication {
        self.rf.union(&other.rf);
        self.co.union(&other.co);
        self.fr.union(&other.fr);
        self.last.extend(&other.last);
        self
    }

    fn is_coherent(&self, graph: &Graph) -> bool {
        let po_loc = &graph.po_loc;
        self.com().or(po_loc).is_acyclic()
    }
}

/// Every coherent choice for a place with the given initial value. `spend` is called before each choice
/// is examined.
pub(super) fn coherent(
    graph: &Graph,
    place: Extent,
    initial: u128,
    mut spend: impl FnMut() -> Result<(), Trouble>,
) -> Result<Vec<Communication>, Trouble> {
    let writes = graph.at(place, Direction::Write);
    let sources = sources(graph, place, &writes, initial, &mut spend)?;
    let mut found = Vec::new();
    for order in orders(graph, &writes, &mut spend)? {
        for reads_from in &sources {
            spend()?;
            let communication = communication(graph, place, &order, reads_from);
            if communication.is_coherent(graph) {
                found.push(communication);
            }
        }
    }
    Ok(found)
}

/// A read and the write it reads; `None` for the initial value.
type ReadsFrom = Vec<(EventId, Option<EventId>)>;

/// Every assignment of the reads of a place to writes of the value that they read.
fn sources(
    graph: &Graph,
    place: Extent,
    writes: &[EventId],
    initial: u128,
    spend: &mut impl FnMut() -> Result<(), Trouble>,
) -> Result<Vec<ReadsFrom>, Trouble> {
    let mut all: Vec<ReadsFrom> = vec![Vec::new()];
    for read in graph.at(place, Direction::Read) {
        let value = graph.access(read).value;
        let same = writes.iter().filter(|w| graph.access(**w).value == value);
        let first = (value == initial).then_some(None);
        let from: Vec<Option<EventId>> = first.into_iter().chain(same.map(|w| Some(*w))).collect();
        let mut longer = Vec::new();
        for sources in &all {
            for write in &from {
                spend()?;
                longer.push([&sources[..], &[(read, *write)]].concat());
            }
        }
        all = longer;
    }
    Ok(all)
}

fn communication(
    graph: &Graph,
    place: Extent,
    order: &[EventId],
    reads_from: &ReadsFrom,
) -> Communication {
    let mut result = Communication::none(graph.len());
    for (i, a) in order.iter().enumerate() {
        for b in &order[i + 1..] {
            result.co.add(*a, *b);
        }
    }
    for (read, source) in reads_from {
        let at = source.and_then(|source| order.iter().position(|write| *write == source));
        if let Some(write) = source {
            result.rf.add(*write, *read);
        }
        for later in &order[at.map_or(0, |at| at + 1)..] {
            result.fr.add(*read, *later);
        }
    }
    result.last.extend(order.last().map(|write| (place, graph.access(*write).value)));
    result
}

/// Every order of the writes to one place that agrees with program order; no other order is coherent.
fn orders(
    graph: &Graph,
    writes: &[EventId],
    spend: &mut impl FnMut() -> Result<(), Trouble>,
) -> Result<Vec<Vec<EventId>>, Trouble> {
    spend()?;
    if writes.is_empty() {
        return Ok(vec![vec![]]);
    }
    let mut all = Vec::new();
    for (i, first) in writes.iter().enumerate() {
        let rest = [&writes[..i], &writes[i + 1..]].concat();
        if rest.iter().any(|other| graph.po_loc.has(*other, *first)) {
            continue;
        }
        let tails = orders(graph, &rest, spend)?.into_iter();
        all.extend(tails.map(|tail| [&[*first], &tail[..]].concat()));
    }
    Ok(all)
}
