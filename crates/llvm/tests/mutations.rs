//! Damaged texts: for every damaged text, the parser soon returns a module that keeps the invariants, or a
//! diagnostic.

use crate::common;

use common::{FILES, invariants};
use fastrand::Rng;
use std::time::{Duration, Instant};

const INPUTS: usize = 5_000;

/// Words that are difficult for a parser.
const WORDS: [&str; 24] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    "=",
    "!",
    "*",
    "...",
    "i32",
    "ptr",
    "label",
    "%0",
    "@0",
    "!0",
    "4294967295",
    "99999999999999999999",
    "\"",
    "metadata",
    "0xK0",
];

#[test]
fn damaged_texts_are_answered() {
    let mut random = Rng::with_seed(14);
    let mut accepted = 0;
    for round in 0..INPUTS {
        let (name, text) = FILES[round % FILES.len()];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            mutate(&mut bytes, &mut random);
        }
        let start = Instant::now();
        match raddle_llvm::parse(name, &bytes) {
            Ok(module) => {
                invariants::check(&module);
                accepted += 1;
            }
            Err(diagnostic) => {
                assert!(!diagnostic.message.is_empty());
                assert!(diagnostic.span.is_some_and(|span| span.end <= bytes.len()));
            }
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{}", String::from_utf8_lossy(&bytes));
    }
    // Damage to attributes, metadata and names is not detected.
    assert!(accepted > INPUTS / 100 && accepted < INPUTS, "{accepted}");
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = random.usize(..bytes.len());
    let end = (at + random.usize(1..40)).min(bytes.len());
    match random.u8(..7) {
        0 => bytes[at] = random.u8(..),
        1 => bytes[at] ^= 1 << random.u8(..8),
        2 => drop(bytes.drain(at..end)),
        3 => bytes.truncate(at),
        4 => {
            let piece = bytes[at..end].to_vec();
            let to = random.usize(..bytes.len());
            drop(bytes.splice(to..to, piece));
        }
        5 => {
            let word = WORDS[random.usize(..WORDS.len())];
            drop(bytes.splice(at..end, word.bytes()));
        }
        _ => {
            let word = WORDS[random.usize(..WORDS.len())];
            drop(bytes.splice(at..at, word.bytes()));
        }
    }
}
