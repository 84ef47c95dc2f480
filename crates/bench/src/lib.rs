//! Parametric programs, written with the IR builder, and the benchmark that runs them.
//!
//! The programs are common benchmarks of papers on stateless model checking. Tests use them too,
//! since their execution counts are known. Accesses are [`raddle_ir::Order::Asm`]: ordinary
//! loads and stores of a machine, which imply no fence, so that the models differ.
//!
//! | module | subject |
//! |---|---|
//! | [`thread`] | a thin layer over the builder for threads of straight code and loops |
//! | [`cells`] | writers, readers, lastzero, fib_bench: loads and stores |
//! | [`atomics`] | increments, chains of compare-and-swap, the indexer |
//! | [`locks`] | a stack under one lock |
//! | [`automata`] | the parametric automata of paper 004, as text |
//! | [`catalogue`] | all programs by name |
//! | [`svg`] | drawings |
//! | [`chart`] | plots of measurements |
//! | [`pictures`] | pictures of the models, for the book |

pub mod atomics;
pub mod automata;
pub mod catalogue;
pub mod cells;
pub mod chart;
pub mod locks;
pub mod pictures;
pub mod svg;
pub mod thread;
