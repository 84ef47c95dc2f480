//! Oracles and program generators that the engines are tested against.
//!
//! Nothing here is fast and nothing here shares code with an engine: the crate depends on the IR
//! alone, and on `testing` for how much to run. Oracles answer how many executions a small program has
//! under a model and how they end; for `sc`, `tso` and `pso` two do, from opposite sides:
//!
//! | module | subject |
//! |---|---|
//! | [`axiomatic`] | all reads-from maps and coherence orders, filtered by the axioms of `sc`, `tso`, `pso` |
//! | [`interleavings`] | all interleavings of a machine with store buffers, locks and threads |
//! | [`weak`] | the same for `power` and `arm`, where loads run ahead of what they depend on |
//! | [`capped`] | reachable goals under `sc` and `tso`, and robustness, for programs that never end |
//! | [`fences`] | the fewest fences, by trying every set |
//! | [`generate`] | seeded random programs |
//! | [`automata`] | seeded random automata with loops |
//! | [`spinning`] | seeded random programs with loops that wait |
//! | [`cycles`] | litmus programs and tests from critical cycles of relations |
//! | [`campaign`] | the loop of tests over generated programs: counts, skips, the smallest complaint |
//! | [`shrink`] | greedy reduction of a program that shows a disagreement |
//!
//! The oracles have in common what is not in question between memory models: the arithmetic, the
//! layout of globals, running a thread up to its next visible instruction, and the table of which
//! instruction is which barrier. Everything about memory is written twice.

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
