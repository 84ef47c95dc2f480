//! Limits end the search and are reported; the seed determines random schedules.

use crate::MODELS;
use crate::common;
use raddle_engine::{
    BoundKind, BoundMet, Budget, Deed, FailureKind, Limits, Model, Options, Sampling, Stopped,
    Strategy, Summary,
};

use common::{FILE, program, threads};
use raddle_interleave::{explore, replay};
use raddle_ir::Verified;
use std::time::Duration;

const REDUCTIONS: [Strategy; 2] = [Strategy::Optimal, Strategy::Source];

/// `n` threads that store to one cell: `n!` traces.
fn writers(n: usize) -> Verified {
    threads("global @x: i32", &vec!["store i32 asm @x, 1"; n])
}

fn limited(program: &Verified, strategy: Strategy, limits: Limits) -> Summary {
    explore(program, &Options { strategy, limits, ..Options::new(Model::Tso) })
}

#[test]
fn executions() {
    for strategy in REDUCTIONS {
        let with = |most| {
            limited(&writers(3), strategy, Limits { executions: Some(most), ..Limits::default() })
        };
        let cut_short = with(4);
        assert_eq!((cut_short.executions, cut_short.stopped), (4, Some(Stopped::Executions)));
        let complete = with(7);
        assert_eq!((complete.executions, complete.stopped), (6, None));
    }
}

#[test]
fn time() {
    for strategy in REDUCTIONS {
        let limits =
            Limits { budget: Budget::new(Some(Duration::ZERO), None), ..Limits::default() };
        let found = limited(&writers(8), strategy, limits);
        assert_eq!(found.stopped, Some(Stopped::Time));
        assert_eq!(found.executions, 0);
    }
}

#[test]
fn memory() {
    for strategy in REDUCTIONS {
        let limits = Limits { budget: Budget::new(None, Some(1)), ..Limits::default() };
        let found = limited(&writers(8), strategy, limits);
        assert_eq!(found.stopped, Some(Stopped::Memory));
        assert_eq!(found.executions, 0);
    }
}

/// Where a program met a bound: `file:line`.
fn place(program: &Verified, bound: &BoundMet) -> String {
    program.place(bound.loc).expect("bounds have a place")
}

#[test]
fn an_endless_loop_of_events_is_cut() {
    let program = program(
        "global @x: i32
         thread t = @spin()
         func @spin() {
             reg %r: i32, %n: i32
           entry:
             %n = move i32 0
             jump again
           again:
             %r = load i32 asm @x
             %n = add i32 %n, 1
             jump again
         }",
    );
    for strategy in REDUCTIONS {
        let found = limited(&program, strategy, Limits { events: 50, ..Limits::default() });
        assert_eq!((found.executions, found.cut, found.longest), (0, 1, 50));
        assert_eq!(found.stopped, None, "the rest was searched");
        let [bound] = &found.bounds[..] else { panic!("{:?}", found.bounds) };
        assert_eq!((bound.kind, bound.count), (BoundKind::Events, 1));
        assert_eq!(place(&program, bound), format!("{FILE}:9"));
    }
}

/// The reader's loop ends when it reads the store; executions in which it does not are cut.
#[test]
fn executions_within_the_bound_are_complete() {
    let program = program(
        "global @x: i32
         thread t0 = @spin()
         thread t1 = @stop()
         func @spin() {
             reg %r: i32, %c: i1, %n: i32
           entry:
             %n = move i32 0
             jump again
           again:
             %r = load i32 asm @x
             %n = add i32 %n, 1
             %c = cmp eq i32 %r, 0
             br %c, again, out
           out:
             ret
         }
         func @stop() {
           entry:
             store i32 asm @x, 1
             ret
         }",
    );
    for strategy in REDUCTIONS {
        let found = limited(&program, strategy, Limits { events: 10, ..Limits::default() });
        // The loop counts, so it does not spin: the first, the second, … or the tenth load reads the store.
        assert_eq!(found.executions, 10, "{found:?}");
        assert!(found.cut > 0, "{found:?}");
        assert_eq!(found.bounds.iter().map(|bound| bound.count).sum::<u64>(), found.cut);
    }
}

#[test]
fn an_endless_local_loop_is_cut() {
    let body =
        "reg %n: i64\nentry:\n%n = move i64 0\njump again\nagain:\n%n = add i64 %n, 1\njump again";
    let program = program(&format!("thread t = @spin()\nfunc @spin() {{\n{body}\n}}"));
    for strategy in REDUCTIONS {
        let limits = Limits { local_steps: 1_000, ..Limits::default() };
        let found = limited(&program, strategy, limits);
        assert_eq!((found.executions, found.cut), (0, 1));
        let [bound] = &found.bounds[..] else { panic!("{:?}", found.bounds) };
        assert_eq!((bound.kind, bound.count), (BoundKind::LocalSteps, 1));
        assert!(place(&program, bound).starts_with(FILE));
    }
}

/// The limit applies to the instructions between two events, not to all instructions of a thread.
#[test]
fn local_steps_count_from_the_last_event() {
    let program = program(
        "global @x: i64
         thread t = @count()
         func @count() {
             reg %n: i64, %c: i1
           again:
             %n = load i64 asm @x
             %n = add i64 %n, 1
             store i64 asm @x, %n
             %c = cmp ult i64 %n, 100
             br %c, again, out
           out:
             ret
         }",
    );
    let found =
        limited(&program, Strategy::Optimal, Limits { local_steps: 50, ..Limits::default() });
    assert_eq!((found.executions, found.cut), (1, 0));
}

/// A thread that waits for `@flag`, and computes for a long time before each load.
fn patient(rounds: u32) -> Verified {
    program(&format!(
        "global @flag: i32
         thread t = @wait()
         func @wait() {{
             reg %k: i32, %f: i32, %c: i1
           entry:
             jump again
           again:
             %k = move i32 0
             jump delay
           delay:
             %k = add i32 %k, 1
             %c = cmp ult i32 %k, {rounds}
             br %c, delay, look
           look:
             %f = load i32 asm @flag
             %c = cmp eq i32 %f, 0
             br %c, again, out
           out:
             ret
         }}"
    ))
}

/// The undo log is compacted during the long computation, but the information about visits to the loop is kept.
#[test]
fn long_delays_hide_no_spinning() {
    for rounds in [3, 20_000, 50_000] {
        let found = limited(&patient(rounds), Strategy::Optimal, Limits::default());
        let kinds: Vec<FailureKind> = found.failures.iter().map(|failure| failure.kind).collect();
        assert_eq!(kinds, [FailureKind::Deadlock], "{rounds}: {found:?}");
    }
}

/// The events of a replay are derived from the undo log, which is compacted only where they allow it.
#[test]
fn stories_of_long_runs_are_complete() {
    let program = program(
        "global @x: ptr
         thread t = @work()
         func @work() {
             reg %k: i32, %p: ptr, %c: i1
           entry:
             %k = move i32 0
             %p = malloc 4
             jump again
           again:
             %k = add i32 %k, 1
             %c = cmp ult i32 %k, 200000
             br %c, again, out
           out:
             %p = malloc 4
             store ptr asm @x, %p
             assert 0, \"here\"
             ret
         }",
    );
    for model in MODELS {
        let found = explore(&program, &Options::new(model));
        let told = replay(&program, &Options::new(model), &found.failures[0].schedule);
        let made = told.events.iter().filter(|event| matches!(event.deed, Deed::Allocate { .. }));
        assert_eq!(made.count(), 2, "{:?}", told.events);
    }
}

#[test]
fn many_stores_without_an_event_are_named_as_that() {
    let body = "reg %k: i64, %a: ptr, %c: i1
        entry:\n%k = move i64 0\njump again
        again:\nstore i8 asm @x, 1\n%k = add i64 %k, 1\n%c = cmp ult i64 %k, 100001
        br %c, again, out\nout:\nret";
    let program =
        program(&format!("global @x: i8\nthread t = @fill()\nfunc @fill() {{\n{body}\n}}"));
    for strategy in REDUCTIONS {
        let found = limited(&program, strategy, Limits::default());
        let [bound] = &found.bounds[..] else { panic!("{:?}", found.bounds) };
        assert_eq!((bound.kind, bound.count), (BoundKind::Operations, 1));
    }
}

/// The current execution is abandoned, and is not counted.
#[test]
fn time_runs_out_inside_of_an_execution() {
    let body =
        "reg %n: i64\nentry:\n%n = move i64 0\njump again\nagain:\n%n = add i64 %n, 1\njump again";
    let program = program(&format!("thread t = @spin()\nfunc @spin() {{\n{body}\n}}"));
    for strategy in [Strategy::Optimal, Strategy::Source, Strategy::Exhaustive, Strategy::Random] {
        let budget = Budget::new(Some(Duration::from_millis(50)), None);
        let limits = Limits { budget, local_steps: u64::MAX, ..Limits::default() };
        let found = limited(&program, strategy, limits);
        assert_eq!((found.executions, found.cut, found.blocked), (0, 0, 0), "{found:?}");
        assert_eq!(found.stopped, Some(Stopped::Time));
        assert!(found.bounds.is_empty() && found.failures.is_empty());
    }
}

#[test]
fn interruption_ends_a_search() {
    let budget = Budget::new(None, None);
    let flag = budget.interruption();
    let limits = Limits { budget, ..Limits::default() };
    let interrupts = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    let found = limited(&writers(12), Strategy::Optimal, limits);
    interrupts.join().expect("it only waits");
    assert_eq!(found.stopped, Some(Stopped::Interrupted));
    assert!(found.executions > 0);
}

// ---- random schedules ----

fn store_buffering() -> Verified {
    threads(
        "global @x: i32\nglobal @y: i32",
        &["store i32 asm @x, 1\n%r = load i32 asm @y", "store i32 asm @y, 1\n%r = load i32 asm @x"],
    )
}

fn sampled(model: Model, seed: u64, runs: u64) -> Summary {
    let sampling = Sampling { seed, runs };
    let options = Options { sampling, ..Options::new(model).by(Strategy::Random) };
    explore(&store_buffering(), &options)
}

#[test]
fn random_schedules_follow_from_the_seed() {
    assert_eq!(sampled(Model::Tso, 7, 50), sampled(Model::Tso, 7, 50));
    let distributions: Vec<_> = (0..10).map(|seed| sampled(Model::Tso, seed, 50).states).collect();
    assert!(distributions.iter().any(|other| *other != distributions[0]), "seeds matter");
}

#[test]
fn random_schedules_find_the_weak_outcome() {
    let weak = |model| common::ends_in(&sampled(model, 1, 100), &[0, 0]);
    assert_eq!(MODELS.map(weak), [false, true, true]);
}

#[test]
fn random_schedules_never_claim_completeness() {
    let found = sampled(Model::Sc, 1, 100);
    assert_eq!((found.executions, found.stopped), (100, Some(Stopped::Sampling)));
}
