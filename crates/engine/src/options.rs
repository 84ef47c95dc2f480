//! The options of a search: the same for every engine.

use crate::ignored::Ignored;
use crate::limits::{Checks, Limits};
use crate::model::Model;
use crate::strategy::Strategy;
use raddle_budget::Budget;
use raddle_machine::FailureKind;
use serde::{Deserialize, Serialize};

/// The seeded random schedules of a strategy that finds a sample: [`Coverage::Sample`](crate::Coverage::Sample).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Sampling {
    pub seed: u64,
    pub runs: u64,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { seed: 0, runs: 1000 }
    }
}

/// The options of a search. [`Options::validate`] refuses options that the engine of the strategy does not
/// support.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    pub model: Model,
    pub strategy: Strategy,
    pub limits: Limits,
    pub checks: Checks,
    /// Errors that are not reported, and do not end the search. Searches of states do not heed it.
    pub ignored: Ignored,
    /// The most stores in a buffer: under TSO in the buffer of a thread, under PSO in that of a thread and
    /// byte. `None` for no bound.
    pub buffer_bound: Option<u32>,
    /// Continue after the first failure, and report every distinct failure.
    pub keep_going: bool,
    /// Count distinct traces even if the strategy may visit one more than once; costs memory.
    pub count_traces: bool,
    pub sampling: Sampling,
}

impl Options {
    /// The model with its default strategy.
    pub fn new(model: Model) -> Options {
        Options {
            model,
            strategy: Strategy::default_of(model),
            limits: Limits::default(),
            checks: Checks::default(),
            ignored: Ignored::default(),
            buffer_bound: None,
            keep_going: false,
            count_traces: false,
            sampling: Sampling::default(),
        }
    }

    /// Whether the search looks for failures of a kind, and reports them or finds that they are known.
    pub fn seeks(&self, kind: FailureKind) -> bool {
        !self.ignored.kinds.contains(&kind) && (kind != FailureKind::Race || self.checks.races)
    }

    /// The same options with another strategy.
    #[must_use]
    pub fn by(self, strategy: Strategy) -> Options {
        Options { strategy, ..self }
    }

    /// The same options with another budget.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Options {
        self.limits.budget = budget;
        self
    }
}
