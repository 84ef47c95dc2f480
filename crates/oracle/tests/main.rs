//! Every test of the crate from outside, as one program: linking costs more than most tests.

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
