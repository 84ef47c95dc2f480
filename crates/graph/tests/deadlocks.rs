//! The last events of a deadlock: the threads that wait, where, and for what. They are the same, row for row,
//! as those of the interleaving engine.

use raddle_engine::{Deed, FailureKind, Model, Options, ReplayEvent};
use raddle_graph::{explore, replay};
use raddle_interleave as interleave;
use raddle_ir::{Verified, text};

fn program(source: &str) -> Verified {
    text::load("t.rir", source.as_bytes()).expect("the program parses")
}

/// `P0 at t.rir:9: waits for lock b, held by P1, for ever`
fn rows(program: &Verified, events: &[ReplayEvent]) -> Vec<String> {
    let ends = events.iter().filter(|e| matches!(e.deed, Deed::Stuck(_)));
    let place = |event: &ReplayEvent| program.place(event.loc).unwrap_or_default();
    ends.map(|e| format!("{} at {}: {}", e.thread, place(e), e.what())).collect()
}

/// The message and the rows of each deadlock that the graph engine finds.
fn of_graphs(program: &Verified, model: Model) -> Vec<(String, Vec<String>)> {
    let options = Options { keep_going: true, ..Options::new(model) };
    let found = explore(program, &options).failures.into_iter();
    let deadlocks = found.filter(|failure| failure.kind == FailureKind::Deadlock);
    let told = deadlocks.map(|failure| {
        let story = replay(program, &options, &failure.schedule);
        (failure.site.message, rows(program, &story.events))
    });
    sorted(told.collect())
}

fn of_interleavings(program: &Verified) -> Vec<(String, Vec<String>)> {
    let options = Options { keep_going: true, ..Options::new(Model::Sc) };
    let found = interleave::explore(program, &options).failures.into_iter();
    let deadlocks = found.filter(|failure| failure.kind == FailureKind::Deadlock);
    let told = deadlocks.map(|failure| {
        let story = interleave::replay(program, &options, &failure.schedule);
        (failure.site.message, rows(program, &story.events))
    });
    sorted(told.collect())
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list
}

/// All engines and models report the same deadlocks, and the expected one is among them.
fn all_tell(source: &str, expected: &[&str]) {
    let program = program(source);
    let right = of_interleavings(&program);
    assert!(right.iter().any(|(_, rows)| rows == expected), "{right:?}");
    for model in Model::ALL {
        assert_eq!(of_graphs(&program, model), right, "{model}");
    }
}

#[test]
fn locks_are_held_by_someone() {
    all_tell(
        "global @a: i32
global @b: i32
thread P0 = @f(@a, @b)
thread P1 = @f(@b, @a)
func @f(%first: ptr, %second: ptr) {
  entry:
    lock %first
    lock %second
    unlock %second
    unlock %first
    ret
}
",
        &[
            "P0 at t.rir:8: waits for lock b, held by P1, for ever",
            "P1 at t.rir:8: waits for lock a, held by P0, for ever",
        ],
    );
}

/// The child was fetched to its end, and the parent past the join of the child and another join. The parent
/// is reported to wait at the first of the two.
#[test]
fn whoever_joins_a_thread_that_waits_does_so_at_the_join() {
    all_tell(
        "global @x: i32
thread main = @main()
func @main() {
    reg %t: i64, %u: i64
  entry:
    %t = spawn @waits()
    %u = spawn @ends()
    join %u
    join %t
    join %u
    store i32 @x, 2
    ret
}
func @waits() {
    reg %v: i32
  entry:
    %v = await eq i32 asm @x, 1
    ret
}
func @ends() {
    reg %v: i32
  entry:
    %v = load i32 asm @x
    ret
}
",
        &[
            "main at t.rir:9: waits for main.1:waits to end, for ever",
            "main.1:waits at t.rir:17: waits for x to change, for ever",
        ],
    );
}

/// A thread that was not started yet is not reported.
#[test]
fn whoever_is_not_started_does_not_wait() {
    all_tell(
        "global @x: i32
global @m: i32
thread main = @main()
func @main() {
    reg %v: i32, %t: i64
  entry:
    lock @m
    lock @m
    %v = load i32 asm @x
    %t = spawn @child(%v)
    ret
}
func @child(%v: i32) {
    reg %c: i1, %w: i32
  entry:
    %c = cmp eq i32 %v, 0
    br %c, waits, ends
  waits:
    %w = await eq i32 asm @x, 1
    ret
  ends:
    ret
}
",
        &["main at t.rir:8: waits for lock m, held by main, for ever"],
    );
}

#[test]
fn signals_do_not_come_and_loops_do_not_end() {
    all_tell(
        "global @c: i32
global @m: i32
global @x: i32
thread P0 = @waits()
thread P1 = @spins()
thread P2 = @signals()
func @waits() {
  entry:
    lock @m
    cond_wait @c, @m
    unlock @m
    ret
}
func @spins() {
    reg %v: i32, %c: i1
  entry:
    jump head
  head:
    %v = load i32 asm @x
    %c = cmp eq i32 %v, 0
    br %c, head, out
  out:
    ret
}
func @signals() {
  entry:
    cond_signal @c
    ret
}
",
        &["P0 at t.rir:10: waits for a signal on c, for ever", "P1 at t.rir:21: spins for ever"],
    );
}

/// Events of condition variables are reported as waits and signals.
#[test]
fn a_wait_and_its_signal_have_names() {
    let program = program(
        "global @c: i32
global @m: i32
thread P0 = @waits()
thread P1 = @signals()
func @waits() {
  entry:
    lock @m
    cond_wait @c, @m
    lock @m
    ret
}
func @signals() {
  entry:
    cond_signal @c
    ret
}
",
    );
    for model in Model::ALL {
        let options = Options { keep_going: true, ..Options::new(model) };
        let found = explore(&program, &options);
        let woken = found.failures.iter().map(|failure| {
            let story = replay(&program, &options, &failure.schedule).events;
            let told = story.iter().filter(|e| !matches!(e.deed, Deed::Read { .. }));
            sorted(told.map(|e| format!("{} {}", e.thread, e.what())).collect::<Vec<_>>())
        });
        let expected = [
            "P0 locks m",
            "P0 starts to wait for c",
            "P0 unlocks m",
            "P0 waits for lock m, held by P0, for ever",
            "P0 wakes up and locks m",
            "P1 signals c and wakes P0",
        ];
        assert!(
            woken.clone().any(|story| story == expected),
            "{model}: {:?}",
            Vec::from_iter(woken)
        );
    }
}

/// No thread stores 5, so the loop never ends. It is a deadlock for each value that the last load reads, also
/// for 0 and 1.
#[test]
fn a_loop_that_would_go_round_with_other_values_does_not_end() {
    let program = program(
        "global @x: i32
thread P0 = @spins()
thread P1 = @stores()
func @spins() {
    reg %v: i32, %c: i1
  entry:
    jump head
  head:
    %v = load i32 asm @x
    %c = cmp eq i32 %v, 5
    br %c, out, head
  out:
    ret
}
func @stores() {
  entry:
    store i32 asm @x, 1
    store i32 asm @x, 2
    ret
}
",
    );
    for model in Model::ALL {
        let found = explore(&program, &Options { keep_going: true, ..Options::new(model) });
        let deadlocks: Vec<u64> = found.failures.iter().map(|failure| failure.count).collect();
        assert_eq!((found.executions, found.blocked, deadlocks), (3, 0, vec![3]), "{model}");
    }
    let options = raddle_engine::Options::new(raddle_engine::Model::Sc);
    let found =
        interleave::explore(&program, &raddle_engine::Options { keep_going: true, ..options });
    assert_eq!((found.executions, found.blocked), (3, 0));
}
