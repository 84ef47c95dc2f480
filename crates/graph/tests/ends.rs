//! Ends of executions: small programs whose ends could be wrong because the engine fetches threads ahead.

use raddle_engine::{FailureKind, Model, Options, Summary};
use raddle_graph::explore;
use raddle_ir::{Verified, text};

fn program(source: &str) -> Verified {
    text::load("ends.rir", source.as_bytes()).expect("the program parses")
}

fn found(source: &str, model: Model) -> Summary {
    explore(&program(source), &Options { keep_going: true, ..Options::new(model) })
}

fn kinds(summary: &Summary) -> Vec<(FailureKind, u64)> {
    summary.failures.iter().map(|failure| (failure.kind, failure.count)).collect()
}

/// When the unlock of the child fails, the child was already fetched to its end, and its parent past the
/// join. Neither the events nor the failures of the parent after the join take place.
#[test]
fn who_joins_a_thread_that_failed_waits() {
    for after in ["lock @m", "fail assertion \"joined\"", "store i32 @x, 1"] {
        let source = format!(
            "global @m: i32\nglobal @x: i32\nthread main = @main()\n\
             func @main() {{\n    reg %t: i64\n  entry:\n    lock @m\n    %t = spawn @child()\n\
             \x20   join %t\n    {after}\n    ret\n}}\n\
             func @child() {{\n  entry:\n    unlock @m\n    ret\n}}\n"
        );
        for model in Model::ALL {
            let found = found(&source, model);
            assert_eq!(kinds(&found), [(FailureKind::LockMisuse, 1)], "{model}: {after}");
            assert_eq!((found.executions, found.redundant), (1, 0), "{model}: {after}");
        }
    }
}

/// A thread that joins itself fails, as in the other engines; it does not wait forever.
#[test]
fn joining_oneself_is_misuse_of_threads() {
    let source = "thread main = @main()\nfunc @main() {\n    reg %t: i64\n  entry:\n    %t = self\n\
        \x20   join %t\n    ret\n}\n";
    for model in Model::ALL {
        let found = found(source, model);
        assert_eq!(kinds(&found), [(FailureKind::ThreadMisuse, 1)], "{model}");
        assert_eq!(found.failures[0].message, "joins something that is not another thread");
    }
}

/// A thread that fails at a load does not continue with the value.
#[test]
fn who_reads_what_was_never_written_fails_once() {
    let source = "
thread main = @main()
func @main() {
    reg %p: ptr, %t: i64
  entry:
    %p = malloc 4 align 4
    %t = spawn @child(%p)
    join %t
    ret
}
func @child(%p: ptr) {
    reg %v: i32, %c: i1
  entry:
    %v = load i32 %p
    %c = cmp eq i32 %v, 5
    assert %c, \"five\"
    ret
}
";
    for model in Model::ALL {
        assert_eq!(kinds(&found(source, model)), [(FailureKind::Uninitialised, 1)], "{model}");
    }
}

/// A `lock` of a destroyed lock fails and writes nothing. The order in which the `lock` comes first must still
/// be explored.
#[test]
fn an_update_that_fails_could_have_come_first() {
    let source = "
global @m: i32
thread P = @p()
thread Q = @q()
func @p() {
    reg %old: i32, %ok: i1
  entry:
    %old, %ok = cmpxchg i32 @m, 0, 0xffffffff
    ret
}
func @q() {
  entry:
    lock @m
    ret
}
";
    for model in Model::ALL {
        let found = found(source, model);
        assert_eq!(kinds(&found), [(FailureKind::LockMisuse, 1)], "{model}");
        assert_eq!(found.executions, 2, "{model}");
    }
}

/// Executions that differ in the order of two signals are different, even if no thread waits.
#[test]
fn signals_are_ordered() {
    let thread =
        |name: &str| format!("func @{name}() {{\n  entry:\n    cond_signal @c\n    ret\n}}\n");
    let source = format!(
        "global @c: i32\nthread P = @p()\nthread Q = @q()\nthread R = @r()\n{}{}{}",
        thread("p"),
        thread("q"),
        thread("r")
    );
    for model in Model::ALL {
        assert_eq!(found(&source, model).executions, 6, "{model}");
    }
}

/// Executions that differ only in the order in which two threads start or stop waiting are the same.
#[test]
fn waiters_are_not_ordered() {
    let wait = |name: &str| {
        format!(
            "func @{name}() {{\n    reg %w: i1\n  entry:\n    lock @m{name}\n    %w = cond_wait @c, @m{name}\n\
             \x20   unlock @m{name}\n    ret\n}}\n"
        )
    };
    let source = format!(
        "global @c: i32\nglobal @mp: i32\nglobal @mq: i32\nthread P = @p()\nthread Q = @q()\n{}{}",
        wait("p"),
        wait("q")
    );
    for model in crate::models_of_buffers() {
        assert_eq!(found(&source, model).executions, 1, "{model}");
    }
}

/// Whether a thread holds a lock does not depend on other threads, so the unlock of a lock that it does not
/// hold reads nothing.
#[test]
fn who_does_not_hold_a_lock_fails_by_itself() {
    let (misuse, memory) = (FailureKind::LockMisuse, FailureKind::Memory);
    for (wrong, kind) in [
        ("unlock @m", misuse),
        ("unlock 0", memory),
        ("unlock 0x7fffffffffffffff", memory),
        ("cond_wait @c, @m", misuse),
    ] {
        let source = format!(
            "global @m: i32\nglobal @c: i32\nthread P = @p()\nthread Q = @q()\n\
             func @p() {{\n  entry:\n    {wrong}\n    ret\n}}\n\
             func @q() {{\n  entry:\n    lock @m\n    cond_signal @c\n    ret\n}}\n"
        );
        for model in Model::ALL {
            let found = found(&source, model);
            assert_eq!(kinds(&found), [(kind, 1)], "{model}: {wrong}");
            assert_eq!(found.executions, 1, "{model}: {wrong}");
        }
    }
}

/// Choices of a thread after a wait that never ends do not take place.
#[test]
fn choices_after_a_wait_that_does_not_end_do_not_count() {
    let source = "
global @permits: i32 = 1
thread P = @p()
thread Q = @q()
func @p() {
    reg %old: i32, %c: i32
  entry:
    %old = rmw sub i32 asm @permits, 0 when ugt 0
    %c = choose i32 1, 2
    ret
}
func @q() {
    reg %old: i32
  entry:
    %old = rmw sub i32 asm @permits, 1 when ugt 0
    ret
}
";
    for model in Model::ALL {
        let found = found(source, model);
        assert_eq!(kinds(&found), [(FailureKind::Deadlock, 1)], "{model}");
        assert_eq!(found.executions, 3, "{model}");
    }
}

/// Neither do choices of a thread that would have been started after the wait.
#[test]
fn choices_of_a_thread_that_is_not_started_do_not_count() {
    let source = "
global @permits: i32 = 0
thread P = @p()
func @p() {
    reg %old: i32, %t: i64
  entry:
    %old = rmw sub i32 asm @permits, 1 when ugt 0
    %t = spawn @child()
    ret
}
func @child() {
    reg %c: i32
  entry:
    %c = choose i32 1, 2
    ret
}
";
    for model in Model::ALL {
        let found = found(source, model);
        assert_eq!(kinds(&found), [(FailureKind::Deadlock, 1)], "{model}");
        assert_eq!(found.executions, 1, "{model}");
    }
}

/// A thread is alone until it starts another. Its accesses until then are not events, and may have any size.
#[test]
fn what_a_thread_does_alone_is_no_event() {
    for model in Model::ALL {
        let found = found(raddle_testing::ALONE, model);
        assert_eq!((found.executions, kinds(&found)), (4, vec![]), "{model}");
    }
}

/// Any number of stores may come before the first thread is started.
#[test]
fn a_long_beginning_costs_no_events() {
    for model in Model::ALL {
        let found = found(raddle_testing::LONG_BEGINNING, model);
        assert_eq!((found.executions, kinds(&found)), (2, vec![]), "{model}");
    }
}

/// A thread with too many events is detected when it has fetched the maximum number, not when it has fetched
/// all of them.
#[test]
fn too_many_events_are_refused_soon() {
    let source = "global @a: i32 x 100000
thread t = @store()
thread u = @store()
func @store() {
    reg %n: i64, %c: i1, %p: ptr
  entry:
    %n = add i64 0, 0
    jump head
  head:
    %p = inttoptr i64 %n to ptr
    %p = add ptr @a, %p
    store i32 %p, 1
    %n = add i64 %n, 4
    %c = cmp ult i64 %n, 400000
    br %c, head, end
  end:
    ret
}
";
    let started = std::time::Instant::now();
    let found = found(source, Model::ALL[0]);
    assert_eq!(kinds(&found), [(FailureKind::Unsupported, 1)]);
    assert!(found.failures[0].message.contains("1024 events"), "{found:?}");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// A thread that the first signal woke may continue after the second signal, and after a trylock that found
/// the lock not yet released by the thread.
#[test]
fn who_was_woken_may_go_on_later() {
    let source = "global @m: i32
global @c: i32
thread t1 = @p1()
thread t2 = @p2()
func @p1() {
    reg %ok: i1
  entry:
    cond_signal @c
    cond_signal @c
    %ok = trylock @m
    ret
}
func @p2() {
    reg %ok: i1
  entry:
    %ok = trylock @m
    cond_wait @c, @m
    ret
}
";
    for model in Model::ALL {
        assert_eq!(found(source, model).executions, 9, "{model}");
    }
}

/// Under every model, starting and joining a thread orders its accesses with those of the other thread.
#[test]
fn who_joins_a_thread_sees_its_stores() {
    let source = "global @x: i32
thread main = @main()
func @main() {
    reg %t: i64, %v: i32, %c: i1
  entry:
    store i32 relaxed @x, 1
    %t = spawn @f()
    join %t
    %v = load i32 relaxed @x
    %c = cmp eq i32 %v, 2
    assert %c, \"joined\"
    ret
}
func @f() {
    reg %v: i32, %c: i1
  entry:
    %v = load i32 relaxed @x
    %c = cmp eq i32 %v, 1
    assert %c, \"started\"
    store i32 relaxed @x, 2
    ret
}
";
    for model in Model::ALL {
        let found = found(source, model);
        assert_eq!((found.executions, kinds(&found)), (1, Vec::new()), "{model}");
    }
}

/// Writes of other threads would have to wait for the memory lock; the axioms of the models do not express
/// that.
#[test]
fn the_memory_lock_is_unsupported() {
    for lock in ["lock @bus", "%c = trylock @bus"] {
        let source = format!(
            "global @bus: i32
memory_lock @bus
thread t = @f()
func @f() {{
    reg %c: i1
  entry:
    {lock}
    ret
}}
"
        );
        for model in Model::ALL {
            let found = found(&source, model);
            assert_eq!(kinds(&found), [(FailureKind::Unsupported, 1)], "{lock} under {model}");
        }
    }
}

/// Goals are for the reachability engine; here a thread does not stop at the place of a goal.
#[test]
fn goals_do_not_stop_a_thread() {
    let source = "global @x: i32
thread t = @f()
goal t end
func @f() {
  entry:
    store i32 asm @x, 1
    jump end
  end:
    ret
}
";
    for model in Model::ALL {
        let found = found(source, model);
        assert_eq!((found.executions, kinds(&found)), (1, Vec::new()), "{model}");
    }
}

/// A read-modify-write that waits represents a loop: events after it depend on the branch of the loop.
#[test]
fn nothing_comes_before_an_update_that_waits() {
    let same = "%v = rmw add i32 relaxed @y, 1 when ugt 0\n    store i32 asm @y, 2";
    let other = "%v = rmw add i32 relaxed @y, 1 when ugt 0\n    store i32 asm @x, 1";
    let twice =
        "%v = rmw sub i32 relaxed @y, 1 when eq 1\n    %v = rmw add i32 relaxed @y, 1 when eq 0";
    for body in [same, other, twice] {
        let source = format!(
            "global @x: i32
global @y: i32
thread t = @f()
thread u = @g()
func @f() {{
    reg %v: i32
  entry:
    {body}
    ret
}}
func @g() {{
    reg %v: i32, %c: i1
  entry:
    %v = load i32 asm @x
    %c = cmp eq i32 %v, 0
    assert %c, \"not overtaken\"
    ret
}}
"
        );
        for model in Model::ALL {
            let found = found(&source, model);
            assert_eq!(kinds(&found), [(FailureKind::Deadlock, 1)], "{body} under {model}");
        }
    }
}
