//! One query to one engine: [`raddle_engine::Options`] selects the engine.

use crate::estimate;
use crate::reach;
use crate::values::interpret;
use raddle_engine::{BoundKind, BoundMet, Engine, Options, Replayed, Step, Summary};
use raddle_graph::Dependency;
use raddle_ir::{Program, Verified};

/// Searches a program. An input of which only some values were tried is reported as a bound.
pub fn explore(program: &Verified, options: &Options) -> Summary {
    let mut summary = estimate::beside(program, options, || match options.strategy.engine() {
        Engine::Interleave => raddle_interleave::explore(program, options),
        Engine::Reach => reach::explore(program, options),
        Engine::Graph => raddle_graph::explore(program, options),
    });
    summary.bounds.extend(untried_inputs(program, summary.executions));
    summary
}

/// The inputs of which only some values were tried, as bounds that so many executions met.
pub fn untried_inputs(program: &Program, count: u64) -> impl Iterator<Item = BoundMet> {
    let inputs = program.partial_inputs().into_iter();
    inputs.map(move |loc| BoundMet { kind: BoundKind::Inputs, loc, count })
}

/// Runs a schedule again, outside of the search.
pub fn replay(program: &Verified, options: &Options, schedule: &[Step]) -> Replayed {
    let mut replayed = match options.strategy.engine() {
        Engine::Interleave => raddle_interleave::replay(program, options, schedule),
        Engine::Reach => raddle_interleave::replay_reach(program, options, schedule).0,
        Engine::Graph => raddle_graph::replay(program, options, schedule),
    };
    interpret(program, &mut replayed.events);
    replayed
}

/// Runs a schedule of the graph engine again, for its events and the dependencies between the steps.
pub(crate) fn replay_graph(
    program: &Verified,
    options: &Options,
    schedule: &[Step],
) -> (Replayed, Vec<Dependency>) {
    let (mut replayed, dependencies) =
        raddle_graph::replay_with_dependencies(program, options, schedule);
    interpret(program, &mut replayed.events);
    (replayed, dependencies)
}
