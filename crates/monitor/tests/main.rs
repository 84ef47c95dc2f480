//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod figures;
mod log;
mod naive;
mod overtaking;
