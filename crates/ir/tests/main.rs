//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod common;
mod diagnostics;
mod mutations;
mod reference;
mod roundtrip;
mod verify;
