//! Every judge of fences and every search finds the failures that `check` finds. There is one program for
//! each kind of failure; it fails only if two stores are delayed.

use crate::{by_states, question};
use raddle_analysis::fence::{Outcome, Target, between_lines, fences};
use raddle_analysis::reach::reach;
use raddle_analysis::{Verdict, check};
use raddle_engine::{Model, Options, Strategy};
use raddle_ir::{Verified, text};

/// Two threads each store to their own flag and load the other's; if both load 0, a third thread runs
/// `failing`.
fn program(failing: &str) -> Verified {
    let thread = |n: u32, own: &str, other: &str| {
        format!(
            "func @t{n}() {{\n reg %r: i32\n entry:\n store i32 @{own}, 1\n %r = load i32 @{other}\n \
             store i32 @r{n}, %r\n store i32 @done{n}, 1\n ret\n}}\n"
        )
    };
    let source = format!(
        "global @x: i32\nglobal @y: i32\nglobal @z: i32\nglobal @l: i32\nglobal @r0: i32 = 1\n\
         global @r1: i32 = 1\nglobal @done0: i32\nglobal @done1: i32\n\
         thread t0 = @t0()\nthread t1 = @t1()\nthread t2 = @judge(0)\n{}{}\
         func @reads() -> i32 {{\n reg %r: i32\n entry:\n %r = load i32 @z\n ret %r\n}}\n\
         func @judge(%null: ptr) {{\n reg %r: i32, %s: i32, %c: i1, %p: ptr\n entry:\n \
         %r = await eq i32 @done0, 1\n %r = await eq i32 @done1, 1\n %r = load i32 @r0\n \
         %s = load i32 @r1\n %r = or i32 %r, %s\n %c = cmp eq i32 %r, 0\n br %c, bad, good\n \
         good:\n ret\n bad:\n{failing}\n}}\n",
        thread(0, "x", "y"),
        thread(1, "y", "x"),
    );
    text::load("t.rir", source.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

const FAILURES: [(&str, &str); 14] = [
    ("assertion", " assert 0\n ret"),
    ("a lock that it holds", " lock @l\n lock @l\n ret"),
    ("a value that never comes", " %r = await eq i32 @z, 1\n ret"),
    ("an exchange that never comes", " %r = rmw xchg i32 asm @z, 1 when eq 1\n ret"),
    (
        "a loop that waits",
        " jump head\n head:\n %r = load i32 @z\n %c = cmp eq i32 %r, 0\n br %c, head, good",
    ),
    (
        "a loop that waits for what a function reads",
        " jump head\n head:\n %r = call @reads()\n %c = cmp eq i32 %r, 0\n br %c, head, good",
    ),
    (
        "a loop that keeps what it read",
        " %r = move i32 0\n jump head\n head:\n %c = cmp eq i32 %r, 0\n br %c, again, good\n \
         again:\n %r = load i32 @z\n jump head",
    ),
    (
        "a lock by exchange that nobody gives back",
        " store i32 seq_cst @z, 1\n jump head\n head:\n %r = rmw xchg i32 seq_cst @z, 1\n \
         %c = cmp ne i32 %r, 0\n br %c, head, good",
    ),
    ("memory", " %r = load i32 %null\n ret"),
    ("misuse of a lock", " unlock @l\n ret"),
    ("division by zero", " %r = sdiv i32 1, 0\n ret"),
    ("unreachable", " unreachable"),
    ("misuse of a thread", " join 77\n ret"),
    ("abort", " fail abort \"gives up\"\n unreachable"),
];

#[test]
fn searches_see_every_failure() {
    for (name, failing) in FAILURES {
        let program = program(failing);
        for (model, expected) in [(Model::Sc, Verdict::Safe), (Model::Tso, Verdict::Violation)] {
            for strategy in [Strategy::Optimal, Strategy::Lazy] {
                let verdict = check(&program, &Options::new(model).by(strategy)).verdict;
                assert_eq!(verdict, expected, "{name} under {model} by {strategy:?}");
            }
        }
        for (model, expected) in [(Model::Sc, false), (Model::Tso, true)] {
            assert_eq!(reach(&program, &by_states(model)).reachable, Some(expected), "{name}");
        }
    }
}

#[test]
fn judges_of_fences_see_every_failure() {
    for (name, failing) in FAILURES {
        let program = program(failing);
        for model in [Model::Tso, Model::Pso] {
            for target in [Target::Goals, Target::Robust] {
                match fences(&program, &question(model, target), between_lines).outcome {
                    Outcome::Fences(found) if found.len() >= 2 => {}
                    other => panic!("{name} against {model:?}, {target:?}: {other:?}"),
                }
            }
        }
    }
}
