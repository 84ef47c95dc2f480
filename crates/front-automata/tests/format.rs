//! Accepted input, rejected input, and the translation of states.

use raddle_front_automata::{load, lower, parse_bytes};
use raddle_ir::verify::errors;
use raddle_ir::{Diagnostic, InstKind, Program, Verified};

fn program(source: &str) -> Verified {
    load("t.aut", source.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// The program, whether it is well-formed or not.
fn lowered(bytes: &[u8]) -> Result<Program, Diagnostic> {
    lower("m.aut", &parse_bytes("m.aut", bytes)?)
}

/// One thread with these transitions.
fn thread(transitions: &str) -> String {
    format!("thread t\ninitial a\n{transitions}\nend\n")
}

#[track_caller]
fn refused(source: &str, message: &str) {
    let error = load("t.aut", source.as_bytes()).expect_err("it is refused").to_string();
    assert!(error.contains(message), "{error}");
}

fn count(program: &Program, wanted: fn(&InstKind) -> bool) -> usize {
    let blocks = program.funcs.values().flat_map(|func| func.blocks.values());
    blocks.flat_map(|block| &block.insts).filter(|inst| wanted(&inst.kind)).count()
}

fn is_choice(inst: &InstKind) -> bool {
    matches!(inst, InstKind::Choose { .. })
}

fn is_assumption(inst: &InstKind) -> bool {
    matches!(inst, InstKind::Assume { .. })
}

#[test]
fn every_instruction_and_operator_is_read() {
    let source = "# a comment\nmemory_size 6\nthread t # another\ninitial a
        transition a b write + - * & 1 2 3 4 5 0
        transition b c read r + r 1
        transition c d local r ! && || == r 1 != r 2 < r 3
        # inside of a thread
        transition d e check <= >= > r 1 0 1
        transition e f mfence\ntransition f g noop\ntransition g h lock\ntransition h a unlock
        end\ngoal t h";
    let program = program(source);
    assert_eq!(program.globals.values().next().map(|g| g.size), Some(24));
    assert!(program.memory_lock.is_some());
    assert_eq!(program.goals.len(), 1);
}

#[test]
fn checks_that_exclude_each_other_need_no_choice() {
    let states = |checks: &str| program(&thread(&format!("transition a b read r 0\n{checks}")));
    let two = states("transition b c check == r 0\ntransition b a check != r 0");
    assert_eq!((count(&two, is_choice), count(&two, is_assumption)), (0, 0));
    let two = states("transition b c check == r 0\ntransition b a check == r 1");
    assert_eq!((count(&two, is_choice), count(&two, is_assumption)), (0, 1));
    let two = states("transition b c check >= r 0\ntransition b a check <= r 0");
    assert_eq!((count(&two, is_choice), count(&two, is_assumption)), (1, 1));
    let two = states("transition b c check r\ntransition b a check ! r");
    assert_eq!((count(&two, is_choice), count(&two, is_assumption)), (0, 0));
    let open = states("transition b c noop\ntransition b a write 1 0\ntransition b d mfence");
    assert_eq!((count(&open, is_choice), count(&open, is_assumption)), (1, 0));
}

#[test]
fn the_lock_is_tracked_only_where_states_do_not_tell() {
    let section = "transition a b lock\ntransition b c write 1 0\ntransition c a unlock";
    assert_eq!(count(&program(&thread(section)), is_assumption), 0);
    let twice = thread("transition a b lock\ntransition b c lock");
    assert_eq!(count(&program(&twice), is_assumption), 1);
    let either = thread(&format!("{section}\ntransition a c noop"));
    assert_eq!(count(&program(&either), is_assumption), 1);
}

#[test]
fn final_states_are_goals_of_all_threads_at_once() {
    let one = "initial a\nfinal b\nfinal c\ntransition a b noop\ntransition a c noop\nend\n";
    let source = format!("thread t {one} thread u {one}thread v\ninitial a\nend");
    let program = program(&source);
    assert_eq!(program.goals.len(), 4);
    assert!(program.goals.iter().all(|goal| goal.places.len() == 2));
}

#[test]
fn what_is_wrong_is_said() {
    refused("", "the file has no threads");
    refused("thread", "the file ends too early; expected a thread's name");
    refused("thread t\nend", "t.aut:1:8: error: the thread t has no initial state");
    refused("thread t\ninitial a\ninitial b\nend", "t.aut:3:1: error: a second initial state");
    refused(&thread("transition a b jump"), "unexpected `jump`; expected read, write");
    refused(&thread("transition a b read 1 0"), "unexpected `1`; expected a register");
    refused(&thread("transition a b write 5000000000 0"), "unexpected `5000000000`");
    refused(&thread("transition a b write 1x 0"), "unexpected `1x`");
    refused(&thread("transition a b write 1 - 0 1"), "there is no address -1");
    refused(&format!("memory_size 2\n{}", thread("transition a b read r 2")), "no address 2");
    refused("memory_size 0", "expected a number from 1 to 65536");
    refused(&format!("{0}{0}", thread("")), "there is a thread t already");
    let goal = |goal: &str| format!("{}goal {goal}", thread("transition a b noop"));
    refused(&goal("t"), "this goal is not complete");
    refused(&goal("u a"), "there is no thread u");
    refused(&goal("t z"), "the thread t has no state z");
    refused(&goal("t a t b"), "the goal names the thread t twice");
    let deep = format!("transition a b local r {}0", "! ".repeat(300));
    refused(&thread(&deep), "the expression is nested too deeply");
}

/// These words are not registers. They were once read as registers with the value 0.
#[test]
fn not_every_word_is_a_register() {
    for word in ["((1", "(r", "r)", "r==1", "==r", "r-1", "!r", "-r", "--1", "1r", "&", "=", "=="] {
        refused(&thread(&format!("transition a b check {word}")), "expected");
    }
    for word in ["((1", "r==1", "!", "+", "-1", "end", "r,"] {
        let read = thread(&format!("transition a b read {word} 0"));
        refused(&read, &format!("t.aut:3:21: error: unexpected `{word}`; expected a register"));
    }
    let joined = thread("transition a b check r==1");
    refused(&joined, "(operators stand before their operands, between blanks: == r 1)");
    // A word of the next line is not taken as the missing address.
    refused(&thread("transition a b write 1\ntransition b a noop"), "unexpected `transition`");
    refused(&thread("transition a b check"), "unexpected `end`; expected a register");
    let names = ["r", "r1", "_", "my.r", "r'", "$x", "%r", "σ"];
    for name in names {
        program(&thread(&format!("transition a b read {name} 0")));
    }
}

#[test]
fn bytes_that_mean_nothing_are_refused() {
    let source = include_bytes!("../../../tests/automata/odd.aut");
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..10_000 {
        let mut bytes = source.to_vec();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..bytes.len());
            match rng.u32(..4) {
                0 if bytes.len() > 1 => drop(bytes.remove(at)),
                1 => bytes.truncate(at.max(1)),
                2 => bytes[at] = rng.u8(..),
                _ => bytes.insert(at, b"\r\n\t #-+!0\xff"[rng.usize(..10)]),
            }
        }
        if let Ok(program) = lowered(&bytes) {
            assert_eq!(errors(&program), [], "{}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn how_lines_end_and_words_are_spaced_does_not_matter() {
    let source = include_str!("../../../tests/automata/odd.aut");
    let one_way = program(source);
    let unix = program(&source.replace("\r\n", "\n"));
    assert_eq!(one_way, unix);
    // Goals and comments end with their lines; everything else may be on one line.
    let plain = source.lines().filter(|line| !line.starts_with(['#', 'g']));
    let joined = program(&plain.collect::<Vec<_>>().join(" \t "));
    assert_eq!(joined.funcs.len(), unix.funcs.len());
    assert_eq!(joined.globals, unix.globals);
    let old_mac = "thread t\rinitial a\rtransition a b noop\rend\r";
    assert_eq!(program(old_mac).threads.len(), 1);
}

#[test]
fn damaged_files_are_refused_or_well_formed() {
    let source = include_str!("../../../tests/automata/peterson.aut");
    let mut rng = fastrand::Rng::with_seed(7);
    let words: Vec<&str> = source.split_inclusive(char::is_whitespace).collect();
    let mut accepted = 0;
    for _ in 0..10_000 {
        let mut words = words.clone();
        for _ in 0..rng.usize(1..4) {
            let (from, to) = (rng.usize(..words.len()), rng.usize(..words.len()));
            match rng.u32(..3) {
                0 => drop(words.remove(from)),
                1 => words.swap(from, to),
                _ => words[to] = words[from],
            }
        }
        if let Ok(program) = lowered(words.concat().as_bytes()) {
            accepted += 1;
            assert_eq!(errors(&program), [], "{}", words.concat());
        }
    }
    assert!(accepted > 100, "only {accepted} mutants were read");
}
