//! Private objects, and memory that was never written.

use crate::MODELS;
use crate::common;
use raddle_engine::Model;

use common::{checked, failures, program, threads};
use raddle_engine::FailureKind::{Memory, Uninitialised, Unsupported};

/// No operation on a private object is an event: there is one execution, with one event.
#[test]
fn private_objects_are_local() {
    let body = "%p = alloca 8 private
        store i32 %p, 3
        %r = rmw add i32 %p, 4
        %s, %ok = cmpxchg i32 seq_cst %p, 7, 9
        %r = rmw sub i32 %p, 1 when ugt 8
        %r = load i32 acquire %p
        store i32 asm @x, %r";
    for model in MODELS {
        let found = checked(&threads("global @x: i32", &[body, body]), model);
        assert_eq!((found.executions, found.longest), (2, 2), "{model}");
        assert_eq!(found.states, [(vec![8, 7, 1, 8, 7, 1], 2)], "{model}");
    }
}

/// A shared object and a private one in one frame: only the end of the shared one is an event.
#[test]
fn private_objects_die_silently() {
    let body = "%p = alloca 4 private\nstore i32 %p, 1\n%p = alloca 4\n%p = alloca 4 private";
    for model in MODELS {
        let found = checked(&threads("", &[body]), model);
        assert_eq!((found.executions, found.longest), (1, 1), "{model}");
    }
    let used_after = "thread t = @g()
        global @p: ptr
        func @f() -> ptr {
            reg %p: ptr
          entry:
            %p = alloca 4 private
            store i32 %p, 1
            ret %p
        }
        func @g() {
            reg %p: ptr, %r: i32
          entry:
            %p = call @f()
            %r = load i32 %p
            ret
        }";
    assert_eq!(failures(&checked(&program(used_after), Model::Tso)), [(Memory, 1)]);
}

#[test]
fn bounds_of_private_objects_are_checked() {
    for access in ["%r = load i32 %p", "store i32 %p, 1", "%r = rmw add i32 %p, 1"] {
        let body = format!("%p = alloca 4 private\n%p = add ptr %p, 1\n{access}");
        assert_eq!(failures(&checked(&threads("", &[&body]), Model::Tso)), [(Memory, 1)]);
    }
}

/// The guarantee of the front end does not hold: another thread accesses the object.
#[test]
fn private_objects_of_others_are_refused() {
    let owner = "%p = alloca 4 private\nstore i32 %p, 1\nstore ptr asm @p, %p
        %r = await eq i32 @never, 1";
    let user = "%p = await ne ptr asm @p, 0\n%r = load i32 %p";
    let items = "global @p: ptr\nglobal @never: i32";
    let found = checked(&threads(items, &[owner, user]), Model::Sc);
    assert!(failures(&found).iter().any(|(kind, _)| *kind == Unsupported), "{found:?}");
}

/// Accesses to a private thread-local global are not events either; each thread has its own copy.
#[test]
fn private_thread_locals_are_local() {
    let body = "store i32 @errno, 3\n%r = rmw add i32 @errno, 1\n%s = load i32 @errno
        store i32 asm @x, %s";
    let items = "thread_local private global @errno: i32 = 0\nglobal @x: i32";
    for model in MODELS {
        let found = checked(&threads(items, &[body, body]), model);
        assert_eq!((found.executions, found.longest), (2, 2), "{model}");
        assert_eq!(found.states, [(vec![3, 4, 3, 4], 2)], "{model}");
    }
}

// ---- memory that was never written ----

#[test]
fn reads_of_what_was_never_written_fail() {
    for (access, fails) in [
        ("%r = load i32 asm %p", true),
        ("%r = load i32 raw %p", false),
        ("%r = rmw add i32 %p, 1", true),
        ("%r = rmw add i32 %p, 1 when eq 5", true),
        ("%r, %ok = cmpxchg i32 %p, 0, 1", true),
        ("%r = await eq i32 %p, 5", true),
        ("lock %p", true),
        ("%ok = trylock %p", true),
        ("cond_signal %p", true),
        ("store i8 %p, 1\n%r = load i32 %p", false),
        ("store i32 %p, 1\n%r = rmw add i32 %p, 1", false),
        ("store i32 %p, 0\nlock %p\nunlock %p", false),
    ] {
        for object in ["malloc 8", "alloca 8", "alloca 8 private"] {
            let body = format!("%p = {object}\n{access}");
            for model in MODELS {
                let found = checked(&threads("", &[&body]), model);
                let kinds: Vec<_> = failures(&found).iter().map(|(kind, _)| *kind).collect();
                let expected = if fails { vec![Uninitialised] } else { vec![] };
                assert_eq!(kinds, expected, "{body} under {model}");
            }
        }
    }
    let zeroed = threads("", &["%p = malloc 8 zeroed\n%r = load i32 asm %p"]);
    assert!(checked(&zeroed, Model::Sc).failures.is_empty());
}

/// Loads of which only some bytes were written, also across words.
#[test]
fn a_byte_that_was_written_will_do() {
    let body = "%p = malloc 80\n%p = add ptr %p, 63\nstore i16 asm %p, 1\n%p = sub ptr %p, 3
        %r = load i32 asm %p";
    let next = format!("{body}\n%p = add ptr %p, 5\n%r = load i32 asm %p");
    for model in MODELS {
        assert!(checked(&threads("", &[body]), model).failures.is_empty(), "{model}");
        assert_eq!(failures(&checked(&threads("", &[&next]), model)), [(Uninitialised, 1)]);
    }
}

/// One thread publishes an object, and the other uses it at once, which is valid only if the object was written
/// before.
#[test]
fn a_race_with_the_first_write() {
    for (access, traces) in [
        ("%r = load i32 asm %p", 2),
        ("%r = rmw add i32 asm %p, 1", 2),
        ("%r, %ok = cmpxchg i32 asm %p, 0, 1", 2),
        ("%r = await eq i32 asm %p, 7", 2),
        ("%r = rmw add i32 asm %p, 1 when eq 7", 2),
    ] {
        let source = format!(
            "thread main = @main()
             func @child(%p: ptr) {{
                 reg %r: i32, %ok: i1
               entry:
                 {access}
                 ret
             }}
             func @main() {{
                 reg %p: ptr, %t: i64
               entry:
                 %p = malloc 4
                 %t = spawn @child(%p)
                 store i32 asm %p, 7
                 ret
             }}"
        );
        for model in MODELS {
            let found = checked(&program(&source), model);
            assert_eq!(found.executions, traces, "{access} under {model}");
            assert_eq!(failures(&found), [(Uninitialised, 1)], "{access} under {model}");
        }
    }
}

/// A thread is alone until it starts another. Its accesses until then are not events, and may have any size.
#[test]
fn what_a_thread_does_alone_is_no_event() {
    for model in MODELS {
        let found = checked(&program(raddle_testing::ALONE), model);
        assert_eq!((found.executions, failures(&found)), (4, vec![]), "{model}");
        // The choice, a store, and two loads.
        assert_eq!(found.longest, 4, "{model}");
    }
}

/// Any number of stores may come before the first thread is started.
#[test]
fn a_long_beginning_costs_no_events() {
    for model in MODELS {
        let found = checked(&program(raddle_testing::LONG_BEGINNING), model);
        assert_eq!((found.executions, found.longest), (2, 2), "{model}");
    }
}
