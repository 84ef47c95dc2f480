//! C programs on the command line. Without clang, the tests print a note and pass.

use crate::common::{Ran, command, file, raddle, with_clang};
use serde_json::Value;

const BUFFERING: &[u8] = b"#include <assert.h>
#include <pthread.h>
volatile int x, y;
int a, b;
void *left(void *p) { x = 1; FENCE; a = y; return p; }
void *right(void *p) { y = 1; FENCE; b = x; return p; }
int main(void) {
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
    assert(a || b);
    return 0;
}
";

#[test]
fn a_program_is_checked_with_flags_for_the_compiler() {
    let path = file("c_flags", "buffering.c", BUFFERING);
    let Some(ran) = with_clang(&["check", &path, "--model", "tso", "--", "-DFENCE="]) else {
        return;
    };
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.contains("a || b"), "{}", ran.out);
    assert!(ran.out.contains("buffering.c:13"), "{}", ran.out);
    let fence = "-DFENCE=__asm__ volatile(\"mfence\" ::: \"memory\")";
    let ran = raddle(&["check", &path, "--model", "sc,tso,pso", "--", fence]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

#[test]
fn witnesses_of_c_programs_replay() {
    let path = file("c_replay", "buffering.c", BUFFERING);
    let witness = format!("{path}.json");
    let args = ["check", &path, "--model", "tso", "--witness", &witness, "--", "-DFENCE="];
    if with_clang(&args).is_some() {
        let ran = raddle(&["replay", &witness]);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.out.ends_with("  replayed: same error\n"), "{}", ran.out);
    }
}

#[test]
fn a_loop_that_spins_for_ever_is_said_to() {
    let source = b"#include <stdatomic.h>
atomic_int x;
int main(void) {
    while (!atomic_load(&x)) {
    }
    return 0;
}
";
    let path = file("c_spins", "spins.c", source);
    let Some(ran) = with_clang(&["check", &path, "--model", "tso"]) else { return };
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.contains("why: main spins for ever at "), "{}", ran.out);
    assert!(ran.out.contains("spins.c:4"), "{}", ran.out);
}

#[test]
fn optimisation_is_the_users_choice_and_is_said() {
    let path = file("c_optimised", "buffering.c", BUFFERING);
    let args = ["check", &path, "--model", "sc", "--", "-DFENCE=", "-O2"];
    let Some(ran) = with_clang(&args) else {
        return;
    };
    assert!(ran.out.contains("compiled with -O2"), "{}", ran.out);
    let ran = raddle(&["check", &path, "--json", "--model", "sc", "--", "-DFENCE=", "-O2"]);
    let object: Value = serde_json::from_str(ran.out.trim_end()).expect("JSON");
    assert_eq!(object["optimised"], "-O2");
    let ran = raddle(&["check", &path, "--json", "--model", "sc", "--", "-DFENCE="]);
    let object: Value = serde_json::from_str(ran.out.trim_end()).expect("JSON");
    assert_eq!(object["optimised"], Value::Null);
}

/// Before clang 15 pointers have types, and a variable is accessed through casts of its address.
#[test]
fn variables_behind_casts_of_their_address_are_registers() {
    let source = b"define i32 @main() {
  %x = alloca i8*
  %bits = bitcast i8** %x to i64*
  store i64 5, i64* %bits
  %again = bitcast i64* %bits to i8**
  %p = load i8*, i8** %again
  %n = ptrtoint i8* %p to i32
  ret i32 %n
}
";
    let path = file("c_casts", "typed.ll", source);
    let ran = raddle(&["print", &path]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(!ran.out.contains("alloca") && !ran.out.contains("store"), "{}", ran.out);
}

#[test]
fn the_compilers_errors_are_passed_on() {
    let path = file("c_error", "wrong.c", b"int main(void) { return undeclared; }\n");
    let Some(ran) = with_clang(&["check", &path, "--model", "sc"]) else {
        return;
    };
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.out.is_empty(), "{ran:?}");
    assert!(ran.err.contains("wrong.c:1:25: error: use of undeclared identifier"), "{}", ran.err);
}

#[test]
fn without_a_compiler_there_is_one_line_that_helps() {
    let path = file("c_no_clang", "buffering.c", BUFFERING);
    let mut command = command(&["check", &path, "--model", "sc"]);
    let ran: Ran = command.env_remove("CLANG").env("PATH", "").output().expect("it starts").into();
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("apt install clang"), "{}", ran.err);
    let ran = raddle(&["check", &path, "--model", "sc", "--clang", "/nonexistent/clang"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("--clang names a compiler that is not there"), "{}", ran.err);
}

#[test]
fn only_what_is_compiled_is_linked() {
    let ran = raddle(&["check", "examples/dekker.c", "examples/dekker.rir", "--model", "sc"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("only C, C++ and LLVM IR are linked"), "{}", ran.err);
}

#[test]
fn a_program_prints_as_ir_that_reads_back() {
    let path = file("c_print", "buffering.c", BUFFERING);
    let Some(ran) = with_clang(&["print", &path, "--", "-DFENCE="]) else {
        return;
    };
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let printed = file("c_print_rir", "buffering.rir", ran.out.as_bytes());
    let ran = raddle(&["check", &printed, "--model", "tso"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
}

/// Assembly of one machine under the model of another gives a warning, and runs.
#[test]
fn assembly_of_other_machines_is_warned_of() {
    for (number, template, native, foreign) in [
        (1, "mfence", "sc,tso,pso", "power,arm"),
        (2, "lock; incl %0\" : \"+m\" (x) :: \"memory\", \"cc\"); //", "sc,tso", "power"),
        (3, "lwsync", "sc,power", "tso,arm"),
        (4, "dmb ish", "sc,arm", "pso,power"),
    ] {
        let source = match template.contains('%') {
            true => format!("int x;\nint main(void) {{ __asm__ volatile(\"{template}\n}}\n"),
            false => {
                format!("int main(void) {{ __asm__ volatile(\"{template}\" ::: \"memory\"); }}\n")
            }
        };
        let path = file(&format!("assembly-{number}"), "p.c", source.as_bytes());
        let Some(ran) = with_clang(&["check", &path, "--model", native]) else { return };
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{template}");
        let Some(ran) = with_clang(&["check", &path, "--model", foreign]) else { return };
        assert_eq!(ran.status, Some(0), "{template}: {ran:?}");
        let wanted = format!("is run under {}: ", foreign.replace(',', ", "));
        assert!(ran.err.contains(&wanted), "{template}: {ran:?}");
    }
    let path = file("assembly-none", "p.c", b"int main(void) { __asm__ volatile(\"pause\"); }\n");
    let Some(ran) = with_clang(&["check", &path, "--model", "power"]) else { return };
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
}

/// If `power` is one of the models, races are searched for only under the others, and the output says so.
#[test]
fn races_are_looked_for_where_they_can_be() {
    let source = b"#include <pthread.h>\nint x;\nvoid *f(void *a) { x++; return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); }\n";
    let path = file("races-power", "p.c", source);
    let args = ["check", &path, "--model", "sc,power", "--check", "races"];
    let Some(ran) = with_clang(&args) else { return };
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.contains("under sc: violation\n  race in thread"), "{}", ran.out);
    let said = "data races were not looked for: there is no such check under power";
    assert_eq!(ran.out.matches(said).count(), 1, "{}", ran.out);
    let Some(ran) = with_clang(&[&args[..], &["--json"]].concat()) else { return };
    let objects: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(objects[0]["not_checked"].is_null());
    assert_eq!(objects[1]["not_checked"][0], "races");
}

const THROWS: &[u8] = b"#include <stdexcept>
struct Own : std::runtime_error { using std::runtime_error::runtime_error; };
int half(int n) {
    if (n < 0)
        throw std::invalid_argument(\"negative\");
    if (n % 2)
        throw Own(\"odd\");
    return n / 2;
}
int main() { return half(START) - 2; }
";

/// Exceptions are not modelled. Those that are not thrown do no harm.
#[test]
fn a_throw_is_unsupported_where_it_is_reached() {
    let path = file("c_throw", "throw.cpp", THROWS);
    let Some(ran) = with_clang(&["check", &path, "--model", "sc", "--", "-DSTART=4"]) else {
        return;
    };
    assert_eq!((ran.status, &*ran.err), (Some(0), ""), "{ran:?}");
    let ran = raddle(&["check", &path, "--model", "sc", "--", "-DSTART=3"]);
    assert_eq!((ran.status, &*ran.err), (Some(3), ""), "{ran:?}");
    assert!(ran.out.contains("throw.cpp:7: an exception is thrown"), "{}", ran.out);
}

const ONCE: &[u8] = b"#include <cassert>
#include <mutex>
#include <thread>
std::once_flag flag;
int value;
static void add(int number) { value += number; }
static void work() { std::call_once(flag, add, 5); assert(value == 5); }
int main() {
    std::thread one(work), two(work);
    one.join();
    two.join();
}
";

#[test]
fn call_once_calls_once() {
    let path = file("c_once", "once.cpp", ONCE);
    if let Some(ran) = with_clang(&["check", &path, "--model", "sc,tso,pso,power"]) {
        assert_eq!((ran.status, &*ran.err), (Some(0), ""), "{ran:?}");
        assert_eq!(ran.out.matches(": safe\n").count(), 4, "{}", ran.out);
    }
}
