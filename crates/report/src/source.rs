//! Lines of source files, for showing beside what happened there.
//!
//! Files are read when first asked for. One that cannot be read, is too large or is not text has no
//! lines; nothing depends on them.

use raddle_ir::{LocId, Program};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;

const MAX_BYTES: u64 = 16 << 20;

#[derive(Debug, Default)]
pub struct Sources {
    /// Where lines may be read from at all.
    reads: bool,
    files: RefCell<HashMap<String, Vec<String>>>,
}

impl Sources {
    /// Reads files by their names in the program.
    pub fn from_disk() -> Sources {
        Sources { reads: true, ..Sources::default() }
    }

    /// Knows no lines.
    pub fn none() -> Sources {
        Sources::default()
    }

    /// The trimmed line at a position; `None` if there is nothing to show.
    pub fn line(&self, program: &Program, loc: LocId) -> Option<String> {
        let loc = program.loc(loc)?;
        let name = program.files.get(loc.file as usize)?;
        let mut files = self.files.borrow_mut();
        let lines = match files.get(name) {
            Some(lines) => lines,
            None => {
                let lines = if self.reads { read(name) } else { None };
                files.entry(name.clone()).or_insert(lines.unwrap_or_default())
            }
        };
        let line = lines.get((loc.line as usize).checked_sub(1)?)?;
        (!line.is_empty()).then(|| line.clone())
    }
}

fn read(name: &str) -> Option<Vec<String>> {
    let file = File::open(name).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    let trimmed = |line: &str| crate::printable(&line.trim().replace('\t', " "));
    Some(text.lines().map(trimmed).collect())
}
