//! SC, TSO and PSO: one order of all events, with what each of them leaves out of program order.
//!
//! SC: acyclic(po ∪ com). TSO and PSO: acyclic(ppo ∪ fences ∪ rfe ∪ co ∪ fr), beside coherence per
//! location; TSO's ppo leaves out stores before loads, PSO's everything that a store comes before.

use crate::bits::Bits;
use crate::graph::{Graph, Which};

/// How much of program order is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Sc,
    Tso,
    Pso,
}

pub(super) fn allows<const W: usize>(graph: &mut Graph<W>, model: Order) -> bool {
    for from in 0..graph.len() {
        let edges = edges(graph, model, from);
        if !graph.order_all(Which::HappensBefore, from, edges) {
            return false;
        }
    }
    true
}

fn edges<const W: usize>(graph: &Graph<W>, model: Order, from: usize) -> Bits<W> {
    let row = &graph.rows[from];
    let ppo = match (model, row.is_store) {
        (Order::Sc, _) | (_, false) => row.po_after,
        (Order::Tso, true) => row.po_after.and(&graph.stores.0),
        (_, true) => Bits::EMPTY,
    };
    let rf = match model {
        Order::Sc => row.rf,
        _ => row.rf.minus(&graph.of_thread(row.thread)),
    };
    // That a thread was woken is no access: what is signalled later may as well come before it goes on.
    let fr = if graph.woken.0.contains(from) { Bits::EMPTY } else { row.fr };
    let mut com = rf.or(&row.co).or(&fr);
    if graph.queue.0.contains(from) {
        com = com.minus(&graph.queue.0);
    }
    ppo.or(&row.full).or(&row.light).or(&com)
}
