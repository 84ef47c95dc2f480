//! For each rule of the verifier, small programs that break this rule and no other.

mod common;
mod operands;
mod operations;
mod program;
mod threads;
