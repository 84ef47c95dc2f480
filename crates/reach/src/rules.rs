//! How a search differs from plain SC.

use raddle_machine::code::Pc;
use rustc_hash::FxHashSet;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// The stores that start a delay: this store and the later ones of the thread go to its list.
    pub delayable: Arc<FxHashSet<Pc>>,
    /// The maximal number of delayed stores of a thread.
    pub cap: usize,
    /// Whether the search looks for attacks.
    pub attacks: bool,
    /// Whether the search looks for the program's goals.
    pub goals: bool,
    /// Whether the other threads may do anything in the window of an attack, as in the papers. Only for
    /// comparison in tests.
    pub whole_windows: bool,
}
