//! The order of an execution's accesses, and the cycles in it.
//!
//! Shasha and Snir, *Efficient and correct execution of parallel programs that share memory*
//! (TOPLAS 1988): an execution is sequentially consistent iff program order and conflict order have
//! no cycle together.
//!
//! | module | subject |
//! |---|---|
//! | [`graph`] | typed edges; components, shortest cycles, orders that follow all edges |
//! | [`components`] | strongly connected components |
//! | [`conflicts`] | the edges of an execution with store buffers, access by access |
//! | [`story`] | the same for a replayed story, with the pairs that were reordered |
//!
//! `robust --by cycles`, the witnesses of robustness and the reasons for failures of both engines use
//! this module. The oracle has its own (`oracle::relation`) and shares nothing with it.

mod components;
pub(crate) mod conflicts;
pub(crate) mod graph;
pub(crate) mod story;

/// The number of an event; in a replayed execution, its position.
pub type Node = usize;

/// Why one event comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    Program,
    ReadsFrom,
    Coherence,
    FromRead,
    /// Threads that start, end, wait or wake each other.
    Sync,
}

impl Edge {
    /// The usual abbreviation in the literature.
    pub const fn name(self) -> &'static str {
        match self {
            Edge::Program => "po",
            Edge::ReadsFrom => "rf",
            Edge::Coherence => "co",
            Edge::FromRead => "fr",
            Edge::Sync => "sync",
        }
    }

    /// Whether the later event depends on the earlier one. The events that an event depends on, its
    /// *past*, form an execution of the program by themselves.
    pub const fn informs(self) -> bool {
        matches!(self, Edge::Program | Edge::ReadsFrom | Edge::Sync)
    }
}

/// An event of a cycle, and why it comes before the next one; the last leads back to the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    pub event: Node,
    pub edge: Edge,
}
