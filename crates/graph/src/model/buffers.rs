//! SC, TSO and PSO as axioms ([`total`]), and what orders are under them: as x86 and SPARC have it, loads are
//! always ordered, and a read-modify-write reads and writes memory in one step, past the buffer.

use super::{Axioms, Barrier, total};
use crate::graph::Graph;
use raddle_ir::FenceKind::*;
use raddle_ir::{FenceKind, Order};

pub(super) struct Sc;
pub(super) struct Tso;
pub(super) struct Pso;

/// What stays unordered with program order alone, so that a barrier can order it.
trait Buffers {
    const ORDER: total::Order;
    fn heeds(barrier: Barrier) -> bool;
}

impl Buffers for Sc {
    const ORDER: total::Order = total::Order::Sc;

    fn heeds(_: Barrier) -> bool {
        false
    }
}

impl Buffers for Tso {
    const ORDER: total::Order = total::Order::Tso;

    fn heeds(barrier: Barrier) -> bool {
        barrier == Barrier::FULL
    }
}

impl Buffers for Pso {
    const ORDER: total::Order = total::Order::Pso;

    fn heeds(barrier: Barrier) -> bool {
        barrier != Barrier::CONTEXT
    }
}

fn heeded<B: Buffers>(barrier: Barrier) -> Barrier {
    if B::heeds(barrier) { barrier } else { Barrier::NOTHING }
}

impl<B: Buffers> Axioms for B {
    const COMMITS_IN_PROGRAM_ORDER: bool = true;

    fn fence(kind: FenceKind) -> Barrier {
        heeded::<B>(match kind {
            Compiler | CAcquire | Lfence | DmbLd | DsbLd => Barrier::NOTHING,
            Full | CSeqCst | Mfence | Sync | Dmb | Dsb => Barrier::FULL,
            StoreStore | Sfence | Eieio | DmbSt | DsbSt | CRelease | CAcqRel | Lwsync => {
                Barrier::STORES
            }
            Isync | Isb => Barrier::CONTEXT,
        })
    }

    fn load(_: Order) -> (Barrier, Barrier) {
        (Barrier::NOTHING, Barrier::NOTHING)
    }

    fn store(order: Order) -> (Barrier, Barrier) {
        let (before, after) = match order {
            Order::Plain | Order::Relaxed | Order::Asm => (Barrier::NOTHING, Barrier::NOTHING),
            Order::SeqCst => (Barrier::STORES, Barrier::FULL),
            _ => (Barrier::STORES, Barrier::NOTHING),
        };
        (heeded::<B>(before), heeded::<B>(after))
    }

    fn rmw(_: Order) -> (Barrier, Barrier) {
        (heeded::<B>(Barrier::FULL), heeded::<B>(Barrier::FULL))
    }

    fn allows<const W: usize>(graph: &mut Graph<W>) -> bool {
        total::allows(graph, B::ORDER)
    }
}
