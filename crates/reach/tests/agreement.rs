//! The engine against the interleaving engine, on generated programs: final states, failures, and
//! robustness, which there is a matter of counting traces. Of programs with loops that wait, failures.
//!
//! `RADDLE_LONG=1` runs many more programs.

use raddle_interleave::{
    Budget, FailureKind, Model, Options as Exploration, ReplayEnd, Summary, explore, replay_reach,
};
use raddle_ir::{Program, text};
use raddle_oracle::generate::{self, Config, Weights};
use raddle_oracle::shrink::shrink;
use raddle_oracle::spinning;
use raddle_reach::{
    Answer, End, Options, ReachModel, Reached, Robust, final_states, reach, robust,
};

/// Executions beyond which a program is passed over.
const EXECUTIONS: u64 = 5_000;

fn seeds(short: u64) -> std::ops::Range<u64> {
    0..raddle_testing::scaled(short, 40)
}

/// What the interleaving engine says, if it can say everything.
fn explored(program: &Program, model: Model) -> Option<Summary> {
    let mut options = Exploration { keep_going: true, ..Exploration::new(model) };
    options.limits.executions = Some(EXECUTIONS);
    options.limits.spin = false;
    let summary = explore(program, &options);
    let unsupported = summary.failures.iter().any(|f| f.kind == FailureKind::Unsupported);
    (summary.stopped.is_none() && summary.cut == 0 && !unsupported).then_some(summary)
}

fn complaint(program: &Program) -> Option<String> {
    let options = Options::default();
    let (sc, tso) = (explored(program, Model::Sc)?, explored(program, Model::Tso)?);
    for (model, summary) in [(ReachModel::Sc, &sc), (ReachModel::Tso, &tso)] {
        let expected: Vec<Vec<u64>> =
            summary.states.iter().map(|(values, _)| values.clone()).collect();
        let found = final_states(program, model, &options);
        let states: Vec<Vec<u64>> = found.states.into_iter().map(|state| state.values).collect();
        if found.unknown.is_some() || !expected.is_empty() && states != expected {
            return Some(format!(
                "{model:?}: final states {states:x?}, not {expected:x?} ({:?})",
                found.unknown
            ));
        }
        let reached = reach(program, model, &options).answer;
        let fails = !summary.failures.is_empty();
        if matches!(reached, Answer::Reachable(_)) != fails || matches!(reached, Answer::Unknown(_))
        {
            return Some(format!("{model:?}: {reached:?}, not {:?}", summary.failures));
        }
    }
    let traces = |summary: &Summary| summary.executions + summary.blocked;
    let verdict = robust(program, &options).verdict;
    let expected = traces(&sc) == traces(&tso);
    if (verdict == Robust::Robust) != expected {
        return Some(format!("{verdict:?}, with {} and {} traces", traces(&sc), traces(&tso)));
    }
    None
}

fn agree(config: &Config, programs: u64) {
    let (mut robust_ones, mut compared) = (0, 0);
    for seed in seeds(programs) {
        let program = generate::program(config, seed);
        if complaint(&program).is_some() {
            let small = shrink(&program, &mut |smaller| complaint(smaller).is_some());
            let what = complaint(&small).unwrap_or_default();
            panic!("seed {seed}: {what}\n{}", text::print(&small));
        }
        compared += 1;
        robust_ones += u64::from(robust(&program, &Options::default()).verdict == Robust::Robust);
    }
    println!("{robust_ones} of {compared} programs are robust");
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

/// Where the two differ over whether a program with loops can fail, be it by waiting for ever.
fn spinning_complaint(program: &Program) -> Option<String> {
    for (reached, model) in [(ReachModel::Sc, Model::Sc), (ReachModel::Tso, Model::Tso)] {
        let mut options = Exploration { keep_going: true, ..Exploration::new(model) };
        options.limits.executions = Some(EXECUTIONS);
        options.limits.events = 1_000;
        let expected = explore(program, &options);
        let cut = expected.cut > 0 || expected.stopped.is_some();
        let fails = !expected.failures.is_empty();
        let answer = reach(program, reached, &Options::default()).answer;
        let agrees = match &answer {
            Answer::Reachable(witness) => (fails || cut) && replays(program, model, witness),
            Answer::Unreachable => !fails,
            Answer::Unknown(_) => false,
        };
        if !agrees {
            return Some(format!("{model:?}: {answer:?}, not {:?}", expected.failures));
        }
    }
    None
}

fn replays(program: &Program, model: Model, witness: &Reached) -> bool {
    let End::Failure(failure) = &witness.end else { return false };
    match replay_reach(program, model, false, &Budget::UNLIMITED, &witness.schedule).0.end {
        ReplayEnd::Failed(sites) => sites.iter().any(|site| site.kind == failure.kind),
        _ => false,
    }
}

#[test]
fn loops_that_wait() {
    let mut stuck = 0;
    for seed in seeds(300) {
        let program = spinning::program(seed);
        if spinning_complaint(&program).is_some() {
            let small = shrink(&program, &mut |smaller| spinning_complaint(smaller).is_some());
            let what = spinning_complaint(&small).unwrap_or_default();
            panic!("seed {seed}: {what}\n{}", text::print(&small));
        }
        let answer = reach(&program, ReachModel::Sc, &Options::default()).answer;
        stuck += u64::from(matches!(answer, Answer::Reachable(_)));
    }
    println!("{stuck} programs can fail under sc");
    assert!(stuck > 50);
}
