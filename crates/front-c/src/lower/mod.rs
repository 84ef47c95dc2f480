//! From LLVM functions to functions of the IR.
//!
//! | module | subject |
//! |---|---|
//! | [`assembly`] | the program while it is put together: ids, names, positions |
//! | [`mod@start`] | what runs before and after `main` |
//! | [`global`], [`constant`] | variables and what they start as |
//! | [`fixed`] | reads of variables that never change |
//! | [`function`], [`edges`] | one function: parameters, blocks, terminators; the ways between blocks |
//! | [`emit`], [`value`] | writing instructions; operands and aggregates |
//! | [`arith`], [`lanes`], [`gep`] | arithmetic, on vectors too; addresses |
//! | [`memory`], [`copy`] | accesses; copies of whole objects |
//! | [`call`], [`varargs`] | calls |
//! | [`intrinsic`], [`overflow`], [`special`] | functions that are not called but translated |
//! | [`assembler`] | inline assembly |
//!
//! What cannot be translated becomes `unsupported` in its place, and its result is undefined: the
//! rest of the program runs, and reaching it says what it was.

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

pub use program::{ProgramLowering, Source};
pub use start::start;
