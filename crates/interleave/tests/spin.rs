//! Loops: those that spin are stopped by themselves, the others by `unroll`.

use crate::MODELS;
use fastrand::Rng;
use raddle_engine::{BoundKind, FailureKind, Limits, Model, Options, Strategy, Summary, Unroll};
use raddle_interleave::explore;
use raddle_ir::{Verified, text};
use raddle_oracle::campaign::{Comparison, Stop, compare_under, same, seeded};

fn parsed(source: &str) -> Verified {
    text::load("t.rir", source.as_bytes()).expect("the program parses")
}

fn run(program: &Verified, model: Model, strategy: Strategy) -> Summary {
    explore(program, &Options { strategy, keep_going: true, ..Options::new(model) })
}

fn states(summary: &Summary) -> Vec<&[u64]> {
    summary.states.iter().map(|(values, _)| values.as_slice()).collect()
}

/// The optimal search finds one execution per trace of the exhaustive search, and the same final states.
fn agreed(program: &Verified, model: Model) -> Result<Summary, Stop> {
    let optimal = run(program, model, Strategy::Optimal);
    same("redundant executions", &optimal.redundant, &0)?;
    let mut options = Options::new(model);
    options.strategy = Strategy::Exhaustive;
    options.keep_going = true;
    options.count_traces = true;
    let exhaustive = explore(program, &options);
    let traces = optimal.executions + optimal.blocked + optimal.cut;
    same("traces", &Some(traces), &exhaustive.traces)?;
    same("final states", &states(&optimal), &states(&exhaustive))?;
    let source = run(program, model, Strategy::Source);
    let counts = |summary: &Summary| (summary.executions, summary.blocked);
    same("source and optimal", &counts(&source), &counts(&optimal))?;
    Ok(optimal)
}

fn agree(program: &Verified) -> Vec<Summary> {
    let found = |model| agreed(program, model).unwrap_or_else(|stop| panic!("{model}: {stop:?}"));
    MODELS.into_iter().map(found).collect()
}

fn two(left: &str, right: &str) -> Verified {
    parsed(&format!(
        "global @x: i32\nglobal @y: i32\nthread t0 = @left()\nthread t1 = @right()\n\
         observe x = i32 @x\nobserve y = i32 @y\n\
         func @left() {{\n reg %r: i32, %s: i32, %c: i1\n{left}\n}}\n\
         func @right() {{\n reg %r: i32, %s: i32, %c: i1\n{right}\n}}\n"
    ))
}

const SET: &str = " entry:\n store i32 seq_cst @y, 5\n store i32 seq_cst @x, 1\n ret";

#[test]
fn waiting_for_a_flag_ends() {
    let wait = " entry:\n jump head\n head:\n %r = load i32 seq_cst @x\n %c = cmp eq i32 %r, 0\n \
                br %c, head, out\n out:\n %s = load i32 @y\n %c = cmp eq i32 %s, 5\n \
                assert %c\n ret";
    for found in agree(&two(wait, SET)) {
        assert_eq!(found.executions, 1);
        assert!(found.failures.is_empty());
    }
}

#[test]
fn a_loop_that_tests_at_its_end_and_reads_two_cells() {
    let wait = " entry:\n jump head\n head:\n %r = load i32 seq_cst @x\n %s = load i32 seq_cst @y\n \
                %r = add i32 %r, %s\n %c = cmp ne i32 %r, 6\n br %c, head, out\n out:\n ret";
    for found in agree(&two(wait, SET)) {
        assert!(found.failures.is_empty());
        assert!(found.executions >= 1);
    }
}

#[test]
fn a_loop_that_waits_inside_of_one_that_waits() {
    let wait = " entry:\n jump outer\n outer:\n %r = load i32 seq_cst @y\n \
                %c = cmp eq i32 %r, 0\n br %c, inner, second\n second:\n \
                %r = load i32 seq_cst @x\n %c = cmp eq i32 %r, 0\n br %c, inner, out\n inner:\n \
                %r = load i32 seq_cst @y\n %c = cmp eq i32 %r, 0\n br %c, inner, outer\n out:\n ret";
    for found in agree(&two(wait, SET)) {
        assert!(found.failures.is_empty(), "{:?}", found.failures);
        assert!(found.executions >= 1);
    }
}

#[test]
fn spinning_for_what_never_comes_is_a_deadlock() {
    let wait = " entry:\n jump head\n head:\n %r = load i32 @x\n %c = cmp ne i32 %r, 7\n \
                br %c, head, out\n out:\n ret";
    let program = two(wait, SET);
    for model in MODELS {
        let found = run(&program, model, Strategy::Optimal);
        let [failure] = &found.failures[..] else { panic!("one failure, not {found:?}") };
        assert_eq!(failure.kind, FailureKind::Deadlock);
        assert!(failure.message.contains("spins for ever"), "{}", failure.message);
    }
}

/// Locks by compare-and-exchange, by exchange, and by a load followed by an exchange.
fn locks() -> [&'static str; 3] {
    [
        " entry:\n jump head\n head:\n %r, %c = cmpxchg i32 seq_cst @x, 0, 1\n br %c, in, head\n",
        " entry:\n jump head\n head:\n %r = rmw xchg i32 seq_cst @x, 1\n \
         %c = cmp eq i32 %r, 0\n br %c, in, head\n",
        " entry:\n jump head\n head:\n %r = load i32 @x\n %c = cmp eq i32 %r, 0\n \
         br %c, try, head\n try:\n %r = rmw xchg i32 seq_cst @x, 1\n %c = cmp eq i32 %r, 0\n \
         br %c, in, head\n",
    ]
}

#[test]
fn spin_locks_exclude_and_end() {
    let critical = " in:\n %s = load i32 @y\n %s = add i32 %s, 1\n store i32 @y, %s\n \
                    store i32 release @x, 0\n ret";
    // One execution for each order; a lock that loads first may also load before the other thread takes it.
    for (lock, executions) in locks().into_iter().zip([2, 2, 4]) {
        let body = format!("{lock}{critical}");
        for found in agree(&two(&body, &body)) {
            assert_eq!(found.executions, executions);
            assert!(found.failures.is_empty());
            assert!(found.states.iter().all(|(values, _)| values[1] == 2));
        }
    }
}

#[test]
fn the_read_may_be_in_a_function() {
    let source = "global @x: i32
thread t0 = @wait()
thread t1 = @set()
func @get() -> i32 {
    reg %r: i32
  entry:
    %r = load i32 acquire @x
    ret %r
}
func @wait() {
    reg %r: i32, %c: i1
  entry:
    jump head
  head:
    %r = call @get()
    %c = cmp eq i32 %r, 0
    br %c, head, out
  out:
    ret
}
func @set() {
  entry:
    store i32 release @x, 1
    ret
}
";
    for found in agree(&parsed(source)) {
        assert_eq!(found.executions, 1);
    }
}

#[test]
fn a_loop_that_counts_is_cut_by_unroll() {
    let count = " entry:\n %s = move i32 0\n jump head\n head:\n %r = load i32 @x\n \
                 %s = add i32 %s, 1\n %c = cmp eq i32 %r, 0\n br %c, head, out\n out:\n \
                 store i32 @y, %s\n ret";
    let set = " entry:\n store i32 @x, 1\n ret";
    let program = two(count, set);
    for bound in [1, 2, 5] {
        let limits = Limits { unroll: Unroll::every(bound), ..Limits::default() };
        let options = Options { limits, keep_going: true, ..Options::new(Model::Sc) };
        let found = explore(&program, &options);
        // The loop reads the write in its first round, or in any later one up to the last.
        assert_eq!(found.executions, u64::from(bound) + 1);
        assert_eq!(found.cut, 1);
        let [met] = &found.bounds[..] else { panic!("one bound, not {:?}", found.bounds) };
        assert_eq!(met.kind, BoundKind::Iterations);
    }
}

#[test]
fn loops_are_counted_each_time_they_are_entered() {
    let nested = " entry:\n %r = move i32 0\n jump outer\n outer:\n %s = move i32 0\n jump inner\n \
                  inner:\n %s = add i32 %s, 1\n %c = cmp slt i32 %s, 4\n br %c, inner, after\n \
                  after:\n %r = add i32 %r, 1\n %c = cmp slt i32 %r, 4\n br %c, outer, out\n \
                  out:\n store i32 @x, 1\n ret";
    let program = two(nested, " entry:\n ret");
    for (bound, cut) in [(3, 0), (2, 1)] {
        let limits = Limits { unroll: Unroll::every(bound), ..Limits::default() };
        let found = explore(&program, &Options { limits, ..Options::new(Model::Sc) });
        assert_eq!((found.executions, found.cut), (1 - cut, cut), "{bound}");
    }
}

#[test]
fn doing_nothing_for_ever_is_a_bound() {
    let program = two(" entry:\n jump entry", SET);
    let found = run(&program, Model::Sc, Strategy::Optimal);
    assert_eq!((found.executions, found.failures.len()), (1, 0));
    let bounds: Vec<_> = found.bounds.iter().map(|bound| (bound.kind, bound.count)).collect();
    assert_eq!(bounds, [(BoundKind::Endless, 1)]);
}

/// A thread that runs forever does not help a thread that waits for a value.
#[test]
fn waiting_beside_a_thread_that_goes_on_is_a_deadlock() {
    let goes_on = " entry:\n %r = load i32 seq_cst @x\n jump entry";
    let waits = " entry:\n %r = load i32 seq_cst @y\n %c = cmp eq i32 %r, 0\n br %c, entry, out\n \
                 out:\n ret";
    for found in agree(&two(goes_on, waits)) {
        assert_eq!(found.failures.len(), 1, "{:?}", found.failures);
        assert_eq!(found.failures[0].kind, FailureKind::Deadlock);
        assert_eq!(found.failures[0].thread, "t1");
    }
}

/// The inner loop ends in the trial at the end of the execution. The outer loop is then in the same state as
/// before, but must not be considered to spin.
#[test]
fn a_loop_around_a_loop_that_spins() {
    let wait = " entry:\n jump outer\n outer:\n %r = load i32 seq_cst @x\n %c = cmp eq i32 %r, 0\n \
                br %c, inner, second\n second:\n %s = load i32 seq_cst @y\n \
                %c = cmp eq i32 %s, 0\n br %c, inner, out\n inner:\n %r = load i32 seq_cst @x\n \
                %c = cmp eq i32 %r, 0\n br %c, inner, outer\n out:\n ret";
    for found in agree(&two(wait, SET)) {
        assert!(found.failures.is_empty(), "{:?}", found.failures);
        assert!(found.executions >= 1);
    }
}

/// A thread of reads, writes and loops that wait, at random. Every loop ends if its cells take the
/// values that threads write.
fn random_thread(rng: &mut Rng) -> String {
    let mut body = String::from(" entry:\n jump b0\n");
    let parts = rng.u32(1..4);
    for n in 0..parts {
        let (cell, other) = (["@x", "@y"][rng.usize(..2)], ["@x", "@y"][rng.usize(..2)]);
        let (value, order) = (rng.u32(1..3), ["relaxed", "seq_cst"][rng.usize(..2)]);
        let next = n + 1;
        body += &match rng.u32(..6) {
            0 | 1 => format!(" b{n}:\n store i32 {order} {cell}, {value}\n jump b{next}\n"),
            2 => format!(
                " b{n}:\n %r = load i32 {order} {cell}\n store i32 {order} {other}, %r\n jump b{next}\n"
            ),
            3 => format!(
                " b{n}:\n %r = load i32 {order} {cell}\n %c = cmp ult i32 %r, {value}\n \
                 br %c, b{n}, b{next}\n"
            ),
            4 => format!(
                " b{n}:\n %r = load i32 {order} {cell}\n %s = load i32 {order} {other}\n \
                 %r = or i32 %r, %s\n %c = cmp eq i32 %r, 0\n br %c, b{n}, b{next}\n"
            ),
            _ => format!(
                " b{n}:\n %r, %c = cmpxchg i32 seq_cst {cell}, 0, {value}\n br %c, b{next}, b{n}\n"
            ),
        };
    }
    body + &format!(" b{parts}:\n ret")
}

/// Stopping threads that spin neither loses nor adds final states: loops with a large enough bound reach the
/// same ones.
fn loses_nothing(program: &Verified, model: Model) -> Comparison {
    let found = agreed(program, model)?;
    let limits = Limits { unroll: Unroll::every(3), spin: false, ..Limits::default() };
    let options = Options { limits, keep_going: true, ..Options::new(model) };
    same("final states of bounded loops", &states(&found), &states(&explore(program, &options)))
}

#[test]
fn nothing_is_lost_by_stopping() {
    let random = |seed| {
        let mut rng = Rng::with_seed(seed);
        two(&random_thread(&mut rng), &random_thread(&mut rng))
    };
    compare_under(seeded(150, random), &MODELS, loses_nothing);
}
