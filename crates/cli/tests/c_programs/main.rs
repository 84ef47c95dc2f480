//! C programs, each with its expected verdicts and counts (tests/c/README.md).

mod expect;
mod run;
mod witnesses;

use expect::Case;
use raddle_testing::root;
use run::{Difference, differences};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const PROGRAMS: &str = "tests/c/programs";
const TABLE1: &str = "tests/c/table1";
const POWER: &str = "tests/c/power";
const EXAMPLES: &str = "examples";
const BOOK: &str = "examples/book";
/// Of every so many cases, the first is also searched without reduction if it is small; with `RADDLE_LONG=1`
/// all small cases are.
const EXHAUSTIVE: usize = 3;

#[test]
fn programs_get_their_verdicts() {
    verify(of_folder(PROGRAMS));
}

#[test]
fn examples_get_their_verdicts() {
    verify([of_folder(EXAMPLES), of_folder(BOOK)].concat());
}

/// Every cell of table 1 of paper 000.
#[test]
fn table_1_gets_its_verdicts() {
    let text = read(&root().join(TABLE1).join("expected.tsv"));
    verify(expect::of_table(Path::new(TABLE1), &text).unwrap_or_else(|e| panic!("{e}")));
}

/// Every row of table 1 of paper 003, and the same under ARM.
#[test]
fn table_1_of_power_gets_its_verdicts() {
    let text = read(&root().join(POWER).join("expected.tsv"));
    verify(expect::of_table(Path::new(POWER), &text).unwrap_or_else(|e| panic!("{e}")));
}

/// The cases of every C file in a folder.
fn of_folder(folder: &str) -> Vec<Case> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
    let mut names: Vec<PathBuf> = entries
        .map(|entry| Path::new(folder).join(entry.expect("an entry").file_name()))
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "c" || extension == "cpp")
        })
        .collect();
    names.sort();
    names.iter().flat_map(|file| of_file(file)).collect()
}

fn of_file(file: &Path) -> Vec<Case> {
    let text = read(&root().join(file));
    expect::of_program(file, &text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn verify(mut cases: Vec<Case>) {
    if !there_is_a_clang() {
        raddle_testing::missing("clang");
        return;
    }
    if let Ok(word) = std::env::var("RADDLE_C_ONLY") {
        cases.retain(|case| case.file.to_string_lossy().contains(&word));
    }
    let found = in_parallel(&cases);
    assert!(
        found.is_empty(),
        "{} cases, {} differences\n{}",
        cases.len(),
        found.len(),
        table(&found)
    );
}

fn there_is_a_clang() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_clang = |name: &str| {
        name == "clang" || name.strip_prefix("clang-").is_some_and(|n| n.parse::<u32>().is_ok())
    };
    std::env::var_os("CLANG").is_some()
        || std::env::split_paths(&path)
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flat_map(|entries| entries.flatten())
            .any(|entry| entry.file_name().to_str().is_some_and(is_clang))
}

fn in_parallel(cases: &[Case]) -> Vec<Difference> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(number) else { return };
            let chosen = raddle_testing::is_long() || number.is_multiple_of(EXHAUSTIVE);
            let differences = differences(case, case.small && chosen);
            found.lock().expect("no thread panics here").extend(differences);
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut found = found.into_inner().expect("no thread panics here");
    found.sort_by(|a, b| (&a.case, a.model).cmp(&(&b.case, b.model)));
    found
}

/// One difference per line, in columns.
fn table(found: &[Difference]) -> String {
    let width =
        |text: fn(&Difference) -> &str| found.iter().map(|d| text(d).len()).max().unwrap_or(0);
    let (case, expected) = (width(|d| &d.case), width(|d| &d.expected));
    let line = |d: &Difference| {
        format!(
            "{:case$}  {:3}  expected {:expected$}  found {}\n",
            d.case, d.model, d.expected, d.found
        )
    };
    found.iter().map(line).collect()
}
