//! `--unroll`: which loops are bounded, and which run to their end.

use crate::common::{compiled, file, raddle, with_clang};
use serde_json::Value;

/// One loop on each marked line, with the effect of `--unroll 2` on it.
const LOOPS: &str = r#"#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
atomic_int flag;
static int limit = 4, five[5] = {1, 2, 3, 4, 5};
struct node { int value; struct node *next; };
static struct node third = {3, 0}, second = {2, &third}, first = {1, &second}, zeroth = {0, &first};
static void *nothing(void *arg) { return arg; }
static void work(int n)
{
    for (int i = 0; i < n; i++) flag++; // runs to its end: n is 5
}
int main(void)
{
#if LOOP == 1
    pthread_t t[4];
    for (int i = 0; i < 4; i++) // ends
        pthread_create(&t[i], 0, nothing, 0);
    for (unsigned i = 4; i; --i) // ends
        pthread_join(t[i - 1], 0);
#elif LOOP == 2
    for (int i = 0; i < 5; i++) // ends
        if (flag) break;
    int tries = 0;
    while (!flag && tries++ < 5); // ends
    int k = 20;
    do flag++; while (k >>= 1); // ends
    for (int *p = five; p != five + 5; p++) flag += *p; // ends
    for (long i = 0, n = sizeof five / sizeof *five; i < n; i += 2) flag++; // ends
#elif LOOP == 3
    work(5);
#elif LOOP == 4
    char text[32];
    snprintf(text, sizeof text, "%s and %d", "a longer text", 123456);
#elif LOOP == 5
    for (int i = 0; i < limit; i++) flag++; // bounded
#elif LOOP == 6
    int n = limit;
    while (n--) flag++; // bounded
#elif LOOP == 7
    for (int i = 0; i < __VERIFIER_nondet_int(); i++) flag++; // bounded
#elif LOOP == 8
    for (struct node *p = &zeroth; p; p = p->next) flag++; // bounded
#elif LOOP == 9
    for (int i = 0; i < 5;) { flag++; if (flag != 2) i++; } // bounded
#elif LOOP == 10
    int i = 0, *p = &i;
    while (*p < 5) ++*p, flag++; // bounded
#endif
}
"#;

fn verdict(args: &[&str]) -> Option<(Option<i32>, Value)> {
    let ran = with_clang(args)?;
    let first = ran.out.lines().next().unwrap_or_default();
    Some((ran.status, serde_json::from_str(first).unwrap_or(Value::Null)))
}

#[test]
fn loops_that_end_by_themselves_are_left_alone() {
    let path = file("unroll-kinds", "loops.c", LOOPS.as_bytes());
    for number in 1..=10 {
        let define = format!("-DLOOP={number}");
        let Some(program) = compiled(&path, &[&define]) else { return };
        for (options, ends) in
            [(&["--unroll", "2"][..], number <= 4), (&["--unroll", "2", "--unroll-all"], false)]
        {
            // The graph engine does not support formatting into memory.
            for model in ["sc", if number == 4 { "pso" } else { "power" }] {
                let args = [&["check", &program, "--json", "--model", model], options];
                let Some((status, found)) = verdict(&args.concat()) else { return };
                assert_eq!(status, Some(0), "{number} {model}: {found}");
                // In some of them, the only bounded loop is in the library.
                let wanted = if ends { "safe" } else { "safe-bounded" };
                assert_eq!(found["verdict"], wanted, "{number} {model} {options:?}: {found}");
            }
        }
    }
}

#[test]
fn one_loop_is_bounded() {
    let path = file("unroll-one", "one.c", LOOPS.as_bytes());
    let line_of =
        |what: &str| 1 + LOOPS.lines().position(|line| line.contains(what)).expect("a line");
    let (create, join) = (line_of("i < 4; i++"), line_of("i = 4; i"));
    let bound = format!("{path}:{join}=1");
    let check = ["check", &path, "--json", "--model", "sc", "--unroll"];
    let Some((_, found)) = verdict(&[&check[..], &[&bound, "--", "-DLOOP=1"]].concat()) else {
        return;
    };
    assert_eq!(found["verdict"], "safe-bounded", "{found}");
    assert_eq!(found["bounds"][0]["line"], join, "{found}");
    // The end of a path is enough to name a file. A bound that is not met is not reported.
    let bound = format!("one.c:{create}=4");
    let (_, found) = verdict(&[&check[..], &[&bound, "--", "-DLOOP=1"]].concat()).expect("clang");
    assert_eq!(found["verdict"], "safe", "{found}");
    // One bound for one loop, and another for all other loops.
    let loops = format!("one.c:{}=9", line_of("p = p->next"));
    for (options, wanted) in [(&[][..], "safe-bounded"), (&["--unroll", &loops], "safe")] {
        let args = [&check[..], &["1"], options, &["--", "-DLOOP=8"]].concat();
        let (_, found) = verdict(&args).expect("clang");
        assert_eq!(found["verdict"], wanted, "{options:?}: {found}");
    }
}

#[test]
fn loops_that_are_not_there_are_refused() {
    let path = file("unroll-missing", "missing.c", LOOPS.as_bytes());
    for command in ["check", "robust", "monitor"] {
        let args =
            [command, &path, "--model", "tso", "--unroll", "missing.c:1=2", "--", "-DLOOP=1"];
        let Some(ran) = with_clang(&args) else { return };
        assert_eq!(ran.status, Some(2), "{command}: {}", ran.err);
        let nearby = "loops nearby are at lines ";
        assert!(ran.err.contains("missing.c:1") && ran.err.contains(nearby), "{}", ran.err);
    }
    let other = ["check", &path, "--model", "sc", "--unroll", "other.c:1=2", "--", "-DLOOP=1"];
    let ran = raddle(&other);
    assert!(ran.err.contains("no loop in that file"), "{}", ran.err);
    for wrong in ["x", "a.c=3", "a.c:1=x", ":1=2"] {
        let ran = raddle(&["check", &path, "--model", "sc", "--unroll", wrong]);
        assert_eq!(ran.status, Some(2), "{wrong}");
        assert!(ran.err.contains("queue.c:40=3"), "{wrong}: {}", ran.err);
    }
    let ran = raddle(&["check", &path, "--model", "sc", "--unroll-all"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("--unroll N"), "{}", ran.err);
}
