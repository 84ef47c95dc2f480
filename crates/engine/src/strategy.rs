//! The strategies and their engines: the only table of supported combinations.

use crate::model::{Buffering, Model};
use crate::options::Options;
use raddle_machine::{FailureKind, Fault};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The engines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// Explores interleavings of events and updates, one for each trace.
    Interleave,
    /// Explores states instead of executions. Its schedules are those of the interleaving engine.
    Reach,
    /// Explores execution graphs that satisfy axioms.
    Graph,
}

impl Engine {
    pub const ALL: [Engine; 3] = [Engine::Interleave, Engine::Reach, Engine::Graph];

    pub const fn name(self) -> &'static str {
        match self {
            Engine::Interleave => "interleave",
            Engine::Reach => "reach",
            Engine::Graph => "graph",
        }
    }

    pub const fn has(self, model: Model) -> bool {
        match self {
            Engine::Interleave => model.buffering().is_some(),
            Engine::Reach => matches!(model.buffering(), Some(Buffering::None | Buffering::Fifo)),
            Engine::Graph => true,
        }
    }

    /// The fault of a search under a model that the engine does not have.
    pub fn lacks(self, model: Model) -> Option<Fault> {
        let message =
            || format!("the model '{model}' is not supported by the engine '{}'", self.name());
        (!self.has(model)).then(|| Fault::new(FailureKind::Unsupported, message()))
    }

    /// Whether the engine finds data races.
    pub const fn finds_races(self) -> bool {
        matches!(self, Engine::Interleave)
    }

    /// Whether the engine can bound store buffers.
    pub const fn bounds_buffers(self) -> bool {
        matches!(self, Engine::Interleave)
    }

    /// Whether the engine counts executions, so that their number and length can be bounded.
    pub const fn counts_executions(self) -> bool {
        !matches!(self, Engine::Reach)
    }

    /// A strategy of the engine, for replays.
    pub const fn strategy(self) -> Strategy {
        match self {
            Engine::Interleave => Strategy::Optimal,
            Engine::Reach => Strategy::Lazy,
            Engine::Graph => Strategy::Graph,
        }
    }

    /// The models of the engine.
    pub fn models(self) -> impl Iterator<Item = Model> {
        Model::ALL.into_iter().filter(move |model| self.has(*model))
    }
}

/// What a strategy finds, and so what its counts are of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Coverage {
    /// Every trace, and each counts once.
    Traces,
    /// Every execution: a trace counts as often as it has interleavings.
    Interleavings,
    /// Every state.
    States,
    /// Some executions. What a sample does not find may exist: its answer is never "safe".
    Sample,
}

macro_rules! strategies {
    ($($strategy:ident: $name:literal, $engine:ident, $coverage:ident, $about:literal;)*) => {
        /// How executions are searched.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        pub enum Strategy {
            $(#[doc = $about] $strategy,)*
        }

        impl Strategy {
            pub const ALL: [Strategy; [$(Strategy::$strategy,)*].len()] = [$(Strategy::$strategy,)*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Strategy::$strategy => $name,)*
                }
            }

            /// The engine of the strategy.
            pub const fn engine(self) -> Engine {
                match self {
                    $(Strategy::$strategy => Engine::$engine,)*
                }
            }

            /// What the strategy finds.
            pub const fn coverage(self) -> Coverage {
                match self {
                    $(Strategy::$strategy => Coverage::$coverage,)*
                }
            }

            /// A description for users.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Strategy::$strategy => $about,)*
                }
            }
        }
    };
}

strategies! {
    Optimal: "optimal", Interleave, Traces, "Exactly one execution per trace (Optimal-DPOR).";
    Source: "source", Interleave, Traces, "One execution per trace, some more begun and given up (Source-DPOR).";
    Persistent: "persistent", Interleave, Traces, "The same by persistent sets, with more begun and given up (for comparison).";
    Exhaustive: "exhaustive", Interleave, Interleavings, "Every interleaving, for comparison.";
    Random: "random", Interleave, Sample, "Random schedules; see --seed and --runs.";
    Lazy: "lazy", Reach, States, "Visit states instead of executions, for loops that need not end; under tso, with store buffers only where they matter. Only for check, sc and tso.";
    Graph: "graph", Graph, Traces, "One execution per trace, by axioms (the graph engine): for all models.";
}

impl Strategy {
    /// The default strategy of a model.
    pub const fn default_of(model: Model) -> Strategy {
        if Engine::Interleave.has(model) { Strategy::Optimal } else { Strategy::Graph }
    }

    /// The names of the strategies with a property, for messages.
    pub fn names(property: impl Fn(Strategy) -> bool) -> Vec<&'static str> {
        Strategy::ALL.into_iter().filter(|it| property(*it)).map(Strategy::name).collect()
    }
}

/// Options that do not go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    Model(Strategy, Model),
    Races(Strategy),
    BufferBound(Strategy, Model),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Refusal::Model(strategy, model) if strategy.engine() == Engine::Interleave => write!(
                f,
                "the model '{model}' has no interleavings; it needs --strategy {}, its default",
                Strategy::default_of(model).name()
            ),
            Refusal::Model(strategy, _) => {
                let models = Model::names(strategy.engine().models());
                write!(
                    f,
                    "--strategy {} is for {}",
                    strategy.name(),
                    models.replace(" or ", " and ")
                )
            }
            Refusal::Races(strategy) => {
                write!(f, "--strategy {} does not go with --check races", strategy.name())
            }
            Refusal::BufferBound(strategy, model) => write!(
                f,
                "--strategy {} has no store buffers to bound under {model}",
                strategy.name()
            ),
        }
    }
}

impl Options {
    /// Whether the engine of the strategy supports the options.
    pub fn validate(&self) -> Result<(), Refusal> {
        let engine = self.strategy.engine();
        if !engine.has(self.model) {
            return Err(Refusal::Model(self.strategy, self.model));
        }
        if self.checks.races && !engine.finds_races() {
            return Err(Refusal::Races(self.strategy));
        }
        if self.buffer_bound.is_some() && !self.has_buffers() {
            return Err(Refusal::BufferBound(self.strategy, self.model));
        }
        Ok(())
    }

    /// Whether the search has store buffers that can be bounded.
    pub const fn has_buffers(&self) -> bool {
        self.model.is_buffered() && self.strategy.engine().bounds_buffers()
    }
}
