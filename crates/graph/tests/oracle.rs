//! The engine against the oracle of weak models, on programs of other shapes than those of `agreement`:
//! few long threads, many short ones, and cycles of relations. Every number of
//! executions and every final state, under POWER and ARM.
//!
//! `RADDLE_LONG=1` runs many more. A disagreement is shrunk before it is shown.

use raddle_graph::{FailureKind, Model, Options, Summary, explore};
use raddle_ir::{Program, text};
use raddle_oracle::cycles::{Edge, enumerate};
use raddle_oracle::generate::{self, Config};
use raddle_oracle::shrink::shrink;
use raddle_oracle::{Outcome, Trouble, weak};

/// Candidates that the oracle may look at; programs with more are passed over.
const BUDGET: u64 = 5_000;

const MODELS: [(Model, weak::Model); 2] =
    [(Model::Power, weak::Model::Power), (Model::Arm, weak::Model::Arm)];

fn long() -> bool {
    raddle_testing::is_long()
}

fn run(program: &Program, model: Model) -> Summary {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    explore(program, &options)
}

fn expected(program: &Program, model: weak::Model) -> Option<Outcome> {
    match weak::executions_within(program, model, BUDGET) {
        Ok(outcome) => Some(outcome),
        Err(Trouble::Budget) => None,
        Err(trouble) => panic!("{trouble}\n{}", text::print(program)),
    }
}

/// What is wrong with the engine's answer, if anything; `None` if the program is too large to know.
fn compare(
    program: &Program,
    (engine, oracle): (Model, weak::Model),
) -> Option<Result<(), String>> {
    let expected = expected(program, oracle)?;
    let found = run(program, engine);
    let states: Vec<_> = expected.states.into_iter().collect();
    let unexpected = found.failures.iter().find(|f| {
        !matches!(
            f.kind,
            FailureKind::Assertion | FailureKind::Memory | FailureKind::DivisionByZero
        )
    });
    let counts = (found.executions, found.blocked);
    let right = (expected.executions, expected.blocked);
    let same_states = program.observables.is_empty() || found.states == states;
    if counts == right && same_states && unexpected.is_none() {
        return Some(Ok(()));
    }
    Some(Err(format!(
        "{engine}: (executions, blocked) = {counts:?}, the oracle says {right:?}\nfound {:?}\n\
         expected {states:?}\n{unexpected:?}",
        found.states
    )))
}

/// The first complaint is made small. Tells whether anything could be compared.
fn no_complaint(name: &str, program: &Program) -> bool {
    let mut compared = false;
    for models in MODELS {
        let Some(result) = compare(program, models) else { continue };
        compared = true;
        if let Err(first) = result {
            let differs = |p: &Program| compare(p, models).and_then(Result::err);
            let small = shrink(program, &mut |p| differs(p).is_some());
            let last = differs(&small).unwrap_or(first);
            panic!("{name}: {last}\n{}", text::print(&small));
        }
    }
    compared
}

fn agree(config: &Config, short: u64) {
    let seeds = short * if long() { 50 } else { 1 };
    let compared = (0..seeds)
        .filter(|seed| no_complaint(&format!("seed {seed}"), &generate::program(config, *seed)));
    let compared = compared.count() as u64;
    println!("{compared} of {seeds} programs compared");
    assert!(compared * 2 > seeds, "most programs are too large");
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

/// Cycles of at most four edges, every so many of them.
#[test]
fn cycles() {
    let step = if long() { 1 } else { 4 };
    for cycle in enumerate(&Edge::weak(), 4).iter().step_by(step) {
        no_complaint(&cycle.to_string(), &cycle.program());
    }
}

/// The store of an exchange depends on its load, though its value does not.
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
    for source in sources {
        let program = text::parse("exchange.rir", source).expect("the program parses");
        assert!(no_complaint("exchange", &program));
    }
}
