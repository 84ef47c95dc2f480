//! Loops of C programs that wait, and loops that run without waiting: all engines distinguish them, with and
//! without bounds.

use crate::common::{compiled, file, raddle};

/// A program with a thread that runs `body`; it sets `y`, and never sets `x`.
fn program(body: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <stdio.h>\n\
         #include <assert.h>\nvoid __VERIFIER_assume(int);\natomic_int x, y;\n\
         static int get(void) {{ return atomic_load(&x); }}\n\
         static void stop(void) {{ pthread_exit(0); }}\n\
         static void stay(void) {{ for (;;) atomic_load(&y); }}\n\
         void use(void) {{ get(); stop(); stay(); }}\n\
         static void *f(void *u) {{ {body}\n  return 0; }}\n\
         int main(void) {{ pthread_t p; pthread_create(&p, 0, f, 0); atomic_store(&y, 1);\n\
         pthread_join(p, 0); return 0; }}\n"
    )
}

const WAIT: [(&str, &str); 14] = [
    ("flag", "while (!atomic_load(&x)) { }"),
    ("live", "int l = 0; while (!l) l = atomic_load(&x);"),
    ("inner", "for (;;) { while (!atomic_load(&x)) { } atomic_load(&y); }"),
    ("break", "for (;;) { if (atomic_load(&x)) break; }"),
    ("return", "for (;;) { if (get()) return 0; }"),
    ("goto", "for (;;) { if (atomic_load(&x)) goto out; } out:"),
    ("exit", "for (;;) { if (atomic_load(&x)) exit(0); }"),
    ("pthread_exit", "for (;;) { if (atomic_load(&x)) pthread_exit(0); }"),
    ("stop", "for (;;) { if (atomic_load(&x)) stop(); }"),
    ("stay", "for (;;) { if (atomic_load(&x)) stay(); }"),
    ("done", "int done = 0; while (!done) { if (atomic_load(&x)) done = 1; }"),
    ("printf", "while (!atomic_load(&x)) printf(\"waiting\\n\");"),
    ("cas", "int e = 1; while (!atomic_compare_exchange_strong(&x, &e, 2)) e = 1;"),
    ("exchange", "while (atomic_exchange(&y, 1)) { }"),
];

const GO_ON: [(&str, &str); 8] = [
    ("assert", "while (1) { int r = atomic_load(&x); assert(r == 0); }"),
    ("abort", "for (;;) { if (atomic_load(&x)) abort(); }"),
    ("assume", "while (1) { __VERIFIER_assume(atomic_load(&x) == 0); }"),
    ("call", "for (;;) get();"),
    ("local", "int forever = 1; while (forever) atomic_load(&x);"),
    ("if", "while (1) { if (atomic_load(&x)) atomic_load(&y); }"),
    ("nothing", "while (1) { }"),
    ("inner", "while (1) { while (!atomic_load(&y)) { } }"),
];

const WAYS: [&[&str]; 7] = [
    &["--model", "sc", "--strategy", "optimal"],
    &["--model", "sc", "--strategy", "graph"],
    &["--model", "sc", "--strategy", "lazy"],
    &["--model", "sc", "--strategy", "optimal", "--unroll", "2"],
    &["--model", "sc", "--strategy", "graph", "--unroll", "2"],
    &["--model", "power"],
    &["--model", "arm"],
];

/// Runs a program in every way; returns each way with its status and text output.
fn outputs(test: &str, body: &str) -> Vec<(String, Option<i32>, String)> {
    let source = file(test, "p.c", program(body).as_bytes());
    let Some(path) = compiled(&source, &[]) else { return Vec::new() };
    let ran = |way: &[&str]| raddle(&[&["check", &path, "--timeout", "20"], way].concat());
    WAYS.map(|way| (way, ran(way))).map(|(way, ran)| (way.join(" "), ran.status, ran.out)).into()
}

#[test]
fn a_thread_that_some_value_could_let_leave_waits() {
    for (name, body) in WAIT {
        for (way, status, out) in outputs(&format!("wait_{name}"), body) {
            let found = out.contains("deadlock of main, main.1:f");
            assert!(found && status == Some(1), "{name} {way}:\n{out}");
        }
    }
}

#[test]
fn a_thread_in_a_loop_without_a_way_out_goes_on() {
    for (name, body) in GO_ON {
        for (way, status, out) in outputs(&format!("go_on_{name}"), body) {
            let bounded = out.contains(": safe up to bounds")
                && out.contains("in a loop without a way out at");
            // Each state is visited once, so no execution is cut.
            let complete = way.contains("lazy") && out.contains("under sc: safe\n");
            assert!((bounded || complete) && status == Some(0), "{name} {way}:\n{out}");
        }
    }
}
