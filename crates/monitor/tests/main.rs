//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod figures;
mod log;
mod naive;
mod overtaking;
