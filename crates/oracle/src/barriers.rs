//! The barrier that each instruction implies, the same for `tso` and `pso`; `sc` needs no barriers.
//!
//! | instruction | barrier |
//! |---|---|
//! | full, mfence, sync, dmb, dsb, seq_cst fence | full |
//! | store_store, sfence, dmb.st, dsb.st, eieio, lwsync, release and acq_rel fences | store-store |
//! | compiler, acquire fence, lfence, isync, isb, dmb.ld, dsb.ld | none |
//! | seq_cst store | full, after the store |
//! | release or seq_cst store | store-store, before the store |
//! | read-modify-write, compare-and-swap (failed too) | full, on both sides |
//!
//! A store-store barrier has no effect under `tso`, where stores are in order anyway.

use raddle_ir::{FenceKind, Order};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Barrier {
    StoreStore,
    Full,
}

pub(crate) fn of_fence(kind: FenceKind) -> Option<Barrier> {
    use FenceKind::*;
    match kind {
        Full | Mfence | Sync | Dmb | Dsb | CSeqCst => Some(Barrier::Full),
        StoreStore | Sfence | DmbSt | DsbSt | Eieio | Lwsync | CRelease | CAcqRel => {
            Some(Barrier::StoreStore)
        }
        Compiler | CAcquire | Lfence | Isync | Isb | DmbLd | DsbLd => None,
    }
}

pub(crate) fn before_store(order: Order) -> Option<Barrier> {
    match order {
        Order::Release | Order::AcqRel | Order::SeqCst | Order::AsmRelease => {
            Some(Barrier::StoreStore)
        }
        _ => None,
    }
}

pub(crate) fn after_store(order: Order) -> Option<Barrier> {
    (order == Order::SeqCst).then_some(Barrier::Full)
}
