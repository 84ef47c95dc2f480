//! Compares the engine with the oracles, on generated programs: every strategy, every model.
//!
//! `RADDLE_LONG=1` runs many more programs.

use crate::common::oracle_model;
use raddle_engine::{Coverage, Engine, FailureKind, Model, Options, Strategy, Summary};
use raddle_interleave::explore;
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare_under, ensure, generated, only_if, same};
use raddle_oracle::generate::Config;
use raddle_oracle::{Outcome, Trouble, axiomatic, interleavings};

/// The number of states that the operational oracle may visit; programs with more are skipped.
const BUDGET: u64 = 30_000;
/// The number of executions that a strategy may explore.
const EXECUTIONS: u64 = 100_000;
/// The number of interleavings that the exhaustive strategy may explore; if there are more, it is not compared.
const INTERLEAVINGS: u64 = 10_000;

fn run(program: &Verified, model: Model, strategy: Strategy) -> Summary {
    let mut options = Options { strategy, keep_going: true, ..Options::new(model) };
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    let exhaustive = strategy == Strategy::Exhaustive;
    options.limits.executions = Some(if exhaustive { INTERLEAVINGS } else { EXECUTIONS });
    options.count_traces = strategy != Strategy::Optimal;
    explore(program, &options)
}

/// The answer of the operational oracle. If the axiomatic oracle also has an answer, it must be the same.
fn expected(program: &Verified, model: Model) -> Result<Outcome, Trouble> {
    let model = oracle_model(model).expect("a model of the oracles");
    let operational = interleavings::executions(program, model, BUDGET)?;
    if let Ok(outcome) = axiomatic::executions(program, model) {
        assert_eq!(outcome, operational, "the oracles disagree under {model}");
    }
    Ok(operational)
}

fn as_the_oracles_say(program: &Verified, model: Model) -> Comparison {
    let expected = expected(program, model)?;
    let states: Vec<_> = expected.states.clone().into_iter().collect();
    for strategy in reductions() {
        let found = run(program, model, strategy);
        let deadlocks: u64 = found
            .failures
            .iter()
            .filter(|failure| failure.kind == FailureKind::Deadlock)
            .map(|failure| failure.count)
            .sum();
        let counts = (found.executions, found.blocked, deadlocks);
        let right = (expected.executions, expected.blocked, expected.deadlocks);
        let name = strategy.name();
        same(format!("executions, blocked, deadlocks by {name}"), &counts, &right)?;
        if strategy == Strategy::Optimal {
            same("redundant executions", &found.redundant, &0)?;
        }
        if !program.observables.is_empty() {
            same(format!("final states by {name}"), &found.states, &states)?;
        }
    }
    let found = run(program, model, Strategy::Exhaustive);
    if found.stopped.is_none() {
        same("all traces", &found.traces, &Some(expected.executions + expected.blocked))?;
    }
    Ok(())
}

/// The strategies that visit each trace once.
fn reductions() -> impl Iterator<Item = Strategy> {
    let is_one = |strategy: &Strategy| {
        strategy.engine() == Engine::Interleave && strategy.coverage() == Coverage::Traces
    };
    Strategy::ALL.into_iter().filter(is_one)
}

fn models() -> Vec<Model> {
    Engine::Interleave.models().filter(|model| oracle_model(*model).is_some()).collect()
}

fn agree(config: &Config, count: u64) {
    compare_under(generated(config, count), &models(), as_the_oracles_say);
}

#[test]
fn memory() {
    agree(&Config::memory(), 200);
}

#[test]
fn four_threads() {
    let config = Config { threads: 4..=4, instructions: 1..=3, ..Config::memory() };
    agree(&config, 60);
}

#[test]
fn longer_threads() {
    let config = Config { threads: 2..=2, instructions: 5..=8, ..Config::memory() };
    agree(&config, 50);
}

#[test]
fn c11() {
    agree(&Config::c11(), 150);
}

#[test]
fn synchronised() {
    agree(&Config::synchronised(), 75);
}

#[test]
fn semaphores_and_rwlocks() {
    agree(&Config::waiting(), 75);
}

/// Compares the reductions with each other, on programs that are too large for the oracles. The reductions
/// share only the detection of races.
fn as_the_strategies_say(program: &Verified, model: Model) -> Comparison {
    let source = run(program, model, Strategy::Source);
    only_if(source.stopped.is_none())?;
    let optimal = run(program, model, Strategy::Optimal);
    let persistent = run(program, model, Strategy::Persistent);
    let counts = |s: &Summary| (s.executions, s.blocked, s.states.clone());
    let begun = |s: &Summary| s.executions + s.blocked + s.redundant;
    same("source and optimal", &counts(&source), &counts(&optimal))?;
    same("persistent and optimal", &counts(&persistent), &counts(&optimal))?;
    same("redundant executions", &optimal.redundant, &0)?;
    ensure(persistent.stopped.is_some() || begun(&persistent) >= begun(&optimal), || {
        format!("persistent begins {}, optimal {}", begun(&persistent), begun(&optimal))
    })
}

fn strategies_agree(config: &Config, count: u64) {
    compare_under(generated(config, count), &models(), as_the_strategies_say);
}

#[test]
fn strategies_agree_on_memory() {
    let config = Config { threads: 3..=5, instructions: 2..=4, locations: 3, ..Config::memory() };
    strategies_agree(&config, 75);
}

#[test]
fn strategies_agree_on_synchronisation() {
    let config =
        Config { threads: 3..=4, instructions: 2..=5, locations: 2, ..Config::synchronised() };
    strategies_agree(&config, 75);
}

#[test]
fn strategies_agree_on_semaphores_and_rwlocks() {
    let config = Config { threads: 3..=4, instructions: 2..=5, ..Config::waiting() };
    strategies_agree(&config, 75);
}
