//! Damaged tests never cause a panic: each still loads as a well-formed program, or gives a diagnostic with
//! a line.

use raddle_front_litmus::{lower, parse_bytes};
use raddle_ir::verify::errors;
use raddle_testing::{Corpus, files};
use std::path::{Path, PathBuf};

/// A small generator with a fixed seed (an xorshift), so that every failure is reproducible.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn read(files: &[PathBuf]) -> Vec<Vec<u8>> {
    files.iter().map(|path| std::fs::read(path).expect("the test can be read")).collect()
}

/// Pieces of text that have a meaning somewhere in a test.
const SPLICES: &[&str] = &[
    "|",
    ";",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "(*",
    "*)",
    "\"",
    "exists",
    "~",
    "not ",
    "/\\",
    "\\/",
    "=>",
    "=",
    "0:",
    "9:",
    "%",
    "P1",
    "LOCK ",
    "-",
    "18446744073709551616",
    "0x",
    "<<",
    ":",
    ",",
    "\0",
    "\u{e9}",
    "\r\n",
    "locations [",
    "filter",
    "final",
    "forall",
    "EAX",
    "r1",
    "R1",
    "$",
    "#",
];

fn mutate(random: &mut Random, original: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(7) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => {
                let splice = SPLICES[random.below(SPLICES.len())];
                drop(bytes.splice(at..at, splice.bytes()));
            }
            3 => {
                let splice = SPLICES[random.below(SPLICES.len())];
                drop(bytes.splice(at..end, splice.bytes()));
            }
            4 if at < bytes.len() => bytes[at] = random.next() as u8,
            5 => {
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                let from = random.below(other.len() + 1);
                let until = (from + random.below(40)).min(other.len());
                drop(bytes.splice(at..end, other[from..until].to_vec()));
            }
        }
    }
    bytes
}

fn run(originals: &[Vec<u8>], seed: u64, count: usize) {
    if originals.is_empty() {
        return;
    }
    let mut random = Random(seed);
    let mut loaded = 0;
    for i in 0..count {
        let original = &originals[random.below(originals.len())];
        let other = &originals[random.below(originals.len())];
        let bytes = mutate(&mut random, original, other);
        let shown = || String::from_utf8_lossy(&bytes).into_owned();
        match parse_bytes("mutant", &bytes).and_then(|test| lower(&test)) {
            Ok(program) => {
                loaded += 1;
                assert_eq!(errors(&program), [], "mutant {i}:\n{}", shown());
            }
            Err(diagnostic) => {
                assert!(diagnostic.line > 0, "mutant {i}: {diagnostic}\n{}", shown());
                assert!(!diagnostic.message.is_empty());
            }
        }
    }
    println!("{count} mutants, {loaded} still load");
}

#[test]
fn mutants_of_own_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    run(&read(&files(&folder, "litmus")), 0x5eed_0001, 10_000);
}

#[test]
fn mutants_of_the_corpora() {
    for (i, name) in ["x86", "ppc", "arm"].into_iter().enumerate() {
        let files = Corpus::all(name).into_iter().flat_map(|corpus| corpus.files());
        let sample: Vec<_> = files.step_by(20).collect();
        run(&read(&sample), 0x5eed_0002 + i as u64, 2_000);
    }
}
