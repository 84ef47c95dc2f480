//! SC, TSO and PSO as axioms ([`total`]), with the barriers of x86 and SPARC for C11 orders: loads are always
//! ordered, and a read-modify-write reads and writes memory in one step, past the buffer.

use super::{Axioms, Barrier, total};
use crate::graph::Graph;
use raddle_engine::Buffering;
use raddle_ir::FenceKind::*;
use raddle_ir::{FenceKind, Order};

pub(super) struct Sc;
pub(super) struct Tso;
pub(super) struct Pso;

/// The barriers that order more than the model's program order does.
trait Buffers {
    const BUFFERING: Buffering;
    fn heeds(barrier: Barrier) -> bool;
}

impl Buffers for Sc {
    const BUFFERING: Buffering = Buffering::None;

    fn heeds(_: Barrier) -> bool {
        false
    }
}

impl Buffers for Tso {
    const BUFFERING: Buffering = Buffering::Fifo;

    fn heeds(barrier: Barrier) -> bool {
        barrier == Barrier::FULL
    }
}

impl Buffers for Pso {
    const BUFFERING: Buffering = Buffering::PerLocation;

    fn heeds(barrier: Barrier) -> bool {
        barrier != Barrier::CONTEXT
    }
}

fn if_ordering<B: Buffers>(barrier: Barrier) -> Barrier {
    if B::heeds(barrier) { barrier } else { Barrier::NOTHING }
}

impl<B: Buffers> Axioms for B {
    const COMMITS_IN_PROGRAM_ORDER: bool = true;
    const KEEPS_LOCATIONS: bool = true;

    fn fence(kind: FenceKind) -> Barrier {
        if_ordering::<B>(match kind {
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
        (if_ordering::<B>(before), if_ordering::<B>(after))
    }

    fn rmw(_: Order) -> (Barrier, Barrier) {
        (if_ordering::<B>(Barrier::FULL), if_ordering::<B>(Barrier::FULL))
    }

    fn allows<const W: usize>(graph: &mut Graph<W>) -> bool {
        total::allows(graph, B::BUFFERING)
    }
}
