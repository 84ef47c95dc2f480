//! Locks and waiting: mutexes, condition variables, readers-writer locks, barriers, spinlocks and
//! semaphores of the C library, with exact numbers of executions where they can be derived in a line.

use super::common::{checked, correct, fails, function, main, program, safe};
use crate::MODELS;
use raddle_engine::FailureKind::{Assertion, Deadlock, LockMisuse, Uninitialised};
use raddle_ir::Verified;

const ITEMS: &str = "global @m: bytes 40\nglobal @c: bytes 48\nglobal @l: bytes 56\n\
                     global @b: bytes 32\nglobal @s: bytes 32\nglobal @a: i32\n\
                     global @x: i32\nglobal @y: i32\n";
const INCREMENT: &str = "%i = load i32 @x\n%i = add i32 %i, 1\nstore i32 @x, %i\n";

/// A program whose `main` runs `before`, starts and joins threads with these bodies (of
/// `start(%arg: ptr) -> ptr`), and runs `after`.
fn threads(before: &str, bodies: &[&str], after: &str) -> Verified {
    let mut source = ITEMS.to_owned() + "global @t: i64 x 4\nthread main = @main()\n";
    let mut main = format!("{before}\n");
    for (n, body) in bodies.iter().enumerate() {
        let end = if body.contains("done:") { "" } else { "jump done\n done:\n" };
        source += &format!(
            "func @start{n}(%arg: ptr) -> ptr {{
                 reg %i: i32, %j: i32, %l: i64, %p: ptr, %ok: i1
               entry:
                 {body}
                 {end}
                 ret %arg
             }}\n"
        );
        main += &format!("%i = call @pthread_create(@t+{}, 0, &@start{n}, 0)\n", 8 * n);
    }
    for n in 0..bodies.len() {
        main += &format!("%t = load i64 @t+{}\n%i = call @pthread_join(%t, 0)\n", 8 * n);
    }
    program(&(source + &function("@main()", &(main + after))))
}

fn is(register: &str, value: &str) -> String {
    format!("%ok = cmp eq i32 {register}, {value}\nassert %ok, \"{register} is {value}\"\n")
}

fn sees(global: &str, value: &str) -> String {
    format!("%i = load i32 {global}\n{}", is("%i", value))
}

/// Threads that increment `@x` between `enter` and `leave`: one execution per order.
fn sections(before: &str, enter: &str, leave: &str, count: usize) -> Verified {
    let body = format!("%i = call {enter}\n{INCREMENT}%i = call {leave}\n");
    threads(before, &vec![&*body; count], &sees("@x", &count.to_string()))
}

// ---- mutexes ----

#[test]
fn critical_sections_have_one_execution_per_order() {
    for (count, orders) in [(1, 1), (2, 2), (3, 6)] {
        safe(&sections("", "@pthread_mutex_lock(@m)", "@pthread_mutex_unlock(@m)", count), orders);
    }
}

#[test]
fn spinlocks_and_dynamic_mutexes_exclude() {
    safe(&sections("", "@pthread_spin_lock(@m)", "@pthread_spin_unlock(@m)", 2), 2);
    let init = "%i = call @pthread_mutex_init(@m, 0)";
    safe(&sections(init, "@pthread_mutex_lock(@m)", "@pthread_mutex_unlock(@m)", 2), 2);
}

fn of_kind(kind: u32) -> String {
    format!(
        "%i = call @pthread_mutexattr_init(@a)
         %i = call @pthread_mutexattr_settype(@a, {kind})
         {}%i = call @pthread_mutex_init(@m, @a)\n",
        is("%i", "0")
    )
}

#[test]
fn recursive_mutexes_count() {
    let body = format!(
        "%i = call @pthread_mutex_lock(@m)
         %i = call @pthread_mutex_lock(@m)
         {}%i = call @pthread_mutex_trylock(@m)
         {}%i = call @pthread_mutex_unlock(@m)
         %i = call @pthread_mutex_unlock(@m)
         {INCREMENT}%i = call @pthread_mutex_unlock(@m)
         {}%i = call @pthread_mutex_unlock(@m)
         {}",
        is("%i", "0"),
        is("%i", "0"),
        is("%i", "0"),
        is("%i", "1"),
    );
    safe(&threads(&of_kind(1), &[&body, &body], &sees("@x", "2")), 2);
}

#[test]
fn error_checking_mutexes_tell() {
    let body = of_kind(2)
        + "%i = call @pthread_mutex_unlock(@m)\n"
        + &is("%i", "1")
        + "%i = call @pthread_mutex_lock(@m)\n"
        + &is("%i", "0")
        + "%i = call @pthread_mutex_lock(@m)\n"
        + &is("%i", "35")
        + "%i = call @pthread_mutex_trylock(@m)\n"
        + &is("%i", "16")
        + "%i = call @pthread_mutex_unlock(@m)\n"
        + &is("%i", "0")
        + "%i = call @pthread_mutex_destroy(@m)\n";
    safe(&main(ITEMS, &body), 1);
}

/// Both take the lock, in either order, or one of them finds it taken and fails (2 + 2).
#[test]
fn try_and_timed_locks_take_what_is_free() {
    for (call, failure) in
        [("@pthread_mutex_trylock(@m)", "16"), ("@pthread_mutex_timedlock(@m, 0)", "110")]
    {
        let body = format!(
            "%i = call {call}
             switch i32 %i {{0: taken}} default busy
           taken:
             %i = call @pthread_mutex_unlock(@m)
             jump done
           busy:
             {}jump done
           done:",
            is("%i", failure)
        );
        safe(&threads("", &[&body, &body], ""), 4);
    }
}

#[test]
fn what_posix_leaves_undefined_is_found() {
    let cases = [
        ("%i = call @pthread_mutex_unlock(@m)", "unlocks a lock that it does not hold"),
        (
            "%i = call @pthread_mutex_lock(@m)\n%i = call @pthread_mutex_destroy(@m)",
            "destroys a mutex that is held",
        ),
        (
            "%i = call @pthread_mutex_destroy(@m)\n%i = call @pthread_mutex_destroy(@m)",
            "destroys a mutex that was destroyed",
        ),
        (
            "%i = call @pthread_mutex_destroy(@m)\n%i = call @pthread_mutex_lock(@m)",
            "uses a lock that was destroyed",
        ),
        (
            "%i = call @pthread_mutex_init(@m, 0)\n%i = call @pthread_mutex_init(@m, 0)",
            "initialises a mutex that is already",
        ),
        ("%i = call @pthread_cond_wait(@c, @m)", "lock that it does not hold"),
        (
            "%i = call @pthread_cond_destroy(@c)\n%i = call @pthread_cond_signal(@c)",
            "condition variable that was destroyed",
        ),
        ("%i = call @pthread_rwlock_unlock(@l)", "does not hold"),
        (
            "%i = call @pthread_rwlock_rdlock(@l)\n%i = call @pthread_rwlock_destroy(@l)",
            "destroys a readers-writer lock that is held",
        ),
        (
            "%i = call @pthread_rwlock_destroy(@l)\n%i = call @pthread_rwlock_rdlock(@l)",
            "readers-writer lock that was destroyed",
        ),
        (
            "%i = call @pthread_rwlock_destroy(@l)\n%i = call @pthread_rwlock_wrlock(@l)",
            "readers-writer lock that was destroyed",
        ),
        ("%i = call @pthread_barrier_wait(@b)", "barrier that was destroyed"),
        (
            "%i = call @pthread_barrier_init(@b, 0, 2)\n%i = call @pthread_barrier_init(@b, 0, 2)",
            "initialises a barrier that is already",
        ),
        (
            "%i = call @sem_init(@s, 0, 1)\n%i = call @sem_destroy(@s)\n%i = call @sem_wait(@s)",
            "semaphore that was destroyed",
        ),
        (
            "%i = call @sem_init(@s, 0, 1)\n%i = call @sem_init(@s, 0, 1)",
            "initialises a semaphore that is already",
        ),
    ];
    for (body, message) in cases {
        fails(&main(ITEMS, body), LockMisuse, message);
    }
}

#[test]
fn a_mutex_can_be_made_again_after_its_end() {
    let again = "%i = call @pthread_mutex_init(@m, 0)\n%i = call @pthread_mutex_destroy(@m)\n";
    safe(&main(ITEMS, &again.repeat(3)), 1);
}

#[test]
fn a_normal_mutex_taken_twice_deadlocks() {
    let twice = "%i = call @pthread_mutex_lock(@m)\n%i = call @pthread_mutex_lock(@m)";
    fails(&main(ITEMS, twice), Deadlock, "a lock that it holds itself");
}

#[test]
fn a_mutex_that_nobody_has_made_is_uninitialised() {
    let body = "%p = call @malloc(40)\n%i = call @pthread_mutex_lock(%p)";
    fails(&main(ITEMS, body), Uninitialised, "");
}

/// A mutex in memory that was cleared with accesses of other widths.
#[test]
fn a_mutex_in_cleared_memory_works() {
    for width in [1, 2, 8] {
        let before = format!(
            "%p = call @malloc(40)\ncall @raddle.memset.{width}(%p, 0, 40)\n\
             %i = call @pthread_mutex_lock(%p)\n%i = call @pthread_mutex_unlock(%p)"
        );
        safe(&main(ITEMS, &before), 1);
        let clear = format!("call @raddle.memset.{width}(@m, 0, 40)");
        safe(&sections(&clear, "@pthread_mutex_lock(@m)", "@pthread_mutex_unlock(@m)", 2), 2);
        let clear = format!("call @raddle.memset.{width}(@s, 0, 32)");
        let post = "store i32 @x, 1\n%i = call @sem_post(@s)";
        let wait = format!("%i = call @sem_wait(@s)\n{}", sees("@x", "1"));
        safe(&threads(&clear, &[post, &wait], ""), 1);
    }
}

// ---- condition variables ----

const WAIT: &str = "%i = call @pthread_mutex_lock(@m)
    jump look
  look:
    %i = load i32 @x
    %ok = cmp eq i32 %i, 0
    br %ok, wait, go
  wait:
    %i = call @pthread_cond_wait(@c, @m)
    jump look
  go:
    %i = call @pthread_mutex_unlock(@m)
    jump done
  done:";
const SIGNAL: &str = "%i = call @pthread_mutex_lock(@m)
    store i32 @x, 1
    %i = call @pthread_cond_signal(@c)
    %i = call @pthread_mutex_unlock(@m)";

#[test]
fn a_wait_in_a_loop_is_woken() {
    safe(&threads("", &[WAIT, SIGNAL], ""), 2);
}

#[test]
fn a_wait_outside_of_a_loop_may_miss_the_signal() {
    let wait = "%i = call @pthread_mutex_lock(@m)\n%i = call @pthread_cond_wait(@c, @m)\n\
                %i = call @pthread_mutex_unlock(@m)";
    fails(&threads("", &[wait, SIGNAL], ""), Deadlock, "a signal");
}

/// With spurious wake-ups a wait without a loop may return too early.
#[test]
fn spurious_wake_ups_happen_on_request() {
    let wait = |name: &str| {
        format!(
            "%i = call @pthread_mutex_lock(@m)
             %i = load i32 @x
             %ok = cmp eq i32 %i, 0
             br %ok, wait, go
           wait:
             %i = call @{name}(@c, @m)
             jump go
           go:
             {}%i = call @pthread_mutex_unlock(@m)
             jump done
           done:",
            sees("@x", "1")
        )
    };
    safe(&threads("", &[&wait("pthread_cond_wait"), SIGNAL], ""), 2);
    let spurious = threads("", &[&wait("raddle.spurious.pthread_cond_wait"), SIGNAL], "");
    fails(&spurious, Assertion, "is 1");
}

/// See the engine's test of timed waits: 4 executions, in one of which the wait is woken.
#[test]
fn a_timed_wait_always_returns() {
    let wait = "%i = call @pthread_mutex_lock(@m)
                %i = call @pthread_cond_timedwait(@c, @m, 0)
                store i32 @y, %i
                %i = call @pthread_mutex_unlock(@m)";
    safe(&threads("", &[wait], &sees("@y", "110")), 1);
    safe(&threads("", &[wait, SIGNAL], ""), 4);
    let woken = threads("", &[wait, SIGNAL], &sees("@y", "110"));
    fails(&woken, Assertion, "is 110");
}

// ---- readers-writer locks ----

const READ: &str = "%i = call @pthread_rwlock_rdlock(@l)
    %i = load i32 @x
    %j = load i32 @y
    %ok = cmp eq i32 %i, %j
    assert %ok, \"both or none\"
    %i = call @pthread_rwlock_unlock(@l)";
const WRITE: &str = "%i = call @pthread_rwlock_wrlock(@l)
    store i32 @x, 1
    store i32 @y, 1
    %i = call @pthread_rwlock_unlock(@l)";

#[test]
fn writers_exclude_everyone() {
    safe(&sections("", "@pthread_rwlock_wrlock(@l)", "@pthread_rwlock_unlock(@l)", 3), 6);
    safe(&threads("", &[READ, WRITE], ""), 2);
    correct(&threads("", &[READ, WRITE, READ], ""));
    let init = "%i = call @pthread_rwlock_init(@l, 0)";
    correct(&threads(init, &[READ, WRITE], "%i = call @pthread_rwlock_destroy(@l)"));
}

/// A reader can observe another reader inside: the lock is shared.
#[test]
fn readers_share() {
    let body = |mine: &str, other: &str| {
        format!(
            "%i = call @pthread_rwlock_rdlock(@l)
             store i32 seq_cst {mine}, 1
             %i = load i32 seq_cst {other}
             {}%i = call @pthread_rwlock_unlock(@l)",
            is("%i", "0")
        )
    };
    fails(&threads("", &[&body("@x", "@y"), &body("@y", "@x")], ""), Assertion, "is 0");
}

#[test]
fn try_forms_find_a_lock_busy() {
    let body = "%i = call @pthread_rwlock_wrlock(@l)\n".to_owned()
        + "%i = call @pthread_rwlock_tryrdlock(@l)\n"
        + &is("%i", "16")
        + "%i = call @pthread_rwlock_trywrlock(@l)\n"
        + &is("%i", "16")
        + "%i = call @pthread_rwlock_timedwrlock(@l, 0)\n"
        + &is("%i", "110")
        + "%i = call @pthread_rwlock_unlock(@l)\n"
        + "%i = call @pthread_rwlock_tryrdlock(@l)\n"
        + &is("%i", "0")
        + "%i = call @pthread_rwlock_tryrdlock(@l)\n"
        + &is("%i", "0")
        + "%i = call @pthread_rwlock_trywrlock(@l)\n"
        + &is("%i", "16")
        + "%i = call @pthread_rwlock_unlock(@l)\n%i = call @pthread_rwlock_unlock(@l)\n"
        + "%i = call @pthread_rwlock_destroy(@l)\n";
    safe(&main(ITEMS, &body), 1);
}

#[test]
fn an_unlock_too_many_is_found() {
    let body = "%i = call @pthread_rwlock_rdlock(@l)\n%i = call @pthread_rwlock_unlock(@l)\n\
                %i = call @pthread_rwlock_unlock(@l)";
    fails(&main(ITEMS, body), LockMisuse, "does not hold");
    let twice = "%i = call @pthread_rwlock_wrlock(@l)\n%i = call @pthread_rwlock_wrlock(@l)";
    fails(&main(ITEMS, twice), Deadlock, "");
}

// ---- barriers ----

/// Either thread arrives first (2). Each sees the stores of the other before the barrier.
#[test]
fn a_barrier_lets_all_go_together() {
    let body = |mine: &str, other: &str| {
        format!("store i32 {mine}, 1\n%i = call @pthread_barrier_wait(@b)\n{}", sees(other, "1"))
    };
    let init = "%i = call @pthread_barrier_init(@b, 0, 2)";
    let end = "%i = call @pthread_barrier_destroy(@b)";
    safe(&threads(init, &[&body("@x", "@y"), &body("@y", "@x")], end), 2);
}

/// Two rounds, each with two arrivals in either order. In each round one thread gets the special result -1.
#[test]
fn a_barrier_is_used_again() {
    let round = "%i = call @pthread_barrier_wait(@b)
                 %i = rmw add i32 relaxed @x, %i\n";
    let two = round.repeat(2);
    let init = "%i = call @pthread_barrier_init(@b, 0, 2)";
    correct(&threads(init, &[&two, &two], &sees("@x", "-2")));
}

#[test]
fn a_barrier_that_not_all_reach_deadlocks() {
    let init = "%i = call @pthread_barrier_init(@b, 0, 2)";
    let body = "%i = call @pthread_barrier_wait(@b)";
    fails(&threads(init, &[body], ""), Deadlock, "");
    let destroy = "%i = call @pthread_barrier_destroy(@b)\n%i = call @pthread_barrier_wait(@b)";
    fails(&main(ITEMS, &format!("{init}\n{destroy}")), LockMisuse, "barrier that was destroyed");
}

// ---- semaphores ----

#[test]
fn a_semaphore_of_one_excludes() {
    let init = "%i = call @sem_init(@s, 0, 1)";
    safe(&sections(init, "@sem_wait(@s)", "@sem_post(@s)", 2), 2);
    safe(&sections(init, "@sem_wait(@s)", "@sem_post(@s)", 3), 6);
}

#[test]
fn a_semaphore_of_two_does_not() {
    let init = "%i = call @sem_init(@s, 0, 2)";
    fails(&sections(init, "@sem_wait(@s)", "@sem_post(@s)", 2), Assertion, "is 2");
}

#[test]
fn a_post_hands_over() {
    let post = "store i32 @x, 1\n%i = call @sem_post(@s)";
    let wait = format!("%i = call @sem_wait(@s)\n{}", sees("@x", "1"));
    safe(&threads("%i = call @sem_init(@s, 0, 0)", &[post, &wait], ""), 1);
    fails(&threads("%i = call @sem_init(@s, 0, 0)", &[&wait], ""), Deadlock, "");
}

/// The thread that tries finds no permit, or finds the posted one.
#[test]
fn a_semaphore_can_be_tried() {
    let attempt = "%i = call @sem_trywait(@s)\nstore i32 @y, %i";
    let post = "%i = call @sem_post(@s)";
    let program = threads("%i = call @sem_init(@s, 0, 0)", &[post, attempt], "");
    safe(&program, 2);
    let body = "%i = call @sem_init(@s, 0, 0)\n%i = call @sem_trywait(@s)\n".to_owned()
        + &is("%i", "-1")
        + "%p = call @__errno_location()\n%i = load i32 %p\n"
        + &is("%i", "11")
        + "%i = call @sem_timedwait(@s, 0)\n%p = call @__errno_location()\n%i = load i32 %p\n"
        + &is("%i", "110")
        + "%i = call @sem_post(@s)\n%i = call @sem_getvalue(@s, @x)\n"
        + &sees("@x", "1")
        + "%i = call @sem_trywait(@s)\n"
        + &is("%i", "0");
    safe(&main(ITEMS, &body), 1);
}

/// Operations on different locks are not ordered between threads.
#[test]
fn locks_that_differ_do_not_order() {
    let one = "%i = call @pthread_mutex_lock(@m)\n%i = call @pthread_mutex_unlock(@m)";
    let other = "%i = call @sem_post(@s)\n%i = call @sem_wait(@s)";
    let third = "%i = call @pthread_rwlock_rdlock(@l)\n%i = call @pthread_rwlock_unlock(@l)";
    let program = threads("", &[one, other, third], "");
    for model in MODELS {
        assert_eq!(checked(&program, model).executions, 1, "{model}");
    }
}
