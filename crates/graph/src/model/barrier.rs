//! What fences and access orders become: docs/models.md has the same as tables.

use super::Rules;
use raddle_engine::Model;
use raddle_ir::{FenceKind, Order};

/// What is asked for at a point of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Barrier(u8);

impl Barrier {
    pub const NOTHING: Barrier = Barrier(0);
    /// Orders everything.
    pub const FULL: Barrier = Barrier(1);
    /// Orders everything but stores with later loads: `lwsync`.
    pub const LIGHT: Barrier = Barrier(2);
    /// Orders stores with stores: `eieio`, `dmb.st`.
    pub const STORES: Barrier = Barrier(4);
    /// Makes control dependencies count for loads: `isync`, `isb`.
    pub const CONTEXT: Barrier = Barrier(8);
    /// A branch on what was just loaded, then [`Barrier::CONTEXT`].
    pub const ACQUIRE: Barrier = Barrier(16);

    pub const fn has(self, part: Barrier) -> bool {
        self.0 & part.0 != 0
    }
}

/// The three ways to translate a C11 order.
enum Family {
    /// SC, TSO and PSO: as x86 and SPARC have it, loads are always ordered.
    Buffers,
    Power,
    Arm,
}

impl Rules {
    fn family(self) -> Family {
        match self.model {
            Model::Sc | Model::Tso | Model::Pso => Family::Buffers,
            Model::Power => Family::Power,
            Model::Arm => Family::Arm,
        }
    }

    pub fn fence(self, kind: FenceKind) -> Barrier {
        use FenceKind::*;
        match (kind, self.family()) {
            (Compiler, _) => Barrier::NOTHING,
            (Full | CSeqCst | Mfence | Sync | Dmb | Dsb, _) => self.heeded(Barrier::FULL),
            (StoreStore | Sfence | Eieio | DmbSt | DsbSt, _) => self.heeded(Barrier::STORES),
            (Isync | Isb, _) => self.heeded(Barrier::CONTEXT),
            (CRelease | CAcqRel | Lwsync, Family::Buffers) => self.heeded(Barrier::STORES),
            (CAcquire | Lfence | DmbLd | DsbLd, Family::Buffers) => Barrier::NOTHING,
            (_, Family::Power) => Barrier::LIGHT,
            (_, Family::Arm) => Barrier::FULL,
        }
    }

    /// Before and after a load.
    pub fn load(self, order: Order) -> (Barrier, Barrier) {
        use Order::*;
        match (order, self.family()) {
            (_, Family::Buffers) | (Plain | Relaxed | Asm, _) => {
                (Barrier::NOTHING, Barrier::NOTHING)
            }
            (SeqCst, Family::Power) => (Barrier::FULL, Barrier::ACQUIRE),
            (_, Family::Power) => (Barrier::NOTHING, Barrier::ACQUIRE),
            (_, Family::Arm) => (Barrier::NOTHING, Barrier::FULL),
        }
    }

    /// Before and after a store.
    pub fn store(self, order: Order) -> (Barrier, Barrier) {
        use Order::*;
        let (before, after) = match (order, self.family()) {
            (Plain | Relaxed | Asm, _) => (Barrier::NOTHING, Barrier::NOTHING),
            (SeqCst, Family::Buffers) => (Barrier::STORES, Barrier::FULL),
            (_, Family::Buffers) => (Barrier::STORES, Barrier::NOTHING),
            (SeqCst, Family::Power) => (Barrier::FULL, Barrier::NOTHING),
            (_, Family::Power) => (Barrier::LIGHT, Barrier::NOTHING),
            (SeqCst, Family::Arm) => (Barrier::FULL, Barrier::FULL),
            (_, Family::Arm) => (Barrier::FULL, Barrier::NOTHING),
        };
        (self.heeded(before), self.heeded(after))
    }

    /// Before and after a read-modify-write.
    pub fn rmw(self, order: Order) -> (Barrier, Barrier) {
        use Order::*;
        match (order, self.family()) {
            // It reads and writes memory in one step, past the buffer.
            (_, Family::Buffers) => (self.heeded(Barrier::FULL), self.heeded(Barrier::FULL)),
            (Plain | Relaxed | Asm, _) => (Barrier::NOTHING, Barrier::NOTHING),
            (Acquire | AsmAcquire | AsmAcquirePc, Family::Power) => {
                (Barrier::NOTHING, Barrier::ACQUIRE)
            }
            (Acquire | AsmAcquire | AsmAcquirePc, Family::Arm) => (Barrier::NOTHING, Barrier::FULL),
            (Release | AsmRelease, Family::Power) => (Barrier::LIGHT, Barrier::NOTHING),
            (Release | AsmRelease, Family::Arm) => (Barrier::FULL, Barrier::NOTHING),
            (AcqRel, Family::Power) => (Barrier::LIGHT, Barrier::ACQUIRE),
            (SeqCst, Family::Power) => (Barrier::FULL, Barrier::ACQUIRE),
            (AcqRel | SeqCst, Family::Arm) => (Barrier::FULL, Barrier::FULL),
        }
    }

    /// What a model does not have it need not be asked for.
    fn heeded(self, barrier: Barrier) -> Barrier {
        let ignored = match self.model {
            Model::Sc => true,
            Model::Tso => barrier != Barrier::FULL,
            Model::Pso => barrier == Barrier::CONTEXT,
            Model::Power | Model::Arm => false,
        };
        if ignored { Barrier::NOTHING } else { barrier }
    }
}
