//! Loops with values that are live at their heads: the engine fetches threads before the values of their
//! loads are known.

use raddle_engine::{BoundKind, FailureKind, Model, Options, Summary};
use raddle_graph::explore;
use raddle_ir::{Verified, text};

fn parsed(source: &str) -> Verified {
    text::load("t.rir", source.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(program: &Verified, model: Model) -> Summary {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(10_000);
    explore(program, &options)
}

const MODELS: [Model; 5] = [Model::Sc, Model::Tso, Model::Pso, Model::Power, Model::Arm];

/// The condition at the head of the loop uses the value that was loaded last.
#[test]
fn a_value_that_is_asked_at_the_head() {
    let program = parsed(
        "global @f: i32\nthread t0 = @wait()\nthread t1 = @set()\n\
         func @wait() {\n reg %l: i32, %c: i1\n entry:\n %l = move i32 0\n jump head\n head:\n \
         %c = cmp eq i32 %l, 0\n br %c, again, out\n again:\n %l = load i32 @f\n jump head\n out:\n \
         ret\n}\n\
         func @set() {\n entry:\n store i32 @f, 1\n ret\n}\n",
    );
    for model in MODELS {
        let found = run(&program, model);
        assert_eq!((found.executions, found.blocked), (1, 1), "{model}");
        assert!(found.bounds.is_empty() && found.stopped.is_none(), "{model}");
    }
}

/// A loop that keeps the value of its last load.
const KEEPS: &str = "\
func @wait() {\n reg %r: i32, %k: i32, %c: i1\n entry:\n %k = move i32 0\n jump head\n head:\n \
 %r = load i32 @x\n %c = cmp eq i32 %r, 0\n br %c, again, out\n again:\n %k = load i32 @y\n \
 jump head\n out:\n store i32 @z, 1\n store i32 @k, %k\n ret\n}\n";

#[test]
fn a_value_that_is_used_after_the_loop() {
    let program = parsed(&format!(
        "global @x: i32\nglobal @y: i32\nglobal @z: i32\nglobal @k: i32\nthread t0 = @wait()\n\
         thread t1 = @set()\nobserve k = i32 @k\n{KEEPS}\
         func @set() {{\n entry:\n store i32 seq_cst @y, 5\n store i32 seq_cst @x, 1\n ret\n}}\n"
    ));
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        let found = run(&program, model);
        assert_eq!((found.executions, found.blocked), (2, 2), "{model}");
    }
    for model in [Model::Power, Model::Arm] {
        let found = run(&program, model);
        assert!(found.bounds.is_empty() && found.stopped.is_none(), "{model}");
        assert!(found.executions >= 2, "{model}");
    }
}

/// The kept value may come from a store that depends on the thread's operations after the loop. So the thread
/// waits for the value at the head only while the engine has other work.
#[test]
fn a_value_from_what_comes_after_the_loop() {
    let program = parsed(&format!(
        "global @x: i32\nglobal @y: i32\nglobal @z: i32\nglobal @k: i32\nthread t0 = @wait()\n\
         thread t1 = @pass_on()\nthread t2 = @set()\nobserve k = i32 @k\n{KEEPS}\
         func @pass_on() {{\n reg %r: i32\n entry:\n %r = load i32 @z\n store i32 @y, %r\n ret\n}}\n\
         func @set() {{\n entry:\n store i32 @x, 1\n ret\n}}\n"
    ));
    for model in MODELS {
        let found = run(&program, model);
        assert!(found.stopped.is_none(), "{model}");
        let seen = found.states.iter().any(|(state, _)| state == &[1]);
        let weak = matches!(model, Model::Power | Model::Arm);
        assert_eq!(seen, weak, "{model}: {:?}", found.states);
        let bounds = found.bounds.iter().all(|bound| bound.kind == BoundKind::Iterations);
        assert!(bounds, "{model}: {:?}", found.bounds);
    }
}

/// A thread that has failed does not return, and nothing depends on a value that it did not read.
#[test]
fn nobody_joins_a_thread_that_failed() {
    let program = parsed(
        "global @p: ptr\nthread main = @main()\n\
         func @main() {\n reg %m: ptr, %t: i64, %r: i64, %c: i1\n entry:\n %m = malloc 4 align 4\n \
         store ptr @p, %m\n %t = spawn @reads()\n %r = join %t\n %c = cmp ne i64 %r, 0\n \
         assert %c, \"second\"\n ret\n}\n\
         func @reads() -> i64 {\n reg %q: ptr, %v: i32, %w: i64\n entry:\n %q = load ptr @p\n \
         %v = load i32 %q\n %w = zext i32 %v to i64\n ret %w\n}\n",
    );
    for model in MODELS {
        let found = run(&program, model);
        let kinds: Vec<_> = found.failures.iter().map(|failure| failure.kind).collect();
        assert_eq!(kinds, [FailureKind::Uninitialised], "{model}: {:?}", found.failures);
    }
}

/// A loop that loads into private memory of its thread, by a function that gets the address.
#[test]
fn a_value_that_is_kept_in_own_memory() {
    let program = parsed(
        "global @x: i32\nthread t0 = @wait()\nthread t1 = @set()\n\
         func @get(%p: ptr) {\n reg %r: i32\n entry:\n %r = load i32 @x\n store i32 %p, %r\n ret\n}\n\
         func @wait() {\n reg %p: ptr, %v: i32, %c: i1\n entry:\n %p = alloca 4 align 4 private\n \
         jump head\n head:\n call @get(%p)\n %v = load i32 %p\n %c = cmp eq i32 %v, 0\n \
         br %c, head, out\n out:\n ret\n}\n\
         func @set() {\n entry:\n store i32 @x, 1\n ret\n}\n",
    );
    for model in MODELS {
        let found = run(&program, model);
        // The first round writes memory that was never written, so there may be two rounds.
        assert_eq!((found.executions, found.blocked), (2, 1), "{model}");
        assert!(found.bounds.is_empty() && found.stopped.is_none(), "{model}");
    }
}

/// The same for bytes of a larger cell: the contents at the head are combined from two stores.
#[test]
fn a_byte_of_own_memory() {
    let program = parsed(
        "global @x: i8\nthread t0 = @wait()\nthread t1 = @set()\n\
         func @wait() {\n reg %p: ptr, %v: i8, %r: i8, %c: i1\n entry:\n \
         %p = alloca 8 align 8 private\n store i64 %p, 0\n jump head\n head:\n store i32 %p, 0\n \
         %r = load i8 @x\n store i8 %p, %r\n %v = load i8 %p\n %c = cmp eq i8 %v, 0\n \
         br %c, head, out\n out:\n ret\n}\n\
         func @set() {\n entry:\n store i8 @x, 1\n ret\n}\n",
    );
    for model in MODELS {
        let found = run(&program, model);
        assert_eq!((found.executions, found.blocked), (1, 1), "{model}");
        assert!(found.bounds.is_empty() && found.stopped.is_none(), "{model}");
    }
}

/// An additional turn, which is not part of the execution, finds out whether a thread waits forever. The bound
/// on events does not apply to it.
#[test]
fn a_bound_on_events_hides_no_deadlock() {
    let program = parsed(
        "global @x: i32\nthread t0 = @wait()\n\
         func @wait() {\n reg %r: i32, %c: i1\n entry:\n jump head\n head:\n %r = load i32 @x\n \
         %c = cmp eq i32 %r, 0\n br %c, head, out\n out:\n ret\n}\n",
    );
    for model in MODELS {
        let mut options = Options { keep_going: true, ..Options::new(model) };
        options.limits.events = 1;
        let found = explore(&program, &options);
        let kinds: Vec<_> = found.failures.iter().map(|failure| failure.kind).collect();
        assert_eq!(kinds, [FailureKind::Deadlock], "{model}");
        assert_eq!((found.executions, found.blocked), (1, 0), "{model}");
    }
}
