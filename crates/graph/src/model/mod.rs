//! The models.
//!
//! A model is an implementation of [`Axioms`]: the barriers that fences and access orders ask for, when an
//! event may be committed (its *commit-before*), and which relations may not have cycles. SC, TSO and PSO
//! are one file ([`buffers`], with the axioms of [`total`]), POWER and ARM have one each (with those of
//! [`hardware`]). A new model is a file and a row of the table below.

mod arm;
mod barrier;
mod buffers;
mod hardware;
mod power;
mod total;

pub(crate) use barrier::Barrier;

use crate::graph::Graph;
use raddle_engine::Model;
use raddle_ir::{FenceKind, Order};

/// A model that is given by axioms. docs/models.md has the barriers as tables.
pub(crate) trait Axioms {
    /// Whether commit-before holds program order, so that the threads' events are committed one by one.
    /// Otherwise it holds dependencies, what fences order, and the loads that earlier addresses came from: no
    /// model can be weaker than that.
    const COMMITS_IN_PROGRAM_ORDER: bool = false;

    /// Whether commit-before holds program order between accesses to one location. The axioms must imply that
    /// order, as they must imply all of commit-before: an execution that contradicts it is not found.
    const KEEPS_LOCATIONS: bool;

    /// Whether a fence of stores is as strong as a full one between stores.
    const STORE_FENCE_IS_FULL: bool = false;

    fn fence(kind: FenceKind) -> Barrier;

    /// Before and after a load.
    fn load(order: Order) -> (Barrier, Barrier);

    /// Before and after a store.
    fn store(order: Order) -> (Barrier, Barrier);

    /// Before and after a read-modify-write.
    fn rmw(order: Order) -> (Barrier, Barrier);

    /// Whether the axioms still hold when the newest event of a graph has been added. Coherence for each
    /// location and the atomicity of read-modify-writes are kept by the graph itself. The order that starting
    /// and joining threads imposes is not: it is part of `Row::full`, which every model has to respect.
    fn allows<const W: usize>(graph: &mut Graph<W>) -> bool;
}

/// The axioms of a model, as values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub model: Model,
    pub commits_in_program_order: bool,
    pub keeps_locations: bool,
    pub store_fence_is_full: bool,
    pub fence: fn(FenceKind) -> Barrier,
    pub load: fn(Order) -> (Barrier, Barrier),
    pub store: fn(Order) -> (Barrier, Barrier),
    pub rmw: fn(Order) -> (Barrier, Barrier),
}

impl Rules {
    fn made_by<A: Axioms>(model: Model) -> Rules {
        Rules {
            model,
            commits_in_program_order: A::COMMITS_IN_PROGRAM_ORDER,
            keeps_locations: A::KEEPS_LOCATIONS,
            store_fence_is_full: A::STORE_FENCE_IS_FULL,
            fence: A::fence,
            load: A::load,
            store: A::store,
            rmw: A::rmw,
        }
    }
}

macro_rules! models {
    ($($model:ident: $axioms:ty;)*) => {
        impl Rules {
            pub(crate) fn of(model: Model) -> Rules {
                match model {
                    $(Model::$model => Rules::made_by::<$axioms>(model),)*
                }
            }

            /// [`Axioms::allows`] of the model.
            pub(crate) fn allows<const W: usize>(&self, graph: &mut Graph<W>) -> bool {
                match self.model {
                    $(Model::$model => <$axioms>::allows(graph),)*
                }
            }
        }
    };
}

models! {
    Sc: buffers::Sc;
    Tso: buffers::Tso;
    Pso: buffers::Pso;
    Power: power::Power;
    Arm: arm::Arm;
}
