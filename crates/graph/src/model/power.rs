//! POWER: the axioms are [`hardware`]'s; orders become `lwsync`, `sync`, and a branch with `isync`.

use super::{Axioms, Barrier, hardware};
use crate::graph::Graph;
use raddle_ir::{FenceKind, Order};

pub(super) struct Power;

impl Axioms for Power {
    const KEEPS_LOCATIONS: bool = true;

    fn fence(kind: FenceKind) -> Barrier {
        hardware::fence(kind, Barrier::LIGHT)
    }

    fn load(order: Order) -> (Barrier, Barrier) {
        match order {
            Order::Plain | Order::Relaxed | Order::Asm => (Barrier::NOTHING, Barrier::NOTHING),
            Order::SeqCst => (Barrier::FULL, Barrier::ACQUIRE),
            _ => (Barrier::NOTHING, Barrier::ACQUIRE),
        }
    }

    fn store(order: Order) -> (Barrier, Barrier) {
        match order {
            Order::Plain | Order::Relaxed | Order::Asm => (Barrier::NOTHING, Barrier::NOTHING),
            Order::SeqCst => (Barrier::FULL, Barrier::NOTHING),
            _ => (Barrier::LIGHT, Barrier::NOTHING),
        }
    }

    fn rmw(order: Order) -> (Barrier, Barrier) {
        hardware::rmw(order, Barrier::LIGHT, Barrier::ACQUIRE)
    }

    fn allows<const W: usize>(graph: &mut Graph<W>) -> bool {
        hardware::allows(graph, hardware::SameLocation::Ordered)
    }
}
