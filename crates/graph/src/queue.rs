//! Condition variables in the graph: who is woken, and whose order does not count.
//!
//! Every operation on a condition variable is a read-modify-write, so coherence puts all of them in one
//! order. That of two signals counts, and that of a signal and of a thread that starts or stops waiting;
//! that of two threads which start or stop waiting does not, as in the interleaving engine, where these
//! are reads. So under SC, TSO and PSO nothing follows from it ([`Graph::queue`] holds such events, the
//! axioms leave out what would order two of them), and of all orders of such events between two signals
//! one stands for all: the one in which whoever can come first by what else is ordered does so, the
//! thread with the smallest number first. Nor does it count when a thread that was woken goes on: it comes after the
//! signal that woke it, and later signals may come before or after ([`Graph::woken`]). Under POWER and ARM they are ordered as other updates are.

use crate::ahead::{Ahead, EventId};
use crate::graph::Graph;

/// Whether a store is a signal that wakes the thread which waits with this bit.
pub(crate) fn wakes<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    store: usize,
    bit: u128,
) -> bool {
    let found = graph.rows[store].pair.and_then(|load| graph.found(ahead, load));
    let left = graph.written(ahead, store);
    found.is_some_and(|found| found & bit != 0) && left.is_some_and(|left| left & bit == 0)
}

/// Whether a thread that waits with a bit has been woken, wherever its load is to read.
pub(crate) fn is_woken<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    wait: EventId,
    bit: u128,
) -> bool {
    let event = ahead.event(wait);
    let Some(location) = ahead.location(wait) else { return false };
    let own = graph.of_thread(event.thread).and(&graph.stores_at(location));
    let earlier = own.iter().filter(|store| graph.rows[*store].po < event.po);
    let Some(start) = earlier.max_by_key(|store| graph.rows[*store].po) else { return false };
    graph.rows[start].co.iter().any(|store| wakes(ahead, graph, store, bit))
}

/// Whether this execution stands for all that differ from it only in orders that do not count.
pub(crate) fn is_representative<const W: usize>(graph: &Graph<W>) -> bool {
    if graph.queue.0.is_empty() {
        return true;
    }
    let mut stores = graph.queue.0.and(&graph.stores.0);
    while let Some(store) = stores.iter().next() {
        let location = graph.rows[store].location;
        let order = graph.coherence(location);
        let mut runs = order.split(|store| !graph.queue.0.contains(*store));
        if !runs.all(|run| is_smallest(graph, run)) {
            return false;
        }
        stores = stores.minus(&graph.stores_at(location));
    }
    true
}

/// Whether a run of updates is in the smallest of the orders that it can be in.
fn is_smallest<const W: usize>(graph: &Graph<W>, run: &[usize]) -> bool {
    let key = |store: usize| (graph.rows[store].thread, graph.rows[store].po);
    let precedes = |first: usize, second: usize| {
        let load = graph.rows[first].pair.unwrap_or(first);
        first != second && graph.rows[load].hb.after.contains(second)
    };
    run.iter().enumerate().all(|(n, chosen)| {
        let left = &run[n..];
        let can_come = |store: usize| !left.iter().any(|other| precedes(*other, store));
        let smaller = |store: &usize| key(*store) < key(*chosen) && can_come(*store);
        can_come(*chosen) && !left.iter().any(smaller)
    })
}
