//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod agreement;
mod c_dependencies;
mod c_orders;
mod c_programs;
mod corpus;
mod deadlocks;
mod deferral;
mod ends;
mod figures;
mod oracle;
mod probes;
mod spin;
