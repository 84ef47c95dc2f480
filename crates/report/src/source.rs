//! Lines of source files, to be shown with the events that happened there.
//!
//! A file is read when it is first needed. A file that cannot be read, is too large or is not text has no
//! lines; only the display depends on them.

use raddle_ir::file::MAX_BYTES;
use raddle_ir::{LocId, Program};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;

#[derive(Debug, Default)]
pub struct Sources {
    /// Whether files may be read at all.
    reads: bool,
    files: RefCell<HashMap<String, Vec<Line>>>,
}

/// A line as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    /// The number of characters trimmed at its start.
    indent: usize,
    /// The columns that they take.
    columns: usize,
    text: String,
}

impl Sources {
    /// Reads files by their names in the program.
    pub fn from_disk() -> Sources {
        Sources { reads: true, ..Sources::default() }
    }

    /// Has no lines.
    pub fn none() -> Sources {
        Sources::default()
    }

    /// The trimmed line at a position; `None` if it is not available.
    pub fn line(&self, program: &Program, loc: LocId) -> Option<String> {
        Some(self.get(program, loc)?.text)
    }

    /// The trimmed line at a position, and the offset of the position in it, in characters from 0; `None`
    /// as offset if only the line is known.
    pub fn line_and_offset(
        &self,
        program: &Program,
        loc: LocId,
    ) -> Option<(String, Option<usize>)> {
        let Line { indent, text, .. } = self.get(program, loc)?;
        let column = (program.loc(loc)?.column as usize).checked_sub(1);
        let offset = column.and_then(|column| column.checked_sub(indent));
        Some((text, offset))
    }

    /// The number of lines of a file; 0 if they are not available.
    pub(crate) fn count(&self, file: &str) -> usize {
        self.with_lines(file, <[Line]>::len)
    }

    /// Some lines of a file, counted from 0, with their indentation.
    pub(crate) fn range(&self, file: &str, range: Range<usize>) -> Vec<String> {
        let whole = |line: &Line| format!("{:1$}{text}", "", line.columns, text = line.text);
        self.with_lines(file, |lines| {
            lines.get(range).unwrap_or_default().iter().map(whole).collect()
        })
    }

    fn get(&self, program: &Program, loc: LocId) -> Option<Line> {
        let loc = program.loc(loc)?;
        let name = program.files.get(loc.file as usize)?;
        let number = (loc.line as usize).checked_sub(1)?;
        let line = self.with_lines(name, |lines| lines.get(number).cloned())?;
        (!line.text.is_empty()).then_some(line)
    }

    /// Calls `f` with the lines of a file; with an empty slice if they are not available.
    fn with_lines<T>(&self, file: &str, f: impl FnOnce(&[Line]) -> T) -> T {
        let mut files = self.files.borrow_mut();
        if let Some(lines) = files.get(file) {
            return f(lines);
        }
        let lines = if self.reads { read(file) } else { None };
        f(files.entry(file.to_owned()).or_insert(lines.unwrap_or_default()))
    }
}

/// The distance between tab stops.
const TAB: usize = 4;

/// The columns that blanks take.
fn columns(blanks: impl Iterator<Item = char>) -> usize {
    blanks.fold(0, |at, blank| if blank == '\t' { (at / TAB + 1) * TAB } else { at + 1 })
}

fn read(name: &str) -> Option<Vec<Line>> {
    let file = File::open(name).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(MAX_BYTES as u64).read_to_string(&mut text).ok()?;
    let trimmed = |line: &str| Line {
        indent: line.chars().take_while(|c| c.is_whitespace()).count(),
        columns: columns(line.chars().take_while(|c| c.is_whitespace())),
        text: crate::printable(&line.trim().replace('\t', " ")),
    };
    Some(text.lines().map(trimmed).collect())
}
