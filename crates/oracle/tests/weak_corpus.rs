//! The oracle of weak models against the reference results of the PPC and ARM corpora: every
//! observation and every number of executions.
//!
//! A test in the ordinary run takes every so many of the tests; `RADDLE_LONG=1` takes all.

use raddle_oracle::Trouble;
use raddle_oracle::weak::{Model, executions};
use std::path::{Path, PathBuf};

/// One line of `results.tsv`.
struct Reference {
    test: String,
    observation: String,
    executions: u64,
}

fn references(folder: &Path, model: Model) -> Option<Vec<Reference>> {
    let Ok(results) = std::fs::read_to_string(folder.join("results.tsv")) else {
        println!("no results at {}: passed over", folder.display());
        return None;
    };
    let lines = results.lines().filter(|line| !line.starts_with('#'));
    let fields = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    let parsed = fields.filter_map(|fields| {
        let &[test, of, observation, executions] = fields.as_slice() else { return None };
        (of == model.name()).then(|| Reference {
            test: test.to_owned(),
            observation: observation.to_owned(),
            executions: executions.parse().expect("a number of executions"),
        })
    });
    Some(parsed.collect())
}

enum Result {
    Right,
    TooLarge,
    Wrong(String),
}

fn compare(folder: &Path, model: Model, expected: &Reference) -> Result {
    let test = &expected.test;
    // Some tests have a name with a slash, which no file can have.
    let file = format!("{}.litmus", test.replace('/', "_"));
    let bytes = std::fs::read(folder.join(file)).expect("the test is there");
    let litmus = raddle_front_litmus::load(test, &bytes).unwrap_or_else(|d| panic!("{d}"));
    let outcome = match executions(&litmus.program, model) {
        Ok(outcome) => outcome,
        Err(Trouble::Budget) => return Result::TooLarge,
        Err(trouble) => return Result::Wrong(format!("{test}: {trouble}")),
    };
    let observation = outcome.observation(&litmus.program);
    let observation = observation.ok().flatten().map(|o| format!("{o:?}")).unwrap_or_default();
    if (outcome.executions, &observation) == (expected.executions, &expected.observation) {
        return Result::Right;
    }
    let found = format!("{observation} in {} executions", outcome.executions);
    let wanted = format!("{} in {}", expected.observation, expected.executions);
    Result::Wrong(format!("{test}: {found}, expected {wanted}"))
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/litmus").join(name)
}

/// Every `step`th test of a corpus.
fn corpus(name: &str, model: Model, step: usize) {
    let folder = folder(name);
    let Some(references) = references(&folder, model) else { return };
    let step = if std::env::var_os("RADDLE_LONG").is_some() { 1 } else { step };
    let (mut compared, mut large, mut wrong) = (0, Vec::new(), Vec::new());
    for expected in references.iter().step_by(step) {
        compared += 1;
        match compare(&folder, model, expected) {
            Result::Right => {}
            Result::TooLarge => large.push(expected.test.as_str()),
            Result::Wrong(complaint) => wrong.push(complaint),
        }
    }
    println!("{name}: {compared} compared, too large: {large:?}");
    let shown = wrong[..wrong.len().min(40)].join("\n");
    assert!(wrong.is_empty(), "{} of {compared} are wrong:\n{shown}", wrong.len());
    assert!(compared > 0 && large.len() * 100 <= compared, "{} are too large", large.len());
}

#[test]
fn ppc_corpus_under_power() {
    corpus("ppc", Model::Power, 20);
}

#[test]
fn arm_corpus_under_arm() {
    corpus("arm", Model::Arm, 20);
}
