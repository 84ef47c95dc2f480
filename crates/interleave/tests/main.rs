//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod bounded;
mod common;
mod datarace;
mod ended_locks;
mod errors;
mod exclusives;
mod execution;
mod figures;
mod forwarding;
mod library;
mod limits;
mod oracles;
mod overlap;
mod persistent;
mod private;
mod replay;
mod spin;
mod synchronisation;
mod waiting;

use raddle_engine::Model;

/// The models of the interleaving engine.
const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];
