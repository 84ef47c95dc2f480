//! Threads that start and end.

use crate::options;
use raddle_engine::Model;
use raddle_ir::text;
use raddle_reach::{Answer, Unknown, final_states, reach};

/// After a join, the joining thread starts another thread, which must be run to its first operation.
#[test]
fn a_joiner_may_spawn() {
    let source = r#"
global @x: i32
thread main = @main()
func @set(%n: i32) {
    reg %zero: i1, %seen: i32
  entry:
    %zero = cmp eq i32 %n, 0
    br %zero, write, look
  write:
    store i32 asm @x, 1
    ret
  look:
    %seen = load i32 asm @x
    %zero = cmp eq i32 %seen, 1
    assert %zero, "it was written before"
    %zero = cmp eq i32 %seen, 0
    assert %zero, "found"
    ret
}
func @main() {
    reg %t: i64
  entry:
    %t = spawn @set(0)
    join %t
    %t = spawn @set(1)
    join %t
    ret
}
"#;
    let program = text::load("joins.rir", source.as_bytes()).expect("it parses");
    for model in [Model::Sc, Model::Tso] {
        let answer = reach(&program, &options(model)).answer;
        let Answer::Reachable(witness) = answer else { panic!("{answer:?}") };
        let message = format!("{:?}", witness.end);
        assert!(message.contains("found"), "{message}");
    }
}

/// The thread that ends the program keeps its registers, and the other threads stay where they wait.
#[test]
fn the_end_of_the_program_is_final() {
    let source = "global @x: i32
thread t = @f()
thread u = @g()
observe r = t %r
observe x = i32 @x
func @f() {
    reg %r: i32, %v: i32
  entry:
    %r = move i32 7
    %v = await eq i32 relaxed @x, 1
    halt
    unreachable
}
func @g() {
    reg %v: i32
  entry:
    store i32 relaxed @x, 1
    %v = await eq i32 relaxed @x, 2
    ret
}
";
    let program = text::load("halt.rir", source.as_bytes()).expect("it parses");
    for model in [Model::Sc, Model::Tso] {
        let found = final_states(&program, &options(model));
        let states: Vec<Vec<u64>> = found.states.into_iter().map(|state| state.values).collect();
        assert_eq!((states, found.unknown), (vec![vec![7, 1]], None), "{model}");
    }
}

/// The other thread still runs a loop when the program ends. Its registers are not known, so the final state
/// is undecided.
#[test]
fn loops_after_the_end_of_the_program_are_undecided() {
    let source = "global @x: i32
global @y: i32
thread t = @f()
thread u = @g()
observe r = u %r
func @f() {
    reg %v: i32
  entry:
    %v = await eq i32 asm @y, 1
    halt
    unreachable
}
func @g() {
    reg %r: i32, %v: i32, %c: i1
  entry:
    %r = move i32 7
    store i32 asm @y, 1
    jump spin
  spin:
    %v = load i32 asm @x
    %c = cmp eq i32 %v, 0
    br %c, spin, out
  out:
    ret
}
";
    let program = text::load("loop.rir", source.as_bytes()).expect("it parses");
    for model in [Model::Sc, Model::Tso] {
        let found = final_states(&program, &options(model));
        assert!(matches!(found.unknown, Some(Unknown::Waiting(_))), "{model}: {:?}", found.unknown);
    }
}

/// A loop that counts to its end delays its stores in one go: the other thread need not act between them.
#[test]
fn stores_in_a_loop_that_ends_are_delayed_together() {
    let thread = |mine: &str, other: &str| {
        format!(
            "global @{mine}: i32
thread {mine} = @write_{mine}()
func @write_{mine}() {{
    reg %n: i32, %c: i1, %v: i32, %d: i1
  entry:
    %n = move i32 0
    jump head
  head:
    %c = cmp ult i32 %n, 8
    br %c, body, out
  body:
    %n = add i32 %n, 1
    store i32 asm @{mine}, %n
    jump head
  out:
    %v = load i32 asm @{other}
    %d = cmp ule i32 %v, 8
    assert %d, \"the number of a round\"
    ret
}}
"
        )
    };
    let source = thread("x", "y") + &thread("y", "x");
    let program = text::load("rounds.rir", source.as_bytes()).expect("it parses");
    let found = reach(&program, &options(Model::Tso));
    assert_eq!(found.answer, Answer::Unreachable);
    assert!(found.effort.states < 2_000, "{} states", found.effort.states);
}
