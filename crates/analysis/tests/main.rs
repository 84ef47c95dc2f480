//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod automata;
mod bounds;
mod corpus;
mod fences;
mod judges;
mod least_fences;
mod progress;
mod reach;
mod robust;
mod shorten;
mod support;
mod values;
mod why;
mod why_graph;

use raddle_analysis::fence::{Avoided, Question, Target};
use raddle_engine::{Checks, Model, Options, Strategy};

/// The models of the interleaving engine.
const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];
/// The models under which fences have an effect.
const WEAK: [Model; 4] = [Model::Tso, Model::Pso, Model::Power, Model::Arm];

/// A search of states like that of `raddle reach`: for goals if the program has any, otherwise for failures.
fn by_states(model: Model) -> Options {
    let checks = Checks { goals: true, ..Checks::default() };
    Options { checks, ..Options::new(model).by(Strategy::Lazy) }
}

fn question(model: Model, target: Target) -> Question {
    Question { target, options: Options::new(model), avoided: Avoided::default() }
}
