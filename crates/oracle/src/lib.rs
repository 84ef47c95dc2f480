//! Oracles and program generators that the engines are tested against.
//!
//! Nothing here is fast and nothing here shares code with an engine: the crate depends on the IR
//! alone. Two oracles answer the same question, how many executions a small program has under
//! `sc`, `tso` or `pso` and how they end, from opposite sides:
//!
//! | module | subject |
//! |---|---|
//! | [`axiomatic`] | all reads-from maps and coherence orders, filtered by the axioms |
//! | [`interleavings`] | all interleavings of a machine with store buffers, locks and threads |
//! | [`generate`] | seeded random programs |
//! | [`cycles`] | litmus programs from critical cycles of relations |
//! | [`shrink`] | greedy reduction of a program that shows a disagreement |
//!
//! The oracles have in common what is not in question between memory models: the arithmetic, the
//! layout of globals, running a thread up to its next visible instruction, and the table of which
//! instruction is which barrier. Everything about memory is written twice.

mod arith;
pub mod axiomatic;
mod barriers;
pub mod cycles;
pub mod generate;
pub mod interleavings;
mod layout;
mod local;
mod outcome;
pub mod shrink;

pub use outcome::{Model, Outcome, Trouble};
