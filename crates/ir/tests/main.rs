//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod common;
mod diagnostics;
mod mutations;
mod reference;
mod roundtrip;
mod verify;
