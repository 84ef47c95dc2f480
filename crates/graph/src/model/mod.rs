//! The models.
//!
//! A model is an implementation of [`Axioms`]: the barriers that fences and access orders ask for, when an
//! event may be committed (its *commit-before*), and which relations may not have cycles. SC, TSO and PSO
//! are one file ([`buffers`], with the axioms of [`total`]), POWER and ARM have one each (with those of
//! [`hardware`]). A new model is a row of the table below, and a file if its axioms are new.

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
///
/// Events are committed in an order that extends commit-before, and a load reads from a store that was committed
/// earlier. So in every execution that the axioms allow, commit-before ∪ rf must be acyclic, with rf within a
/// thread: an execution in which it has a cycle is not found. The axioms need not imply commit-before itself (TSO
/// commits a store before later loads, and does not order them), but a model that allows such a cycle cannot be
/// given here.
pub(crate) trait Axioms {
    /// Whether commit-before holds program order, so that the threads' events are committed one by one.
    /// Otherwise it holds dependencies, what fences order, and the loads that earlier addresses came from: no
    /// model can do with less. If it holds program order, [`Axioms::allows`] has to spare `Graph::queue`
    /// and `Graph::woken`.
    const COMMITS_IN_PROGRAM_ORDER: bool = false;

    /// Whether commit-before holds program order between accesses to one location.
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

    /// Whether the axioms still hold when the newest event of a graph has been added. What is refused stays
    /// refused, whatever events follow: axioms that say that a relation has no cycle are like that.
    ///
    /// Coherence for each location and the atomicity of read-modify-writes are kept by the graph itself. What
    /// barriers order is not: `Row::full` (full fences, starting and joining threads) and `Row::light` (other
    /// barriers) have to be part of a relation that is kept acyclic.
    ///
    /// With [`Axioms::COMMITS_IN_PROGRAM_ORDER`], the order of events on condition variables is kept in
    /// `Which::HappensBefore`, without `rf`, `co` and `fr` between two events of `Graph::queue` (otherwise executions
    /// that differ in irrelevant orders are counted several times) and without `fr` from events of
    /// `Graph::woken` (otherwise executions are lost): see [`queue`](crate::queue). Other models find both empty.
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
