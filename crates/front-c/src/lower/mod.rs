//! Lowering of LLVM functions to functions of the IR.
//!
//! | module | subject |
//! |---|---|
//! | [`program`] | the program during construction: ids, names, positions |
//! | [`mod@start`] | the code before and after `main` |
//! | [`global`], [`constant`] | variables and their initial values |
//! | [`fixed`] | loads from constant variables |
//! | [`function`], [`edges`] | one function: parameters, blocks, terminators; the edges between blocks |
//! | [`emit`], [`value`] | emitting instructions; operands and aggregates |
//! | [`arith`], [`lanes`], [`gep`] | arithmetic, also on vectors; addresses |
//! | [`memory`], [`copy`] | accesses; copies of whole objects |
//! | [`call`], [`varargs`] | calls |
//! | [`intrinsic`], [`overflow`], [`special`] | functions that are translated instead of called |
//! | [`inline_asm`] | inline assembly |
//!
//! A construct that cannot be translated becomes an `unsupported` instruction with an undefined result: the
//! rest of the program runs, and reaching the instruction reports the construct.

mod arith;
mod call;
mod constant;
mod copy;
mod edges;
mod emit;
mod fixed;
mod function;
mod gep;
mod global;
mod inline_asm;
mod intrinsic;
mod lanes;
mod memory;
mod overflow;
mod program;
mod special;
mod start;
mod value;
mod varargs;

pub(crate) use program::{Lowered, ProgramLowering, Source};
pub(crate) use special::{choices, has_meaning, is_recognised};
pub(crate) use start::start;
