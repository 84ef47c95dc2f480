//! The barriers that an instruction stands for on each machine.
//!
//! | instruction | `power` | `arm` |
//! |---|---|---|
//! | load, relaxed or weaker | – | – |
//! | load, acquire | then a branch on it and `isync` | then `dmb` |
//! | load, seq_cst | `sync` before; then a branch on it and `isync` | then `dmb` |
//! | store, release | `lwsync` before | `dmb` before |
//! | store, seq_cst | `sync` before | `dmb` before and after |
//! | read-modify-write | as the load after it, as the store before it | `dmb` on the same sides |
//!
//! Accesses of the machine itself (`asm`) imply no barrier. A fence of another machine is taken for the
//! weakest barrier that provides the same order.

use super::Hardware;
use raddle_ir::{FenceKind, Order};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Barrier {
    /// `sync`, `dmb`, `dsb`
    Full,
    /// `lwsync`: orders everything except stores with later loads.
    Light,
    /// `eieio`, `dmb.st`, `dsb.st`: orders stores with stores.
    Stores,
    /// `isync`, `isb`: orders the loads on which earlier branches depend with everything after it.
    Instructions,
}

/// The barrier after an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    Nothing,
    Barrier(Barrier),
    /// A branch on the loaded value, then [`Barrier::Instructions`].
    BranchAndInstructions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Load,
    Store,
    ReadModifyWrite,
}

fn acquires(order: Order) -> bool {
    use Order::*;
    matches!(order, Acquire | AcqRel | SeqCst | AsmAcquire | AsmAcquirePc)
}

fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst | Order::AsmRelease)
}

impl Hardware {
    pub(super) fn fence(self, kind: FenceKind) -> Option<Barrier> {
        use FenceKind::*;
        let light = if self == Hardware::Power { Barrier::Light } else { Barrier::Full };
        match kind {
            Full | Mfence | Sync | Dmb | Dsb | CSeqCst => Some(Barrier::Full),
            Lwsync | CAcquire | CRelease | CAcqRel | Lfence | DmbLd | DsbLd => Some(light),
            Eieio | StoreStore | Sfence | DmbSt | DsbSt => Some(Barrier::Stores),
            Isync | Isb => Some(Barrier::Instructions),
            Compiler => None,
        }
    }

    pub(super) fn before(self, access: Access, order: Order) -> Option<Barrier> {
        match (self, access) {
            (Hardware::Power, _) if order == Order::SeqCst => Some(Barrier::Full),
            (_, Access::Load) => None,
            (Hardware::Power, _) => releases(order).then_some(Barrier::Light),
            (Hardware::Arm, _) => releases(order).then_some(Barrier::Full),
        }
    }

    pub(super) fn after(self, access: Access, order: Order) -> After {
        let wanted = match access {
            Access::Load | Access::ReadModifyWrite => acquires(order),
            Access::Store => self == Hardware::Arm && order == Order::SeqCst,
        };
        match self {
            _ if !wanted => After::Nothing,
            Hardware::Power => After::BranchAndInstructions,
            Hardware::Arm => After::Barrier(Barrier::Full),
        }
    }
}
