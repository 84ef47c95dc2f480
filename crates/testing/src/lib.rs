//! What the tests of several crates share: how much to run, where things are, the litmus corpora, the
//! text of some programs.
//!
//! For tests only: what is missing panics. It depends on no crate of the project, so that every
//! crate's tests can use it.

mod corpus;
mod golden;
mod note;
mod programs;

pub use corpus::{Corpus, Reference};
pub use golden::{golden, golden_by, is_blessing};
pub use note::{missing, note};
pub use programs::{ALONE, LONG_BEGINNING};

use std::path::{Path, PathBuf};

/// Whether much more is to be run than fits into everybody's waiting: `RADDLE_LONG=1`.
pub fn is_long() -> bool {
    std::env::var_os("RADDLE_LONG").is_some()
}

/// So many of something, or `times` as many if much more is to be run.
pub fn scaled(count: u64, times: u64) -> u64 {
    count * if is_long() { times } else { 1 }
}

/// The folder that the project is in.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder whose names end so, sorted; at least one.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let shown = folder.display();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let paths = entries.map(|entry| entry.expect("a folder that can be read").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == extension)).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{shown} has no .{extension}");
    paths
}
