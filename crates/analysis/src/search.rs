//! One question to one engine: what every analysis and every report needs to know of it.

use crate::reach;
use raddle_engine::{Checks, Limits, Replayed, Step, Summary};
use raddle_interleave::{Model, Options};
use raddle_ir::Program;
use std::time::Duration;

/// An engine with everything that it is to be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Search {
    Interleave(Options),
    /// The reachability engine, lazily under TSO; of the options, the model and the limits count.
    Lazy(Options),
}

impl From<Options> for Search {
    fn from(options: Options) -> Search {
        Search::Interleave(options)
    }
}

impl Search {
    pub const fn model_name(&self) -> &'static str {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => options.model.name(),
        }
    }

    pub const fn strategy_name(&self) -> &'static str {
        match self {
            Search::Interleave(options) => options.strategy.name(),
            Search::Lazy(_) => "lazy",
        }
    }

    pub const fn limits(&self) -> &Limits {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => &options.limits,
        }
    }

    /// The same, past failures.
    #[must_use]
    pub fn keep_going(mut self) -> Search {
        match &mut self {
            Search::Interleave(options) | Search::Lazy(options) => options.keep_going = true,
        }
        self
    }

    /// The same with another limit on time.
    #[must_use]
    pub fn with_time(mut self, time: Duration) -> Search {
        match &mut self {
            Search::Interleave(options) | Search::Lazy(options) => options.limits.time = Some(time),
        }
        self
    }

    /// Whether the model has store buffers, which can be bounded.
    pub fn is_buffered(&self) -> bool {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => options.model != Model::Sc,
        }
    }

    /// How many stores a buffer holds, if that is bounded.
    pub const fn buffer_bound(&self) -> Option<u32> {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => options.buffer_bound,
        }
    }

    /// The same with a bound on the buffers, if it has any.
    #[must_use]
    pub fn with_buffer_bound(mut self, most: u32) -> Search {
        let buffered = self.is_buffered();
        match &mut self {
            Search::Interleave(options) | Search::Lazy(options) => {
                options.buffer_bound = buffered.then_some(most)
            }
        }
        self
    }

    pub fn explore(&self, program: &Program) -> Summary {
        match self {
            Search::Interleave(options) => raddle_interleave::explore(program, options),
            Search::Lazy(options) => reach::explore(program, options),
        }
    }

    /// Runs a schedule again, outside of the search.
    pub fn replay(&self, program: &Program, schedule: &[Step]) -> Replayed {
        match self {
            Search::Interleave(options) => {
                let model = options.bounded_model();
                raddle_interleave::replay(program, model, options.checks, schedule)
            }
            Search::Lazy(options) => {
                raddle_interleave::replay_reach(program, options.model, false, schedule).0
            }
        }
    }

    /// What is looked for beside what executions show by themselves.
    pub const fn checks(&self) -> Checks {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => options.checks,
        }
    }
}
