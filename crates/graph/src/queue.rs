//! Condition variables in the graph: wake-ups, and updates whose order is irrelevant.
//!
//! Every operation on a condition variable is a read-modify-write, so coherence puts all of them in one
//! order. The order of two signals is relevant, and so is the order of a signal and of a thread that starts or
//! stops waiting. The order of two threads that start or stop waiting is not, as in the interleaving engine,
//! where these are reads. So under models that commit in program order (SC, TSO and PSO) the axioms ignore edges between two such events ([`Graph::queue`]), and
//! of all orders of such events between two signals one represents all: the lexicographically smallest by
//! thread and program order that the other relations allow. The load of a thread that was woken comes after the
//! signal that woke it; later signals may come before or after it ([`Graph::woken`]). Under POWER and ARM these
//! events are ordered as other updates are.

use crate::fetch::{EventId, Threads};
use crate::graph::{Graph, RowId};

/// Whether a store is a signal that wakes the thread which waits with this bit.
pub(crate) fn wakes<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    store: RowId,
    bit: u128,
) -> bool {
    let found = graph.rows[store].pair.and_then(|load| graph.found(threads, load));
    let left = graph.written(threads, store);
    found.is_some_and(|found| found & bit != 0) && left.is_some_and(|left| left & bit == 0)
}

/// Whether a thread that waits with a bit has been woken, wherever its load is to read.
pub(crate) fn is_woken<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    wait: EventId,
    bit: u128,
) -> bool {
    let event = threads.event(wait);
    let Some(location) = threads.location(wait) else { return false };
    let own = graph.of_thread(event.thread).and(&graph.stores_at(location));
    let earlier = own.iter().filter(|store| graph.rows[*store].po < event.po);
    let Some(start) = earlier.max_by_key(|store| graph.rows[*store].po) else { return false };
    graph.rows[start].co.iter().any(|store| wakes(threads, graph, store, bit))
}

/// Whether this execution represents all that differ from it only in irrelevant orders.
pub(crate) fn is_representative<const W: usize>(graph: &Graph<W>) -> bool {
    if graph.queue.is_empty() {
        return true;
    }
    let mut stores = graph.queue.and(&graph.stores);
    while let Some(store) = stores.iter().next() {
        let location = graph.rows[store].location;
        let order = graph.coherence(location);
        let mut runs = order.split(|store| !graph.queue.contains(*store));
        if !runs.all(|run| is_smallest(graph, run)) {
            return false;
        }
        stores = stores.minus(&graph.stores_at(location));
    }
    true
}

/// Whether a run of updates is in the smallest of the orders that it can be in.
fn is_smallest<const W: usize>(graph: &Graph<W>, run: &[RowId]) -> bool {
    let key = |store: RowId| (graph.rows[store].thread, graph.rows[store].po);
    let precedes = |first: RowId, second: RowId| {
        let load = graph.rows[first].pair.unwrap_or(first);
        first != second && graph.rows[load].hb.after.contains(second)
    };
    run.iter().enumerate().all(|(n, chosen)| {
        let left = &run[n..];
        let can_come = |store: RowId| !left.iter().any(|other| precedes(*other, store));
        let smaller = |store: &RowId| key(*store) < key(*chosen) && can_come(*store);
        can_come(*chosen) && !left.iter().any(smaller)
    })
}
