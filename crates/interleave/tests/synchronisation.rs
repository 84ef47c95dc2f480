//! Locks, condition variables, threads, waiting and choosing: exact numbers of traces, each derived
//! in a line, and equal to those of the search without reduction and of the oracles.

use crate::MODELS;
use crate::common;
use raddle_engine::{FailureKind, Model, Summary};

use common::{checked, failures, program, threads};
use raddle_engine::FailureKind::{Deadlock, LockMisuse, ThreadMisuse};

use raddle_ir::Verified;

const ITEMS: &str =
    "global @m: i32\nglobal @n: i32\nglobal @c: i32\nglobal @x: i32\nglobal @y: i32";

/// Executions, blocked executions, and failures with their counts: the same under every model.
fn expect(program: &Verified, executions: u64, blocked: u64, failed: &[(FailureKind, u64)]) {
    for model in MODELS {
        let found = checked(program, model);
        assert_eq!((found.executions, found.blocked), (executions, blocked), "{model}");
        assert_eq!(failures(&found), failed, "{model}");
    }
}

fn message(found: &Summary) -> &str {
    &found.failures[0].message
}

// ---- locks ----

/// One trace per order of the critical sections.
#[test]
fn critical_sections_have_one_trace_per_order() {
    let add = "lock @m\n%s = load i32 asm @x\n%s = add i32 %s, 1\nstore i32 asm @x, %s\nunlock @m";
    let items = format!("{ITEMS}\nobserve x = i32 @x");
    for (n, orders) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        let program = threads(&items, &vec![add; n]);
        for model in MODELS {
            let found = checked(&program, model);
            assert_eq!(found.executions, orders, "{n} threads under {model}");
            assert!(found.states.iter().all(|(state, _)| state[0] == n as u64), "{model}");
        }
    }
}

/// Different locks do not order anything.
#[test]
fn independent_locks_have_one_trace() {
    let program = threads(ITEMS, &["lock @m\nunlock @m", "lock @n\nunlock @n"]);
    expect(&program, 1, 0, &[]);
}

/// Both succeed, in either order, or one finds the lock taken: 2 + 2.
#[test]
fn try_locks_succeed_or_fail() {
    let attempt = "%ok = trylock @m\nbr %ok, taken, done\ntaken:\nunlock @m\njump done\ndone:\nret";
    let program = threads(ITEMS, &[attempt, attempt]);
    expect(&program, 4, 0, &[]);
    let states = checked(&program, Model::Sc).states;
    assert_eq!(states, [(vec![0, 1], 1), (vec![1, 0], 1), (vec![1, 1], 2)]);
}

/// A lock against a try-lock: the lock first and released, the lock first and held, or second.
#[test]
fn a_try_lock_sees_a_lock_that_is_held() {
    let attempt = "%ok = trylock @m\nbr %ok, taken, done\ntaken:\nunlock @m\njump done\ndone:\nret";
    expect(&threads(ITEMS, &["lock @m\nunlock @m", attempt]), 3, 0, &[]);
}

/// One thread after the other, in either order, or each holds its first lock and waits for the other's.
#[test]
fn opposite_orders_of_locks_deadlock() {
    let program = threads(
        ITEMS,
        &["lock @m\nlock @n\nunlock @n\nunlock @m", "lock @n\nlock @m\nunlock @m\nunlock @n"],
    );
    expect(&program, 3, 0, &[(Deadlock, 1)]);
    let found = checked(&program, Model::Tso);
    assert_eq!(found.failures[0].thread, "t0, t1");
    assert!(message(&found).contains("t0 waits for a lock that t1 holds"), "{}", message(&found));
}

#[test]
fn a_lock_taken_twice_deadlocks() {
    let program = threads(ITEMS, &["lock @m\nlock @m"]);
    expect(&program, 1, 0, &[(Deadlock, 1)]);
    let found = checked(&program, Model::Sc);
    assert!(message(&found).contains("that it holds itself"), "{}", message(&found));
}

/// The thread that comes first never releases the lock: two deadlocks, of different threads.
#[test]
fn a_lock_never_released_deadlocks_whoever_comes_second() {
    expect(&threads(ITEMS, &["lock @m", "lock @m"]), 2, 0, &[(Deadlock, 1), (Deadlock, 1)]);
}

#[test]
fn unlocking_what_is_not_held_is_misuse() {
    expect(&threads(ITEMS, &["unlock @m"]), 1, 0, &[(LockMisuse, 1)]);
    expect(&threads(ITEMS, &["lock @m\nunlock @m\nunlock @m"]), 1, 0, &[(LockMisuse, 1)]);
    // Held by another thread, or not held at all: the unlock fails wherever it comes.
    expect(&threads(ITEMS, &["lock @m", "unlock @m"]), 1, 0, &[(LockMisuse, 1)]);
}

#[test]
fn waiting_without_the_lock_is_misuse() {
    expect(&threads(ITEMS, &["cond_wait @c, @m"]), 1, 0, &[(LockMisuse, 1)]);
}

// ---- deadlock and assume ----

/// The load is before or after the store; if it is before, the run is discarded.
#[test]
fn an_assumption_blocks() {
    let reader = "%r = load i32 asm @x\n%ok = cmp eq i32 %r, 1\nassume %ok";
    expect(&threads(ITEMS, &[reader, "store i32 asm @x, 1"]), 1, 1, &[]);
}

/// A thread that waits for one that an assumption stopped is not deadlocked.
#[test]
fn waiting_for_a_blocked_thread_is_no_deadlock() {
    let program =
        threads(ITEMS, &["lock @m\n%ok = move i1 0\nassume %ok\nunlock @m", "lock @m\nunlock @m"]);
    expect(&program, 0, 2, &[]);
}

/// Both at once: a failed assertion is reported even where an assumption blocks another thread.
#[test]
fn a_failure_beside_a_blocked_thread_is_reported() {
    let program = threads(
        ITEMS,
        &[
            "%ok = move i1 0\nassume %ok",
            "%r = load i32 asm @x\n%ok = cmp eq i32 %r, 1\nassert %ok",
        ],
    );
    expect(&program, 1, 0, &[(FailureKind::Assertion, 1)]);
}

// ---- condition variables ----

/// A signal before the wait is lost.
#[test]
fn a_lost_wake_up_is_a_deadlock() {
    let waiter = "lock @m\ncond_wait @c, @m\nunlock @m";
    expect(&threads(ITEMS, &[waiter, "cond_signal @c"]), 2, 0, &[(Deadlock, 1)]);
    let polite = "lock @m\ncond_signal @c\nunlock @m";
    let program = threads(ITEMS, &[waiter, polite]);
    expect(&program, 2, 0, &[(Deadlock, 1)]);
    let found = checked(&program, Model::Sc);
    assert_eq!(found.failures[0].thread, "t0");
    assert!(message(&found).contains("t0 waits for a signal"), "{}", message(&found));
}

/// The usual idiom loses no signal: the waiter sees the flag, or already waits when the signal comes.
#[test]
fn a_flag_under_the_lock_loses_no_wake_up() {
    let program = threads(
        ITEMS,
        &[
            "lock @m\n%r = load i32 asm @x\n%ok = cmp eq i32 %r, 0\nbr %ok, wait, done\n\
             wait:\ncond_wait @c, @m\njump done\ndone:\nunlock @m\nret",
            "lock @m\nstore i32 asm @x, 1\ncond_signal @c\nunlock @m",
        ],
    );
    expect(&program, 2, 0, &[]);
}

/// The first sections of two waiters (W, V) and the signaller (S), in six orders. S first: both wait forever
/// (2). S in the middle: the first waiter is woken, and takes the lock again before or after the other's first
/// section (2 + 2). S last: either waiter is woken (2 + 2).
#[test]
fn a_signal_wakes_any_waiter() {
    let waiter = "lock @m\ncond_wait @c, @m\nunlock @m";
    let program = threads(ITEMS, &[waiter, waiter, "lock @m\ncond_signal @c\nunlock @m"]);
    expect(&program, 10, 0, &[(Deadlock, 2), (Deadlock, 4), (Deadlock, 4)]);
}

/// As above, but if S is last it wakes both, which take the lock again in either order (2 + 2): no deadlock.
#[test]
fn a_broadcast_wakes_all_waiters() {
    let waiter = "lock @m\ncond_wait @c, @m\nunlock @m";
    let program = threads(ITEMS, &[waiter, waiter, "lock @m\ncond_broadcast @c\nunlock @m"]);
    expect(&program, 10, 0, &[(Deadlock, 2), (Deadlock, 2), (Deadlock, 2)]);
}

/// A timed wait ends even without a signal. A signaller's section before the wait has no effect (1). If the
/// section comes after the wait has begun, the wait ends and takes the lock before the section (1), or takes
/// it after the section, having ended before the signal or by it (2).
#[test]
fn a_timed_wait_ends_without_a_signal() {
    let waiter = "lock @m\n%ok = cond_wait @c, @m\nunlock @m";
    expect(&threads(ITEMS, &[waiter]), 1, 0, &[]);
    let program = threads(ITEMS, &[waiter, "lock @m\ncond_signal @c\nunlock @m"]);
    expect(&program, 4, 0, &[]);
    assert_eq!(checked(&program, Model::Tso).states, [(vec![0], 3), (vec![1], 1)]);
}

/// A waiter that times out leaves the signal to other waiters; one that is woken takes it.
#[test]
fn a_timed_wait_takes_a_signal_or_leaves_it() {
    let timed = "lock @m\n%ok = cond_wait @c, @m\nunlock @m";
    let waiter = "lock @m\ncond_wait @c, @m\nunlock @m";
    let program = threads(ITEMS, &[timed, waiter, "lock @m\ncond_signal @c\nunlock @m"]);
    for model in MODELS {
        let found = checked(&program, model);
        assert_eq!(found.blocked, 0, "{model}");
        // In every complete run the untimed waiter is woken, so the timed one is not.
        assert!(found.states.iter().all(|(state, _)| state == &[0]), "{model}");
        assert!(failures(&found).iter().all(|(kind, _)| *kind == Deadlock), "{model}");
    }
}

// ---- threads ----

fn spawner(body: &str) -> Verified {
    program(&format!(
        "global @x: i32
         thread main = @main()
         observe r = main %r
         observe u = main %u
         func @child() -> i64 {{
           entry:
             store i32 asm @x, 1
             ret 7
         }}
         func @main() {{
             reg %t: i64, %u: i64, %r: i32
           entry:
             %t = spawn @child()
             {body}
             ret
         }}"
    ))
}

/// After a join, the thread's stores and its result are visible; before it, the stores race.
#[test]
fn a_join_orders_and_gives_the_result() {
    let joined = spawner("%u = join %t\n%r = load i32 asm @x");
    let racing = spawner("%r = load i32 asm @x\n%u = join %t");
    for model in MODELS {
        assert_eq!(checked(&joined, model).states, [(vec![1, 7], 1)], "{model}");
        assert_eq!(checked(&racing, model).states, [(vec![0, 7], 1), (vec![1, 7], 1)], "{model}");
    }
}

#[test]
fn a_thread_may_be_joined_twice() {
    expect(&spawner("join %t\n%u = join %t"), 1, 0, &[]);
}

#[test]
fn what_a_thread_did_before_it_spawned_is_seen() {
    let program = program(
        "global @x: i32
         thread main = @main()
         func @child() {
             reg %r: i32, %ok: i1
           entry:
             %r = load i32 asm @x
             %ok = cmp eq i32 %r, 1
             assert %ok
             ret
         }
         func @main() {
             reg %t: i64
           entry:
             store i32 asm @x, 1
             %t = spawn @child()
             ret
         }",
    );
    expect(&program, 1, 0, &[]);
}

#[test]
fn joining_nonsense_is_misuse() {
    for handle in ["0", "77", "-1"] {
        expect(&threads(ITEMS, &[&format!("join {handle}")]), 1, 0, &[(ThreadMisuse, 1)]);
    }
    expect(&threads(ITEMS, &["%t = self\njoin %t"]), 1, 0, &[(ThreadMisuse, 1)]);
}

#[test]
fn threads_that_join_each_other_deadlock() {
    let program = program(
        "thread main = @main()
         func @child(%parent: i64) {
           entry:
             join %parent
             ret
         }
         func @main() {
             reg %t: i64
           entry:
             %t = self
             %t = spawn @child(%t)
             join %t
             ret
         }",
    );
    expect(&program, 1, 0, &[(Deadlock, 1)]);
}

/// `exit` ends the thread from inside a call, with its result.
#[test]
fn exit_ends_the_thread_from_any_depth() {
    let program = program(
        "thread main = @main()
         observe u = main %u
         func @deep() {
           entry:
             exit 5
             unreachable
         }
         func @child() -> i64 {
           entry:
             call @deep()
             ret 1
         }
         func @main() {
             reg %t: i64, %u: i64
           entry:
             %t = spawn @child()
             %u = join %t
             ret
         }",
    );
    for model in MODELS {
        assert_eq!(checked(&program, model).states, [(vec![5], 1)], "{model}");
    }
}

// ---- waiting and choosing ----

/// Message passing with a wait: the message has arrived, except that under PSO it may not have.
#[test]
fn await_reads_only_what_it_waits_for() {
    let program = threads(
        ITEMS,
        &[
            "store i32 asm @x, 1\nstore i32 asm @y, 1",
            "%r = await ne i32 asm @y, 0\n%s = load i32 asm @x",
        ],
    );
    let counts = MODELS.map(|model| checked(&program, model).executions);
    assert_eq!(counts, [1, 1, 2]);
}

/// The wait reads each of the two values that satisfy it, not the initial one.
#[test]
fn await_may_read_every_value_that_satisfies_it() {
    let program = threads(
        ITEMS,
        &["store i32 asm @x, 1\nstore i32 asm @x, 2", "%r = await ne i32 asm @x, 0"],
    );
    expect(&program, 2, 0, &[]);
}

/// The value may be overwritten before the thread reads it.
#[test]
fn await_can_miss_its_value() {
    let program = threads(
        ITEMS,
        &["store i32 asm @x, 1\nstore i32 asm @x, 2", "%r = await eq i32 asm @x, 1"],
    );
    expect(&program, 2, 0, &[(Deadlock, 1)]);
    expect(&threads(ITEMS, &["%r = await eq i32 asm @x, 1"]), 1, 0, &[(Deadlock, 1)]);
}

#[test]
fn choose_explores_every_value() {
    let program = threads(ITEMS, &["%r = choose i32 2, 5"]);
    for model in MODELS {
        let states = checked(&program, model).states;
        assert_eq!(states, [(vec![2], 1), (vec![3], 1), (vec![4], 1), (vec![5], 1)], "{model}");
    }
    let pair = threads(ITEMS, &["%r = choose i32 0, 1", "%r = choose i32 0, 2"]);
    expect(&pair, 6, 0, &[]);
}

/// Two traces (before and after) for each value that is stored.
#[test]
fn choices_multiply_traces() {
    let program =
        threads(ITEMS, &["%r = choose i32 1, 3\nstore i32 asm @x, %r", "%s = load i32 asm @x"]);
    expect(&program, 6, 0, &[]);
}

/// A signal at the address of a lock does not change the lock: the lock is taken when it is signalled. Either
/// thread comes first and keeps its second lock, or each waits for the other.
#[test]
fn signals_at_locks() {
    let program = threads(
        ITEMS,
        &[
            "lock @m\nlock @n\ncond_signal @n\nunlock @m",
            "lock @n\nlock @m\ncond_signal @m\nunlock @n",
        ],
    );
    expect(&program, 3, 0, &[(Deadlock, 1), (Deadlock, 1), (Deadlock, 1)]);
}
