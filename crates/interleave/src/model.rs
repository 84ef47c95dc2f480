//! The models: what each of them says that the others do not.
//!
//! All three run the same machine. A model says where a store goes, and what a fence or an access
//! order does to the stores before it. Everything else (happens-before, races, search) follows.

use crate::api::Model;
use raddle_ir::{FenceKind, Order};

/// Where a store goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffering {
    /// Straight to memory.
    None,
    /// Into one queue per thread: paper 000, section 3.
    Fifo,
    /// Into one queue per thread and location: paper 000, appendix C.
    PerLocation,
}

/// What an instruction asks of the stores before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Barrier {
    Nothing,
    /// Later stores may not overtake earlier ones.
    StoreStore,
    /// The thread waits until its buffer is empty.
    Drain,
}

impl Model {
    pub const fn buffering(self) -> Buffering {
        match self {
            Model::Sc => Buffering::None,
            Model::Tso => Buffering::Fifo,
            Model::Pso => Buffering::PerLocation,
        }
    }

    /// What a fence does. Stores are ordered already under TSO, so only full fences count there;
    /// loads are ordered under all three.
    pub const fn fence(self, kind: FenceKind) -> Barrier {
        use FenceKind::*;
        let barrier = match kind {
            _ if raddle_engine::tso_drains(kind) => Barrier::Drain,
            StoreStore | CRelease | CAcqRel | Sfence | Lwsync | Eieio | DmbSt | DsbSt => {
                Barrier::StoreStore
            }
            _ => Barrier::Nothing,
        };
        self.heeded(barrier)
    }

    /// What a store's order asks for before it and after it, as compilers for x86 and SPARC map the
    /// C11 orders.
    pub const fn store(self, order: Order) -> (Barrier, Barrier) {
        let (before, after) = match order {
            Order::Release | Order::AsmRelease => (Barrier::StoreStore, Barrier::Nothing),
            Order::SeqCst => (Barrier::StoreStore, Barrier::Drain),
            _ => (Barrier::Nothing, Barrier::Nothing),
        };
        (self.heeded(before), self.heeded(after))
    }

    const fn heeded(self, barrier: Barrier) -> Barrier {
        match (self.buffering(), barrier) {
            (Buffering::None, _) | (Buffering::Fifo, Barrier::StoreStore) => Barrier::Nothing,
            _ => barrier,
        }
    }
}
