//! How a search differs from plain SC.

use raddle_machine::code::Pc;
use rustc_hash::FxHashSet;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// Stores with which a thread begins to keep its stores to itself.
    pub delayable: Arc<FxHashSet<Pc>>,
    /// The most stores that a thread may keep to itself.
    pub cap: usize,
    /// Whether attacks are looked for.
    pub attacks: bool,
    /// Whether the program's goals are looked for.
    pub goals: bool,
    /// Whether windows of attacks are as in the papers: the others do anything in them. To compare
    /// with.
    pub whole_windows: bool,
}
