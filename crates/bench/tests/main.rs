//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod automata;
mod counts;

use raddle_engine::Model;

/// The models of the interleaving engine.
const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];
