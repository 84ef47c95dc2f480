//! What a witness says of each deed: the same words under every model, with the objects and their ends.

use crate::common::{Ran, file, raddle, scratch, with_clang};
use serde_json::Value;
use std::fs;

/// Writes a program, and checks it.
fn checked(test: &str, source: &str, args: &[&str]) -> Option<Ran> {
    let path = file(test, "story.c", source.as_bytes());
    with_clang(&[&["check", &path], args].concat())
}

fn first_error(ran: &Ran) -> Value {
    let json: Value = serde_json::from_str(ran.out.trim()).expect("JSON");
    json["errors"][0].clone()
}

/// The kinds of the events of a thread, in order.
fn kinds(error: &Value, thread: &str) -> Vec<String> {
    let events = error["witness"].as_array().expect("events").iter();
    let own = events.filter(|event| event["thread"] == thread);
    own.map(|event| event["kind"].as_str().expect("a kind").to_owned()).collect()
}

#[track_caller]
fn has(ran: &Ran, words: &[&str]) {
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(text.contains(word), "no {word} in\n{}", ran.out);
    }
}

const USE_AFTER_FREE: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { long v; int w; };
static struct node *_Atomic shared;
static _Atomic int done;
static void *work(void *u)
{
    struct node *n = shared;
    n->v = 7;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return u;
}
int main(void)
{
    pthread_t t;
    struct node *n = malloc(sizeof *n);
    shared = n;
    pthread_create(&t, 0, work, 0);
#ifdef EARLY
    free(n);
#else
    if (atomic_load_explicit(&done, memory_order_relaxed))
        free(n);
#endif
    pthread_join(t, 0);
}
";

#[test]
fn a_use_after_free_names_the_object_and_its_end_under_every_model() {
    for model in ["sc", "tso", "pso", "power", "arm"] {
        let args = ["--model", model, "--json", "--", "-DEARLY"];
        let Some(ran) = checked(&format!("free_{model}"), USE_AFTER_FREE, &args) else { return };
        let error = first_error(&ran);
        let message = "writes 8 bytes of node#1.v, which main freed at story.c:21";
        assert_eq!(error["message"], message, "{model}");
        assert!(error["why"].as_str().expect("a reason").contains("was freed by main"), "{model}");
        let events = error["witness"].as_array().expect("events");
        let freed = error["causes"][0]["freed"].as_u64().expect("the end") as usize;
        assert_eq!(events[freed]["kind"], "free", "{model}");
        for kind in ["allocate", "spawn", "free"] {
            assert!(kinds(&error, "main").iter().any(|known| known == kind), "{model}: {kind}");
        }
        assert_eq!(kinds(&error, "main.1:work").last().map(String::as_str), Some("fail"));
    }
}

#[test]
fn a_use_after_free_that_only_relaxed_memory_allows_has_that_as_its_reason() {
    for (model, reason) in [
        (
            "pso",
            "store done = 1 at story.c:11 reached memory before its earlier store node#1.v = 7",
        ),
        ("power", "sequential consistency rules this out"),
        ("arm", "then freed node#1 at story.c:24; accesses of one thread took effect out of order"),
    ] {
        let args = ["--model", model];
        let Some(ran) = checked(&format!("late_{model}"), USE_AFTER_FREE, &args) else { return };
        has(
            &ran,
            &[reason, "which main freed at story.c:24", "frees node#1", "starts main.1:work"],
        );
    }
    let args = ["--model", "sc,tso"];
    let Some(ran) = checked("late", USE_AFTER_FREE, &args) else { return };
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

#[test]
fn other_ends_of_objects() {
    let source = "#include <pthread.h>
#include <stdlib.h>
static int *_Atomic p;
static void f(void) { int x = 0; p = &x; }
static void *work(void *u)
{
#ifdef TWICE
    free(p);
#else
    int *q = p;
    if (q) *q = 1;
#endif
    return u;
}
int main(void)
{
    pthread_t t;
#ifdef TWICE
    p = malloc(4);
    free(p);
#endif
    pthread_create(&t, 0, work, 0);
#ifndef TWICE
    f();
#endif
    pthread_join(t, 0);
}
";
    for model in ["sc", "tso", "power"] {
        let Some(ran) = checked("frame", source, &["--model", model]) else { return };
        has(&ran, &["writes 4 bytes of f's x, which ended when its function returned in main at"]);
        let args = ["--model", model, "--", "-DTWICE"];
        let Some(ran) = checked("twice", source, &args) else { return };
        has(&ran, &["frees heap object 1 of main, which main freed at story.c:20"]);
    }
    let Some(ran) =
        with_clang(&["reach", "tests/c/programs/memory_double_free.c", "--model", "sc"])
    else {
        return;
    };
    has(
        &ran,
        &["memory at tests/c/programs/memory_double_free.c:", "freed at memory_double_free.c:"],
    );
}

#[test]
fn engines_tell_the_same_deeds_alike() {
    let source = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static _Atomic int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *u)
{
    int e = 0;
    atomic_compare_exchange_strong(&x, &e, 5);
    e = 3;
    atomic_compare_exchange_strong(&x, &e, 9);
    atomic_exchange(&x, 6);
    pthread_mutex_lock(&m);
    atomic_fetch_add(&x, 1);
    pthread_mutex_unlock(&m);
    return u;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(x != 7);
}
";
    let mut tables = Vec::new();
    for model in ["sc", "power"] {
        let Some(ran) = checked("alike", source, &["--model", model]) else { return };
        let is_row = |line: &&str| line.contains("main.1:work") || line.contains(" x ");
        let row = |line: &str| {
            // Without the number and the line.
            let words: Vec<&str> = line
                .split_whitespace()
                .skip_while(|word| *word == "*" || word.bytes().all(|byte| byte.is_ascii_digit()))
                .collect();
            words.join(" ")
        };
        let table = ran.out.split("why:").next().unwrap_or_default();
        tables.push(table.lines().skip(4).filter(is_row).map(row).collect::<Vec<String>>());
        has(
            &ran,
            &[
                "exchanges x from 0 to 5",
                "finds x = 5, not 3, and does not exchange it",
                "updates x from 5 to 6",
                "joins main.1:work",
            ],
        );
    }
    let words = |table: &Vec<String>| -> Vec<String> {
        table.iter().map(|row| row.split("  ").next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(words(&tables[0]).len(), words(&tables[1]).len(), "{tables:#?}");
}

#[test]
fn what_fails_is_not_told_as_done() {
    let source = "#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *u) { pthread_mutex_unlock(&m); return u; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); }
";
    for model in ["sc", "tso", "power"] {
        let args = ["--model", model, "--json"];
        let Some(ran) = checked("unlock", source, &args) else { return };
        let error = first_error(&ran);
        assert_eq!(error["kind"], "lock-misuse");
        let told = kinds(&error, "main.1:work");
        assert!(told.ends_with(&["access".to_owned(), "fail".to_owned()]), "{model}: {told:?}");
        assert!(!told.iter().any(|kind| kind == "unlock"), "{model}: {told:?}");
    }
}

#[test]
fn volatile_is_not_atomic() {
    let source = "#include <pthread.h>
static volatile int stop;
static void *work(void *u) { while (!stop); return u; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); stop = 1; pthread_join(t, 0); }
";
    let races = ["--model", "sc", "--check", "races"];
    let Some(ran) = checked("volatile", source, &races) else { return };
    has(&ran, &["C11 does not count volatile accesses as atomic: use _Atomic, or order them"]);
    let plain = source.replace("volatile ", "");
    let Some(ran) = checked("not_volatile", &plain, &races) else { return };
    assert_eq!(ran.status, Some(1));
    assert!(!ran.out.contains("volatile accesses"), "{}", ran.out);
}

#[test]
fn parts_of_values_are_named_as_parts() {
    let source = "#include <assert.h>
#include <pthread.h>
union number { int i; float f; };
struct parts {
    union number u;
    union { double d; int halves[2]; } w;
    union { int x; unsigned y; };
    unsigned p : 12, q : 20;
    int m, n;
} s;
static void *work(void *arg)
{
    volatile char *bytes = (volatile char *)&s;
    s.u.f = 1.5f;
    s.w.halves[1] = 7;
    s.x = 9;
    s.q = 6;
    *(volatile char *)&s.m = 1;
    *(volatile long *)&s.m = 0x200000001;
    bytes[17] = 1;
    bytes[20] = 1;
    bytes[21] = 2;
    bytes[22] = 3;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(s.n == 0);
}
";
    let Some(ran) = checked("parts", source, &["--model", "sc"]) else { return };
    has(
        &ran,
        &[
            "writes s.u.{i|f} = 1.5",
            "writes s.w.halves[1] = 7",
            "writes s.{x|y} = 9",
            "writes s.{p, q} = {0, 6}",
            "writes s.m+0 = 1",
            "writes s.{m, n} = {1, 2}",
            "writes s.{x|y}+1 = 1",
            "writes s.p+0 = 1",
            "writes s.{p, q} = {?, ?}",
            "writes s.q+1 = 3",
        ],
    );
}

#[test]
fn virtual_bases_have_no_wrong_names() {
    let source = "#include <cassert>
#include <pthread.h>
struct V { int v = 1; };
struct A : virtual V { int a = 2; };
struct B : virtual V { int b = 3; };
struct D : A, B { int d = 4, e = 5; };
D g;
static void *work(void *arg) { g.v = 10; g.a = 11; g.b = 12; g.e = 13; return arg; }
int main() { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); assert(g.e == 0); }
";
    let path = file("virtual_bases", "story.cpp", source.as_bytes());
    let Some(ran) = with_clang(&["check", &path, "--model", "sc"]) else { return };
    has(&ran, &["writes g.a = 11", "writes g.b = 12", "writes g.e = 13"]);
    let base = ran.out.lines().find(|line| line.contains("= 10")).expect("the base");
    assert!(base.contains("writes g+") || base.contains("writes g.v = 10"), "{base}");
}

#[test]
fn copies_and_other_calls_have_one_row() {
    let source = "#include <assert.h>
#include <pthread.h>
#include <string.h>
struct entry { long a, b, c; };
static struct entry slot;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int count;
static void init(void) { count = 1; }
static void put(void *to, const void *from, size_t n) { memcpy(to, from, n); }
static void *work(void *u)
{
    struct entry mine = { 1, 2, 3 };
    pthread_once(&once, init);
    pthread_rwlock_wrlock(&rw);
    put(&slot, &mine, sizeof mine);
    pthread_rwlock_unlock(&rw);
    return u;
}
int main(void)
{
    pthread_t t;
    struct entry got;
    pthread_create(&t, 0, work, 0);
    pthread_once(&once, init);
    pthread_join(t, 0);
    pthread_rwlock_wrlock(&rw);
    put(&got, &slot, sizeof got);
    pthread_rwlock_unlock(&rw);
    assert(got.a == 0);
}
";
    for (model, words) in [
        ("sc", "copies 24 bytes to slot: 1, 2, 3"),
        ("tso", "24 bytes of slot reach memory: 1, 2, 3"),
        ("power", "copies 24 bytes from slot: 1, 2, 3"),
    ] {
        let path = file(&format!("rows_{model}"), "story.c", source.as_bytes());
        let page = format!("{path}.html");
        let args = ["check", &path, "--model", model, "--html", &page];
        let Some(ran) = with_clang(&args) else { return };
        has(&ran, &[words, "completes the call of once", "locks rw for writing"]);
        assert!(!ran.out.contains("rw = ") && !ran.out.contains("once = "), "{}", ran.out);
        // The page has the same words.
        let page = fs::read_to_string(page).expect("a page");
        assert!(page.contains(words) && page.contains("locks rw for writing"), "{model}");
    }
}

#[test]
fn an_error_in_a_header_is_at_its_call_as_in_the_table() {
    let folder = scratch("header");
    let header = "#include <assert.h>\nstatic inline void positive(int x) { assert(x > 0); }\n";
    let source = "#include \"story.h\"\nint x;\nint main(void)\n{\n    positive(x);\n}\n";
    fs::write(folder.join("story.h"), header).expect("a file");
    let path = folder.join("story.c");
    fs::write(&path, source).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let Some(ran) = with_clang(&["check", path, "--model", "sc"]) else { return };
    let told = format!("assertion in thread main at {path}:5 (in ");
    assert!(ran.out.contains(&told) && ran.out.contains("story.h:2): x > 0"), "{}", ran.out);
}

/// Characters that hide others, or change their order, reach no output for people.
#[test]
fn hidden_characters_are_escaped_everywhere() {
    let folder = scratch("hidden");
    let name = folder.join("a\u{202e}b\u{200b}.c");
    let source = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n\
                  static volatile int x;\n\
                  static void *work(void *u) { x = 1; return u; }\n\
                  int main(void) { pthread_t t; printf(\"\u{2066}\\x1b[1m\");\n\
                  pthread_create(&t, 0, work, 0); x = 2; undefined();\n\
                  pthread_join(t, 0); assert(x == 2 && \"\u{202e}\"); }\n";
    fs::write(&name, source).expect("a file");
    let litmus = folder.join("SB\u{202e}.litmus");
    fs::write(&litmus, fs::read(raddle_testing::root().join("examples/SB.litmus")).expect("SB"))
        .expect("a file");
    let bad = folder.join("bad\u{202e}.rir");
    fs::write(&bad, "global @\u{202e}: i32\n").expect("a file");
    let (c, litmus) = (name.to_str().expect("UTF-8"), litmus.to_str().expect("UTF-8"));
    let bad = bad.to_str().expect("UTF-8");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let outputs = ["o.xml", "o.dot", "o.html"].map(path);
    let [junit, dot, page] = &outputs;
    let reports = ["--html", page, "--junit", junit, "--dot", dot];
    let hidden = |text: &str| {
        text.chars().any(|c| raddle_ir::text::is_hidden(c) && !matches!(c, '\n' | '\t'))
    };
    let runs: [&[&str]; 8] = [
        &["check", c, "--model", "sc", "--check", "races", "--keep-going"],
        &["matrix", c],
        &["robust", litmus, "--model", "tso"],
        &["fence", litmus, "--model", "tso"],
        &["litmus", litmus, "--model", "tso"],
        &["monitor", c],
        &["check", bad, "--model", "sc"],
        &["check", "none\u{202e}.c", "--model", "sc"],
    ];
    for (n, run) in runs.into_iter().enumerate() {
        let args = if n == 0 { [run, &reports[..]].concat() } else { run.to_vec() };
        let ran = raddle(&args);
        for text in [&ran.out, &ran.err] {
            let line = text.lines().find(|line| hidden(line));
            assert_eq!(line, None, "{run:?}");
        }
    }
    for output in outputs {
        let text = fs::read_to_string(&output).expect("an output");
        // The data of a page has the command line as it was; the script escapes what it shows.
        let text = text.split("\"kinds\":").map(|part| part.split("\"command\":").next());
        let text = text.flatten().collect::<String>();
        assert_eq!(text.lines().find(|line| hidden(line)), None, "{output}");
    }
}
