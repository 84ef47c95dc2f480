//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod automata;
mod bounds;
mod corpus;
mod fences;
mod judges;
mod least_fences;
mod reach;
mod robust;
mod support;
mod values;
mod why;
mod why_graph;
