//! Helpers that the tests of several crates share: the amount of tests to run, paths, the litmus corpora,
//! the text of some programs.
//!
//! For tests only: a missing file panics. The crate depends on no other crate of the project, so that the
//! tests of every crate can use it.

mod corpus;
mod golden;
mod note;
mod programs;
pub mod schema;

pub use corpus::{Corpus, Reference};
pub use golden::{golden, golden_by, is_blessing};
pub use note::{missing, note};
pub use programs::{ALONE, LONG_BEGINNING};

use std::path::{Path, PathBuf};

/// Whether to run many more tests than in a normal test run: `RADDLE_LONG=1`.
pub fn is_long() -> bool {
    std::env::var_os("RADDLE_LONG").is_some()
}

/// `count`, or `times` as many with `RADDLE_LONG=1`.
pub fn scaled(count: u64, times: u64) -> u64 {
    count * if is_long() { times } else { 1 }
}

/// The folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder with this extension, sorted; at least one.
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
