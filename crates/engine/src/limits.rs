//! Where to stop, and what to look for.

use raddle_budget::Budget;
use raddle_machine::{Bounds, Unroll};

/// Where to stop. Every limit that is met is reported in [`crate::Summary::bounds`] or
/// [`crate::Summary::stopped`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Executions (of any kind) explored before giving up.
    pub executions: Option<u64>,
    /// Time and memory, shared with everything else that works on the same program.
    pub budget: Budget,
    /// Visible events of one thread in one execution; the thread is stopped there.
    pub events: u32,
    /// Instructions that a thread may run between two visible events; a longer run is cut.
    pub local_steps: u64,
    /// How often loops may go back, each time they are entered; a thread that would do it once more
    /// is stopped there.
    pub unroll: Unroll,
    /// The most stores of one thread that the reachability engine keeps from memory at the same time.
    pub delayed_stores: usize,
    /// Whether a thread is stopped when its loop has gone round for nothing. Nothing is lost by that,
    /// and loops that wait for another thread need no bound.
    pub spin: bool,
}

impl Limits {
    /// What the machine has to know of them.
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
        }
    }
}

/// What is looked for beside what executions show by themselves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Checks {
    /// Data races, as C11 has them.
    pub races: bool,
    /// The program's goals instead of its failures, if it has goals: for searches of states.
    pub goals: bool,
}
