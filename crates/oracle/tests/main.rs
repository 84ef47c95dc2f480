//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod agreement;
mod classics;
mod common;
mod cycles;
mod litmus;
mod programs;
mod synchronisation;
mod weak;
mod weak_corpus;
mod weak_generated;
