//! The parametric automata of paper 004, section 5, as text in Trencher's format.
//!
//! The goal of each is reachable under TSO and not under SC.

use std::fmt::Write;

/// A family with one parameter.
#[derive(Clone, Copy, Debug)]
pub struct AutomataFamily {
    pub name: &'static str,
    pub source: fn(u32) -> String,
}

pub const FAMILIES: [AutomataFamily; 3] = [
    AutomataFamily { name: "lamport", source: lamport },
    AutomataFamily { name: "diamond", source: diamond },
    AutomataFamily { name: "loop", source: long_loop },
];

/// Lamport's fast lock for `n` threads (figure 7): x is cell 0, y is cell 1.
pub fn lamport(n: u32) -> String {
    let mut out = String::new();
    for i in 1..=n {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "thread t{i}\ninitial idle\ntransition idle first write {i} 0\n\
             transition first seen read y 1\ntransition seen idle check != y 0\n\
             transition seen free check == y 0\ntransition free second write {i} 1\n\
             transition second back read x 0\ntransition back crit check == x {i}\n\
             transition back slow check != x {i}\ntransition slow lost read y 1\n\
             transition lost idle check != y {i}\ntransition crit idle write 0 1\nend\n"
        );
    }
    out + "goal t1 crit t2 crit\n"
}

/// Two threads that each raise a flag and then read the flag of the other, with `n` alternative paths in
/// between, each of which stores and loads other cells (figure 8): the flags are cells 0 and 1, the others 2
/// and 3.
pub fn diamond(n: u32) -> String {
    let mut out = String::new();
    for i in 0..2 {
        let _ = write!(out, "thread t{i}\ninitial start\ntransition start fork write 1 {i}\n");
        for way in 0..n {
            let _ = write!(
                out,
                "transition fork way{way} write {way} 2\ntransition way{way} join read b 3\n"
            );
        }
        let other = 1 - i;
        let _ = write!(
            out,
            "transition join seen read r {other}\ntransition seen crit check == r 0\nend\n"
        );
    }
    out + "goal t0 crit t1 crit\n"
}

/// One thread runs a loop of `n` stores to x any number of times and then reads y as 0. The other
/// stores to y and then sees the second store of the loop before the first
/// (figure 9): x is cell 0, y is cell 1. All stores of two rounds have to wait in the buffer.
pub fn long_loop(n: u32) -> String {
    let n = n.max(2);
    let mut out = String::from("thread t0\ninitial loop0\n");
    for at in 0..n {
        let _ = writeln!(out, "transition loop{at} loop{} write {at} 0", at + 1);
    }
    let _ = write!(
        out,
        "transition loop{n} loop0 noop\ntransition loop{n} seen read r 1\n\
         transition seen end check == r 0\nend\n\
         thread t1\ninitial start\ntransition start one write 1 1\ntransition one first read r 0\n\
         transition first two check == r 1\ntransition two second read r 0\n\
         transition second end check == r 0\nend\n"
    );
    out + "goal t0 end t1 end\n"
}
