//! One question to one engine: what every analysis and every report needs to know of it.

use crate::reach;
use crate::values::interpret;
use raddle_engine::{BoundKind, BoundMet, Budget, Checks, Limits, Model, Replayed, Step, Summary};
use raddle_graph as graph;
use raddle_interleave as interleave;
use raddle_ir::Program;

/// An engine with everything that it is to be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Search {
    Interleave(interleave::Options),
    /// The reachability engine, lazily under TSO; of the options, the model and the limits count.
    Lazy(interleave::Options),
    Graph(graph::Options),
}

impl From<interleave::Options> for Search {
    fn from(options: interleave::Options) -> Search {
        Search::Interleave(options)
    }
}

impl From<graph::Options> for Search {
    fn from(options: graph::Options) -> Search {
        Search::Graph(options)
    }
}

/// The bounds that a program's own inputs are. `count`: the executions of its search.
pub(crate) fn untried_inputs(program: &Program, count: u64) -> impl Iterator<Item = BoundMet> {
    let places = program.partial_inputs();
    places.into_iter().map(move |loc| BoundMet { kind: BoundKind::Inputs, loc, count })
}

impl Search {
    pub const INTERLEAVE: &str = "interleave";
    /// The reachability engine: steps of the interleaving engine, which stops nobody who spins.
    pub const REACH: &str = "reach";
    /// The graph engine, and its only strategy.
    pub const GRAPH: &str = "graph";

    /// Whose steps the schedules are.
    pub const fn engine_name(&self) -> &'static str {
        match self {
            Search::Interleave(_) => Search::INTERLEAVE,
            Search::Lazy(_) => Search::REACH,
            Search::Graph(_) => Search::GRAPH,
        }
    }

    pub const fn model(&self) -> Model {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => options.model.among_all(),
            Search::Graph(options) => options.model,
        }
    }

    pub const fn model_name(&self) -> &'static str {
        self.model().name()
    }

    pub const fn strategy_name(&self) -> &'static str {
        match self {
            Search::Interleave(options) => options.strategy.name(),
            Search::Lazy(_) => "lazy",
            Search::Graph(_) => Search::GRAPH,
        }
    }

    pub const fn limits(&self) -> &Limits {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => &options.limits,
            Search::Graph(options) => &options.limits,
        }
    }

    /// The same, past failures.
    #[must_use]
    pub fn keep_going(mut self) -> Search {
        match &mut self {
            Search::Interleave(options) | Search::Lazy(options) => options.keep_going = true,
            Search::Graph(options) => options.keep_going = true,
        }
        self
    }

    /// The same with another budget.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Search {
        match &mut self {
            Search::Interleave(options) | Search::Lazy(options) => options.limits.budget = budget,
            Search::Graph(options) => options.limits.budget = budget,
        }
        self
    }

    /// Whether there are store buffers that can be bounded.
    pub fn is_buffered(&self) -> bool {
        match self {
            Search::Interleave(options) => options.model != interleave::Model::Sc,
            Search::Lazy(_) | Search::Graph(_) => false,
        }
    }

    /// How many stores a buffer holds, if that is bounded.
    pub const fn buffer_bound(&self) -> Option<u32> {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => options.buffer_bound,
            Search::Graph(_) => None,
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
            Search::Graph(_) => {}
        }
        self
    }

    /// Searches a verified program. Inputs of which some values were tried only are among the bounds.
    pub fn explore(&self, program: &Program) -> Summary {
        let mut summary = match self {
            Search::Interleave(options) => interleave::explore(program, options),
            Search::Lazy(options) => reach::explore(program, options),
            Search::Graph(options) => graph::explore(program, options),
        };
        summary.bounds.extend(untried_inputs(program, summary.executions));
        summary
    }

    /// Runs a schedule again, outside of the search and on another budget.
    pub fn replay(&self, program: &Program, budget: &Budget, schedule: &[Step]) -> Replayed {
        let mut replayed = match self {
            Search::Interleave(options) => {
                let model = options.bounded_model();
                interleave::replay_within(program, model, options.checks, budget, schedule)
            }
            Search::Graph(graph::Options { model, limits, .. }) => {
                let limits = Limits { budget: budget.clone(), ..limits.clone() };
                graph::replay(program, *model, &limits, schedule)
            }
            Search::Lazy(options) => {
                interleave::replay_reach(program, options.model, false, budget, schedule).0
            }
        };
        interpret(program, &mut replayed.events);
        replayed
    }

    /// What is looked for beside what executions show by themselves.
    pub const fn checks(&self) -> Checks {
        match self {
            Search::Interleave(options) | Search::Lazy(options) => options.checks,
            Search::Graph(_) => Checks { races: false },
        }
    }
}
