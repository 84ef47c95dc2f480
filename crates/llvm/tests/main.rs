//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod clang;
mod common;
mod globals;
mod instructions;
mod large;
mod mutations;
mod refusals;
