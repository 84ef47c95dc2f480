//! The limits of a search, and what it checks.

use crate::keeper::Keeper;
use crate::progress::Progress;
use raddle_budget::Budget;
use raddle_machine::{Bounds, Unroll};
use serde::{Deserialize, Serialize};

/// The limits of a search. Every limit that is reached is reported in [`crate::Summary::bounds`] or
/// [`crate::Summary::stopped`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// The most executions, of any kind.
    pub executions: Option<u64>,
    /// Time and memory, shared by all work on the same program.
    #[serde(skip)]
    pub budget: Budget,
    /// The most events of one thread in one execution; the thread is stopped after them.
    pub events: u32,
    /// The most instructions that a thread may run between two visible operations; a longer run is cut.
    pub local_steps: u64,
    /// How often loops may go back, each time they are entered; a thread that would go back once more is
    /// stopped.
    pub unroll: Unroll,
    /// The most stores of one thread that the reachability engine delays at the same time.
    pub delayed_stores: usize,
    /// Whether a thread is stopped after a round of a loop without effect. This loses no behaviour, and loops
    /// that wait for another thread need no bound.
    pub spin: bool,
    /// The number of threads to search with. No result depends on it.
    #[serde(skip)]
    pub workers: usize,
    /// Where searches report how far they are. It limits nothing, but goes wherever the budget goes.
    #[serde(skip)]
    pub progress: Progress,
    /// What keeps the rest of the search. For one search, by a command that asks for it.
    #[serde(skip)]
    pub keeper: Keeper,
}

impl Limits {
    /// The part that the machine needs.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            steps: self.local_steps,
            unroll: self.unroll.clone(),
            spin: self.spin,
            budget: self.budget.clone(),
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            executions: None,
            budget: Budget::UNLIMITED,
            events: 100_000,
            local_steps: 10_000_000,
            unroll: Unroll::NONE,
            delayed_stores: 4096,
            spin: true,
            workers: 1,
            progress: Progress::NONE,
            keeper: Keeper::NONE,
        }
    }
}

/// Optional checks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Checks {
    /// Data races, as C11 defines them.
    pub races: bool,
    /// The goals of the program instead of its failures, if it has goals. Only for searches of states.
    pub goals: bool,
}
