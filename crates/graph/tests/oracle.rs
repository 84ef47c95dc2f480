//! Compares the engine with the oracle of weak models on programs of other shapes than those of `agreement`:
//! few long threads, many short threads, and cycles of relations. Every number of executions and every final
//! state must be equal under every model that only axioms define.
//!
//! `RADDLE_LONG=1` runs many more programs. A program with a difference is shrunk before it is shown.

use crate::{by_axioms, has_oracle, models_of_axioms};
use raddle_engine::{FailureKind, Model, Options};
use raddle_graph::explore;
use raddle_ir::{Verified, text};
use raddle_oracle::campaign::{Comparison, Subject, compare_under, ensure, generated, same};
use raddle_oracle::cycles::{Edge, enumerate};
use raddle_oracle::generate::Config;
use raddle_testing::is_long;

/// The number of candidates that the oracle may visit; programs with more are skipped.
const BUDGET: u64 = 5_000;

/// A model without an oracle could not be compared.
#[test]
fn every_model_has_an_oracle() {
    for model in Model::ALL {
        assert!(has_oracle(model), "no oracle knows {model}");
    }
}

fn as_the_oracle_says(program: &Verified, model: Model) -> Comparison {
    let expected = by_axioms(program, model, BUDGET)?;
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    let found = explore(program, &options);
    let counts = (found.executions, found.blocked);
    same("executions, blocked", &counts, &(expected.executions, expected.blocked))?;
    if !program.observables.is_empty() {
        same("final states", &found.states, &expected.states.into_iter().collect())?;
    }
    let unexpected = found.failures.iter().find(|f| {
        !matches!(
            f.kind,
            FailureKind::Assertion | FailureKind::Memory | FailureKind::DivisionByZero
        )
    });
    ensure(unexpected.is_none(), || format!("{unexpected:?}"))
}

fn agree(config: &Config, count: u64) {
    let tally = compare_under(generated(config, count), &models_of_axioms(), as_the_oracle_says);
    assert!(tally.compared > tally.skipped, "most programs are too large");
}

#[test]
fn two_long_threads() {
    let config = Config { threads: 2..=2, instructions: 4..=7, ..Config::weak() };
    agree(&config, 40);
}

#[test]
fn four_short_threads() {
    let config = Config { threads: 4..=4, instructions: 1..=3, ..Config::weak() };
    agree(&config, 40);
}

/// Cycles of at most four edges: a sample by default, all with `RADDLE_LONG=1`.
#[test]
fn cycles() {
    let cycles = enumerate(&Edge::weak(), 4);
    let some = cycles.iter().step_by(if is_long() { 1 } else { 4 });
    let subjects = some.map(|cycle| Subject::new(cycle.to_string(), cycle.program()));
    compare_under(subjects, &models_of_axioms(), as_the_oracle_says);
}

/// The store of an exchange depends on its load, although its value does not.
#[test]
fn exchanges_write_after_they_read() {
    let sources = [
        "global @x: i32
global @y: i32
thread t0 = @p0()
thread t1 = @p1()
func @p0() {
    reg %r: i32, %s: i32, %ok: i1
  entry:
    %r = rmw xchg i32 asm @y, 0
    %s, %ok = cmpxchg i32 asm @y, 0, 0
    store i32 asm @x, 0
    ret
}
func @p1() {
    reg %r: i32
  entry:
    %r = load i32 asm @x
    fence full
    store i32 asm @y, 0
    ret
}
",
        "global @x: i32
global @array: i64 x 2 = 0
thread t0 = @p0()
thread t1 = @p1()
thread t2 = @p2()
func @p0() {
    reg %r: i32, %ok: i1, %n: i64, %p: ptr
  entry:
    %r, %ok = cmpxchg i32 asm @x, 0, 0
    %n = zext i32 %r to i64
    %n = and i64 %n, 0
    %p = inttoptr i64 %n to ptr
    %p = add ptr @array, %p
    %n = load i64 acquire %p
    ret
}
func @p1() {
  entry:
    store i64 relaxed @array, 0
    store i32 asm_release @x, 0
    ret
}
func @p2() {
    reg %r: i32
  entry:
    %r = rmw xchg i32 acq_rel @x, 0
    ret
}
",
    ];
    let parsed =
        |source: &str| text::load("exchange.rir", source.as_bytes()).expect("the program parses");
    let subjects = sources.map(|source| Subject::new("exchange", parsed(source)));
    let tally = compare_under(subjects, &models_of_axioms(), as_the_oracle_says);
    assert_eq!(tally.skipped, 0);
}
