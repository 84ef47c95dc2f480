//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod behaviour;
mod corpus;
mod diagnostics;
mod golden;
mod mutations;
mod support;
