//! The programs of this folder for loom: `peers-loom PROGRAM [N]` prints how many executions loom ran.
//!
//! The litmus tests print how many of them had the outcome that the test is about.

use loom::sync::Arc;
use loom::sync::atomic::Ordering::{self, Relaxed, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::thread;
use std::sync::atomic::AtomicU64;

static RUN: AtomicU64 = AtomicU64::new(0);
static SHOWN: AtomicU64 = AtomicU64::new(0);

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

/// Every execution, without a bound on preemptions.
fn explore(program: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = None;
    builder.max_branches = 1_000_000;
    builder.check(move || {
        count(&RUN);
        program();
    });
}

fn increments(threads: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    let started: Vec<_> = (0..threads)
        .map(|_| {
            let x = x.clone();
            thread::spawn(move || x.fetch_add(1, SeqCst))
        })
        .collect();
    started.into_iter().for_each(|thread| drop(thread.join()));
    assert_eq!(x.load(SeqCst), threads);
}

fn readers(threads: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    let started: Vec<_> = (0..threads)
        .map(|_| {
            let x = x.clone();
            let seen = Arc::new(AtomicUsize::new(0));
            thread::spawn(move || seen.store(x.load(Relaxed), Relaxed))
        })
        .collect();
    x.store(1, Relaxed);
    started.into_iter().for_each(|thread| drop(thread.join()));
}

/// Two threads; whether both results are what the outcome wants.
fn two(
    first: fn(&AtomicUsize, &AtomicUsize) -> bool,
    second: fn(&AtomicUsize, &AtomicUsize) -> bool,
) {
    let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let other = shared.clone();
    let thread = thread::spawn(move || first(&other.0, &other.1));
    let second = second(&shared.0, &shared.1);
    if thread.join().unwrap() && second {
        count(&SHOWN);
    }
}

/// Writes one and reads 0 from the other.
fn missed(mine: &AtomicUsize, other: &AtomicUsize, order: Ordering, fenced: bool) -> bool {
    mine.store(1, order);
    if fenced {
        fence(SeqCst);
    }
    other.load(order) == 0
}

/// Reads 1 from one and writes the other.
fn early(mine: &AtomicUsize, other: &AtomicUsize) -> bool {
    let seen = other.load(Relaxed) == 1;
    mine.store(1, Relaxed);
    seen
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let threads = arguments.get(1).map_or(2, |n| n.parse().expect("a number"));
    match arguments[0].as_str() {
        "increments" => explore(move || increments(threads)),
        "readers" => explore(move || readers(threads)),
        "SB" => explore(|| two(|x, y| missed(x, y, Relaxed, false), |x, y| missed(y, x, Relaxed, false))),
        "SB+seq_cst" => explore(|| two(|x, y| missed(x, y, SeqCst, false), |x, y| missed(y, x, SeqCst, false))),
        "SB+fences" => explore(|| two(|x, y| missed(x, y, Relaxed, true), |x, y| missed(y, x, Relaxed, true))),
        "MP" => explore(|| {
            two(
                |x, y| {
                    x.store(1, Relaxed);
                    y.store(1, Relaxed);
                    true
                },
                |x, y| y.load(Relaxed) == 1 && x.load(Relaxed) == 0,
            )
        }),
        "LB" => explore(|| two(early, |x, y| early(y, x))),
        other => panic!("no program {other}"),
    }
    println!("{} {} {}", arguments[0], RUN.load(Relaxed), SHOWN.load(Relaxed));
}
