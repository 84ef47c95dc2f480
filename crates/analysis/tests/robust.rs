//! Robustness: three methods that must agree with each other and with an oracle that shares no code with
//! them, on generated programs and on the x86 litmus tests.
//!
//! `RADDLE_LONG=1` runs many more programs.

use crate::support::subjects;
use raddle_analysis::robust::{By, Gap, Interlocked, Runs, robust, sample};
use raddle_engine::{Limits, Model, Sampling};
use raddle_ir::{Verified, text};
use raddle_oracle::campaign::{
    Comparison, compare_under, ensure, generated, only_if, same, seeded,
};
use raddle_oracle::generate::Config;
use raddle_oracle::{self as oracle, interleavings};
use raddle_testing::Corpus;

/// The number of states that the oracle may visit; programs with more are compared without it.
const BUDGET: u64 = 20_000;
const WAYS: [By; 3] = [By::Monitor, By::Cycles, By::Count];

fn limits() -> Limits {
    Limits { executions: Some(50_000), events: 1_000, local_steps: 100_000, ..Limits::default() }
}

/// Whether all traces under the model are also traces under SC, according to the oracle.
fn expected(program: &Verified, model: Model) -> Option<bool> {
    let count = |model| {
        let outcome = interleavings::executions(program, model, BUDGET).ok()?;
        Some(outcome.executions + outcome.blocked)
    };
    let weak = oracle::Model::named(model.name()).expect("a model of the oracle");
    Some(count(oracle::Model::Sc)? == count(weak)?)
}

/// Compares the methods with each other and with the oracle.
fn ways_agree(program: &Verified, model: Model) -> Comparison {
    let answers = WAYS.map(|by| robust(program, model, &limits(), Some(by)));
    let robusts = answers.each_ref().map(|answer| answer.robust);
    let mut searches = answers.iter().flat_map(|answer| &answer.searches);
    only_if(searches.all(|(_, search)| search.executions < 50_000))?;
    let wanted = expected(program, model).or(robusts[2]);
    let gaps = answers.each_ref().map(|answer| &answer.gaps);
    same(format!("{WAYS:?} with {gaps:?}"), &robusts, &[wanted; 3])?;
    let shown = |by: usize| answers[by].witness.is_some() == (robusts[by] == Some(false));
    ensure(shown(0) && shown(1), || "no witness".to_owned())
}

const MODELS: [Model; 2] = [Model::Tso, Model::Pso];

fn agree(config: &Config, count: u64) {
    let mut kinds = [0; 2];
    compare_under(generated(config, count), &MODELS, |program, model| {
        let answer = robust(program, model, &limits(), None);
        kinds[usize::from(answer.robust == Some(true))] += 1;
        ways_agree(program, model)
    });
    // A test with answers of one kind only shows little.
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
}

#[test]
fn memory() {
    agree(&Config::memory(), 300);
}

#[test]
fn c11() {
    agree(&Config::c11(), 200);
}

#[test]
fn more_threads() {
    let config = Config { threads: 3..=4, instructions: 1..=3, ..Config::memory() };
    agree(&config, 200);
}

#[test]
fn synchronised() {
    agree(&Config::synchronised(), 120);
}

#[test]
fn waiting() {
    agree(&Config::waiting(), 120);
}

#[test]
fn litmus_tests_of_x86() {
    for corpus in Corpus::all("x86") {
        compare_under(subjects(&corpus), &MODELS, ways_agree);
    }
}

/// A program whose threads run these bodies, with registers `%r: i32`, `%h: i16` and `%b: i8`.
fn threads(items: &str, bodies: &[String]) -> Verified {
    let mut source = format!("{items}\n");
    for (n, body) in bodies.iter().enumerate() {
        source.push_str(&format!(
            "thread t{n} = @t{n}()\nfunc @t{n}() {{\nreg %r: i32, %h: i16, %b: i8\nentry:\n{body}ret\n}}\n"
        ));
    }
    let program = text::load("test.rir", source.as_bytes());
    program.unwrap_or_else(|wrong| panic!("{}: {}\n{source}", wrong.line, wrong.message))
}

/// Loads and stores of one to four bytes of two words, so that many overlap partly.
fn overlapping(seed: u64) -> Verified {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut body = || {
        let mut lines = String::new();
        for _ in 0..random.u32(2..=4) {
            let (ty, reg, size) =
                [("i8", "%b", 1), ("i16", "%h", 2), ("i32", "%r", 4)][random.usize(..3)];
            let offset = random.u32(..4 / size) * size;
            let place = format!("@{}+{offset}", ["x", "y"][random.usize(..2)]);
            lines.push_str(&match random.u32(..9) {
                0 => "fence mfence\n".to_owned(),
                1..=4 => format!("{reg} = load {ty} asm {place}\n"),
                _ => format!("store {ty} asm {place}, {}\n", random.u32(1..100)),
            });
        }
        lines
    };
    let bodies: Vec<String> = (0..2 + seed % 2).map(|_| body()).collect();
    threads("global @x: i32\nglobal @y: i32\nobserve x = i32 @x\nobserve y = i32 @y", &bodies)
}

/// The oracle does not support these programs, but the methods must still agree. The monitor may have no
/// answer; then the search for cycles decides.
#[test]
fn accesses_of_different_sizes() {
    let mut told = [0; 2];
    compare_under(seeded(400, overlapping), &MODELS, |program, model| {
        let answers = WAYS.map(|by| robust(program, model, &limits(), Some(by)));
        let [monitor, cycles, count] = answers.each_ref().map(|answer| answer.robust);
        ensure(cycles.is_some(), || "no answer by cycles".to_owned())?;
        same("by cycles and by counting", &cycles, &count)?;
        same("by default", &robust(program, model, &limits(), None).robust, &cycles)?;
        told[usize::from(monitor.is_some())] += 1;
        match monitor {
            None => same("gaps", &answers[0].gaps, &vec![Gap::Mixed]),
            known => same("by the monitor", &known, &cycles),
        }
    });
    assert!(told[1] > 3 * told[0], "{told:?}");
}

/// A load that read from the buffer comes before the stores that overwrite the bytes that it read, not
/// before the stores that overwrite other bytes of the same buffered store.
#[test]
fn a_served_load_read_only_its_bytes() {
    let first = lines(&["store i16 asm @x, 3", "store i8 asm @x+1, 89"]);
    let second = ["store i32 asm @x, 38", "store i8 asm @x+2, 42", "%b = load i8 asm @x"];
    let globals = "global @x: i32\nobserve x = i32 @x";
    let program = threads(globals, &[first, lines(&second)]);
    for model in [Model::Tso, Model::Pso] {
        for by in [By::Cycles, By::Count] {
            assert_eq!(robust(&program, model, &limits(), Some(by)).robust, Some(true), "{model}");
        }
    }
}

/// A load reads from the newest store in the buffer that covers it, not from older ones.
#[test]
fn a_load_is_served_by_the_newest_store() {
    let first = lines(&["%r = load i32 asm @b", "store i32 asm @a, 66"]);
    let second = ["store i16 asm @a+2, 28", "store i32 asm @a, 87", "%r = load i32 asm @a"];
    let second = lines(&second) + "store i32 asm @b, 49\n";
    let program = threads(ABC, &[first, second]);
    for by in [By::Cycles, By::Count] {
        assert_eq!(robust(&program, Model::Pso, &limits(), Some(by)).robust, Some(false), "{by:?}");
    }
    assert_eq!(robust(&program, Model::Tso, &limits(), None).robust, Some(true));
}

fn lines(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

const ABC: &str = "global @a: i32\nglobal @b: i32\nglobal @c: i32";

/// Paper 001, figure 6, with its thread 1 taking the branch.
fn figure_6_program() -> Verified {
    let first = lines(&["store i32 asm @a, 1", "%r = load i32 asm @a", "%r = load i32 asm @b"]);
    let second = ["store i32 asm @b, 1", "store i32 asm @a, 2", "%r = rmw add i32 asm @c, 1"];
    threads(ABC, &[first, lines(&second) + "%r = load i32 asm @a\n"])
}

#[test]
fn figure_6() {
    for model in [Model::Tso, Model::Pso] {
        assert_eq!(ways_agree(&figure_6_program(), model), Ok(()));
        let answer = robust(&figure_6_program(), model, &limits(), None);
        assert_eq!(answer.robust, Some(false));
    }
}

/// Figure 7: the trace of that program in which the first store stays in its buffer until the other thread's
/// last store has left, and its cycle. Each method finds this cycle.
#[test]
fn figure_7() {
    for by in [By::Monitor, By::Cycles, By::Attacks] {
        let answer = robust(&figure_6_program(), Model::Tso, &limits(), Some(by));
        let witness = answer.witness.expect("a witness");
        assert_eq!(
            witness.cycle.iter().map(|link| link.edge.name()).collect::<Vec<_>>(),
            ["po", "fr", "po", "co"]
        );
        let deeds: Vec<String> =
            witness.cycle.iter().map(|link| witness.witness.events[link.event].what()).collect();
        let expected = ["writes a = 1", "reads b = 0", "writes b = 1", "writes a = 2"];
        for (deed, expected) in deeds.iter().zip(expected) {
            assert!(deed.starts_with(expected), "{by:?}: {deeds:?}");
        }
        let ends = [witness.store, witness.overtaken_by];
        assert_eq!(ends, [witness.cycle[0].event, witness.cycle[1].event], "{by:?}");
    }
}

/// Figure 8: the monitor of the paper finds the violation only on some runs; the search always finds it.
#[test]
fn figure_8() {
    let bodies = [
        lines(&["store i32 asm @a, 1", "%r = load i32 asm @b"]),
        lines(&["store i32 asm @a, 2"]),
        lines(&["store i32 asm @b, 1", "%r = load i32 asm @a"]),
    ];
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for order in orders {
        let program = threads(ABC, &order.map(|n: usize| bodies[n].clone()));
        assert_eq!(ways_agree(&program, Model::Tso), Ok(()));
        assert_eq!(robust(&program, Model::Tso, &limits(), None).robust, Some(false));
    }
    let program = threads(ABC, &bodies);
    let runs = Runs {
        sampling: Sampling { seed: 1, runs: 200 },
        interlocked: Interlocked::Drains,
        limits: limits(),
    };
    let sampled = sample(&program, Model::Tso, &runs);
    assert!(sampled.violating > 0 && sampled.violating < sampled.runs, "{}", sampled.violating);
}

/// A thread that waits forever under SC may continue if a store is delayed.
#[test]
fn a_wait_that_only_a_delayed_store_ends() {
    let first = lines(&["store i32 asm @a, 1", "store i32 asm @b, 1"]);
    let second = lines(&["%r = load i32 asm @b", "%r = await eq i32 asm @a, 0"]);
    let program = threads(ABC, &[first, second]);
    assert_eq!(ways_agree(&program, Model::Pso), Ok(()));
    assert_eq!(robust(&program, Model::Pso, &limits(), None).robust, Some(false));
    assert_eq!(robust(&program, Model::Tso, &limits(), None).robust, Some(true));
}
