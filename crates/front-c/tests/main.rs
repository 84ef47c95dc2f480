//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod common;
mod differential;
mod errors;
mod library;
mod linking;
mod mutations;
mod sequential;
mod threads;
