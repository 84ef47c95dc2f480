//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod behaviour;
mod corpus;
mod diagnostics;
mod golden;
mod mutations;
mod support;
