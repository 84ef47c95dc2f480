//! The x86 litmus tests with reference results: every model, all reductions.
//!
//! For each test and model, the reference says whether the condition holds never, sometimes or always,
//! and gives the number of allowed executions. All reductions must observe the same. The optimal
//! reduction must explore exactly that number of executions and abandon none. If a search without
//! reduction ends within its limit, it must observe the same and find the same number of distinct traces.

use raddle_analysis::{LitmusResult, litmus};
use raddle_engine::{Model, Options, Strategy, Summary};
use raddle_ir::Verified;
use raddle_testing::{Corpus, Reference, note};

/// The number of interleavings that the search without reduction may visit.
const INTERLEAVINGS: u64 = 20_000;

/// The errors in the answers for one test under one model.
fn complaints(program: &Verified, model: Model, expected: &Reference) -> Vec<String> {
    let mut wrong = Vec::new();
    for strategy in [Strategy::Optimal, Strategy::Source, Strategy::Persistent] {
        let options = Options { strategy, count_traces: true, ..Options::new(model) };
        let found = litmus(program, &options);
        wrong.extend(other_observation(&found, expected));
        wrong.extend(other_count(&found.check.summary, strategy, expected));
    }
    let mut options = Options { strategy: Strategy::Exhaustive, ..Options::new(model) };
    options.count_traces = true;
    options.limits.executions = Some(INTERLEAVINGS);
    let all = litmus(program, &options);
    if all.check.summary.stopped.is_none() {
        wrong.extend(other_observation(&all, expected));
        wrong.extend(other_traces(&all.check.summary, expected));
    }
    let test = &expected.test;
    wrong.iter().map(|complaint| format!("{test} under {model}: {complaint}")).collect()
}

fn other_observation(found: &LitmusResult, expected: &Reference) -> Option<String> {
    let observation = found.observation.name();
    (observation != expected.observation)
        .then(|| format!("observed {observation}, expected {}", expected.observation))
}

fn other_count(found: &Summary, strategy: Strategy, expected: &Reference) -> Option<String> {
    let redundant = strategy == Strategy::Optimal && found.redundant > 0;
    let exact = found.executions == expected.executions && found.stopped.is_none();
    if !exact || redundant {
        let Summary { executions, redundant, .. } = found;
        let name = strategy.name();
        return Some(format!(
            "{name} explores {executions} executions and gives up {redundant}, expected {}",
            expected.executions
        ));
    }
    other_traces(found, expected)
}

fn other_traces(found: &Summary, expected: &Reference) -> Option<String> {
    let wrong = found.traces != Some(expected.executions);
    wrong.then(|| format!("{:?} traces, expected {}", found.traces, expected.executions))
}

/// All tests under one model.
fn corpus(model: Model) {
    for corpus in Corpus::all("x86") {
        let references = corpus.references_of(model.name());
        let mut wrong = Vec::new();
        for expected in &references {
            let test = raddle_front_litmus::load(&expected.test, &corpus.read(&expected.test));
            let program = test.expect("the test is well-formed").program;
            wrong.extend(complaints(&program, model, expected));
        }
        let shown = wrong[..wrong.len().min(40)].join("\n");
        assert!(wrong.is_empty(), "{} of {} tests: \n{shown}", wrong.len(), references.len());
        note(&format!("{} compared in {}", references.len(), corpus.name()));
    }
}

#[test]
fn sc() {
    corpus(Model::Sc);
}

#[test]
fn tso() {
    corpus(Model::Tso);
}

#[test]
fn pso() {
    corpus(Model::Pso);
}
