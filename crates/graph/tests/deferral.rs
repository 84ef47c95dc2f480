//! Which loads are deferred until later stores exist: all that have to be, and few others.

use raddle_engine::{FailureKind, Model, Options, Summary};
use raddle_graph::explore;
use raddle_ir::{Verified, text};

fn program(source: &str) -> Verified {
    text::load("t.rir", source.as_bytes()).expect("the program parses")
}

fn found(program: &Verified, model: Model) -> Summary {
    explore(program, &Options { keep_going: true, ..Options::new(model) })
}

/// In some runs t0 cannot compare, since t2 has read what it would have to; under ARM also without having
/// read before. That hides its store, which t2 could have read from.
#[test]
fn who_cannot_compare_might_have_written() {
    let program = program(
        "global @x: i64
global @y: i64
thread t0 = @p0()
thread t1 = @p1()
thread t2 = @p2()
func @p0() {
    reg %old: i64, %ok: i1
  entry:
    %old, %ok = cmpxchg i64 release @x, 0, 0
    ret
}
func @p1() {
    reg %r: i64
  entry:
    %r = load i64 seq_cst @y
    ret
}
func @p2() {
    reg %r1: i64, %r2: i64
  entry:
    %r1 = load i64 relaxed @x
    %r2 = rmw umin i64 acquire @x, %r1
    store i64 release @y, 0
    ret
}
",
    );
    for model in Model::ALL {
        assert_eq!(found(&program, model).executions, 6, "{model}");
    }
}

/// A lock is released before any other thread writes to it, so there is no store to wait for. The main thread
/// waits for the other threads, so no store comes from it, either.
#[test]
fn locks_waste_no_runs() {
    let program = program(
        "global @m: i32
global @x: i32
thread main = @main()
func @main() {
    reg %a: i64, %b: i64
  entry:
    %a = spawn @f()
    %b = spawn @f()
    join %a
    join %b
    ret
}
func @f() {
    reg %v: i32, %c: i1, %n: i32
  entry:
    %n = move i32 0
    jump head
  head:
    lock @m
    %v = load i32 @x
    %c = cmp eq i32 %v, 3
    br %c, full, more
  more:
    %v = add i32 %v, 1
    store i32 @x, %v
    jump full
  full:
    unlock @m
    %n = add i32 %n, 1
    %c = cmp eq i32 %n, 3
    br %c, out, head
  out:
    ret
}
",
    );
    for model in Model::ALL {
        let found = found(&program, model);
        let counts = (found.executions, found.redundant);
        assert_eq!(counts, (20, 0), "{model}, if its locks order other accesses");
    }
}

/// An ordinary write to the bytes of a lock may come between a lock and its unlock. The unlock may then read
/// that write, or the write of another thread that takes the lock after it. With an exchange of 0 there are
/// six executions with the exchange outside of both sections. For each order of the sections there are one
/// with the exchange in the second section and three with the exchange in the first.
#[test]
fn locks_that_are_written_to_may_be_lost() {
    let writes = [
        ("store i32 asm @m, 0", 14),
        ("%v = rmw xchg i32 asm @m, 0", 14),
        ("%v = rmw or i32 asm @m, 4", 9),
    ];
    for (write, executions) in writes {
        let source = format!(
            "global @m: i32
thread P0 = @f()
thread P1 = @f()
thread P2 = @g()
func @f() {{
  entry:
    lock @m
    unlock @m
    ret
}}
func @g() {{
    reg %v: i32
  entry:
    {write}
    ret
}}
"
        );
        let program = program(&source);
        for model in Model::ALL {
            let found = found(&program, model);
            assert_eq!(found.executions, executions, "{model}: {write}");
            let kinds = found.failures.iter().map(|failure| failure.kind);
            assert!(
                kinds.into_iter().any(|kind| kind == FailureKind::LockMisuse),
                "{model}: {write}"
            );
        }
    }
}
