//! Persistent sets, paper 002 (Zhang, Kusano, Wang, *Dynamic Partial Order Reduction for Relaxed Memory
//! Models*, PLDI 2015): the executions of its figures, and its differences from the other reductions.

use crate::MODELS;
use crate::common;
use raddle_engine::{Model, Strategy, Summary};

use common::{checked, ends_in, run, threads};

use raddle_ir::Verified;

const CELLS: &str = "global @x: i32\nglobal @y: i32\nglobal @z: i32";

/// The answer by persistent sets, after all checks of [`checked`].
fn persistent(program: &Verified, model: Model) -> Summary {
    checked(program, model);
    run(program, model, Strategy::Persistent)
}

/// Figure 1 and section 2.2: of 6 runs under SC and 24 under TSO, 3 and 4 remain.
#[test]
fn figure_1_has_four_executions_under_tso() {
    let bodies =
        ["store i32 asm @x, 1\n%r = load i32 asm @y", "store i32 asm @y, 1\n%s = load i32 asm @x"];
    let program = threads(CELLS, &bodies);
    let interleavings =
        [Model::Sc, Model::Tso].map(|model| run(&program, model, Strategy::Exhaustive).executions);
    assert_eq!(interleavings, [6, 24]);
    let left = MODELS.map(|model| persistent(&program, model).executions);
    assert_eq!(left, [3, 4, 4]);
}

/// Figure 2: under PSO the store to the flag may overtake the store to the data.
#[test]
fn figure_2_has_three_executions_under_pso() {
    let reader = "%r = load i32 asm @y\n%ok = cmp eq i32 %r, 1\nbr %ok, seen, done\n\
                  seen:\n%s = load i32 asm @x\n%ok = cmp ne i32 %s, 0\nassert %ok, \"too early\"\n\
                  jump done\ndone:\nret";
    let program = threads(CELLS, &["store i32 asm @x, 1\nstore i32 asm @y, 1", reader]);
    let found = MODELS.map(|model| persistent(&program, model));
    assert_eq!(found.each_ref().map(|summary| summary.failures.len()), [0, 0, 1]);
    assert_eq!(found.map(|summary| summary.executions), [2, 2, 3]);
}

/// Definition 3, taken literally, would order each thread's two loads after its own update.
#[test]
fn loads_are_served_by_the_buffer() {
    let bodies = [
        "store i32 asm @x, 1\n%r = load i32 asm @x\n%s = load i32 asm @y",
        "store i32 asm @y, 1\n%r = load i32 asm @y\n%s = load i32 asm @x",
    ];
    let program = threads(CELLS, &bodies);
    for model in [Model::Tso, Model::Pso] {
        assert!(ends_in(&persistent(&program, model), &[1, 0, 1, 0]), "{model}");
    }
}

/// The event between the two events of a race is not needed to reach the later one. A set E without it is
/// smaller, but the search then starts an execution that source sets would avoid.
#[test]
fn more_is_begun_and_given_up_than_with_source_sets() {
    let loop_free = [
        "store i32 asm @x, 1",
        "%r = load i32 asm @y\nstore i32 asm @x, 2",
        "store i32 asm @y, 1\nstore i32 asm @z, 1",
        "%r = load i32 asm @z\n%s = load i32 asm @x",
    ];
    let program = threads(CELLS, &loop_free);
    let [source, persistent] = [Strategy::Source, Strategy::Persistent]
        .map(|strategy| run(&program, Model::Tso, strategy));
    assert_eq!(persistent.executions, source.executions);
    assert!(persistent.redundant > source.redundant);
}
