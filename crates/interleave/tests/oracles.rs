//! The engine against the oracles, on generated programs: every strategy, every model.
//!
//! `RADDLE_LONG=1` runs many more programs.

use raddle_interleave::{FailureKind, Model, Options, Strategy, Summary, explore};
use raddle_ir::{Program, text};
use raddle_oracle::generate::{self, Config};
use raddle_oracle::shrink::shrink;
use raddle_oracle::{self as oracle, Outcome, Trouble, axiomatic, interleavings};

/// States that the operational oracle may visit; programs with more are passed over.
const BUDGET: u64 = 30_000;
/// Interleavings that the exhaustive strategy may visit.
const INTERLEAVINGS: u64 = 100_000;

fn seeds(short: u64) -> std::ops::Range<u64> {
    0..raddle_testing::scaled(short, 50)
}

fn run(program: &Program, model: Model, strategy: Strategy) -> Summary {
    let mut options = Options { strategy, keep_going: true, ..Options::new(model) };
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    options.limits.executions = Some(INTERLEAVINGS);
    options.count_traces = strategy != Strategy::Optimal;
    explore(program, &options)
}

fn model_of(model: Model) -> oracle::Model {
    match model {
        Model::Sc => oracle::Model::Sc,
        Model::Tso => oracle::Model::Tso,
        Model::Pso => oracle::Model::Pso,
    }
}

/// The oracle's answer; both, where both have one.
fn expected(program: &Program, model: Model) -> Option<Outcome> {
    let model = model_of(model);
    let operational = match interleavings::executions(program, model, BUDGET) {
        Ok(outcome) => outcome,
        Err(Trouble::Budget) => return None,
        Err(trouble) => panic!("{trouble}"),
    };
    if let Ok(outcome) = axiomatic::executions(program, model) {
        assert_eq!(outcome, operational, "the oracles disagree under {model}");
    }
    Some(operational)
}

/// What is wrong with the engine's answers, if anything.
fn complaint(program: &Program, model: Model) -> Option<String> {
    let expected = expected(program, model)?;
    let states: Vec<_> = expected.states.clone().into_iter().collect();
    for strategy in [Strategy::Optimal, Strategy::Source, Strategy::Persistent] {
        let found = run(program, model, strategy);
        let deadlocks: u64 = found
            .failures
            .iter()
            .filter(|failure| failure.kind == FailureKind::Deadlock)
            .map(|failure| failure.count)
            .sum();
        let counts = (found.executions, found.blocked, deadlocks);
        let right = (expected.executions, expected.blocked, expected.deadlocks);
        let redundant = strategy == Strategy::Optimal && found.redundant > 0;
        let other_states = !program.observables.is_empty() && found.states != states;
        if counts != right || redundant || other_states {
            return Some(format!(
                "{model} {strategy:?}: (executions, blocked, deadlocks) = {counts:?} with {} \
                 redundant, the oracle says {right:?}\n{:?}\n{states:?}",
                found.redundant, found.states
            ));
        }
    }
    let found = run(program, model, Strategy::Exhaustive);
    if found.stopped.is_none() {
        let traces = expected.executions + expected.blocked;
        if found.traces != Some(traces) {
            return Some(format!("{model} exhaustive: {:?} traces, not {traces}", found.traces));
        }
    }
    None
}

/// Asks of every generated program under every model; the first complaint is made small.
fn no_complaints(
    config: &Config,
    seeds: std::ops::Range<u64>,
    complaint: fn(&Program, Model) -> Option<String>,
) {
    for seed in seeds {
        let program = generate::program(config, seed);
        for model in Model::ALL {
            if let Some(first) = complaint(&program, model) {
                let small = shrink(&program, &mut |p| complaint(p, model).is_some());
                let last = complaint(&small, model).unwrap_or(first);
                panic!("seed {seed}: {last}\n{}", text::print(&small));
            }
        }
    }
}

fn agree(config: &Config, seeds: std::ops::Range<u64>) {
    no_complaints(config, seeds, complaint);
}

#[test]
fn memory() {
    agree(&Config::memory(), seeds(400));
}

#[test]
fn four_threads() {
    let config = Config { threads: 4..=4, instructions: 1..=3, ..Config::memory() };
    agree(&config, seeds(200));
}

#[test]
fn longer_threads() {
    let config = Config { threads: 2..=2, instructions: 5..=8, ..Config::memory() };
    agree(&config, seeds(150));
}

#[test]
fn c11() {
    agree(&Config::c11(), seeds(300));
}

#[test]
fn synchronised() {
    agree(&Config::synchronised(), seeds(300));
}

#[test]
fn semaphores_and_rwlocks() {
    agree(&Config::waiting(), seeds(300));
}

/// On programs too large for the oracles, the reductions against each other: they have in
/// common only how races are found.
fn disagreement(program: &Program, model: Model) -> Option<String> {
    let source = run(program, model, Strategy::Source);
    if source.stopped.is_some() {
        return None;
    }
    let optimal = run(program, model, Strategy::Optimal);
    let persistent = run(program, model, Strategy::Persistent);
    let counts = |s: &Summary| (s.executions, s.blocked, s.states.clone());
    let begun = |s: &Summary| s.executions + s.blocked + s.redundant;
    let wrong = counts(&source) != counts(&optimal)
        || counts(&persistent) != counts(&optimal)
        || persistent.stopped.is_none() && begun(&persistent) < begun(&optimal)
        || optimal.redundant > 0;
    let told =
        |s: &Summary| format!("{} + {} with {} redundant", s.executions, s.blocked, s.redundant);
    wrong.then(|| {
        let [optimal, source, persistent] = [optimal, source, persistent].map(|s| told(&s));
        format!("{model}: optimal {optimal}, source {source}, persistent {persistent}")
    })
}

#[test]
fn strategies_agree_on_memory() {
    let config = Config { threads: 3..=5, instructions: 2..=4, locations: 3, ..Config::memory() };
    no_complaints(&config, seeds(300), disagreement);
}

#[test]
fn strategies_agree_on_synchronisation() {
    let config =
        Config { threads: 3..=4, instructions: 2..=5, locations: 2, ..Config::synchronised() };
    no_complaints(&config, seeds(300), disagreement);
}

#[test]
fn strategies_agree_on_semaphores_and_rwlocks() {
    let config = Config { threads: 3..=4, instructions: 2..=5, ..Config::waiting() };
    no_complaints(&config, seeds(300), disagreement);
}
