//! Bounded store buffers: compares the strategies with each other and with the oracle, for every bound.
//!
//! `RADDLE_LONG=1` runs many more programs.

use crate::common::{self, ends_in, oracle_model, threads};
use raddle_engine::{
    BoundKind, Checks, FailureKind, Model, Options, ReplayEnd, Sampling, Strategy, Summary,
};
use raddle_interleave::{explore, replay};
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare_under, generated, only_if, same};
use raddle_oracle::generate::Config;
use raddle_oracle::interleavings;

const BOUNDS: [u32; 5] = [0, 1, 2, 3, 4];
/// The number of states that the oracle may visit; programs with more are skipped.
const BUDGET: u64 = 5_000;
/// The number of executions that a search may start; programs with more are skipped.
const INTERLEAVINGS: u64 = 3_000;
/// More stores than any of the programs here performs.
const LARGE: u32 = 100;

/// The models with store buffers that the oracles have, too.
fn buffered() -> impl Iterator<Item = Model> {
    Model::ALL.into_iter().filter(|model| model.is_buffered() && oracle_model(*model).is_some())
}

fn options(model: Model, bound: Option<u32>, strategy: Strategy) -> Options {
    let mut options = Options { strategy, keep_going: true, ..Options::new(model) };
    options.buffer_bound = bound;
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    options.limits.executions = Some(INTERLEAVINGS);
    options.count_traces = true;
    options
}

fn run(program: &Verified, model: Model, bound: Option<u32>, strategy: Strategy) -> Summary {
    explore(program, &options(model, bound, strategy))
}

fn met(summary: &Summary) -> bool {
    summary.bounds.iter().any(|bound| bound.kind == BoundKind::Buffer)
}

fn deadlocks(summary: &Summary) -> u64 {
    let of_kind = summary.failures.iter().filter(|f| f.kind == FailureKind::Deadlock);
    of_kind.map(|failure| failure.count).sum()
}

/// The counts that are equal for two searches with the same traces.
fn counts(summary: &Summary) -> (u64, u64, u64, Vec<(Vec<u64>, u64)>) {
    (summary.executions, summary.blocked, deadlocks(summary), summary.states.clone())
}

/// Compares the answers of every strategy and of the oracle for one bound.
fn as_everybody_says(program: &Verified, (model, bound): (Model, u32)) -> Comparison {
    let found = run(program, model, Some(bound), Strategy::Optimal);
    same("redundant executions", &found.redundant, &0)?;
    same("traces", &found.traces, &Some(found.executions + found.blocked))?;
    for strategy in [Strategy::Source, Strategy::Persistent] {
        let other = run(program, model, Some(bound), strategy);
        only_if(other.stopped.is_none())?;
        let name = strategy.name();
        same(format!("counts by {name} and optimal"), &counts(&other), &counts(&found))?;
        same(format!("bounds by {name}"), &other.bounds.len(), &found.bounds.len())?;
    }
    let all = run(program, model, Some(bound), Strategy::Exhaustive);
    if all.stopped.is_none() {
        same("all traces", &(all.traces, met(&all)), &(found.traces, met(&found)))?;
    }
    let as_under = |model, bound| {
        let other = run(program, model, bound, Strategy::Optimal);
        same(format!("{model}, bound {bound:?}"), &counts(&found), &counts(&other))
    };
    match bound {
        0 => as_under(Model::Sc, None)?,
        LARGE => as_under(model, None)?,
        // A buffer that is never full behaves like an unbounded one.
        _ if !met(&found) => as_under(model, None)?,
        _ => {}
    }
    as_the_oracle_says(program, model, bound, &found)
}

fn as_the_oracle_says(program: &Verified, model: Model, bound: u32, found: &Summary) -> Comparison {
    let model = oracle_model(model).expect("a model of the oracles");
    let expected = interleavings::bounded(program, model, bound as usize, BUDGET)?;
    let right = (expected.executions, expected.blocked, expected.deadlocks);
    same("by the oracle", &(found.executions, found.blocked, deadlocks(found)), &right)?;
    match program.observables.is_empty() {
        true => Ok(()),
        false => same("final states", &found.states, &expected.states.into_iter().collect()),
    }
}

fn agree(config: &Config, count: u64) {
    let bounds = || BOUNDS.into_iter().chain([LARGE]);
    let cases: Vec<_> =
        buffered().flat_map(|model| bounds().map(move |bound| (model, bound))).collect();
    compare_under(generated(config, count), &cases, as_everybody_says);
}

#[test]
fn memory() {
    agree(&Config::memory(), 100);
}

#[test]
fn longer_threads() {
    let config = Config { threads: 2..=2, instructions: 5..=8, ..Config::memory() };
    agree(&config, 40);
}

#[test]
fn c11() {
    agree(&Config::c11(), 60);
}

#[test]
fn synchronised() {
    agree(&Config::synchronised(), 25);
}

#[test]
fn semaphores_and_rwlocks() {
    agree(&Config::waiting(), 30);
}

fn executions(program: &Verified, model: Model) -> [u64; 5] {
    BOUNDS.map(|bound| run(program, model, Some(bound), Strategy::Optimal).executions)
}

const CELLS: &str = "global @x: i32\nglobal @y: i32\nglobal @z: i32\nglobal @f: i32";

/// One more slot may add no trace although two more slots add one. The search is complete only if no buffer
/// was ever full.
#[test]
fn traces_may_grow_after_they_stood_still() {
    let writer =
        "store i32 asm @x, 1\nstore i32 asm @y, 1\nstore i32 asm @z, 1\n%r = load i32 asm @f";
    let program =
        threads(CELLS, &[writer, "store i32 asm @f, 1\nfence mfence\n%r = load i32 asm @x"]);
    assert_eq!(executions(&program, Model::Tso), [3, 3, 3, 4, 4]);
    // Each location has its own buffer.
    assert_eq!(executions(&program, Model::Pso), [3, 4, 4, 4, 4]);
    let full =
        |model| BOUNDS.map(|bound| met(&run(&program, model, Some(bound), Strategy::Optimal)));
    assert_eq!(full(Model::Tso), [true, true, true, false, false]);
    assert_eq!(full(Model::Pso), [true, false, false, false, false]);
}

/// If updates come early, as they do in reductions, the thread does not wait. The full buffer must still be
/// noticed.
#[test]
fn a_full_buffer_is_noticed_whatever_the_schedule() {
    let writer =
        "store i32 asm @x, 1\n%r = load i32 asm @z\nstore i32 asm @y, 1\n%s = load i32 asm @f";
    let program = threads(CELLS, &[writer]);
    for strategy in [Strategy::Optimal, Strategy::Source, Strategy::Persistent] {
        let found = run(&program, Model::Tso, Some(1), strategy);
        let [bound] = found.bounds.as_slice() else { panic!("{found:?}") };
        assert_eq!((bound.kind, bound.count), (BoundKind::Buffer, 1));
        let line = program.loc(bound.loc).expect("the store has a place").line as usize;
        let source = common::threads_source(CELLS, &[writer]);
        assert_eq!(source.lines().nth(line - 1), Some("store i32 asm @y, 1"));
        assert!(!met(&run(&program, Model::Tso, Some(2), strategy)));
    }
}

/// A fence between the stores empties the buffer: one slot is enough.
#[test]
fn fences_make_room() {
    let body = "store i32 asm @x, 1\nfence mfence\nstore i32 asm @y, 1\n%r = load i32 asm @z";
    let program = threads(CELLS, &[body, "store i32 asm @z, 1\n%r = load i32 asm @y"]);
    let found = run(&program, Model::Tso, Some(1), Strategy::Optimal);
    assert!(!met(&found));
    assert_eq!(found.executions, 4);
}

/// Under PSO a location is a byte: of two narrow stores, only one is ahead of each byte of the wide store.
#[test]
fn stores_of_other_widths_share_the_room_of_their_bytes() {
    let items = "global @x: i64\nglobal @y: i32\nobserve x = i64 @x";
    let body =
        "store i16 asm @x, 1\nstore i16 asm @x+2, 2\nstore i32 asm @x, 3\n%r = load i32 asm @y";
    let other = "store i32 asm @y, 1\nfence mfence\n%t = load i64 asm @x";
    let program = threads(items, &[body, other]);
    let [one, two, unbounded] = [Some(1), Some(2), None].map(|bound| {
        let optimal = run(&program, Model::Pso, bound, Strategy::Optimal);
        let all = run(&program, Model::Pso, bound, Strategy::Exhaustive);
        assert_eq!((all.stopped, all.traces), (None, optimal.traces));
        assert_eq!(optimal.redundant, 0);
        optimal
    });
    assert!(met(&one) && !met(&two));
    assert_eq!(counts(&two), counts(&unbounded));
    assert!(one.executions < two.executions, "{} and {}", one.executions, two.executions);
}

/// The bound on events stops a thread that stores forever.
#[test]
fn endless_stores_end() {
    let program =
        threads(CELLS, &["jump again\nagain:\nstore i32 asm @x, 1\njump again\nend:\nret"]);
    for model in buffered() {
        for bound in [0, 1, 3] {
            let mut options = options(model, Some(bound), Strategy::Optimal);
            options.limits.events = 50;
            let found = explore(&program, &options);
            assert_eq!((found.cut, found.stopped), (1, None), "{model} {bound}");
        }
    }
}

/// Failures are found at the bound that they need, and replay under it.
#[test]
fn failures_replay_under_their_bound() {
    // The writer stores 1 to `z` if it reads `f = 0`, and 2 if it reads `f = 1`.
    let writer = "store i32 asm @x, 1\nstore i32 asm @y, 1\n%r = load i32 asm @f\n\
                  %r = add i32 %r, 1\nfence mfence\nstore i32 asm @z, %r";
    let judge = "store i32 asm @f, 1\nfence mfence\n%s = load i32 asm @x\n%r = load i32 asm @z\n\
                 %s = mul i32 %s, 2\n%s = add i32 %s, 1\n%ok = cmp ne i32 %r, %s\n\
                 assert %ok, \"both are old\"";
    let program = threads(CELLS, &[writer, judge]);
    for (model, needed) in [(Model::Tso, 2), (Model::Pso, 1)] {
        for bound in 0..=3 {
            let options = options(model, Some(bound), Strategy::Optimal);
            let failures = explore(&program, &options).failures;
            assert_eq!(!failures.is_empty(), bound >= needed, "{model} {bound}");
            for failure in &failures {
                let replayed = replay(&program, &options, &failure.schedule);
                let ReplayEnd::Failed(sites) = replayed.end else { panic!("{:?}", replayed.end) };
                assert!(sites.contains(&failure.site), "{model} {bound}");
            }
        }
    }
}

/// Random schedules respect the bound.
#[test]
fn samples_keep_to_the_bound() {
    let bodies =
        ["store i32 asm @x, 1\n%r = load i32 asm @y", "store i32 asm @y, 1\n%s = load i32 asm @x"];
    let program = threads(CELLS, &bodies);
    let sampled = |bound| {
        let mut options = options(Model::Tso, Some(bound), Strategy::Random);
        options.sampling = Sampling { seed: 1, runs: 500 };
        ends_in(&explore(&program, &options), &[0, 0])
    };
    assert_eq!([0, 1].map(sampled), [false, true]);
}

/// Data races do not depend on when stores leave their buffers.
#[test]
fn races_are_the_same_for_every_bound() {
    let bodies = [
        "store i32 @x, 1\nstore i32 @y, 1\nstore i32 release @f, 1",
        "%r = load i32 acquire @f\n%s = load i32 @x",
    ];
    let program = threads(CELLS, &bodies);
    for model in buffered() {
        for bound in BOUNDS {
            let mut options = options(model, Some(bound), Strategy::Optimal);
            options.checks = Checks { races: true, ..Checks::default() };
            let races = explore(&program, &options).failures;
            assert_eq!(races.len(), 1, "{model} {bound}: {races:?}");
            assert_eq!(races[0].kind, FailureKind::Race);
        }
    }
}
