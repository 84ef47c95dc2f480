//! Robustness: three ways that must agree, with each other and with an oracle that shares nothing
//! with them, on generated programs and on the x86 litmus tests.
//!
//! `RADDLE_LONG=1` runs many more programs.

use raddle_analysis::robust::{By, robust};
use raddle_interleave::{Limits, Model};
use raddle_ir::{Program, text};
use raddle_oracle::generate::{self, Config};
use raddle_oracle::interleavings;
use raddle_oracle::shrink::shrink;
use raddle_oracle::{self as oracle, Trouble};
use std::path::PathBuf;

/// States that the oracle may visit; programs with more are judged without it.
const BUDGET: u64 = 20_000;
const WAYS: [By; 3] = [By::Monitor, By::Cycles, By::Count];

fn seeds(short: u64) -> std::ops::Range<u64> {
    let long = std::env::var_os("RADDLE_LONG").is_some();
    0..short * if long { 30 } else { 1 }
}

fn limits() -> Limits {
    Limits { executions: Some(50_000), events: 1_000, local_steps: 100_000, ..Limits::default() }
}

/// Whether there are traces under the model beyond those under SC.
fn expected(program: &Program, model: Model) -> Option<bool> {
    let count = |model| match interleavings::executions(program, model, BUDGET) {
        Ok(outcome) => Some(outcome.executions + outcome.blocked),
        Err(Trouble::Budget) => None,
        Err(Trouble::Unsupported(_)) => None,
    };
    let weak = match model {
        Model::Sc => oracle::Model::Sc,
        Model::Tso => oracle::Model::Tso,
        Model::Pso => oracle::Model::Pso,
    };
    Some(count(oracle::Model::Sc)? == count(weak)?)
}

/// What is wrong with the answers, if anything.
fn complaint(program: &Program, model: Model) -> Option<String> {
    let answers = WAYS.map(|by| robust(program, model, &limits(), Some(by)));
    let robusts = answers.each_ref().map(|answer| answer.robust);
    // A program that is too large for the limits is passed over.
    if answers.iter().any(|answer| answer.searches.iter().any(|(_, s)| s.executions >= 50_000)) {
        return None;
    }
    let wanted = expected(program, model).or(robusts[2]);
    if robusts.iter().any(|robust| *robust != wanted) {
        let gaps = answers.each_ref().map(|answer| &answer.gaps);
        return Some(format!("{model}: {robusts:?} by {WAYS:?}, expected {wanted:?}; {gaps:?}"));
    }
    let shown = |by: usize| answers[by].witness.is_some() == (robusts[by] == Some(false));
    (!shown(0) || !shown(1)).then(|| format!("{model}: no witness"))
}

fn agree(config: &Config, seeds: std::ops::Range<u64>) {
    let mut kinds = [0; 2];
    for seed in seeds {
        let program = generate::program(config, seed);
        for model in [Model::Tso, Model::Pso] {
            if let Some(first) = complaint(&program, model) {
                let small = shrink(&program, &mut |p| complaint(p, model).is_some());
                let last = complaint(&small, model).unwrap_or(first);
                panic!("seed {seed}: {last}\n{}", text::print(&small));
            }
            let answer = robust(&program, model, &limits(), None);
            kinds[usize::from(answer.robust == Some(true))] += 1;
        }
    }
    // A test that sees one kind only says little.
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
}

#[test]
fn memory() {
    agree(&Config::memory(), seeds(600));
}

#[test]
fn c11() {
    agree(&Config::c11(), seeds(400));
}

#[test]
fn more_threads() {
    let config = Config { threads: 3..=4, instructions: 1..=3, ..Config::memory() };
    agree(&config, seeds(300));
}

#[test]
fn synchronised() {
    agree(&Config::synchronised(), seeds(300));
}

#[test]
fn waiting() {
    agree(&Config::waiting(), seeds(300));
}

#[test]
fn litmus_tests_of_x86() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/litmus/x86");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("no litmus tests beside the repository; passed over");
        return;
    };
    let mut complaints = Vec::new();
    for entry in entries {
        let path = entry.expect("a folder that can be read").path();
        if path.extension().is_some_and(|extension| extension == "litmus") {
            let name = path.display().to_string();
            let bytes = std::fs::read(&path).expect("a test that can be read");
            let program = raddle_front_litmus::load(&name, &bytes).expect("a good test").program;
            let models = [Model::Tso, Model::Pso];
            let wrong = models.into_iter().filter_map(|model| complaint(&program, model));
            complaints.extend(wrong.map(|wrong| format!("{name}: {wrong}")));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
