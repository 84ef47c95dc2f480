//! The programs of paper 003's figures, with the numbers of traces that it gives.

use raddle_engine::{Model, Options, Summary};
use raddle_graph::explore;
use raddle_ir::{Verified, text};

fn program(source: &str) -> Verified {
    text::load("figure.rir", source.as_bytes()).expect("the program parses")
}

fn found(source: &str, model: Model) -> Summary {
    explore(&program(source), &Options { keep_going: true, ..Options::new(model) })
}

/// LB+data.
const FIGURE_2: &str = "
global @x: i32
global @y: i32
thread P = @p()
thread Q = @q()
observe \"r0\" = P %r0
observe \"r1\" = Q %r1
func @p() {
    reg %r0: i32, %v: i32
  entry:
    %r0 = load i32 asm @x
    %v = add i32 %r0, 1
    store i32 asm @y, %v
    ret
}
func @q() {
    reg %r1: i32
  entry:
    %r1 = load i32 asm @y
    store i32 asm @x, 1
    ret
}
";

#[test]
fn figure_2_has_four_traces() {
    let power = found(FIGURE_2, Model::Power);
    let states: Vec<&[u64]> = power.states.iter().map(|(state, _)| state.as_slice()).collect();
    assert_eq!(states, [[0, 0], [0, 1], [1, 0], [1, 2]]);
    assert_eq!((power.executions, power.redundant), (4, 0));
    assert_eq!(found(FIGURE_2, Model::Sc).executions, 3);
}

/// A commit-before order without program order within a location would block here.
const FIGURE_5: &str = "
global @x: i32
global @y: i32
thread P = @p()
thread Q = @q()
observe \"x\" = i32 @x
func @p() {
    reg %r0: i32
  entry:
    %r0 = load i32 asm @y
    store i32 asm @x, %r0
    store i32 asm @x, 2
    ret
}
func @q() {
  entry:
    store i32 asm @x, 3
    fence sync
    store i32 asm @y, 1
    ret
}
";

#[test]
fn figure_5_never_blocks() {
    let power = found(FIGURE_5, Model::Power);
    assert_eq!((power.blocked, power.redundant), (0, 0));
    // If the load reads 0, Q's store has three places; if it reads 1, Q's store comes first.
    assert_eq!(power.executions, 4);
}

#[test]
fn figure_9_has_each_trace_once() {
    let source = "
global @x: i32
thread P = @p()
thread Q = @q()
thread R = @r()
observe \"r\" = P %r
func @p() {
    reg %r: i32
  entry:
    %r = load i32 asm @x
    ret
}
func @q() {
  entry:
    store i32 asm @x, 1
    ret
}
func @r() {
  entry:
    store i32 asm @x, 2
    ret
}
";
    for model in Model::ALL {
        let found = found(source, model);
        assert_eq!(found.states, [(vec![0], 2), (vec![1], 2), (vec![2], 2)], "{model}");
        assert_eq!((found.executions, found.redundant), (6, 0), "{model}");
    }
}

/// SB, in which each thread that reads 0 performs `writes` more stores.
fn figure_11(writes: usize, fence: &str) -> String {
    let thread = |name: &str, mine: &str, other: &str| {
        let stores = "    store i32 asm @z, 1\n".repeat(writes);
        format!(
            "func @{name}() {{\n    reg %r: i32, %c: i1\n  entry:\n    store i32 asm @{mine}, 1\n{fence}\
             \x20   %r = load i32 asm @{other}\n    %c = cmp eq i32 %r, 1\n    br %c, done, go\n\
             \x20 go:\n{stores}    jump done\n  done:\n    ret\n}}\n"
        )
    };
    let globals =
        "global @x: i32\nglobal @y: i32\nglobal @z: i32\nthread P = @p()\nthread Q = @q()\n";
    format!("{globals}{}{}", thread("p", "x", "y"), thread("q", "y", "x"))
}

#[test]
fn figure_11_with_fences_has_three_traces() {
    let found = found(&figure_11(10, "    fence sync\n"), Model::Power);
    assert_eq!((found.executions, found.redundant), (3, 0));
}

#[test]
fn figure_11_without_fences_has_all_orders_of_its_stores() {
    // 20 choose 10, and 3 in which not all stores are performed.
    let long = raddle_testing::is_long();
    let (writes, traces) = if long { (10, 184_759) } else { (6, 924 + 3) };
    let found = found(&figure_11(writes, ""), Model::Power);
    assert_eq!((found.executions, found.redundant), (traces, 0));
}
