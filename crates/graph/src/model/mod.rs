//! The models: what each of them says that the others do not.
//!
//! A model says what fences and access orders ask for ([`barrier`]), when an event may be committed
//! (its *commit-before*, [`Rules::commits_in_program_order`] and [`Rules::keeps_locations`]), and which
//! relations may not have cycles ([`hardware`] for POWER and ARM, [`total`] for SC, TSO and PSO).

mod barrier;
mod hardware;
mod total;

pub(crate) use barrier::Barrier;

use crate::graph::Graph;
use raddle_engine::Model;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    pub model: Model,
}

impl Rules {
    /// Whether commit-before holds program order, so that the threads' events are committed one by
    /// one. Otherwise it holds dependencies, what fences order, and the loads that earlier addresses
    /// came from.
    pub fn commits_in_program_order(self) -> bool {
        matches!(self.model, Model::Sc | Model::Tso | Model::Pso)
    }

    /// Whether commit-before holds program order between accesses to one location. ARM's cannot:
    /// there a later access may be satisfied early (a load that reads its own thread's store can feed
    /// a store that an earlier load depends on), so that the order would have cycles. Without it, ARM's
    /// has none in an allowed execution: a chain of dependencies and reads from a load to a store of
    /// its thread is preserved program order, as control and address dependencies reach everything
    /// later and data dependencies through a store that is read back are instruction-to-instruction.
    pub fn keeps_locations(self) -> bool {
        self.model != Model::Arm
    }

    /// Whether a fence of stores is as strong as a full one between stores.
    pub fn store_fence_is_full(self) -> bool {
        self.model == Model::Arm
    }

    /// Whether the axioms still hold when the newest event of a graph has been added.
    pub fn allows<const W: usize>(self, graph: &mut Graph<W>) -> bool {
        match self.model {
            Model::Sc | Model::Tso | Model::Pso => total::allows(graph, self.model),
            Model::Power | Model::Arm => hardware::allows(graph, self.model),
        }
    }
}
