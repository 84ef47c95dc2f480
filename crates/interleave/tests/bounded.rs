//! Bounded store buffers: the strategies against each other and against the oracle, for every bound.
//!
//! `RADDLE_LONG=1` runs many more programs.

mod common;

use common::{ends_in, threads};
use raddle_interleave::{
    BoundKind, Checks, FailureKind, Model, Options, ReplayEnd, Strategy, Summary, explore, replay,
};
use raddle_ir::{Program, text};
use raddle_oracle::generate::{self, Config};
use raddle_oracle::shrink::shrink;
use raddle_oracle::{self as oracle, Trouble, interleavings};

const BUFFERED: [Model; 2] = [Model::Tso, Model::Pso];
const BOUNDS: [u32; 5] = [0, 1, 2, 3, 4];
/// States that the oracle may visit; programs with more are passed over.
const BUDGET: u64 = 5_000;
/// Executions that a search may begin; programs with more are passed over.
const INTERLEAVINGS: u64 = 3_000;
/// More than any of the programs here stores.
const LARGE: u32 = 100;

fn options(model: Model, bound: Option<u32>, strategy: Strategy) -> Options {
    let mut options = Options { strategy, keep_going: true, ..Options::new(model) };
    options.buffer_bound = bound;
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    options.limits.executions = Some(INTERLEAVINGS);
    options.count_traces = true;
    options
}

fn run(program: &Program, model: Model, bound: Option<u32>, strategy: Strategy) -> Summary {
    explore(program, &options(model, bound, strategy))
}

fn met(summary: &Summary) -> bool {
    summary.bounds.iter().any(|bound| bound.kind == BoundKind::Buffer)
}

fn deadlocks(summary: &Summary) -> u64 {
    let of_kind = summary.failures.iter().filter(|f| f.kind == FailureKind::Deadlock);
    of_kind.map(|failure| failure.count).sum()
}

/// What is the same for two searches with the same traces.
fn counts(summary: &Summary) -> (u64, u64, u64, Vec<(Vec<u64>, u64)>) {
    (summary.executions, summary.blocked, deadlocks(summary), summary.states.clone())
}

/// What is wrong with the answers for one bound, if anything.
fn complaint(program: &Program, model: Model, bound: u32) -> Option<String> {
    let found = run(program, model, Some(bound), Strategy::Optimal);
    if found.redundant > 0 || found.traces != Some(found.executions + found.blocked) {
        return Some(format!("not optimal: {found:?}"));
    }
    for strategy in [Strategy::Source, Strategy::Persistent] {
        let other = run(program, model, Some(bound), strategy);
        if other.stopped.is_some() {
            return None;
        }
        if counts(&other) != counts(&found) || other.bounds.len() != found.bounds.len() {
            return Some(format!("{strategy:?} {other:?}\noptimal {found:?}"));
        }
    }
    let all = run(program, model, Some(bound), Strategy::Exhaustive);
    if all.stopped.is_none() && (all.traces, met(&all)) != (found.traces, met(&found)) {
        return Some(format!("exhaustive {all:?}\noptimal {found:?}"));
    }
    let same_as = |model, bound| {
        let other = run(program, model, bound, Strategy::Optimal);
        (counts(&other) != counts(&found))
            .then(|| format!("{model} {bound:?}: {other:?}\n{found:?}"))
    };
    let other = match bound {
        0 => same_as(Model::Sc, None),
        LARGE => same_as(model, None),
        // Never full is as good as unbounded.
        _ if !met(&found) => same_as(model, None),
        _ => None,
    };
    other.or_else(|| by_oracle(program, model, bound, &found))
}

fn by_oracle(program: &Program, model: Model, bound: u32, found: &Summary) -> Option<String> {
    let oracle_model = if model == Model::Tso { oracle::Model::Tso } else { oracle::Model::Pso };
    let expected = match interleavings::bounded(program, oracle_model, bound as usize, BUDGET) {
        Ok(expected) => expected,
        Err(Trouble::Budget) => return None,
        Err(trouble) => panic!("{trouble}"),
    };
    let states: Vec<_> = expected.states.into_iter().collect();
    let right = (expected.executions, expected.blocked, expected.deadlocks);
    let other_states = !program.observables.is_empty() && found.states != states;
    let wrong = (found.executions, found.blocked, deadlocks(found)) != right || other_states;
    wrong.then(|| format!("the oracle says {right:?} {states:?}\n{found:?}"))
}

fn agree(config: &Config, short: u64) {
    for seed in 0..raddle_testing::scaled(short, 50) {
        let program = generate::program(config, seed);
        for model in BUFFERED {
            for bound in BOUNDS.into_iter().chain([LARGE]) {
                if let Some(first) = complaint(&program, model, bound) {
                    let small = shrink(&program, &mut |p| complaint(p, model, bound).is_some());
                    let last = complaint(&small, model, bound).unwrap_or(first);
                    panic!("seed {seed}, {model}, {bound}: {last}\n{}", text::print(&small));
                }
            }
        }
    }
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

fn executions(program: &Program, model: Model) -> [u64; 5] {
    BOUNDS.map(|bound| run(program, model, Some(bound), Strategy::Optimal).executions)
}

const CELLS: &str = "global @x: i32\nglobal @y: i32\nglobal @z: i32\nglobal @f: i32";

/// One more slot need not bring one more trace, and two more may all the same: what tells is whether
/// a buffer was ever full.
#[test]
fn traces_may_grow_after_they_stood_still() {
    let writer =
        "store i32 asm @x, 1\nstore i32 asm @y, 1\nstore i32 asm @z, 1\n%r = load i32 asm @f";
    let program =
        threads(CELLS, &[writer, "store i32 asm @f, 1\nfence mfence\n%r = load i32 asm @x"]);
    assert_eq!(executions(&program, Model::Tso), [3, 3, 3, 4, 4]);
    // A buffer of its own for each location.
    assert_eq!(executions(&program, Model::Pso), [3, 4, 4, 4, 4]);
    let full =
        |model| BOUNDS.map(|bound| met(&run(&program, model, Some(bound), Strategy::Optimal)));
    assert_eq!(full(Model::Tso), [true, true, true, false, false]);
    assert_eq!(full(Model::Pso), [true, false, false, false, false]);
}

/// That the thread waits is not seen where its updates happen to come early, which reductions like.
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

/// Under PSO a location is a byte: two narrow stores are one ahead of each byte of the wide one.
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

/// A thread that stores for ever is stopped by the bound on events.
#[test]
fn endless_stores_end() {
    let program =
        threads(CELLS, &["jump again\nagain:\nstore i32 asm @x, 1\njump again\nend:\nret"]);
    for model in BUFFERED {
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
    // It shows 1 in `z` for `f = 0`, 2 for `f = 1`.
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
                let model = options.bounded_model();
                let replayed = replay(&program, model, Checks::default(), &failure.schedule);
                let ReplayEnd::Failed(sites) = replayed.end else { panic!("{:?}", replayed.end) };
                assert!(sites.contains(&failure.site), "{model:?}");
            }
        }
    }
}

/// Random schedules keep to the bound.
#[test]
fn samples_keep_to_the_bound() {
    let bodies =
        ["store i32 asm @x, 1\n%r = load i32 asm @y", "store i32 asm @y, 1\n%s = load i32 asm @x"];
    let program = threads(CELLS, &bodies);
    let sampled = |bound| {
        let strategy = Strategy::Random { seed: 1, runs: 500 };
        ends_in(&run(&program, Model::Tso, Some(bound), strategy), &[0, 0])
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
    for model in BUFFERED {
        for bound in BOUNDS {
            let mut options = options(model, Some(bound), Strategy::Optimal);
            options.checks = Checks { races: true };
            let races = explore(&program, &options).failures;
            assert_eq!(races.len(), 1, "{model} {bound}: {races:?}");
            assert_eq!(races[0].kind, FailureKind::Race);
        }
    }
}
