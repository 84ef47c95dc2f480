//! The differences between the models.
//!
//! All models run the same machine. A model defines where a store goes, and the effect of a fence or an
//! access order on the stores before it. Everything else (happens-before, races, search) follows.

use raddle_engine::{Buffering, Model};
use raddle_ir::{FenceKind, Order};

/// The effect of an instruction on the stores before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Barrier {
    Nothing,
    /// Later stores may not overtake earlier ones.
    StoreStore,
    /// The thread waits until its buffer is empty.
    Drain,
}

/// A model as a machine with store buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    pub buffering: Buffering,
}

impl Rules {
    /// The rules of a model with buffers of at most this size; `None` for a model without store buffers. With
    /// buffers of size 0, every such model is SC.
    pub fn of(model: Model, buffer_bound: Option<u32>) -> Option<Rules> {
        let buffering = model.buffering()?;
        let buffering = if buffer_bound == Some(0) { Buffering::None } else { buffering };
        Some(Rules { buffering })
    }

    /// The barrier of a fence. Loads are ordered under all models of this engine.
    pub const fn fence(self, kind: FenceKind) -> Barrier {
        use FenceKind::*;
        let barrier = match kind {
            _ if raddle_engine::tso_drains(kind) => Barrier::Drain,
            StoreStore | CRelease | CAcqRel | Sfence | Lwsync | Eieio | DmbSt | DsbSt => {
                Barrier::StoreStore
            }
            _ => Barrier::Nothing,
        };
        self.effective(barrier)
    }

    /// The barriers before and after a store of this order, as compilers for x86 and SPARC map the C11
    /// orders.
    pub const fn store(self, order: Order) -> (Barrier, Barrier) {
        let (before, after) = match order {
            Order::Release | Order::AsmRelease => (Barrier::StoreStore, Barrier::Nothing),
            Order::SeqCst => (Barrier::StoreStore, Barrier::Drain),
            _ => (Barrier::Nothing, Barrier::Nothing),
        };
        (self.effective(before), self.effective(after))
    }

    /// The part of a barrier that the model does not provide anyway: one queue keeps stores in order.
    const fn effective(self, barrier: Barrier) -> Barrier {
        match (self.buffering, barrier) {
            (Buffering::None, _) | (Buffering::Fifo, Barrier::StoreStore) => Barrier::Nothing,
            _ => barrier,
        }
    }
}
