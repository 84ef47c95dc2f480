//! The dependencies between the events of an execution, for people.
//!
//! The models use sets that combine several kinds of dependency (`dd`, `cc`). Readers know the kinds apart.

use crate::fetch::{DepsId, Event, Kind, Threads};
use crate::graph::{Graph, Row};

/// Why an event depends on an earlier load of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Via {
    /// The address that it accesses was computed from the value of the load.
    Address,
    /// The value that it writes was.
    Data,
    /// The condition of a branch before it was.
    Control,
}

/// A dependency of a step on a load, both by their place in the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dependency {
    pub load: usize,
    pub step: usize,
    pub via: Via,
}

/// The dependencies between committed events; `steps` has the step of each row.
///
/// A load that both decides a branch and is part of an earlier address counts only for the address: the sets
/// do not tell the two apart.
pub(crate) fn dependencies<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    steps: &[usize],
) -> Vec<Dependency> {
    let rows: Vec<&Row<W>> = graph.rows.values().collect();
    let mut found = Vec::new();
    for (from, load) in rows.iter().enumerate().filter(|(_, row)| !row.is_store) {
        let mut later: Vec<(usize, &Event)> = (rows.iter().enumerate())
            .filter(|(_, row)| row.thread == load.thread && row.po > load.po)
            .map(|(to, row)| (to, threads.event(row.event)))
            .collect();
        later.sort_unstable_by_key(|(_, event)| event.po);
        let is_from = |deps: DepsId| threads.deps.contains(deps, load.po);
        let mut in_address = false;
        for (to, event) in later {
            let via = if is_from(event.addr.deps) {
                in_address = true;
                Via::Address
            } else if written(event).is_some_and(is_from) {
                Via::Data
            } else if is_from(event.cc) && !in_address {
                Via::Control
            } else {
                continue;
            };
            found.push(Dependency { load: steps[from], step: steps[to], via });
        }
    }
    found
}

/// The loads that the value of a store came from. The store of a read-modify-write has none of its own.
fn written(event: &Event) -> Option<DepsId> {
    match event.kind {
        Kind::Store(store) if store.read.is_none() => Some(store.value.deps),
        _ => None,
    }
}
