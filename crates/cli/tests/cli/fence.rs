//! `raddle fence`: its output, and the effect of the fences that it suggests.

use crate::common::{Ran, file, raddle, with_clang};
use crate::limits::endless;
use raddle_engine::Model;
use serde_json::Value;

/// A stale read and a missed store, in one program.
const PASSING: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int data, flag, seen;
void *writer(void *p) {
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return p;
}
void *reader(void *p) {
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        ;
    assert(atomic_load_explicit(&data, memory_order_relaxed));
    return p;
}
int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
";

const BUFFERING: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b;
void *left(void *p) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return p;
}
void *right(void *p) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return p;
}
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

fn answer(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn kinds(answer: &Value) -> Vec<&str> {
    let fences = answer["fences"].as_array().expect("fences");
    fences.iter().map(|fence| fence["kind"].as_str().expect("a kind")).collect()
}

/// The source with the suggested statements inserted.
fn amended(source: &str, answer: &Value) -> String {
    let mut lines: Vec<&str> = source.lines().collect();
    let fences = answer["fences"].as_array().expect("fences").iter();
    let line = |fence: &Value| fence["line"].as_u64().expect("a line") as usize;
    let mut inserted: Vec<(usize, &str)> =
        fences.map(|f| (line(f), f["statement"].as_str().expect("a statement"))).collect();
    inserted.sort();
    inserted.iter().rev().for_each(|(line, text)| lines.insert(line - 1, text));
    lines.join("\n") + "\n"
}

#[test]
fn what_it_asks_for_in_c_is_enough() {
    let needed = [
        (PASSING, "pso", vec!["store_store"]),
        (PASSING, "power", vec!["eieio", "lwsync"]),
        (PASSING, "arm", vec!["dmb.st", "dmb"]),
        (BUFFERING, "tso", vec!["mfence", "mfence"]),
        (BUFFERING, "pso", vec!["full", "full"]),
        (BUFFERING, "power", vec!["sync", "sync"]),
        (BUFFERING, "arm", vec!["dmb", "dmb"]),
    ];
    for (source, model, wanted) in needed {
        let path = file("fence_in_c", "program.c", source.as_bytes());
        // Failures as goals are tried under one model of each engine, or under all with `RADDLE_LONG=1`.
        let with_goals = raddle_testing::is_long() || ["tso", "power"].contains(&model);
        let goals: &[&[&str]] = if with_goals { &[&[], &["--goal"]] } else { &[&[]] };
        for goal in goals.iter().copied() {
            let asked = [&["fence", &path, "--model", model, "--json"], goal].concat();
            let Some(ran) = with_clang(&asked) else { return };
            assert_eq!(ran.status, Some(0), "{ran:?}");
            let found = answer(&ran);
            assert_eq!(found["count"], wanted.len());
            assert_eq!(kinds(&found), wanted, "{model} {goal:?}");
            let path = file("fence_written", "program.c", amended(source, &found).as_bytes());
            let asked = [&["fence", &path, "--model", model, "--json"], goal].concat();
            let again = raddle(&asked);
            assert_eq!(answer(&again)["count"], 0, "{again:?}");
            let checked = raddle(&["check", &path, "--model", model]);
            assert_eq!(checked.status, Some(0), "{checked:?}");
        }
    }
}

#[test]
fn fences_are_shown_between_lines_of_c() {
    let path = file("fence_shown", "program.c", PASSING.as_bytes());
    let Some(ran) = with_clang(&["fence", &path, "--model", "power"]) else { return };
    let shown = "program.c:7 (writer): eieio
       6   atomic_store_explicit(&data, 1, memory_order_relaxed);
         + __asm__ volatile(\"eieio\" ::: \"memory\");
       7   atomic_store_explicit(&flag, 1, memory_order_relaxed);
";
    assert!(ran.out.contains(shown), "{}", ran.out);
    assert!(ran.out.contains("+ atomic_thread_fence(memory_order_acq_rel);\n"), "{}", ran.out);
}

#[test]
fn a_header_that_fences_need_is_asked_for() {
    let plain = "#include <pthread.h>
volatile int x, y;
void *left(void *p) {
    x = 1;
    return y ? p : 0;
}
void *right(void *p) {
    y = 1;
    return x ? p : 0;
}
int main(void) {
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
    return 0;
}
";
    let path = file("fence_header", "program.c", plain.as_bytes());
    let Some(ran) = with_clang(&["fence", &path, "--model", "tso"]) else { return };
    assert_eq!(ran.out.matches("+ #include <stdatomic.h>\n").count(), 1, "{}", ran.out);
    let found = answer(&raddle(&["fence", &path, "--model", "tso", "--json"]));
    assert_eq!(found["fences"][0]["header"], "stdatomic.h");
    let with = format!("# include<stdatomic.h>\n{plain}");
    let path = file("fence_header", "program.c", with.as_bytes());
    let ran = raddle(&["fence", &path, "--model", "tso"]);
    assert!(ran.out.contains("2 fences") && !ran.out.contains("#include"), "{}", ran.out);
}

/// The fence has no place between lines: the load and the statement that depends on it are on one line.
#[test]
fn fences_within_a_line_are_edits_of_it() {
    let one_line = PASSING.replace("relaxed))\n        ;\n    assert", "relaxed)); assert");
    let path = file("fence_within", "program.c", one_line.as_bytes());
    let Some(ran) = with_clang(&["fence", &path, "--model", "power"]) else { return };
    assert!(ran.out.contains("2 fences"), "{}", ran.out);
    let wanted = "relaxed)); atomic_thread_fence(memory_order_acq_rel); assert";
    assert!(ran.out.contains(wanted), "{}", ran.out);
}

const SB: &[u8] = b"PPC SB
{ 0:r8=x; 0:r9=y; 1:r8=x; 1:r9=y; 0:r1=1; 1:r1=1; }
 P0           | P1           ;
 stw r1,0(r8) | stw r1,0(r9) ;
 lwz r3,0(r9) | lwz r3,0(r8) ;
exists (0:r3=0 /\\ 1:r3=0)
";

#[test]
fn litmus_tests_are_fenced_by_column() {
    let path = file("fence_litmus", "SB.litmus", SB);
    for goal in [&[][..], &["--goal"]] {
        let ran = raddle(&[&["fence", &path, "--model", "power"], goal].concat());
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let shown = "SB.litmus:5 (P1): sync
       4   stw r1,0(r8) | stw r1,0(r9) ;
         + sync         |              ;
         +              | sync         ;
       5   lwz r3,0(r9) | lwz r3,0(r8) ;
";
        assert!(ran.out.contains(shown), "{}", ran.out);
    }
    let found = answer(&raddle(&["fence", &path, "--model", "arm", "--goal", "--json"]));
    assert_eq!(found["fences"][0]["statement"], "sync");
    let found = answer(&raddle(&["fence", &path, "--model", "tso", "--goal", "--json"]));
    assert_eq!((&found["target"], &found["checked"]), (&"goal".into(), &"judged".into()));
    assert_eq!(found["fences"][1]["statement"], "sync");
}

#[test]
fn what_happens_under_sc_is_hopeless() {
    let passing = String::from_utf8_lossy(SB).replace("0:r3=0 /\\ 1:r3=0", "0:r3=1 /\\ 1:r3=1");
    let path = file("fence_hopeless", "SB.litmus", passing.as_bytes());
    for model in ["tso", "pso", "power", "arm"] {
        let ran = raddle(&["fence", &path, "--model", model, "--goal", "--json"]);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let found = answer(&ran);
        assert_eq!((&found["count"], &found["hopeless"]), (&Value::Null, &Value::Bool(true)));
    }
}

#[test]
fn automata_have_the_fields_that_others_read() {
    let ran = raddle(&["fence", "tests/automata/peterson.aut", "--model", "tso", "--json"]);
    let found = answer(&ran);
    assert_eq!(found["file"], "tests/automata/peterson.aut");
    assert_eq!((&found["model"], &found["count"]), (&Value::from("tso"), &Value::from(2)));
    let fence = &found["fences"][0];
    assert_eq!((&fence["kind"], &fence["line"]), (&Value::from("mfence"), &Value::from(9)));
    assert_eq!((&fence["function"], &fence["block"]), (&Value::from("t0"), &Value::from("set")));
}

#[test]
fn models_without_fences_are_refused() {
    let ran = raddle(&["fence", "tests/automata/peterson.aut", "--model", "sc"]);
    assert_eq!(ran.status, Some(2));
    let fenced = Model::ALL.into_iter().filter(|model| !model.fences().is_empty());
    assert!(ran.err.contains(&format!("expected {}", Model::names(fenced))), "{}", ran.err);
}

/// Fences are computed for the inputs that were tried; the output reports this as a bound.
#[test]
fn untried_inputs_are_a_bound() {
    let source = "int __VERIFIER_nondet_int(void);\nint x;\nint main(void) {\n    x = __VERIFIER_nondet_int();\n    return 0;\n}\n";
    let path = file("fence_inputs", "program.c", source.as_bytes());
    for model in ["tso", "power"] {
        let args = ["fence", "--model", model, &path];
        let Some(ran) = with_clang(&args) else { return };
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(ran.out.contains("bound met: an input took some of its values only"), "{ran:?}");
        let strict = raddle(&[&args[..], &["--strict", "--json"]].concat());
        assert_eq!(strict.status, Some(3), "{strict:?}");
        let answer: Value = serde_json::from_str(&strict.out).expect("JSON");
        assert_eq!(answer["bounds"][0]["kind"], "inputs", "{strict:?}");
    }
}

/// A store in a function that is called for other stores too, and a load that must not overtake the first.
const HELPER: &str = "#include <pthread.h>
#include <stdatomic.h>
int x, y, z, v, w;
void put(int *place, int value) {
    __atomic_store_n(place, value, __ATOMIC_RELAXED);
}
void *left(void *p) {
    put(&z, 1);
    put(&x, 1);
    v = y;
    return p;
}
void *right(void *p) {
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    w = x;
    return p;
}
int main(void) {
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
    return 0;
}
";

#[test]
fn a_fence_goes_into_the_caller_and_not_into_a_function_with_many_calls() {
    let path = file("fence_helper", "program.c", HELPER.as_bytes());
    for model in ["tso", "pso", "power"] {
        let Some(ran) = with_clang(&["fence", &path, "--model", model, "--json"]) else { return };
        let found = answer(&ran);
        assert_eq!(found["count"], 1, "{ran:?}");
        assert_eq!(found["fences"][0]["function"], "left", "{ran:?}");
        assert_eq!(found["fences"][0]["line"], 10, "{ran:?}");
    }
}

/// Two threads need a fence each, and one in the function that both call is fewer.
#[test]
fn a_fence_in_a_shared_function_says_how_many_calls_it_affects() {
    let shared = HELPER.replace(
        "    y = 1;\n    atomic_thread_fence(memory_order_seq_cst);\n",
        "    put(&y, 1);\n",
    );
    let path = file("fence_shared", "program.c", shared.as_bytes());
    let Some(ran) = with_clang(&["fence", &path, "--model", "tso"]) else { return };
    let told = "    put is called at 3 places in 2 functions: the fence is part of each call\n";
    assert!(ran.out.contains("1 fence to be robust") && ran.out.contains(told), "{}", ran.out);
    let found = answer(&raddle(&["fence", &path, "--model", "tso", "--json"]));
    let fence = &found["fences"][0];
    let numbers = ["calls", "callers", "call_stacks"].map(|name| fence[name].as_u64());
    assert_eq!(numbers, [Some(3), Some(2), Some(3)]);
}

/// Headers of the system are not edited.
#[test]
fn a_fence_without_an_edit_says_what_to_write_by_hand() {
    let store = "static inline void store(int *place) { *place = 1; }";
    let header = file("fence_by_hand_system", "store.h", store.as_bytes());
    let folder = std::path::Path::new(&header).parent().expect("a folder");
    let source = HELPER
        .replace("#include <stdatomic.h>", "#include <store.h>")
        .replace("    put(&x, 1);\n    v = y;", "    v = (store(&x), store(&y), y);");
    let source = source.replace("atomic_thread_fence(memory_order_seq_cst)", "store(&y)");
    let path = file("fence_by_hand", "program.c", source.as_bytes());
    let system = format!("-isystem{}", folder.display());
    let Some(ran) = with_clang(&["fence", &path, "--model", "power", "--", &system]) else {
        return;
    };
    assert!(ran.out.contains("by hand: "), "{}", ran.out);
    assert!(ran.out.contains(": __atomic_thread_fence(__ATOMIC_SEQ_CST);\n"), "{}", ran.out);
}

/// A search that gives up says how many fences are needed at least, and lists a set that suffices.
#[test]
fn a_search_that_gives_up_says_what_is_known() {
    let mut known = 0;
    for most in 1..30 {
        let path = file("fence_gives_up", "SB.litmus", SB);
        let most = most.to_string();
        let limited = ["fence", &path, "--model", "pso", "--goal", "--max-executions", &most];
        let ran = raddle(&limited);
        let found = answer(&raddle(&[&limited[..], &["--json"]].concat()));
        let numbers = ["at_least", "at_most"].map(|name| found[name].as_u64());
        let [Some(least), most] = numbers else { panic!("{found:#}") };
        assert!(least <= 2 && most.is_none_or(|most| most >= 2), "{found:#}");
        if found["count"].is_null() && least > 0 {
            assert_eq!(ran.status, Some(3), "{ran:?}");
            assert!(ran.out.contains("it takes at least "), "{}", ran.out);
            known += 1;
        }
    }
    assert!(known > 0);
}

/// Loops that never end may be the reason why time runs out, and why a bound is met, unless it is a bound that the user
/// has set on rounds.
#[test]
fn endless_loops_are_mentioned_where_they_may_be_the_reason() {
    let count = "func @t() {\n  reg %i: i32, %c: i1\n  entry:\n    %i = move i32 0\n    jump next\n\
        next:\n    store i32 asm @x, %i\n    %i = add i32 %i, 1\n    %c = cmp ult i32 %i, 9\n    \
        br %c, next, done\n  done:\n    ret\n}\n";
    let threads = "global @x: i32\nthread a = @t()\nthread b = @t()\nthread c = @t()\n";
    let path = file("fence_loops", "loops.rir", format!("{threads}{count}").as_bytes());
    let args = ["fence", &path, "--model", "power"];
    let told = "loops that never end are judged under";
    let ran = raddle(&[&args[..], &["--timeout", "0.5"]].concat());
    assert!(ran.out.contains("unknown: time ran out") && ran.out.contains(told), "{ran:?}");
    let path = endless("fence-bounds");
    let args = ["fence", &path, "--model", "pso", "--timeout", "20"];
    let ran = raddle(&[&args[..], &["--unroll", "1"]].concat());
    assert!(ran.out.contains("(--unroll)") && !ran.out.contains(told), "{ran:?}");
    let ran = raddle(&[&args[..], &["--max-events", "2"]].concat());
    assert!(ran.out.contains("(--max-events)") && ran.out.contains(told), "{ran:?}");
}

const MESSAGE: &[u8] = b"#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> data, flag;
struct Box {
    template <typename T> static void put(std::atomic<T> &to, T value) {
        to.store(value, std::memory_order_relaxed);
    }
    void send() {
        put(data, 1);
        put(flag, 1);
    }
};
int main() {
    Box box;
    std::thread sender([&] { box.send(); });
    if (flag.load(std::memory_order_acquire))
        assert(data.load(std::memory_order_relaxed));
    sender.join();
}
";

/// Fences go neither into headers of the system, nor into files and functions that the user excludes.
#[test]
fn no_fence_goes_where_it_is_not_wanted() {
    let path = file("fence_avoid", "message.cpp", MESSAGE);
    let base = ["fence", &path, "--model", "pso", "--json"];
    let Some(ran) = with_clang(&base) else { return };
    let functions = |ran: &Ran| {
        let answer = answer(ran);
        let fences = answer["fences"].as_array().expect("fences").clone();
        fences.iter().map(|fence| fence["function"].as_str().unwrap_or("").to_owned()).collect()
    };
    let found: Vec<String> = functions(&ran);
    assert_eq!(found, ["_ZN3Box4sendEv"], "{ran:?}");
    let found: Vec<String> = functions(&raddle(&[&base[..], &["--avoid", "Box::send"]].concat()));
    assert!(found.len() == 1 && found[0].starts_with("_ZN3Box3putI"), "{found:?}");
    let ran = raddle(&[&base[..], &["--avoid", "send", "--avoid", "put"]].concat());
    assert!(answer(&ran)["hopeless"] == true, "{ran:?}");
    assert_eq!(answer(&ran)["avoided"], serde_json::json!(["send", "put"]));
    let ran = raddle(&[&base[..], &["--avoid", "message.cpp"]].concat());
    assert!(answer(&ran)["hopeless"] == true, "{ran:?}");
    let ran = raddle(&[&base[..], &["--avoid", "Box::sent"]].concat());
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("did you mean 'Box::send'?"), "{ran:?}");
}
