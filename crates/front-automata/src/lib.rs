//! Reads concurrent automata in the text format of the tool Trencher and lowers them to the IR.
//!
//! A file is a list of threads; a thread is an automaton whose transitions carry instructions over
//! registers and a memory of integer cells. Paper 004 (section 2) gives the semantics,
//! `docs/automata.md` the format.
//!
//! | module | subject |
//! |---|---|
//! | [`ast`] | the syntax tree, with positions |
//! | `parse` | text to syntax tree |
//! | `lower` | syntax tree to IR: states, guards, expressions, addresses |
//!
//! Deviations from the paper and from Trencher: values are 32-bit integers that wrap; comments may
//! stand wherever a word may; `goal` lines give the goals of reachability.

pub mod ast;
mod lower;
mod parse;

pub use lower::lower;
pub use parse::parse_bytes;

use raddle_ir::{Diagnostic, Verified, verify};

/// The maximum number of memory cells.
pub const MAX_CELLS: u32 = 1 << 16;
/// The maximum nesting of an expression.
pub const MAX_DEPTH: u32 = 200;
/// The maximum number of goals that the combinations of `final` lines may give.
pub const MAX_GOALS: usize = 4096;

/// Parses and lowers a file; positions and messages refer to it as `file`.
pub fn load(file: &str, bytes: &[u8]) -> Result<Verified, Diagnostic> {
    Ok(verify(lower(file, &parse_bytes(file, bytes)?)?)?)
}
