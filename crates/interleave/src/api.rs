//! What the engine is asked. What it answers is common to all engines: `raddle_engine`.

use raddle_engine::{Checks, Limits};
use std::fmt;
use std::str::FromStr;

/// The memory models of this engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Model {
    Sc,
    Tso,
    Pso,
}

impl Model {
    pub const ALL: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

    pub const fn name(self) -> &'static str {
        self.among_all().name()
    }

    /// Which of all models it is.
    pub const fn among_all(self) -> raddle_engine::Model {
        match self {
            Model::Sc => raddle_engine::Model::Sc,
            Model::Tso => raddle_engine::Model::Tso,
            Model::Pso => raddle_engine::Model::Pso,
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(s: &str) -> Result<Model, String> {
        let found = Model::ALL.into_iter().find(|m| m.name() == s);
        found.ok_or_else(|| format!("unknown model '{s}'; expected sc, tso or pso"))
    }
}

/// A model, and how many stores its buffers hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BoundedModel {
    pub model: Model,
    /// As in [`Options::buffer_bound`].
    pub buffer_bound: Option<u32>,
}

impl From<Model> for BoundedModel {
    fn from(model: Model) -> BoundedModel {
        BoundedModel { model, buffer_bound: None }
    }
}

/// How the executions are searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// Optimal-DPOR: exactly one execution per trace, none abandoned.
    #[default]
    Optimal,
    /// Source-DPOR: one execution per trace, some more started and abandoned.
    Source,
    /// Persistent sets and sleep sets (paper 002): as Source-DPOR, more of it abandoned.
    Persistent,
    /// Every interleaving, no reduction: the oracle.
    Exhaustive,
    /// Seeded random schedules.
    Random { seed: u64, runs: u64 },
}

impl Strategy {
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::Optimal => "optimal",
            Strategy::Source => "source",
            Strategy::Persistent => "persistent",
            Strategy::Exhaustive => "exhaustive",
            Strategy::Random { .. } => "random",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub model: Model,
    /// How many stores a buffer holds: under TSO one of a thread, under PSO one of a thread and byte.
    /// Without a bound, any number; SC has no buffers to bound.
    pub buffer_bound: Option<u32>,
    pub strategy: Strategy,
    pub limits: Limits,
    pub checks: Checks,
    /// Go on after the first failure and report every distinct one.
    pub keep_going: bool,
    /// Count distinct traces even if the strategy may visit one more than once; costs memory.
    pub count_traces: bool,
}

impl Options {
    pub fn new(model: Model) -> Options {
        Options {
            model,
            buffer_bound: None,
            strategy: Strategy::Optimal,
            limits: Limits::default(),
            checks: Checks::default(),
            keep_going: false,
            count_traces: false,
        }
    }

    /// The model with its bound.
    pub const fn bounded_model(&self) -> BoundedModel {
        BoundedModel { model: self.model, buffer_bound: self.buffer_bound }
    }
}
