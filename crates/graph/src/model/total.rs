//! SC, TSO and PSO: one order of all events, which contains less of program order from model to model.
//!
//! SC: acyclic(po ∪ com). TSO and PSO: acyclic(ppo ∪ fences ∪ rfe ∪ co ∪ fr), beside coherence per
//! location; TSO's ppo leaves out stores before loads, PSO's everything that a store comes before.

use crate::bits::Bits;
use crate::graph::{Graph, RowId, Which};
use raddle_engine::Buffering;

pub(super) fn allows<const W: usize>(graph: &mut Graph<W>, buffering: Buffering) -> bool {
    for from in graph.rows.ids() {
        let edges = edges(graph, buffering, from);
        if !graph.order_all(Which::HappensBefore, from, edges) {
            return false;
        }
    }
    true
}

fn edges<const W: usize>(graph: &Graph<W>, buffering: Buffering, from: RowId) -> Bits<W> {
    let row = &graph.rows[from];
    let ppo = match (buffering, row.is_store) {
        (Buffering::None, _) | (_, false) => row.po_after,
        (Buffering::Fifo, true) => row.po_after.and(&graph.stores),
        (Buffering::PerLocation, true) => Bits::EMPTY,
    };
    let rf = match buffering {
        Buffering::None => row.rf,
        Buffering::Fifo | Buffering::PerLocation => row.rf.minus(&graph.of_thread(row.thread)),
    };
    // The load of a thread that was woken does not precede later signals: see `Graph::woken`.
    let fr = if graph.woken.contains(from) { Bits::EMPTY } else { row.fr };
    let mut com = rf.or(&row.co).or(&fr);
    if graph.queue.contains(from) {
        com = com.minus(&graph.queue);
    }
    ppo.or(&row.full).or(&row.light).or(&com)
}
