//! Seeded random automata with loops, as text in Trencher's format.
//!
//! Two or three threads with a few states, over two or three addresses and values below four, so that
//! the number of states is finite. Some loops store without ever waiting.

use fastrand::Rng;
use std::fmt::Write;

/// The automata of a seed. Every thread has a goal state; the goal is that all threads are there at once.
pub fn source(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let threads = if rng.u32(..4) == 0 { 3 } else { 2 };
    // Half of them first raise a flag and finally read the flag of the other thread, with random code between.
    let flags = rng.bool();
    let mut out = String::from("memory_size 3\n");
    let mut goal = String::from("goal");
    for thread in 0..threads {
        let states = rng.u32(4..=if threads == 3 { 4 } else { 6 });
        // Writing to a string cannot fail.
        let _ = writeln!(out, "thread t{thread}\ninitial q0");
        for state in 0..states - 1 {
            let forward = match states - state {
                _ if !flags => instruction(&mut rng),
                2 => "check == r 0".to_owned(),
                3 => format!("read r {}", 1 - thread % 2),
                _ if state == 0 => format!("write 1 {}", thread % 2),
                _ => instruction(&mut rng),
            };
            let _ = writeln!(out, "transition q{state} q{} {forward}", state + 1);
            if rng.u32(..3) == 0 {
                let to = rng.u32(..states);
                let _ = writeln!(out, "transition q{state} q{to} {}", instruction(&mut rng));
            }
        }
        if rng.bool() {
            let to = rng.u32(..states - 1);
            let _ = writeln!(out, "transition q{} q{to} {}", states - 1, instruction(&mut rng));
        }
        let _ = writeln!(out, "end");
        let _ = write!(goal, " t{thread} q{}", states - 1);
    }
    format!("{out}{goal}\n")
}

fn instruction(rng: &mut Rng) -> String {
    let address = |rng: &mut Rng| match rng.u32(..8) {
        0 => "& r 1".to_owned(),
        _ => rng.u32(..2).to_string(),
    };
    let register = |rng: &mut Rng| if rng.bool() { "r" } else { "s" };
    match rng.u32(..16) {
        0..5 => format!("write {} {}", rng.u32(..3), address(rng)),
        5 => format!("write & + {} 1 3 {}", register(rng), address(rng)),
        6..11 => format!("read {} {}", register(rng), address(rng)),
        11 | 12 => {
            let op = ["==", "!=", "<"][rng.usize(..3)];
            format!("check {op} {} {}", register(rng), rng.u32(..3))
        }
        13 => format!("local {} & + s 1 3", register(rng)),
        14 => ["mfence", "noop"][rng.usize(..2)].to_owned(),
        _ => ["lock", "unlock"][rng.usize(..2)].to_owned(),
    }
}
