//! The x86 litmus tests with reference results: every model, all reductions.
//!
//! For each test and model the reference gives whether the condition is met never, sometimes or
//! always, and the number of allowed executions. All reductions must observe the same; the optimal
//! one must explore exactly that many executions and give up none. Where a search without reduction
//! ends soon enough, it must observe the same and find as many distinct traces.

use raddle_analysis::{LitmusResult, litmus};
use raddle_interleave::{Model, Options, Strategy, Summary};
use raddle_ir::Program;
use std::path::{Path, PathBuf};

/// Interleavings that the search without reduction may visit.
const INTERLEAVINGS: u64 = 20_000;

/// What the reference says of a test under a model.
struct Reference {
    test: String,
    model: Model,
    observation: String,
    executions: u64,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/litmus/x86")
}

fn reference(line: &str) -> Reference {
    let fields: Vec<&str> = line.split('\t').collect();
    let [test, model, observation, executions] = fields[..] else { panic!("bad line: {line}") };
    Reference {
        test: test.to_owned(),
        model: model.parse().expect("a model of this engine"),
        observation: observation.to_owned(),
        executions: executions.parse().expect("a number of executions"),
    }
}

fn load(folder: &Path, test: &str) -> Program {
    let bytes = std::fs::read(folder.join(format!("{test}.litmus"))).expect("the test is there");
    raddle_front_litmus::load(test, &bytes).expect("the test is well-formed").program
}

/// What is wrong with the answers on one test under one model.
fn complaints(program: &Program, expected: &Reference) -> Vec<String> {
    let mut wrong = Vec::new();
    for strategy in [Strategy::Optimal, Strategy::Source, Strategy::Persistent] {
        let options = Options { strategy, count_traces: true, ..Options::new(expected.model) };
        let found = litmus(program, &options.clone().into());
        wrong.extend(other_observation(&found, expected));
        wrong.extend(other_count(&found.check.summary, strategy, expected));
    }
    let mut options = Options { strategy: Strategy::Exhaustive, ..Options::new(expected.model) };
    options.count_traces = true;
    options.limits.executions = Some(INTERLEAVINGS);
    let all = litmus(program, &options.clone().into());
    if all.check.summary.stopped.is_none() {
        wrong.extend(other_observation(&all, expected));
        wrong.extend(other_traces(&all.check.summary, expected));
    }
    let (test, model) = (&expected.test, expected.model);
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

/// All tests of the corpus under one model.
fn corpus(model: Model) {
    let folder = folder();
    let Ok(results) = std::fs::read_to_string(folder.join("results.tsv")) else {
        println!("{} is absent: passed over", folder.display());
        return;
    };
    let lines = results.lines().filter(|line| !line.starts_with('#'));
    let of_model = lines.map(reference).filter(|reference| reference.model == model);
    let mut wrong = Vec::new();
    let mut checked = 0;
    for expected in of_model {
        wrong.extend(complaints(&load(&folder, &expected.test), &expected));
        checked += 1;
    }
    let shown = wrong[..wrong.len().min(40)].join("\n");
    assert!(wrong.is_empty(), "{} of {checked} tests: \n{shown}", wrong.len());
    assert!(checked > 0, "no results for {model}");
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
