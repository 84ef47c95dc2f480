//! Compares the engine with the interleaving engine, on generated programs: final states, failures, and
//! robustness, which the interleaving engine decides by counting traces. For programs with loops that wait,
//! only failures are compared.
//!
//! `RADDLE_LONG=1` runs many more programs.

use crate::options;
use raddle_engine::{Engine, FailureKind, Model, Options, ReplayEnd, Strategy, Summary};
use raddle_interleave::{explore, replay_reach};
use raddle_ir::Verified;
use raddle_oracle::campaign::{
    Comparison, Stop, compare, compare_under, ensure, generated, same, seeded,
};
use raddle_oracle::generate::{Config, Weights};
use raddle_oracle::spinning;
use raddle_reach::{Answer, End, Reached, Robust, final_states, reach, robust};
use raddle_testing::note;

/// Programs with more executions are skipped.
const EXECUTIONS: u64 = 5_000;

/// The result of the interleaving engine, if it is complete.
fn explored(program: &Verified, model: Model) -> Result<Summary, Stop> {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(EXECUTIONS);
    options.limits.spin = false;
    let summary = explore(program, &options);
    let unsupported = summary.failures.iter().any(|f| f.kind == FailureKind::Unsupported);
    let is_whole = summary.stopped.is_none() && summary.cut == 0 && !unsupported;
    is_whole.then_some(summary).ok_or(Stop::Skip)
}

/// Compares final states, failures and robustness; returns whether the program is robust.
fn as_by_executions(program: &Verified) -> Result<bool, Stop> {
    let (sc, tso) = (explored(program, Model::Sc)?, explored(program, Model::Tso)?);
    for (model, summary) in [(Model::Sc, &sc), (Model::Tso, &tso)] {
        let expected: Vec<Vec<u64>> =
            summary.states.iter().map(|(values, _)| values.clone()).collect();
        let found = final_states(program, &options(model));
        let states: Vec<Vec<u64>> = found.states.into_iter().map(|state| state.values).collect();
        ensure(found.unknown.is_none(), || format!("{model:?}: {:?}", found.unknown))?;
        if !expected.is_empty() {
            same(format!("{model:?}: final states"), &states, &expected)?;
        }
        let reached = reach(program, &options(model)).answer;
        let agrees = match reached {
            Answer::Reachable(_) => !summary.failures.is_empty(),
            Answer::Unreachable => summary.failures.is_empty(),
            Answer::Unknown(_) => false,
        };
        ensure(agrees, || format!("{model:?}: {reached:?}, not {:?}", summary.failures))?;
    }
    let traces = |summary: &Summary| summary.executions + summary.blocked;
    let verdict = robust(program, &options(Model::Tso)).verdict;
    let is_robust = verdict == Robust::Robust;
    ensure(is_robust == (traces(&sc) == traces(&tso)), || {
        format!("{verdict:?}, with {} and {} traces", traces(&sc), traces(&tso))
    })?;
    Ok(is_robust)
}

fn agree(config: &Config, programs: u64) {
    let mut robust = 0;
    compare(generated(config, programs), |program| {
        robust += u64::from(as_by_executions(program)?);
        Ok(())
    });
    note(&format!("{robust} are robust"));
}

/// Mostly loads and stores, so that few programs are robust.
#[test]
fn accesses() {
    let weights = Weights {
        load: 30,
        store: 30,
        fence: 3,
        rmw: 1,
        branch: 5,
        assert: 3,
        choose: 1,
        index: 2,
        ..Weights::default()
    };
    let shape = Config { threads: 2..=3, instructions: 3..=5, ..Config::memory() };
    agree(&Config { weights, ..shape.clone() }, 200);
    agree(&Config { weights, locations: 3, threads: 3..=3, ..shape }, 50);
}

#[test]
fn accesses_and_fences() {
    agree(&Config::memory(), 200);
}

#[test]
fn orders_and_widths() {
    agree(&Config::c11(), 200);
}

#[test]
fn locks_and_threads() {
    agree(&Config::synchronised(), 100);
}

#[test]
fn waiting() {
    agree(&Config::waiting(), 100);
}

/// Compares whether a program with loops can fail, also by waiting forever; returns whether it can.
fn fails_as_by_executions(program: &Verified, model: Model) -> Result<bool, Stop> {
    let mut exploration = Options { keep_going: true, ..Options::new(model) };
    exploration.limits.executions = Some(EXECUTIONS);
    exploration.limits.events = 1_000;
    let expected = explore(program, &exploration);
    let cut = expected.cut > 0 || expected.stopped.is_some();
    let fails = !expected.failures.is_empty();
    let answer = reach(program, &options(model)).answer;
    let agrees = match &answer {
        Answer::Reachable(witness) => (fails || cut) && replays(program, model, witness),
        Answer::Unreachable => !fails,
        Answer::Unknown(_) => false,
    };
    ensure(agrees, || format!("{answer:?}, not {:?}", expected.failures))?;
    Ok(matches!(answer, Answer::Reachable(_)))
}

fn replays(program: &Verified, model: Model, witness: &Reached) -> bool {
    let End::Failure(failure) = &witness.end else { return false };
    match replay_reach(program, &Options::new(model).by(Strategy::Lazy), &witness.schedule).0.end {
        ReplayEnd::Failed(sites) => sites.iter().any(|site| site.kind == failure.kind),
        _ => false,
    }
}

#[test]
fn loops_that_wait() {
    let mut failing = 0;
    let models: Vec<Model> = Engine::Reach.models().collect();
    compare_under(seeded(300, spinning::program), &models, |program, model| -> Comparison {
        failing += u64::from(fails_as_by_executions(program, model)?);
        Ok(())
    });
    note(&format!("{failing} can fail"));
    assert!(failing > 100, "{failing} can fail");
}
