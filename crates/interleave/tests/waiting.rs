//! Read-modify-writes that wait; destroyed locks; the end of a program.

use crate::MODELS;
use crate::common;
use raddle_engine::Model;

use common::{checked, failures, program, threads};
use raddle_engine::FailureKind::{Abort, Assertion, Deadlock, LockMisuse, ThreadMisuse};

/// A semaphore with two permits and three threads: the third thread waits.
#[test]
fn semaphores() {
    let body = "%r = rmw sub i32 acq_rel @sem, 1 when ugt 0";
    for model in MODELS {
        let found = checked(&threads("global @sem: i32 = 2", &[body, body, body]), model);
        // Ordered pairs of the threads that get a permit.
        assert_eq!(failures(&found).iter().map(|(_, n)| n).sum::<u64>(), 6, "{model}");
        assert!(failures(&found).iter().all(|(kind, _)| *kind == Deadlock), "{model}");
        let message = &found.failures[0].message;
        assert!(message.contains("waits for a value of sem"), "{message}");
    }
    let body = format!("{body}\n%s = rmw add i32 acq_rel @sem, 1");
    let bodies = [body.as_str(); 3];
    for model in MODELS {
        let found = checked(&threads("global @sem: i32 = 1", &bodies), model);
        assert_eq!((found.executions, found.failures.len()), (6, 0), "{model}");
    }
}

/// Readers share the lock, a writer does not.
#[test]
fn reader_writer_locks() {
    let reader = "%r = rmw add i32 acquire @l, 1 when sge 0
        %s = load i32 @x
        %r = rmw sub i32 release @l, 1";
    let writer = "%r = rmw sub i32 acquire @l, 1 when eq 0
        store i32 @x, 1
        store i32 @x, 2
        store i32 release @l, 0";
    for model in MODELS {
        let found = checked(&threads("global @l: i32\nglobal @x: i32", &[reader, writer]), model);
        assert!(found.failures.is_empty(), "{model}");
        // The reader never sees the 1.
        assert!(found.states.iter().all(|(state, _)| state[1] != 1), "{model}: {:?}", found.states);
    }
}

/// `slt` is a signed comparison: -1 ends the wait.
#[test]
fn waits_compare_as_they_say() {
    let changes = "store i32 asm @x, -1\nstore i32 asm @x, 1";
    let wait = "%r = rmw xchg i32 asm @x, 5 when slt 0";
    let found = checked(&threads("global @x: i32", &[changes, wait]), Model::Sc);
    assert_eq!((found.executions, failures(&found)), (2, vec![(Deadlock, 1)]));
}

/// Found by comparing strategies on generated programs: if sequences contain only the events that an event
/// needs, the third thread's store disables a step that the fourth thread could have taken first.
#[test]
fn a_wait_that_a_short_sequence_forgets() {
    let items = "global @x: i32\nglobal @a: i32\nglobal @b: i32\nglobal @stop: i32";
    let bodies = [
        "store i32 asm @a, 1",
        "store i32 asm @b, 2\nstore i32 asm @a, 3\n%r = load i32 asm @x",
        "store i32 asm @b, 3\nstore i32 asm @stop, 1\nstore i32 asm @b, 4",
        "%r = await eq i32 asm @stop, 0\nstore i32 asm @x, 5\n%s = await eq i32 asm @stop, 0",
    ];
    assert_eq!(checked(&threads(items, &bodies), Model::Sc).executions, 28);
}

#[test]
fn destroyed_locks_are_not_used() {
    for use_of in ["lock @m", "%ok = trylock @m", "unlock @m", "cond_wait @c, @m"] {
        let body = format!("store i32 seq_cst @m, 0xffffffff\n{use_of}");
        for model in MODELS {
            let found = checked(&threads("global @m: i32\nglobal @c: i32", &[&body]), model);
            assert_eq!(failures(&found), [(LockMisuse, 1)], "{use_of} under {model}");
            assert_eq!(found.failures[0].message, "uses a lock that was destroyed");
        }
    }
}

/// Any other value means that a thread holds the lock.
#[test]
fn odd_values_are_those_of_held_locks() {
    for value in ["-2", "0x80000000", "77"] {
        let body = format!("store i32 seq_cst @m, {value}\n%ok = trylock @m\nlock @m");
        for model in MODELS {
            let found = checked(&threads("global @m: i32", &[&body]), model);
            assert_eq!(failures(&found), [(Deadlock, 1)], "{value} under {model}");
        }
    }
}

/// A thread that locks before the lock is destroyed does not fail.
#[test]
fn a_race_with_the_end_of_a_lock() {
    let destroy = "store i32 asm @m, 0xffffffff";
    for model in MODELS {
        let locked = checked(&threads("global @m: i32", &[destroy, "lock @m"]), model);
        assert_eq!((locked.executions, failures(&locked)), (2, vec![(LockMisuse, 1)]), "{model}");
        let tried = checked(&threads("global @m: i32", &[destroy, "%ok = trylock @m"]), model);
        assert_eq!((tried.executions, failures(&tried)), (2, vec![(LockMisuse, 1)]), "{model}");
    }
}

// ---- the end of the program ----

#[test]
fn failures_that_the_program_tells_of() {
    for (word, kind) in [
        ("assertion", Assertion),
        ("lock_misuse", LockMisuse),
        ("thread_misuse", ThreadMisuse),
        ("abort", Abort),
    ] {
        let found = checked(&threads("", &[&format!("fail {word} \"it is over\"")]), Model::Sc);
        assert_eq!(failures(&found), [(kind, 1)]);
        assert_eq!(found.failures[0].message, "it is over");
    }
}

/// A thread that waits forever after the end of the program is not a deadlock. Steps of other threads count.
#[test]
fn halting() {
    let waits = "%r = await eq i32 @x, 1";
    for model in MODELS {
        let items = "global @x: i32\nglobal @y: i32";
        let found = checked(&threads(items, &["halt", waits]), model);
        assert_eq!((found.executions, found.failures.len()), (1, 0), "{model}");
        let others = checked(&threads(items, &["halt", "store i32 asm @x, 1", waits]), model);
        assert_eq!((others.executions, others.failures.len()), (1, 0), "{model}");
        let fails = checked(&threads(items, &["halt", "fail assertion \"late\""]), model);
        assert_eq!(failures(&fails), [(Assertion, 1)], "{model}");
        let blocked = checked(&threads(items, &["halt", "assume 0"]), model);
        assert_eq!((blocked.executions, blocked.blocked), (0, 1), "{model}");
    }
    // A join of a thread that ended the program never ends.
    let joined = program(
        "thread main = @main()
         func @ends() {\nentry: halt\nret\n}
         func @main() {
             reg %t: i64
           entry:
             %t = spawn @ends()
             join %t
             fail assertion \"it went on\"
             ret
         }",
    );
    let found = checked(&joined, Model::Tso);
    assert_eq!((found.executions, found.failures.len()), (1, 0));
}
