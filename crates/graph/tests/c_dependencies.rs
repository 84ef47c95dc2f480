//! Dependencies of C programs under POWER and ARM, as listed in docs/models.md.
//!
//! Each piece of code is between a load of `x` into `r` and an access to `y`. The two accesses stay in order
//! if and only if the other thread cannot observe them in the opposite order.

use raddle_engine::{Model, Options};
use raddle_front_c::{Options as Compile, clang, load};
use raddle_graph::explore;
use std::path::PathBuf;

const HEAD: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#define RX memory_order_relaxed
#define L(v) atomic_load_explicit(&v, RX)
#define S(v, e) atomic_store_explicit(&v, e, RX)
#define ISYNC __asm__ volatile("isync" ::: "memory")
#define LWSYNC __asm__ volatile("lwsync" ::: "memory")
void __VERIFIER_assume(int);
atomic_int x, y, z, arr[4];
struct st { int a, b; };
struct bf { unsigned a : 3, b : 5; };
static int id(int v) { return v; }
static int zero(int v) { return 0; }
static void out(int *p, int v) { *p = v; }
static int twice(int v) { int t[2]; t[0] = v; t[1] = t[0]; return t[1]; }
static struct st mk(int v) { struct st s = { v, 0 }; return s; }
static int rec(int v, int n) { return n ? rec(v, n - 1) : v; }
static int cond(int v) { if (v) return 1; return 1; }
static void nothing(int v) { if (v) { } }
static int (*fns[2])(int) = { id, id };
"#;

/// Code that stores to `y` after `r` was loaded from `x`, and whether the store depends on the load.
const STORES: &[(&str, bool)] = &[
    ("S(y, 1);", false),
    ("if (r) {} S(y,1);", true),
    ("if (r) goto l; else goto l; l: S(y,1);", true),
    ("if (r) S(y,1); else S(y,1);", true),
    ("switch (r) { case 0: S(y,1); break; case 1: S(y,1); break; default: S(y,1); }", true),
    ("switch (r) { case 0: break; case 1: break; default: break; } S(y,1);", true),
    ("int o = 1; int k = r ? o : o; S(y,k);", true),
    ("S(y, 1 + (r ^ r));", true),
    ("S(y, 1 + (r & 0));", true),
    ("S(y, 1 + r * 0);", true),
    ("S(y, 1 + r - r);", true),
    ("int k = r && 1; S(y, 1 + (k & 0));", true),
    ("int k = r || 1; S(y, k);", true),
    ("if (r && r) {} S(y,1);", true),
    ("if (r || 1) {} S(y,1);", true),
    ("S(y, 1 + (!r & 0));", true),
    ("S(y, 1 + ((r == 7) & 0));", true),
    ("for (int i = 0; i < r; i++) {} S(y,1);", true),
    ("while (r > 5) {} S(y,1);", true),
    ("do {} while (r == 7); S(y,1);", true),
    ("int t[2]; t[0] = r; int k = t[0]; S(y, 1 + (k ^ k));", true),
    ("int t[2] = {1,1}; S(y, t[r & 1]);", true),
    ("S(y, 1 + (id(r) & 0));", true),
    ("S(y, 1 + zero(r));", false),
    ("int k; out(&k, r); S(y, 1 + (k & 0));", true),
    ("S(y, 1 + (twice(r) & 0));", true),
    ("S(y, 1 + (rec(r, 2) & 0));", true),
    ("int k = cond(r); S(y, k);", true),
    ("nothing(r); S(y, 1);", true),
    ("S(y, 1 + (fns[r & 1](0)));", true),
    ("struct st s = { r, 0 }, q; q = s; S(y, 1 + (q.a & 0));", true),
    ("struct st s = { r, 0 }, q; q = s; S(y, 1 + (q.b & 0));", false),
    ("struct st s = mk(r); S(y, 1 + (s.a & 0));", true),
    ("int a[2] = { r, 0 }, b[2]; memcpy(b, a, sizeof a); S(y, 1 + (b[0] & 0));", true),
    ("int a[2] = { r, 0 }, b[2]; memcpy(b, a, sizeof a); S(y, 1 + (b[1] & 0));", false),
    ("struct bf b = {0,0}; b.a = r; S(y, 1 + (b.a & 0));", true),
    ("struct bf b = {0,0}; b.a = r; S(y, 1 + (b.b & 0));", true),
    ("char c = (char)r; S(y, 1 + (c & 0));", true),
    ("float f = r; S(y, 1 + ((int)f & 0));", true),
    ("int t[2] = {1,1}; int *p = t + (r & 1); S(y, *p);", true),
    ("S(arr[r & 0], 1); S(y, 1);", true),
    ("(void)L(arr[r & 0]); S(y, 1);", true),
    ("int t[1]; t[0] = r; t[0] = 0; S(y, 1 + t[0]);", false),
    ("int k = r; k = 0; S(y, 1 + k);", false),
    ("int t[2]; t[0] = r; S(y, 1);", false),
    ("if (r) { z = 0; } S(y,1);", true),
    ("if (r == 9) return 0; S(y,1);", true),
    ("assert(r < 9); S(y,1);", true),
    ("__VERIFIER_assume(r < 9); S(y,1);", true),
    ("int k = r; k = k + 1; k = k - r; S(y, k);", true),
    ("int k = (r, 1); S(y, k);", false),
    ("int k = sizeof(r) == 4; S(y, k);", false),
    ("S(y, 1 + (-r & 0));", true),
    ("S(y, 1 + ((r >> 8) & 0));", true),
    ("S(y, 1 + (r / 8));", true),
    ("S(y, 1 + (r % 1));", true),
    ("atomic_fetch_add_explicit(&y, 1 + (r & 0), RX);", true),
    ("atomic_exchange_explicit(&y, 1, RX);", false),
    ("atomic_exchange_explicit(&y, 1 + (r^r), RX);", true),
    ("int e = r ^ r; atomic_compare_exchange_strong_explicit(&y, &e, 1, RX, RX);", true),
    ("volatile int k = r; S(y, 1 + (k & 0));", true),
    ("static _Thread_local int k; k = r; S(y, 1 + (k & 0));", true),
    ("int n = 0; again: if (n < r && n < 2) { n++; goto again; } S(y,1);", true),
    ("if (r) { if (r > 1) {} } else {} S(y,1);", true),
    ("r ? (void)0 : (void)0; S(y,1);", true),
    ("int t[2]; memset(t, r & 0, sizeof t); S(y, 1 + t[0]);", true),
    ("struct st s = {r, 1}; S(y, s.b);", false),
];

/// Code that loads from `y` into `s` after `r` was loaded from `x`, and whether the two stay in order.
const LOADS: &[(&str, bool)] = &[
    ("s = L(y);", false),
    ("if (r) {} s = L(y);", false),
    ("s = L((&y)[r & 0]);", true),
    ("s = L((&y)[r ^ r]);", true),
    ("atomic_int *p[2] = { &y, &y }; s = L(*p[r & 1]);", true),
    ("s = L((&y)[id(r) & 0]);", true),
    ("struct st q = { r, 0 }, w; w = q; s = L((&y)[w.a & 0]);", true),
    ("struct st q = { r, 0 }, w; w = q; s = L((&y)[w.b & 0]);", false),
    ("struct bf b = {0,0}; b.a = r; s = L((&y)[b.a & 0]);", true),
    ("int k; memcpy(&k, &r, 4); s = L((&y)[k & 0]);", true),
    ("if (r) {} ISYNC; s = L(y);", true),
    ("ISYNC; s = L(y);", false),
    ("switch (r) { default: break; case 1: break; } ISYNC; s = L(y);", true),
    ("r ? (void)0 : (void)0; ISYNC; s = L(y);", true),
    ("int k = r & 0; if (k) {} ISYNC; s = L(y);", true),
    ("ISYNC; if (r) {} s = L(y);", false),
    ("LWSYNC; s = L(y);", true),
    ("S(z, r); s = L(y);", false),
];

/// Both threads load first: each sees the other's store only if a store overtakes a load.
fn load_buffering(code: &str) -> String {
    format!(
        "{HEAD}static void *f(void *u) {{ int r = L(x); {code} return (void *)(long)r; }}\n\
         static void *g(void *u) {{ int s = L(y); atomic_thread_fence(memory_order_seq_cst); S(x, 1);\n\
         return (void *)(long)s; }}\n\
         int main(void) {{ pthread_t p, q; void *a, *b; pthread_create(&p, 0, f, 0);\n\
         pthread_create(&q, 0, g, 0); pthread_join(p, &a); pthread_join(q, &b);\n\
         assert(!(a == (void *)1 && b == (void *)1)); return 0; }}\n"
    )
}

/// The other thread stores to `y`, then to `x`.
fn message_passing(code: &str) -> String {
    format!(
        "{HEAD}static void *f(void *u) {{ int s, r = L(x); {code} return (void *)(long)(r * 2 + s); }}\n\
         static void *g(void *u) {{ S(y, 1); atomic_thread_fence(memory_order_seq_cst); S(x, 1); return 0; }}\n\
         int main(void) {{ pthread_t p, q; void *a; pthread_create(&p, 0, f, 0);\n\
         pthread_create(&q, 0, g, 0); pthread_join(p, &a); pthread_join(q, 0);\n\
         assert(a != (void *)2); return 0; }}\n"
    )
}

/// Fails unless the models show the opposite order if and only if the code has no dependency.
fn check(name: &str, table: &[(&str, bool)], program: fn(&str) -> String) {
    if clang::find(None, &Compile::default().budget).is_err() {
        raddle_testing::missing("clang");
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("{name}.c"));
    for (code, ordered) in table {
        std::fs::write(&path, program(code)).expect("a file can be written");
        let loaded = load(std::slice::from_ref(&path), &Compile::default());
        let program = loaded.unwrap_or_else(|error| panic!("{code}: {error:?}")).program;
        for model in [Model::Sc, Model::Power, Model::Arm] {
            let found = explore(&program, &Options { keep_going: true, ..Options::new(model) });
            assert!(found.stopped.is_none() && found.bounds.is_empty(), "{model}: {code}");
            let expected = *ordered || model == Model::Sc;
            assert_eq!(
                found.failures.is_empty(),
                expected,
                "{model}: {code}: {:?}",
                found.failures
            );
        }
    }
}

#[test]
fn stores_after_what_they_depend_on() {
    check("dependent_stores", STORES, load_buffering);
}

#[test]
fn loads_after_what_they_depend_on() {
    check("dependent_loads", LOADS, message_passing);
}
