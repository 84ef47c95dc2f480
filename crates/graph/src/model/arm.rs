//! ARMv7: the axioms are [`hardware`]'s; every order becomes `dmb`.

use super::{Axioms, Barrier, hardware};
use crate::graph::Graph;
use raddle_ir::{FenceKind, Order};

pub(super) struct Arm;

impl Axioms for Arm {
    /// A later access to a location may be satisfied early: a load that reads its own thread's store can feed
    /// a store that an earlier load depends on, so that the order would have cycles. Without it, commit-before
    /// has none in an allowed execution: a chain of dependencies and reads from a load to a store of its
    /// thread is preserved program order, as control and address dependencies reach everything later and
    /// data dependencies through a store that is read back are instruction-to-instruction.
    const KEEPS_LOCATIONS: bool = false;

    const STORE_FENCE_IS_FULL: bool = true;

    fn fence(kind: FenceKind) -> Barrier {
        hardware::fence(kind, Barrier::FULL)
    }

    fn load(order: Order) -> (Barrier, Barrier) {
        match order {
            Order::Plain | Order::Relaxed | Order::Asm => (Barrier::NOTHING, Barrier::NOTHING),
            _ => (Barrier::NOTHING, Barrier::FULL),
        }
    }

    fn store(order: Order) -> (Barrier, Barrier) {
        match order {
            Order::Plain | Order::Relaxed | Order::Asm => (Barrier::NOTHING, Barrier::NOTHING),
            Order::SeqCst => (Barrier::FULL, Barrier::FULL),
            _ => (Barrier::FULL, Barrier::NOTHING),
        }
    }

    fn rmw(order: Order) -> (Barrier, Barrier) {
        hardware::rmw(order, Barrier::FULL, Barrier::FULL)
    }

    fn allows<const W: usize>(graph: &mut Graph<W>) -> bool {
        hardware::allows(graph, hardware::SameLocation::Unordered)
    }
}
