//! The parametric programs of paper 004, section 5.1: figures 7, 8 and 9.
//!
//! `RADDLE_LONG=1` runs the largest programs of the paper.

use raddle_engine::{Model, Options};
use raddle_front_automata::load;
use raddle_ir::Verified;
use raddle_reach::{Answer, Effort, Robust, reach, robust};
use raddle_testing::is_long;
use std::fmt::Write;

fn program(text: &str) -> Verified {
    load("family.aut", text.as_bytes()).unwrap_or_else(|problem| panic!("{problem:?}\n{text}"))
}

fn options(model: Model) -> Options {
    let mut options = crate::options(model);
    options.limits.workers = 2;
    options
}

fn tell(effort: &Effort) {
    println!(
        "{} queries, {} states, {:.0} bytes each, {:.0} a second",
        effort.queries,
        effort.states,
        effort.bytes_per_state(),
        effort.states_per_second()
    );
}

fn is_unreachable(text: &str, model: Model) {
    let asked = reach(&program(text), &options(model));
    assert_eq!(asked.answer, Answer::Unreachable);
    tell(&asked.effort);
}

/// Checks that the goal is reachable under TSO; returns the effort.
fn is_reachable(text: &str) -> Effort {
    let found = reach(&program(text), &options(Model::Tso));
    assert!(matches!(found.answer, Answer::Reachable(_)), "{:?}", found.answer);
    tell(&found.effort);
    found.effort
}

/// Checks that the goal is unreachable under SC and reachable under TSO; returns the effort under TSO.
fn only_under_tso(text: &str) -> Effort {
    is_unreachable(text, Model::Sc);
    is_reachable(text)
}

/// Figure 7: Lamport's fast mutex. `x` is at 0, `y` at 1, `b[i]` at 1 + i.
fn lamport(threads: u32) -> String {
    let mut text = String::new();
    for i in 1..=threads {
        let _ = writeln!(text, "thread t{i}\ninitial idle");
        let _ = writeln!(text, "transition idle raised write 1 {}", 1 + i);
        let _ = writeln!(text, "transition raised first write {i} 0");
        let _ = writeln!(text, "transition first seen read y 1");
        let _ = writeln!(text, "transition seen free check == y 0");
        let _ = writeln!(text, "transition seen away check != y 0");
        let _ = writeln!(text, "transition away away2 write 0 {}", 1 + i);
        let _ = writeln!(text, "transition away2 wait read y 1");
        let _ = writeln!(text, "transition wait idle check == y 0");
        let _ = writeln!(text, "transition wait away2 check != y 0");
        let _ = writeln!(text, "transition free second write {i} 1");
        let _ = writeln!(text, "transition second back read x 0");
        let _ = writeln!(text, "transition back crit check == x {i}");
        let _ = writeln!(text, "transition back slow check != x {i}");
        let _ = writeln!(text, "transition slow look1 write 0 {}", 1 + i);
        for j in 1..=threads {
            let _ = writeln!(text, "transition look{j} saw{j} read b {}", 1 + j);
            let _ = writeln!(text, "transition saw{j} look{j} check b");
            let _ = writeln!(text, "transition saw{j} look{} check ! b", j + 1);
        }
        let last = threads + 1;
        let _ = writeln!(text, "transition look{last} lost read y 1");
        let _ = writeln!(text, "transition lost crit check == y {i}");
        let _ = writeln!(text, "transition lost wait check != y {i}");
        let _ = writeln!(text, "transition crit leave write 0 1");
        let _ = writeln!(text, "transition leave idle write 0 {}", 1 + i);
        let _ = writeln!(text, "end\n");
    }
    text.push_str("goal t1 crit t2 crit\n");
    text
}

/// The same with a fence before each read that follows a write.
fn with_fences(lamport: &str) -> String {
    let mut text = String::new();
    for line in lamport.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["transition", from @ ("first" | "away2" | "second" | "look1"), to, "read", ..] => {
                let rest = words[3..].join(" ");
                let _ = writeln!(text, "transition {from} fenced_{from} mfence");
                let _ = writeln!(text, "transition fenced_{from} {to} {rest}");
            }
            _ => text.extend([line, "\n"]),
        }
    }
    text
}

/// Figure 8: Dekker's core with a diamond of branches over other addresses between its accesses.
fn diamond(branches: u32) -> String {
    let mut text = String::new();
    for (me, mine, other, way) in [("t1", 0, 1, 2), ("t2", 1, 0, 3)] {
        let _ = writeln!(text, "thread {me}\ninitial start");
        let _ = writeln!(text, "transition start d0 write 1 {mine}");
        for n in 0..branches {
            let _ = writeln!(text, "transition d{n} left{n} read r {way}");
            let _ = writeln!(text, "transition d{n} right{n} read s {way}");
            let _ = writeln!(text, "transition left{n} d{} noop", n + 1);
            let _ = writeln!(text, "transition right{n} d{} noop", n + 1);
        }
        let _ = writeln!(text, "transition d{branches} seen read v {other}");
        let _ = writeln!(text, "transition seen crit check == v 0");
        let _ = writeln!(text, "end\n");
    }
    text.push_str("goal t1 crit t2 crit\n");
    text
}

/// Figure 9: a loop of `length` stores, which stores the other value in each round. The second thread must read
/// one value and then the other, after the first thread has read `y`.
fn round_trip(length: u32) -> String {
    let mut text = String::from("thread t1\ninitial l0\n");
    for n in 0..length {
        let _ = writeln!(text, "transition l{n} l{} write ! r 0", n + 1);
    }
    let _ = writeln!(text, "transition l{length} l0 local r ! r");
    let _ = writeln!(text, "transition l{length} look noop");
    let _ = writeln!(text, "transition look seen read v 1");
    let _ = writeln!(text, "transition seen goal check == v 0");
    text.push_str("end\n\nthread t2\ninitial start\n");
    for line in [
        "start wrote write 1 1",
        "wrote fenced mfence",
        "fenced one read w 0",
        "one again check == w 1",
        "again zero read w 0",
        "zero goal check == w 0",
    ] {
        let _ = writeln!(text, "transition {line}");
    }
    text.push_str("end\n\ngoal t1 goal t2 goal\n");
    text
}

/// The violation under TSO is found without a search of all states under SC.
#[test]
fn lamport_with_more_and_more_threads() {
    for threads in 2..=6 {
        is_reachable(&lamport(threads));
    }
    for threads in 2..=if is_long() { 5 } else { 3 } {
        is_unreachable(&lamport(threads), Model::Sc);
    }
}

/// With fences the mutex is robust, and the search under TSO visits no more states than under SC.
#[test]
fn lamport_with_fences() {
    for threads in 2..=if is_long() { 5 } else { 3 } {
        let fenced = with_fences(&lamport(threads));
        let sc = reach(&program(&fenced), &options(Model::Sc)).effort;
        let tso = reach(&program(&fenced), &options(Model::Tso));
        assert_eq!((tso.answer, tso.effort.states), (Answer::Unreachable, sc.states));
        assert_eq!(robust(&program(&fenced), &options(Model::Tso)).verdict, Robust::Robust);
    }
}

#[test]
fn dekker_with_a_diamond() {
    for branches in [1, 10, 50] {
        only_under_tso(&diamond(branches));
    }
}

/// The number of queries does not depend on the length of the loop.
#[test]
fn a_loop_that_is_gone_through_twice() {
    for length in [1, 2, 10, 50] {
        assert_eq!(only_under_tso(&round_trip(length)).queries, 2, "{length}");
    }
}
