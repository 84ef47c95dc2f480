//! Outputs as JSON are what the schemas in docs/schema describe. Every line that a test gets with `--json` is
//! validated (`common::raddle`), and so is every result of a C program (`c_programs`).
//!
//! Here the results of all commands are made in this process, by the functions that the commands call, for a few
//! programs; with `RADDLE_LONG=1` for all programs of tests and examples, and the litmus tests beside the project:
//!
//!     RADDLE_LONG=1 cargo test --release -p raddle --test cli -- schema

mod lines;
mod programs;
mod words;

use lines::Lines;
use programs::{Loaded, Scope};
use raddle_testing::{is_long, note};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn outputs_are_as_described() {
    let programs = programs::all(is_long());
    let next = AtomicUsize::new(0);
    let whole = Mutex::new(Lines::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut lines = Lines::default();
                while let Some((path, asked)) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    validate(path, *asked, &mut lines);
                }
                whole.lock().expect("no thread panics here").add(lines);
            });
        }
    });
    let whole = whole.into_inner().expect("no thread panics here");
    note(&format!("{} programs: {whole}", programs.len()));
    assert!(whole.faults.is_empty(), "{}", whole.faults.join("\n"));
    assert!(whole.has_all(), "{whole}");
}

fn validate(path: &Path, scope: Scope, lines: &mut Lines) {
    match programs::load(path) {
        Loaded::Program(file, program) => lines.of_program(&file, &program, scope),
        Loaded::Refused => lines.refused += 1,
        Loaded::NoCompiler => raddle_testing::missing("clang"),
    }
}
