//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod clang;
mod common;
mod debug;
mod globals;
mod instructions;
mod large;
mod mutations;
mod refusals;
