//! Every test of the crate from outside, as one program: linking costs more than most tests.

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
mod spin;
