//! Compares the oracle of weak models with the reference results of the PPC and ARM corpora: every observation
//! and every number of executions.
//!
//! An ordinary run takes a sample of the tests; `RADDLE_LONG=1` takes all.

use raddle_oracle::Trouble;
use raddle_oracle::weak::{Hardware, executions};
use raddle_testing::{Corpus, Reference, is_long, note};

enum Result {
    Right,
    TooLarge,
    Wrong(String),
}

fn compare(corpus: &Corpus, model: Hardware, expected: &Reference) -> Result {
    let test = &expected.test;
    let litmus = raddle_front_litmus::load(test, &corpus.read(test));
    let litmus = litmus.unwrap_or_else(|diagnostic| panic!("{diagnostic}"));
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

/// Every `step`th test of a corpus.
fn corpus(name: &str, model: Hardware, step: usize) {
    let Some(corpus) = Corpus::shared(name) else { return };
    let references = corpus.references_of(model.name());
    let step = if is_long() { 1 } else { step };
    let (mut compared, mut large, mut wrong) = (0, Vec::new(), Vec::new());
    for expected in references.iter().step_by(step) {
        compared += 1;
        match compare(&corpus, model, expected) {
            Result::Right => {}
            Result::TooLarge => large.push(expected.test.as_str()),
            Result::Wrong(complaint) => wrong.push(complaint),
        }
    }
    note(&format!("{compared} of {} compared, too large: {large:?}", references.len()));
    let shown = wrong[..wrong.len().min(40)].join("\n");
    assert!(wrong.is_empty(), "{} of {compared} are wrong:\n{shown}", wrong.len());
    assert!(compared > 0 && large.len() * 100 <= compared, "{} are too large", large.len());
}

#[test]
fn ppc_corpus_under_power() {
    corpus("ppc", Hardware::Power, 20);
}

#[test]
fn arm_corpus_under_arm() {
    corpus("arm", Hardware::Arm, 20);
}
