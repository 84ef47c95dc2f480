//! Threads of the C library: creation, ends, keys, once, C11's names, and the functions of verifiers.

use super::common::{correct, fails, function, main, program, safe};
use raddle_engine::FailureKind::{Abort, Assertion, Unsupported};
use raddle_ir::Verified;

const ITEMS: &str = "global @t: i64 x 2\nglobal @k: i32\nglobal @o: i32\nglobal @x: i32\n\
                     global @y: i32\nglobal @r: i64\nglobal @m: bytes 40\nglobal @c: bytes 48\n";

fn is(register: &str, value: &str) -> String {
    format!("%ok = cmp eq i32 {register}, {value}\nassert %ok, \"{register} is {value}\"\n")
}

fn sees(global: &str, value: &str) -> String {
    format!("%i = load i32 {global}\n{}", is("%i", value))
}

/// `main`, and a start routine `start(%arg: ptr) -> ptr` that returns its argument.
fn with_start(items: &str, start: &str, main: &str) -> Verified {
    let start = format!(
        "func @start(%arg: ptr) -> ptr {{
             reg %i: i32, %j: i32, %l: i64, %p: ptr, %ok: i1
           entry:
             {start}
             ret %arg
         }}\n"
    );
    let main = function("@main()", main);
    program(&format!("{ITEMS}{items}thread main = @main()\n{start}{main}"))
}

const CREATE: &str = "%i = call @pthread_create(@t, 0, &@start, 7)\n%t = load i64 @t\n";

#[test]
fn a_thread_is_joined_with_its_result() {
    let main = format!(
        "{CREATE}%i = call @pthread_join(%t, @r)
         %l = load i64 @r
         %ok = cmp eq i64 %l, 7
         assert %ok\n{}",
        sees("@x", "1")
    );
    safe(&with_start("", "store i32 @x, 1\n", &main), 1);
    let exits = "store i32 @x, 1\ncall @pthread_exit(7)\n";
    safe(&with_start("", exits, &main), 1);
}

#[test]
fn threads_know_themselves() {
    let start = "%l = call @pthread_self()\nstore i64 @r, %l";
    let main = format!(
        "{CREATE}%i = call @pthread_join(%t, 0)
         %l = load i64 @r
         %i = call @pthread_equal(%l, %t)\n{}%u = call @pthread_self()
         %i = call @pthread_equal(%u, %t)\n{}%i = call @pthread_join(%u, 0)\n{}",
        is("%i", "1"),
        is("%i", "0"),
        is("%i", "35"),
    );
    safe(&with_start("", start, &main), 1);
}

// ---- keys ----

/// Destructors that set their value again are called four times in total.
#[test]
fn destructors_run_at_the_end_of_threads() {
    let destructor = |body: &str| {
        format!(
            "func @destroy(%value: ptr) {{
                 reg %i: i32, %key: i32
               entry:
                 %i = load i32 %value
                 %i = add i32 %i, 1
                 store i32 %value, %i
                 {body}
                 ret
             }}\n"
        )
    };
    let again = "%key = load i32 @k\n%i = call @pthread_setspecific(%key, %value)";
    let create = "%i = call @pthread_key_create(@k, &@destroy)\n";
    let set = "%i = load i32 @k\n%i = call @pthread_setspecific(%i, @x)\n";
    let exits = format!("{set}call @pthread_exit(0)\n");
    for (start, times, body) in [(set, "1", ""), (&*exits, "1", ""), (set, "4", again)] {
        let main = format!("{create}{CREATE}%i = call @pthread_join(%t, 0)\n{}", sees("@x", times));
        safe(&with_start(&destructor(body), start, &main), 1);
    }
}

#[test]
fn values_belong_to_their_thread() {
    let start = "%i = load i32 @k\n%p = call @pthread_getspecific(%i)\n%ok = cmp eq ptr %p, 0\n\
                 assert %ok\n%i = call @pthread_setspecific(%i, @x)";
    let main = format!(
        "%i = call @pthread_key_create(@k, 0)
         %j = load i32 @k
         %i = call @pthread_setspecific(%j, @y)
         {CREATE}%p = call @pthread_getspecific(%j)
         %ok = cmp eq ptr %p, @y
         assert %ok
         %i = call @pthread_join(%t, 0)
         %i = call @pthread_key_delete(%j)\n{}%i = call @pthread_key_delete(%j)\n{}\
         %i = call @pthread_setspecific(%j, @y)\n{}",
        is("%i", "0"),
        is("%i", "22"),
        is("%i", "22"),
    );
    safe(&with_start("", start, &main), 1);
}

// ---- once ----

/// One of two threads runs the routine; the other finds it running or done: 2 × 2.
#[test]
fn a_routine_runs_once() {
    let routine = "func @routine() {
            reg %i: i32
          entry:
            %i = load i32 @x
            %i = add i32 %i, 1
            store i32 @x, %i
            ret
        }\n";
    let once = format!("%i = call @pthread_once(@o, &@routine)\n{}", sees("@x", "1"));
    let main = format!("{CREATE}{once}%i = call @pthread_join(%t, 0)\n{once}");
    safe(&with_start(routine, &once, &main), 4);
}

// ---- ends ----

#[test]
fn exit_runs_what_was_registered_and_ends_all() {
    let handlers = "func @first() {
          entry:
            store i32 @x, 1
            ret
        }
        func @second() {
            reg %i: i32, %ok: i1
          entry:
            %i = load i32 @x
            %ok = cmp eq i32 %i, 0
            assert %ok
            ret
        }\n";
    let main = "%i = call @atexit(&@first)\n%i = call @atexit(&@second)\ncall @exit(0)\n\
                %ok = cmp eq i32 1, 0\nassert %ok";
    safe(&with_start(handlers, "", main), 1);
    // A thread that still waits at the end of the program is not a deadlock.
    let waits = "%i = await ne i32 acquire @x, 0";
    safe(&with_start("", waits, &format!("{CREATE}call @exit(0)")), 1);
    safe(&with_start("", waits, &format!("{CREATE}call @_exit(0)")), 1);
}

#[test]
fn abort_is_an_error() {
    fails(&main(ITEMS, "call @abort()"), Abort, "abort() is called");
}

#[test]
fn what_is_not_modelled_says_so() {
    for (call, what) in [
        ("%i = call @pthread_cancel(1)", "pthread_cancel"),
        ("%p = call @sem_open(0, 0, 0)", "sem_open"),
        ("%l = call @syscall(1, 0)", "syscall"),
        ("call @longjmp(0, 1)", "longjmp"),
    ] {
        fails(&main(ITEMS, call), Unsupported, what);
    }
    let inside = "call @__pthread_register_cancel(0)\ncall @pthread_exit(0)";
    fails(&main(ITEMS, inside), Unsupported, "pthread_cleanup_push");
    let outside = "call @__pthread_register_cancel(0)\ncall @__pthread_unregister_cancel(0)\n\
                   call @pthread_exit(0)";
    safe(&main(ITEMS, outside), 1);
}

// ---- C11 ----

#[test]
fn c11_threads_have_their_names_and_results() {
    let start = "func @work(%arg: ptr) -> i32 {
            reg %i: i32
          entry:
            %i = call @mtx_lock(@m)
            %i = load i32 @x
            %i = add i32 %i, 1
            store i32 @x, %i
            %i = call @cnd_signal(@c)
            %i = call @mtx_unlock(@m)
            ret -3
        }\n";
    let main = format!(
        "%i = call @mtx_init(@m, 0)
         %i = call @cnd_init(@c)
         %i = call @thrd_create(@t, &@work, 0)
         %t = load i64 @t
         %i = call @mtx_lock(@m)
         jump look
       look:
         %i = load i32 @x
         %ok = cmp eq i32 %i, 0
         br %ok, wait, go
       wait:
         %i = call @cnd_wait(@c, @m)
         jump look
       go:
         %i = call @mtx_unlock(@m)
         %i = call @thrd_join(%t, @y)
         {}call @cnd_destroy(@c)
         call @mtx_destroy(@m)",
        sees("@y", "-3")
    );
    safe(&with_start(start, "", &main), 2);
}

#[test]
fn c11_locks_are_tried() {
    let body = format!(
        "%i = call @mtx_init(@m, 1)
         %i = call @mtx_lock(@m)
         %i = call @mtx_trylock(@m)\n{}%i = call @mtx_unlock(@m)
         %i = call @mtx_unlock(@m)
         call @mtx_destroy(@m)
         %i = call @mtx_init(@m, 2)
         %i = call @mtx_lock(@m)
         %i = call @mtx_trylock(@m)\n{}%i = call @mtx_timedlock(@m, 0)\n{}",
        is("%i", "0"),
        is("%i", "1"),
        is("%i", "4"),
    );
    safe(&main(ITEMS, &body), 1);
    let unheld = "%i = call @mtx_init(@m, 1)\n%i = call @mtx_unlock(@m)";
    fails(&main(ITEMS, unheld), raddle_engine::FailureKind::LockMisuse, "does not hold");
}

// ---- verifiers' functions ----

/// Two sections in either order.
#[test]
fn atomic_sections_exclude_each_other() {
    let section = "call @__VERIFIER_atomic_begin()\n%i = load i32 @x\n%i = add i32 %i, 1\n\
                   store i32 @x, %i\ncall @__VERIFIER_atomic_end()\n";
    let main = format!("{CREATE}{section}%i = call @pthread_join(%t, 0)\n{}", sees("@x", "2"));
    safe(&with_start("", section, &main), 2);
}

#[test]
fn assumptions_drop_runs() {
    let body = format!(
        "%i = choose i32 0, 3\ncall @__VERIFIER_assume(%i)\n%ok = cmp ne i32 %i, 0\nassert %ok\n\
         call @__VERIFIER_assert(%i)\n%i = sub i32 %i, 2\n{}",
        "call @__VERIFIER_assert(%i)"
    );
    fails(&main(ITEMS, &body), Assertion, "__VERIFIER_assert");
}

/// Random numbers and clocks are local to the thread, so there is nothing to order.
#[test]
fn random_numbers_and_time_are_no_events() {
    let draw = "%i = call @rand()\ncall @srand(5)\n%j = call @rand()\n%l = call @time(0)\n";
    let main = format!("{CREATE}{draw}%i = call @pthread_join(%t, 0)");
    safe(&with_start("", draw, &main), 1);
    correct(&with_start("", draw, &main));
}
