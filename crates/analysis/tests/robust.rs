//! Robustness: three ways that must agree, with each other and with an oracle that shares nothing
//! with them, on generated programs and on the x86 litmus tests.
//!
//! `RADDLE_LONG=1` runs many more programs.

use raddle_analysis::robust::{By, Gap, Interlocked, Runs, robust, sample};
use raddle_interleave::{Limits, Model};
use raddle_ir::{Program, text};
use raddle_oracle::generate::{self, Config};
use raddle_oracle::interleavings;
use raddle_oracle::shrink::shrink;
use raddle_oracle::{self as oracle, Trouble};
use raddle_testing::Corpus;

/// States that the oracle may visit; programs with more are judged without it.
const BUDGET: u64 = 20_000;
const WAYS: [By; 3] = [By::Monitor, By::Cycles, By::Count];

fn seeds(short: u64) -> std::ops::Range<u64> {
    0..raddle_testing::scaled(short, 30)
}

fn limits() -> Limits {
    Limits { executions: Some(50_000), events: 1_000, local_steps: 100_000, ..Limits::default() }
}

/// Whether there are traces under the model beyond those under SC.
fn expected(program: &Program, model: Model) -> Option<bool> {
    let count = |model| match interleavings::executions(program, model, BUDGET) {
        Ok(outcome) => Some(outcome.executions + outcome.blocked),
        Err(Trouble::Budget) => None,
        Err(Trouble::Unsupported(_)) => None,
    };
    let weak = match model {
        Model::Sc => oracle::Model::Sc,
        Model::Tso => oracle::Model::Tso,
        Model::Pso => oracle::Model::Pso,
    };
    Some(count(oracle::Model::Sc)? == count(weak)?)
}

/// What is wrong with the answers, if anything.
fn complaint(program: &Program, model: Model) -> Option<String> {
    let answers = WAYS.map(|by| robust(program, model, &limits(), Some(by)));
    let robusts = answers.each_ref().map(|answer| answer.robust);
    // A program that is too large for the limits is passed over.
    if answers.iter().any(|answer| answer.searches.iter().any(|(_, s)| s.executions >= 50_000)) {
        return None;
    }
    let wanted = expected(program, model).or(robusts[2]);
    if robusts.iter().any(|robust| *robust != wanted) {
        let gaps = answers.each_ref().map(|answer| &answer.gaps);
        return Some(format!("{model}: {robusts:?} by {WAYS:?}, expected {wanted:?}; {gaps:?}"));
    }
    let shown = |by: usize| answers[by].witness.is_some() == (robusts[by] == Some(false));
    (!shown(0) || !shown(1)).then(|| format!("{model}: no witness"))
}

fn agree(config: &Config, seeds: std::ops::Range<u64>) {
    let mut kinds = [0; 2];
    for seed in seeds {
        let program = generate::program(config, seed);
        for model in [Model::Tso, Model::Pso] {
            if let Some(first) = complaint(&program, model) {
                let small = shrink(&program, &mut |p| complaint(p, model).is_some());
                let last = complaint(&small, model).unwrap_or(first);
                panic!("seed {seed}: {last}\n{}", text::print(&small));
            }
            let answer = robust(&program, model, &limits(), None);
            kinds[usize::from(answer.robust == Some(true))] += 1;
        }
    }
    // A test that sees one kind only says little.
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
}

#[test]
fn memory() {
    agree(&Config::memory(), seeds(600));
}

#[test]
fn c11() {
    agree(&Config::c11(), seeds(300));
}

#[test]
fn more_threads() {
    let config = Config { threads: 3..=4, instructions: 1..=3, ..Config::memory() };
    agree(&config, seeds(200));
}

#[test]
fn synchronised() {
    agree(&Config::synchronised(), seeds(200));
}

#[test]
fn waiting() {
    agree(&Config::waiting(), seeds(200));
}

#[test]
fn litmus_tests_of_x86() {
    let Some(corpus) = Corpus::open("x86") else { return };
    let mut complaints = Vec::new();
    for path in corpus.files() {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).expect("a test that can be read");
        let program = raddle_front_litmus::load(&name, &bytes).expect("a good test").program;
        let models = [Model::Tso, Model::Pso];
        let wrong = models.into_iter().filter_map(|model| complaint(&program, model));
        complaints.extend(wrong.map(|wrong| format!("{name}: {wrong}")));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// A program of threads that each run some lines over `%r: i32`.
fn threads(items: &str, bodies: &[String]) -> Program {
    let mut source = format!("{items}\n");
    for (n, body) in bodies.iter().enumerate() {
        source.push_str(&format!(
            "thread t{n} = @t{n}()\nfunc @t{n}() {{\nreg %r: i32, %h: i16, %b: i8\nentry:\n{body}ret\n}}\n"
        ));
    }
    let program = text::parse_bytes("test.rir", source.as_bytes());
    program.unwrap_or_else(|wrong| panic!("{}: {}\n{source}", wrong.line, wrong.message))
}

/// Loads and stores of one to four bytes of two words, so that many overlap in part.
fn overlapping(seed: u64) -> Program {
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

/// The oracle does not know these; the ways must agree all the same. The monitor may say that it
/// cannot tell, and leaves it to the cycles.
#[test]
fn accesses_of_different_sizes() {
    let mut told = [0; 2];
    for seed in seeds(400) {
        let program = overlapping(seed);
        for model in [Model::Tso, Model::Pso] {
            let answers = WAYS.map(|by| robust(&program, model, &limits(), Some(by)));
            let [monitor, cycles, count] = answers.each_ref().map(|answer| answer.robust);
            let text = || format!("{seed} {model}\n{}", text::print(&program));
            assert!(cycles.is_some() && cycles == count, "{cycles:?} {count:?} {}", text());
            let default = robust(&program, model, &limits(), None).robust;
            assert_eq!(default, cycles, "{}", text());
            match monitor {
                None => assert_eq!(answers[0].gaps, [Gap::Mixed], "{}", text()),
                known => assert_eq!(known, cycles, "{}", text()),
            }
            told[usize::from(monitor.is_some())] += 1;
        }
    }
    assert!(told[1] > 3 * told[0], "{told:?}");
}

/// A load that the buffer served comes before what overwrites the bytes that it read, not before what
/// overwrites others of the same store.
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

/// A load that the newest store in the buffer covers is served by that, whatever older ones cover.
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
fn figure_6_program() -> Program {
    let first = lines(&["store i32 asm @a, 1", "%r = load i32 asm @a", "%r = load i32 asm @b"]);
    let second = ["store i32 asm @b, 1", "store i32 asm @a, 2", "%r = rmw add i32 asm @c, 1"];
    threads(ABC, &[first, lines(&second) + "%r = load i32 asm @a\n"])
}

#[test]
fn figure_6() {
    for model in [Model::Tso, Model::Pso] {
        assert_eq!(complaint(&figure_6_program(), model), None);
        let answer = robust(&figure_6_program(), model, &limits(), None);
        assert_eq!(answer.robust, Some(false));
    }
}

/// Figure 7: the trace of that program in which the first store waits until the other thread's last has
/// left, and its cycle. Each way to find it shows this one.
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

/// Figure 8: the monitor of the paper finds it on some runs and not on others, the search in any case.
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
        assert_eq!(complaint(&program, Model::Tso), None);
        assert_eq!(robust(&program, Model::Tso, &limits(), None).robust, Some(false));
    }
    let program = threads(ABC, &bodies);
    let runs = Runs { seed: 1, runs: 200, interlocked: Interlocked::Drains, limits: limits() };
    let sampled = sample(&program, Model::Tso, &runs);
    assert!(sampled.violating > 0 && sampled.violating < sampled.runs, "{}", sampled.violating);
}

/// A thread that waits for ever under SC may go on where a store is delayed.
#[test]
fn a_wait_that_only_a_delayed_store_ends() {
    let first = lines(&["store i32 asm @a, 1", "store i32 asm @b, 1"]);
    let second = lines(&["%r = load i32 asm @b", "%r = await eq i32 asm @a, 0"]);
    let program = threads(ABC, &[first, second]);
    assert_eq!(complaint(&program, Model::Pso), None);
    assert_eq!(robust(&program, Model::Pso, &limits(), None).robust, Some(false));
    assert_eq!(robust(&program, Model::Tso, &limits(), None).robust, Some(true));
}
