//! The automata of `tests/automata` and their expected answers; the programs of a corpus.

use raddle_ir::Verified;
use raddle_oracle::campaign::Subject;
use raddle_testing::Corpus;
use std::path::{Path, PathBuf};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/automata")
}

pub(crate) fn load(name: &str) -> Verified {
    let path = folder().join(format!("{name}.aut"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    raddle_front_automata::load(name, &bytes).unwrap_or_else(|e| panic!("{e}"))
}

/// The rows: name, robust, fences, goal under SC, goal under TSO.
pub(crate) fn expected() -> Vec<[String; 5]> {
    let text = std::fs::read_to_string(folder().join("expected.tsv")).expect("expected.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    rows.map(|line| cells(line).try_into().unwrap_or_else(|_| panic!("{line}"))).collect()
}

/// The program of every litmus test of a corpus.
pub(crate) fn subjects(corpus: &Corpus) -> impl Iterator<Item = Subject> {
    corpus.files().into_iter().map(|path| {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).expect("a test that can be read");
        let test = raddle_front_litmus::load(&name, &bytes).expect("a well-formed test");
        Subject::new(name, test.program)
    })
}
