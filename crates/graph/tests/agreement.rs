//! Compares the engine with oracles and with the interleaving engine, on generated programs.
//!
//! The engine shares no code with the oracles. With the interleaving engine it shares arithmetic and the
//! decoded form of programs. `RADDLE_LONG=1` runs many more programs.

use crate::{by_axioms, models_of_axioms, models_of_buffers};
use raddle_engine::{FailureKind, Model, Options, ReplayEnd, Summary, Unroll};
use raddle_graph::{explore, replay};
use raddle_interleave as interleave;
use raddle_ir::Verified;
use raddle_oracle::campaign::{
    Comparison, compare_under, ensure, generated, only_if, same, seeded,
};
use raddle_oracle::generate::Config;
use raddle_oracle::spinning;
use std::collections::BTreeMap;

/// The number of candidates that the oracle may visit; programs with more are skipped.
const BUDGET: u64 = 30_000;

fn options(model: Model) -> Options {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    options
}

fn run(program: &Verified, model: Model) -> Summary {
    explore(program, &options(model))
}

fn deadlocks(failures: &[raddle_engine::Failure]) -> u64 {
    let deadlocks = failures.iter().filter(|failure| failure.kind == FailureKind::Deadlock);
    deadlocks.map(|failure| failure.count).sum()
}

/// Deadlocks, by the reasons of the waiting threads in any order.
fn waits(failures: &[raddle_engine::Failure]) -> BTreeMap<Vec<String>, u64> {
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

/// Every failure replays, and every final state with a schedule.
fn replays(program: &Verified, model: Model, found: &Summary) -> Comparison {
    let options = Options::new(model);
    for failure in &found.failures {
        let end = replay(program, &options, &failure.schedule).end;
        let is_there = match &end {
            ReplayEnd::Failed(sites) => sites.contains(&failure.site),
            _ => false,
        };
        ensure(is_there, || format!("{failure:?} replays to {end:?}"))?;
    }
    for ((state, _), schedule) in found.states.iter().zip(&found.witnesses) {
        let end = replay(program, &options, schedule).end;
        same("the replay", &end, &ReplayEnd::Complete { state: state.clone() })?;
    }
    Ok(())
}

/// Compares a model that only axioms define with the candidate executions of an oracle.
fn against_candidates(program: &Verified, model: Model) -> Comparison {
    let expected = by_axioms(program, model, BUDGET)?;
    let found = run(program, model);
    let counts = (found.executions, found.blocked, deadlocks(&found.failures));
    let right = (expected.executions, expected.blocked, expected.deadlocks);
    same("executions, blocked, deadlocks", &counts, &right)?;
    if !program.observables.is_empty() {
        same("final states", &found.states, &expected.states.into_iter().collect())?;
    }
    replays(program, model, &found)
}

#[test]
fn dependencies_and_fences() {
    compare_under(generated(&Config::weak(), 40), &models_of_axioms(), against_candidates);
}

#[test]
fn orders_of_c() {
    compare_under(generated(&Config::weak_c11(), 30), &models_of_axioms(), against_candidates);
    compare_under(generated(&Config::c11(), 20), &models_of_axioms(), against_candidates);
}

/// Compares a model with store buffers with the interleaving engine.
fn against_interleavings(program: &Verified, model: Model) -> Comparison {
    let mut options = options(model);
    options.limits.executions = Some(20_000);
    let expected = interleave::explore(program, &options);
    only_if(expected.stopped.is_none())?;
    let found = run(program, model);
    let counts = |s: &Summary| (s.executions, s.blocked, waits(&s.failures), s.states.clone());
    same("counts", &counts(&found), &counts(&expected))?;
    replays(program, model, &found)
}

#[test]
fn memory() {
    compare_under(generated(&Config::memory(), 100), &models_of_buffers(), against_interleavings);
}

#[test]
fn c11() {
    compare_under(generated(&Config::c11(), 100), &models_of_buffers(), against_interleavings);
}

#[test]
fn more_threads() {
    let config = Config { threads: 3..=4, instructions: 2..=4, ..Config::memory() };
    compare_under(generated(&config, 50), &models_of_buffers(), against_interleavings);
}

#[test]
fn waiting() {
    compare_under(generated(&Config::waiting(), 100), &models_of_buffers(), against_interleavings);
}

/// Locks, condition variables, semaphores, threads that start others.
#[test]
fn synchronised() {
    compare_under(
        generated(&Config::synchronised(), 60),
        &models_of_buffers(),
        against_interleavings,
    );
}

/// Loops that wait, in many shapes: threads are stopped in the same executions.
#[test]
fn loops_that_wait() {
    compare_under(seeded(400, spinning::program), &models_of_buffers(), against_interleavings);
}

/// Stopping threads that spin loses no final state that bounded loops reach.
fn nothing_lost(program: &Verified, model: Model) -> Comparison {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(20_000);
    let found = explore(program, &options);
    options.limits.unroll = Unroll::every(2);
    options.limits.spin = false;
    let bounded = explore(program, &options);
    only_if(found.stopped.is_none() && bounded.stopped.is_none())?;
    let known = |state: &Vec<u64>| found.states.iter().any(|(other, _)| other == state);
    let lost = bounded.states.iter().find(|(state, _)| !known(state));
    ensure(lost.is_none(), || format!("{lost:?} is not among {:?}", found.states))
}

#[test]
fn nothing_is_nothing_lost() {
    compare_under(seeded(100, spinning::program), &models_of_axioms(), nothing_lost);
}
