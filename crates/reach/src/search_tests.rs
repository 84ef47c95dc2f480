//! A search finds the same with any number of workers, although its levels are divided among them from a few states on.
//! `RADDLE_LONG=1` runs many more programs.

use crate::moves::Move;
use crate::rules::Rules;
use crate::search::{Found, Search, Sharing, Target};
use raddle_engine::Budget;
use raddle_ir::{Verified, text};
use raddle_machine::code::{Op, Pc};
use raddle_machine::{Bounds, Unroll};
use raddle_oracle::campaign::{
    Comparison, compare, compare_seeds, ensure, generated, same, seeded,
};
use raddle_oracle::generate::Config;
use raddle_oracle::{automata, spinning};
use raddle_testing::note;
use std::sync::Arc;

/// Few enough that the levels of small programs are divided, and that the states which need new numbers are.
const SHARING: Sharing = Sharing { large: 4, chunk: 2 };

/// The result of a search, in a form that does not depend on the numbers of states.
#[derive(PartialEq, Debug)]
struct Findings {
    states: u64,
    found: Vec<(Found, Vec<Move>)>,
    notes: String,
    threads_and_objects: (usize, usize),
}

#[derive(Clone, Debug)]
struct Question {
    target: Target,
    all: bool,
    attacks: bool,
    /// Whether all stores are delayed.
    delays: bool,
}

const QUESTIONS: [Question; 4] = [
    Question { target: Target::Failures, all: false, attacks: true, delays: false },
    Question { target: Target::Failures, all: true, attacks: false, delays: true },
    Question { target: Target::Finals, all: true, attacks: false, delays: true },
    Question { target: Target::Rules, all: true, attacks: true, delays: false },
];

fn findings(program: &Verified, question: &Question, workers: usize) -> Findings {
    let bounds =
        Bounds { steps: 100_000, unroll: Unroll::NONE, spin: true, budget: Budget::UNLIMITED };
    let rules = Rules { attacks: question.attacks, cap: 2, ..Rules::default() };
    let new = |rules| Search::new(program, bounds.clone(), rules, question.target, workers);
    let mut search = new(rules.clone()).expect("it starts");
    if question.delays {
        let ops = search.system().machine.code().ops.iter().zip(0..);
        let stores = ops.filter(|(op, _)| matches!(op, Op::Store { .. })).map(|(_, pc)| Pc(pc));
        let delayable = Arc::new(stores.collect());
        search = new(Rules { delayable, ..rules }).expect("it starts");
    }
    if question.all {
        search = search.find_all();
    }
    search.sharing = SHARING;
    let outcome = search.run();
    assert!(outcome.ended.is_none());
    let found = outcome.found.iter().map(|finding| (finding.kind.clone(), search.path(finding)));
    let found = found.collect();
    let notes = (outcome.unsupported, outcome.cut, outcome.undecided, outcome.capped);
    Findings {
        states: outcome.states,
        found,
        notes: format!("{notes:?}"),
        threads_and_objects: search.system().machine.named(),
    }
}

fn finds_the_same(program: &Verified) -> Comparison {
    for question in &QUESTIONS {
        let alone = findings(program, question, 1);
        for workers in [2, 3, 8] {
            let shared = findings(program, question, workers);
            same(format!("{question:?} by {workers} workers"), &shared, &alone)?;
        }
    }
    Ok(())
}

#[test]
fn any_number_of_workers_finds_the_same() {
    for config in [Config::memory(), Config::c11(), Config::synchronised(), Config::waiting()] {
        compare(generated(&config, 12), finds_the_same);
    }
    compare(seeded(25, spinning::program), finds_the_same);
    compare_seeds(20, |seed| {
        let source = automata::source(seed);
        let program = raddle_front_automata::load("g.aut", source.as_bytes()).expect("well-formed");
        finds_the_same(&program)
    });
}

/// A program whose threads start others and allocate, each in an order of its own, and look at each other's objects.
fn naming(seed: u64) -> Verified {
    let bit = |n: u64| seed >> n & 1;
    let mut source = String::from(
        "global @x: i32\nglobal @list: ptr\nthread_local global @own: i32\nthread main = @main()\n",
    );
    let take = |n: u64| match bit(n) {
        0 => "%p = malloc 8",
        _ => "%p = alloca 8",
    };
    source.push_str(&format!(
        "func @leaf(%me: i32) {{
    reg %v: i32, %p: ptr, %q: ptr, %c: i1
  entry:
    %v = load i32 asm @x
    %c = cmp {} i32 %v, 0
    br %c, one, two
  one:
    {}
    store i32 asm %p, %me
    store ptr asm @list, %p
    jump two
  two:
    store i32 asm @own, %me
    %p = malloc 4 zeroed
    store i32 asm %p, %me
    %q = load ptr asm @list
    %c = cmp ult ptr %p, %q
    %v = select i32 %c, %me, 0
    store i32 asm @x, %v
    ret
}}
",
        if bit(0) == 0 { "eq" } else { "ne" },
        take(1),
    ));
    let start = |n: u64| format!("%t = spawn @leaf({n})");
    let second = if bit(2) == 0 { start(2) } else { String::new() };
    source.push_str(&format!(
        "func @mid(%me: i32) {{
    reg %t: i64, %v: i32, %c: i1
  entry:
    %v = load i32 asm @x
    %c = cmp eq i32 %v, %me
    br %c, more, out
  more:
    {}
    jump out
  out:
    {}
    join %t
    ret
}}
func @main() {{
    reg %t: i64, %u: i64, %v: i32, %c: i1
  entry:
    %u = spawn @mid(1)
    {second}
    store i32 asm @x, {}
    join %u
    %v = load i32 asm @x
    %c = cmp ne i32 %v, {}
    assert %c, \"it is another one\"
    ret
}}
",
        start(3),
        start(4),
        1 + bit(3),
        1 + bit(4),
    ));
    text::load("names.rir", source.as_bytes())
        .unwrap_or_else(|problem| panic!("{problem:?}\n{source}"))
}

/// Numbers of threads and objects are values of the program, and it compares them. They do not depend on who was first.
#[test]
fn threads_and_objects_have_the_same_numbers() {
    let mut failing = 0;
    compare(seeded(32, naming), |program| {
        finds_the_same(program)?;
        let found = findings(program, &QUESTIONS[0], 2);
        failing += u64::from(!found.found.is_empty());
        let (threads, objects) = found.threads_and_objects;
        ensure(threads >= 3 && objects >= 6, || format!("{threads} threads, {objects} objects"))
    });
    note(&format!("{failing} fail"));
    assert!(failing > 4, "{failing} fail");
}
