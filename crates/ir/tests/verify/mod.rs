//! For each rule of the verifier, the smallest programs that break it and no other.

mod common;
mod operands;
mod operations;
mod program;
mod threads;
