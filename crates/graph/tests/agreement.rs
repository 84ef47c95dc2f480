//! The engine against oracles and against the interleaving engine, on generated programs.
//!
//! Nothing is shared with the oracles; with the interleaving engine, arithmetic and the decoded form
//! of programs. `RADDLE_LONG=1` runs many more programs.

use raddle_graph::{FailureKind, Model, Options, ReplayEnd, Summary, explore, replay};
use raddle_interleave as interleave;
use raddle_ir::{Program, text};
use raddle_oracle::generate::{self, Config};
use raddle_oracle::shrink::shrink;
use raddle_oracle::spinning;
use raddle_oracle::{Outcome, Trouble, weak};
use std::collections::BTreeMap;

/// Candidates that the oracle may look at; programs with more are passed over.
const BUDGET: u64 = 30_000;

fn seeds(short: u64) -> std::ops::Range<u64> {
    let long = raddle_testing::is_long();
    0..short * if long { 50 } else { 1 }
}

fn run(program: &Program, model: Model) -> Summary {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    explore(program, &options)
}

fn deadlocks(failures: &[raddle_graph::Failure]) -> u64 {
    let deadlocks = failures.iter().filter(|failure| failure.kind == FailureKind::Deadlock);
    deadlocks.map(|failure| failure.count).sum()
}

/// Deadlocks by who waits for what; threads may be in another order.
fn waits(failures: &[raddle_graph::Failure]) -> BTreeMap<Vec<String>, u64> {
    let deadlocks = failures.iter().filter(|failure| failure.kind == FailureKind::Deadlock);
    let mut waits = BTreeMap::new();
    for failure in deadlocks {
        let reasons = failure.message.split("; ").map(str::to_owned);
        let mut reasons: Vec<String> = reasons.collect();
        reasons.sort_unstable();
        *waits.entry(reasons).or_insert(0) += failure.count;
    }
    waits
}

fn difference(program: &Program, found: &Summary, expected: &Outcome) -> Option<String> {
    let states: Vec<_> = expected.states.clone().into_iter().collect();
    let counts = (found.executions, found.blocked, deadlocks(&found.failures));
    let right = (expected.executions, expected.blocked, expected.deadlocks);
    let other_states = !program.observables.is_empty() && found.states != states;
    (counts != right || other_states).then(|| {
        format!(
            "(executions, blocked, deadlocks) = {counts:?}, the oracle says {right:?}\n{:?}\n{states:?}",
            found.states
        )
    })
}

/// Every failure, and every final state of which a schedule is kept, replays.
fn replays(program: &Program, model: Model, found: &Summary) -> Option<String> {
    let limits = Options::new(model).limits;
    for failure in &found.failures {
        let end = replay(program, model, &limits, &failure.schedule).end;
        let same = match &end {
            ReplayEnd::Failed(sites) => sites.contains(&failure.site),
            _ => false,
        };
        if !same {
            return Some(format!("{model}: {failure:?} replays to {end:?}"));
        }
    }
    for ((state, _), schedule) in found.states.iter().zip(&found.witnesses) {
        let end = replay(program, model, &limits, schedule).end;
        if end != (ReplayEnd::Complete { state: state.clone() }) {
            return Some(format!("{model}: {state:?} replays to {end:?}"));
        }
    }
    None
}

fn no_complaints(
    config: &Config,
    seeds: std::ops::Range<u64>,
    models: &[Model],
    complaint: fn(&Program, Model) -> Option<String>,
) {
    for seed in seeds {
        check_one(&generate::program(config, seed), seed, models, complaint);
    }
}

fn check_one(
    program: &Program,
    seed: u64,
    models: &[Model],
    complaint: fn(&Program, Model) -> Option<String>,
) {
    for model in models {
        if let Some(first) = complaint(program, *model) {
            let small = shrink(program, &mut |p| complaint(p, *model).is_some());
            let last = complaint(&small, *model).unwrap_or(first);
            panic!("seed {seed}: {model}: {last}\n{}", text::print(&small));
        }
    }
}

/// POWER and ARM against candidate executions.
fn against_candidates(program: &Program, model: Model) -> Option<String> {
    let of_oracle = match model {
        Model::Power => weak::Model::Power,
        _ => weak::Model::Arm,
    };
    let expected = match weak::executions_within(program, of_oracle, BUDGET) {
        Ok(expected) => expected,
        Err(Trouble::Budget) => return None,
        Err(trouble) => panic!("{trouble}"),
    };
    let found = run(program, model);
    difference(program, &found, &expected).or_else(|| replays(program, model, &found))
}

const WEAK: [Model; 2] = [Model::Power, Model::Arm];

#[test]
fn dependencies_and_fences() {
    no_complaints(&Config::weak(), seeds(40), &WEAK, against_candidates);
}

#[test]
fn orders_of_c() {
    no_complaints(&Config::weak_c11(), seeds(30), &WEAK, against_candidates);
    no_complaints(&Config::c11(), seeds(20), &WEAK, against_candidates);
}

/// SC, TSO and PSO against the interleaving engine.
fn against_interleavings(program: &Program, model: Model) -> Option<String> {
    let other: interleave::Model = model.name().parse().expect("a model of both engines");
    let mut options = interleave::Options { keep_going: true, ..interleave::Options::new(other) };
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    options.limits.executions = Some(20_000);
    let expected = interleave::explore(program, &options);
    if expected.stopped.is_some() {
        return None;
    }
    let found = run(program, model);
    let counts = |s: &Summary| (s.executions, s.blocked, waits(&s.failures), s.states.clone());
    if counts(&found) != counts(&expected) {
        return Some(format!("found {:?}\nexpected {:?}", counts(&found), counts(&expected)));
    }
    replays(program, model, &found)
}

const BUFFERS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

#[test]
fn memory() {
    no_complaints(&Config::memory(), seeds(100), &BUFFERS, against_interleavings);
}

#[test]
fn c11() {
    no_complaints(&Config::c11(), seeds(100), &BUFFERS, against_interleavings);
}

#[test]
fn more_threads() {
    let config = Config { threads: 3..=4, instructions: 2..=4, ..Config::memory() };
    no_complaints(&config, seeds(50), &BUFFERS, against_interleavings);
}

#[test]
fn waiting() {
    no_complaints(&Config::waiting(), seeds(100), &BUFFERS, against_interleavings);
}

/// Locks, condition variables, semaphores, threads that start others.
#[test]
fn synchronised() {
    no_complaints(&Config::synchronised(), seeds(60), &BUFFERS, against_interleavings);
}

/// Loops that wait, in many shapes: threads are stopped in the same executions.
#[test]
fn loops_that_wait() {
    for seed in seeds(400) {
        check_one(&spinning::program(seed), seed, &BUFFERS, against_interleavings);
    }
}

/// A final state that loops reach which are only bounded, and that is not found where threads that spin are stopped.
fn lost_by_stopping(program: &Program, model: Model) -> Option<String> {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(20_000);
    let found = explore(program, &options);
    options.limits.unroll = raddle_graph::Unroll::every(2);
    options.limits.spin = false;
    let bounded = explore(program, &options);
    if found.stopped.is_some() || bounded.stopped.is_some() {
        return None;
    }
    let known = |state: &Vec<u64>| found.states.iter().any(|(other, _)| other == state);
    let lost = bounded.states.iter().find(|(state, _)| !known(state))?;
    Some(format!("{lost:?} is not among {:?}", found.states))
}

#[test]
fn nothing_is_lost_by_stopping() {
    for seed in seeds(100) {
        check_one(&spinning::program(seed), seed, &WEAK, lost_by_stopping);
    }
}
