//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod automata;
mod bounds;
mod corpus;
mod fences;
mod judges;
mod least_fences;
mod reach;
mod robust;
mod support;
mod values;
mod why;
mod why_graph;

use raddle_engine::Model;

/// The models of the interleaving engine.
const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];
