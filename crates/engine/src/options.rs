//! What a search is asked: the same for every engine.

use crate::limits::{Checks, Limits};
use crate::model::Model;
use crate::strategy::Strategy;
use raddle_budget::Budget;

/// Seeded random schedules: [`Strategy::Random`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sampling {
    pub seed: u64,
    pub runs: u64,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { seed: 0, runs: 1000 }
    }
}

/// What a search is asked. Options that the strategy's engine cannot heed are refused by
/// [`Options::validate`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub model: Model,
    pub strategy: Strategy,
    pub limits: Limits,
    pub checks: Checks,
    /// How many stores a buffer holds: under TSO one of a thread, under PSO one of a thread and byte.
    /// Without a bound, any number.
    pub buffer_bound: Option<u32>,
    /// Go on after the first failure and report every distinct one.
    pub keep_going: bool,
    /// Count distinct traces even if the strategy may visit one more than once; costs memory.
    pub count_traces: bool,
    pub sampling: Sampling,
    /// Threads to search with, where the engine can use several.
    pub workers: usize,
}

impl Options {
    /// The model with its default strategy.
    pub fn new(model: Model) -> Options {
        Options {
            model,
            strategy: Strategy::default_of(model),
            limits: Limits::default(),
            checks: Checks::default(),
            buffer_bound: None,
            keep_going: false,
            count_traces: false,
            sampling: Sampling::default(),
            workers: 1,
        }
    }

    /// The same by another strategy.
    #[must_use]
    pub fn by(self, strategy: Strategy) -> Options {
        Options { strategy, ..self }
    }

    /// The same with another budget.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Options {
        self.limits.budget = budget;
        self
    }
}
