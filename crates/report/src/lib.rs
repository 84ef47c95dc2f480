//! Output: the results of the analyses as text, as JSON and as diagnostics.
//!
//! | module | subject |
//! |---|---|
//! | [`litmus`] | a litmus result as text, in the format of the usual simulators |
//! | [`check`] | a verdict as text |
//! | [`matrix`] | one program under several models, as text, JSON and HTML |
//! | [`robust`] | whether a program is robust, as text and JSON |
//! | [`monitor`] | findings of monitors, as text and JSON |
//! | [`fence`] | the fences that a program needs |
//! | [`findings`] | results for other tools: SARIF and JUnit |
//! | `bounds` | bounds that were met, for reports without the options |
//! | [`buffer`] | messages about bounded store buffers |
//! | [`witness`] | a witness as text, one column per thread, and the cause |
//! | [`progress`] | how far a search is, and how large it is going to be |
//! | [`reach`] | an answer about reachability, as text and as JSON |
//! | [`source`] | lines of the source to show with it |
//! | [`html`] | answers as one page with its own script, and their graphs as Graphviz text |
//! | `picture` | a witness as a graph, laid out |
//! | [`json`] | litmus results and verdicts as JSON, one object per line |
//! | `story` | the events along schedules, as JSON |
//! | [`document`] | witness files, written and read |
//! | [`frontier`] | files with what is left of a search, written and read |
//! | [`diagnostic`] | diagnostics with an excerpt of the source |
//! | `paint` | colours |
//! | `demangle` | C++ names in readable form |
//! | [`value`], [`condition`] | values and conditions, spelled as in litmus tests |
//!
//! Everything renders to strings. The caller decides where they go, how wide they are, and whether they have
//! colours.

mod bounds;
pub mod buffer;
pub mod check;
pub mod condition;
mod demangle;
pub mod diagnostic;
pub mod document;
pub mod fence;
pub mod findings;
pub mod frontier;
pub mod html;
pub mod json;
pub mod litmus;
pub mod matrix;
pub mod monitor;
mod paint;
mod picture;
pub mod progress;
pub mod reach;
pub mod robust;
pub mod source;
mod story;
pub mod value;
pub mod witness;

use raddle_engine::{FailureSite, Options};
use raddle_ir::text::is_hidden;
use raddle_ir::{LocId, Program, Verified};
use std::fmt;

/// The program that a result is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    pub program: &'a Program,
}

impl Subject<'_> {
    /// The file and line of a position; without a position, the file alone.
    fn line(&self, loc: LocId) -> json::SourceLine {
        let found = self.program.loc(loc).and_then(|loc| {
            let file = self.program.files.get(loc.file as usize)?;
            Some(json::SourceLine { file: file.clone(), line: Some(loc.line) })
        });
        found.unwrap_or_else(|| json::SourceLine { file: self.file.to_owned(), line: None })
    }
}

/// The run that a result belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    pub program: &'a Verified,
    pub options: &'a Options,
}

impl<'a> Run<'a> {
    fn subject(&self) -> Subject<'a> {
        Subject { file: self.file, program: self.program }
    }

    /// `(tso, optimal)`
    fn manner(&self) -> String {
        format!("({}, {})", buffer::model(self.options), self.options.strategy.name())
    }

    /// The place of a failure that witnesses show; if that is the call of a function in a header, also the place there:
    /// `f.c:3 (in f.h:9)`.
    fn place_of(&self, site: &FailureSite) -> String {
        let place = self.place(site.shown);
        match self.program.place(site.loc).filter(|inner| *inner != place) {
            Some(inner) => format!("{place} (in {inner})"),
            None => place,
        }
    }

    /// The file and line of a position; without a position, the file alone.
    fn place(&self, loc: LocId) -> String {
        self.program.place(loc).unwrap_or_else(|| self.file.to_owned())
    }
}

/// The appearance of text.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// The width of a line in characters, for output that adapts to it.
    pub width: usize,
    /// Whether to use colours.
    pub colour: bool,
    /// Whether a witness shows every step, and folds none.
    pub all_steps: bool,
    pub sources: &'a source::Sources,
    /// Whether witnesses show the calls on the stack at each step.
    pub calls: bool,
}

impl<'a> Look<'a> {
    /// The look of a file: no colours, and a fixed width.
    pub fn plain(sources: &'a source::Sources) -> Look<'a> {
        Look { width: 120, colour: false, all_steps: false, calls: false, sources }
    }
}

/// Escapes characters that change how others are shown, because names from programs must not reach the terminal
/// unescaped. Demangles C++ names.
pub fn printable(text: &str) -> String {
    visible(&demangle::demangled(text), &[])
}

/// The same for text of several lines; names stay as they are.
pub fn printable_lines(text: &str) -> String {
    visible(text, &['\n', '\t'])
}

fn visible(text: &str, kept: &[char]) -> String {
    let escape = |c: char| match is_hidden(c) && !kept.contains(&c) {
        true => c.escape_default().to_string(),
        false => c.into(),
    };
    text.chars().map(escape).collect()
}

/// The text that `write` writes.
fn written(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out);
    out
}

/// `1 execution`, `2 executions`.
fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `1 step`, `1,204 steps`
fn several(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A whole number with commas: `1,204`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
