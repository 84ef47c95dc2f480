//! Output: what the analyses found, as text, as JSON and as diagnostics.
//!
//! | module | subject |
//! |---|---|
//! | [`litmus`] | a litmus result as text, the way the field's simulators print it |
//! | [`check`] | a verdict as text |
//! | [`robust`] | whether a program is robust, as text and JSON |
//! | [`monitor`] | what monitors found, as text and JSON |
//! | [`fence`] | the fences that a program needs |
//! | `bounds` | bounds that were met, where how far they went is not known |
//! | [`buffer`] | what is said of bounded store buffers |
//! | [`witness`] | a witness as text, one column per thread, and why |
//! | [`reach`] | an answer about reachability, as text and as JSON |
//! | [`source`] | lines of the source to show beside it |
//! | [`json`] | both as JSON, one object a line |
//! | `story` | schedules, what happens along them, and why, as JSON |
//! | [`document`] | witness files, written and read |
//! | [`diagnostic`] | diagnostics with a piece of the source |
//! | `paint` | colours |
//! | `demangle` | names of C++ as people write them |
//! | [`value`], [`condition`] | values and conditions, spelled as in litmus tests |
//!
//! Everything renders to strings; where they go, how wide and whether in colour, is for the caller.

mod bounds;
pub mod buffer;
pub mod check;
pub mod condition;
mod demangle;
pub mod diagnostic;
pub mod document;
pub mod fence;
pub mod json;
pub mod litmus;
pub mod monitor;
mod paint;
pub mod reach;
pub mod robust;
pub mod source;
mod story;
pub mod value;
pub mod witness;

use raddle_engine::Options;
use raddle_ir::{LocId, Verified};

/// What was run: the context of every result.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    pub program: &'a Verified,
    pub options: &'a Options,
}

impl Run<'_> {
    /// `(tso, optimal)`
    fn manner(&self) -> String {
        format!("({}, {})", buffer::model(self.options), self.options.strategy.name())
    }

    /// The file and line of a position; the file alone where there is no position.
    fn place(&self, loc: LocId) -> String {
        self.program.place(loc).unwrap_or_else(|| self.file.to_owned())
    }
}

/// How text is to look.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Characters of a line, where that can be chosen.
    pub width: usize,
    /// Whether the reader is a terminal with colours.
    pub colour: bool,
    pub sources: &'a source::Sources,
}

/// Control characters as escapes: what a program calls things must not reach the terminal raw. Names of
/// C++ as people write them.
fn printable(text: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    demangle::demangled(text).chars().map(escape).collect()
}

/// `1 execution`, `2 executions`.
fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
