//! Oracles and program generators for testing the engines.
//!
//! The code here is simple instead of fast, and shares nothing with an engine: the crate depends only on
//! the IR, and on `testing` for the amount of tests to run. An oracle computes how many executions a small
//! program has under a model and how they end. For `sc`, `tso` and `pso` two independent oracles exist:
//!
//! | module | subject |
//! |---|---|
//! | [`axiomatic`] | all reads-from maps and coherence orders, filtered by the axioms of `sc`, `tso`, `pso` |
//! | [`interleavings`] | all interleavings of a machine with store buffers, locks and threads |
//! | [`weak`] | the same for `power` and `arm`, where loads may run before earlier instructions |
//! | [`capped`] | reachable goals under `sc` and `tso`, and robustness, for programs that never end |
//! | [`fences`] | the smallest sets of fences, by trying every set |
//! | [`generate`] | seeded random programs |
//! | [`automata`] | seeded random automata with loops |
//! | [`spinning`] | seeded random programs with loops that wait |
//! | [`cycles`] | litmus programs and tests from critical cycles of relations |
//! | [`campaign`] | the test loop over generated programs: counts, skips, the smallest complaint |
//! | [`shrink`] | greedy reduction of a program that shows a disagreement |
//!
//! The oracles share only the parts that do not depend on memory models: the arithmetic, the
//! layout of globals, running a thread up to its next visible instruction, and the table of
//! barriers. Everything about memory is written twice.

mod arith;
pub mod automata;
pub mod axiomatic;
mod barriers;
pub mod campaign;
pub mod capped;
mod condition;
pub mod cycles;
mod deps;
pub mod fences;
pub mod generate;
pub mod interleavings;
mod layout;
mod local;
mod outcome;
mod relation;
pub mod shrink;
pub mod spinning;
pub mod weak;

pub use condition::Observation;
pub use outcome::{Model, Outcome, Trouble};
