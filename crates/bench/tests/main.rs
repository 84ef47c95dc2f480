//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod automata;
mod counts;
mod estimates;
mod pictures;

use raddle_engine::Model;

/// The models of the interleaving engine.
const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];
