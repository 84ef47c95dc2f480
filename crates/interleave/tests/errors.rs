//! Memory errors and failed checks: they are found wherever they can happen, distinguished, and counted.

use crate::MODELS;
use crate::common;
use raddle_engine::{FailureKind, Model, Options, Stopped};

use common::{checked, failures, program, threads};
use raddle_engine::FailureKind::{Assertion, DivisionByZero, Memory, Unreachable, Unsupported};
use raddle_interleave::explore;
use raddle_ir::Verified;

/// The only failure of a program with one execution, under every model.
fn alone(body: &str) -> (FailureKind, String) {
    let program = threads("global @x: i32\nconst global @k: i32 = 3", &[body]);
    let found = MODELS.map(|model| {
        let found = checked(&program, model);
        assert_eq!((found.executions, found.failures.len()), (1, 1), "{model}: {body}");
        (found.failures[0].kind, found.failures[0].message.clone())
    });
    assert!(found.iter().all(|other| *other == found[0]), "{body}: {found:?}");
    let [first, ..] = found;
    first
}

fn is_memory_error(body: &str, words: &str) {
    let (kind, message) = alone(body);
    assert!(kind == Memory && message.contains(words), "{body}: {kind:?}, {message}");
}

#[test]
fn bad_addresses() {
    is_memory_error("%r = load i32 asm 0", "null");
    is_memory_error("store i32 asm 8, 1", "null");
    is_memory_error("%r = load i32 asm @x+4", "offset 4 of an object of 4 bytes");
    is_memory_error("%r = load i32 asm @x+2", "offset 2 of an object of 4 bytes");
    is_memory_error("store i64 asm @x, 1", "writes 8 bytes");
    is_memory_error("%r = load i32 asm 0x7777777777777777", "in no object");
    // Through a register, because the verifier refuses a direct write to a constant global.
    is_memory_error("%p = move ptr @k\nstore i32 asm %p, 1", "constant");
    is_memory_error("%p = move ptr @k\n%r = rmw add i32 seq_cst %p, 1", "constant");
    is_memory_error("lock 0", "null");
}

#[test]
fn heap_errors() {
    is_memory_error("%p = malloc 4\nfree %p\n%r = load i32 asm %p", "dead object");
    is_memory_error("%p = malloc 4\nfree %p\nstore i32 asm %p, 1", "dead object");
    is_memory_error("%p = malloc 4\nfree %p\nfree %p", "twice");
    is_memory_error(
        "%p = malloc 4 zeroed\n%r = load i32 asm %p\n%p = add ptr %p, 2\nfree %p",
        "middle",
    );
    is_memory_error("%p = malloc 4\n%p = add ptr %p, 4\n%r = load i32 asm %p", "offset 4");
}

#[test]
fn freeing_null_is_fine() {
    let program = threads("", &["free 0"]);
    for model in MODELS {
        assert_eq!(checked(&program, model).failures, []);
    }
}

#[test]
fn other_failures() {
    assert_eq!(alone("%r = load i32 asm @x\n%r = udiv i32 1, %r").0, DivisionByZero);
    assert_eq!(alone("%r = srem i32 1, 0").0, DivisionByZero);
    let (kind, message) = alone("unsupported \"inline assembly\"");
    assert!(kind == Unsupported && message.contains("inline assembly"), "{message}");
    let unreachable = program("thread t = @f()\nfunc @f() {\nentry:\nunreachable\n}");
    assert_eq!(failures(&checked(&unreachable, Model::Sc)), [(Unreachable, 1)]);
    let undefined = program("thread t = @f()\nfunc @g()\nfunc @f() {\nentry:\ncall @g()\nret\n}");
    assert_eq!(failures(&checked(&undefined, Model::Sc)), [(Unsupported, 1)]);
}

/// `main` allocates, starts `child` with the object, and does `body`.
fn shared_object(child: &str, body: &str) -> Verified {
    program(&format!(
        "thread main = @main()
         func @child(%p: ptr) {{
             reg %r: i32
           entry:
             {child}
             ret
         }}
         func @main() {{
             reg %p: ptr, %t: i64, %r: i32
           entry:
             %p = malloc 4 zeroed
             %t = spawn @child(%p)
             {body}
             ret
         }}"
    ))
}

/// Two traces: the access comes before the free, or fails after it.
#[test]
fn a_free_races_with_an_access() {
    for access in ["%r = load i32 asm %p", "store i32 asm %p, 1", "%r = rmw add i32 asm %p, 1"] {
        let program = shared_object(access, "free %p");
        for model in MODELS {
            let found = checked(&program, model);
            assert_eq!(found.executions, 2, "{access} under {model}");
            assert_eq!(failures(&found), [(Memory, 1)], "{access} under {model}");
        }
        let joined = shared_object(access, "join %t\nfree %p");
        for model in MODELS {
            let found = checked(&joined, model);
            assert_eq!((found.executions, found.failures.len()), (1, 0), "{access}, {model}");
        }
    }
}

/// If the object of a buffered store has ended when the store leaves the buffer, the error is reported at the
/// store, not at the current place of its thread.
#[test]
fn a_store_that_comes_too_late_says_where_it_was() {
    let program = shared_object("%r = load i32 asm %p\nstore i32 asm %p, 1", "free %p");
    for model in MODELS {
        let found = checked(&program, model);
        let line = |loc| program.loc(loc).map(|loc| loc.line);
        let mut lines: Vec<_> = found.failures.iter().map(|failure| line(failure.loc)).collect();
        lines.sort_unstable();
        let [Some(load), Some(store)] = lines[..] else { panic!("{model}: {lines:?}") };
        assert_eq!(store, load + 1, "{model}");
    }
}

/// The same with a store after an event, so that the object may already have ended when the thread stores.
#[test]
fn a_free_races_with_a_store_after_a_load() {
    let program = shared_object("%r = load i32 asm %p\nstore i32 asm %p, 1", "free %p");
    for model in MODELS {
        let found = checked(&program, model);
        // Free first, between the two, or last.
        assert_eq!((found.executions, failures(&found).len()), (3, 2), "{model}");
    }
}

/// The second free fails: two failures, of different threads.
#[test]
fn two_frees_race() {
    let program = shared_object("free %p", "free %p");
    for model in MODELS {
        let found = checked(&program, model);
        assert_eq!(found.executions, 2, "{model}");
        assert_eq!(failures(&found), [(Memory, 1), (Memory, 1)], "{model}");
    }
}

/// The address of a local escapes to a thread that may outlive the frame.
fn escaping_local(wait: &str) -> Verified {
    program(&format!(
        "thread main = @main()
         func @child(%p: ptr) {{
             reg %r: i32
           entry:
             %r = load i32 asm %p
             ret
         }}
         func @start() {{
             reg %p: ptr, %t: i64
           entry:
             %p = alloca 4
             store i32 asm %p, 0
             %t = spawn @child(%p)
             {wait}
             ret
         }}
         func @main() {{
           entry:
             call @start()
             ret
         }}"
    ))
}

#[test]
fn a_local_that_escapes_dies_with_its_frame() {
    for model in MODELS {
        let found = checked(&escaping_local(""), model);
        assert_eq!((found.executions, failures(&found)), (2, vec![(Memory, 1)]), "{model}");
        let waited = checked(&escaping_local("join %t"), model);
        assert_eq!((waited.executions, waited.failures.len()), (1, 0), "{model}");
    }
}

// ---- several failures ----

fn two_checks() -> Verified {
    let check = |message: &str| {
        format!("%r = load i32 asm @x\n%ok = cmp eq i32 %r, 0\nassert %ok, \"{message}\"")
    };
    threads("global @x: i32", &["store i32 asm @x, 1", &check("first"), &check("second")])
}

/// Each load is before or after the store: four traces, each check fails in two of them.
#[test]
fn distinct_failures_are_counted_apart() {
    for model in MODELS {
        let found = checked(&two_checks(), model);
        assert_eq!(found.executions, 4, "{model}");
        assert_eq!(failures(&found), [(Assertion, 2), (Assertion, 2)], "{model}");
        let mut messages: Vec<_> = found.failures.iter().map(|f| f.message.as_str()).collect();
        messages.sort_unstable();
        assert!(messages[0].contains("first") && messages[1].contains("second"), "{messages:?}");
    }
}

#[test]
fn the_search_stops_at_the_first_failure_unless_told_otherwise() {
    let found = explore(&two_checks(), &Options::new(Model::Tso));
    assert_eq!(found.stopped, Some(Stopped::Failure));
    assert!(!found.failures.is_empty());
}

/// The place of a failure is that of the instruction.
#[test]
fn failures_say_where() {
    let source = "thread t = @f()\nfunc @f() {\nreg %r: i32\nentry:\n%r = load i32 asm 0\nret\n}";
    let program = program(source);
    let found = checked(&program, Model::Sc);
    assert_eq!(program.place(found.failures[0].loc), Some(format!("{}:5", common::FILE)));
}
