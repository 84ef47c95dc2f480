//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod agreement;
mod families;
mod threads;
