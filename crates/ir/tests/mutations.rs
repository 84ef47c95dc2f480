//! Damaged input gives a diagnostic or parses, and a parsed program can be verified and printed; nothing
//! panics and nothing hangs.

use crate::common;

use common::Choices;
use raddle_ir::text::{ParseOptions, parse_bytes, parse_with, print};
use raddle_ir::verify::errors;

const MUTANTS: usize = 5_000;

/// A seeded sequence of numbers (Knuth's linear congruential generator, upper bits).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 16
    }

    fn take(&mut self, count: usize) -> Vec<u64> {
        std::iter::repeat_with(|| self.next()).take(count).collect()
    }
}

/// Pieces of text that reach rarely executed parts of the parser.
const PIECES: &[&str] = &[
    "\"",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "!",
    "\n",
    "//",
    "%",
    "@",
    "#0",
    "%0",
    "-1",
    "0x",
    "1e9",
    "99999999999999999999999999999999999999999",
    "i128",
    "i0",
    "undef",
    "reg ",
    "func @",
    "\\u{",
    "é",
    "\0",
    "exists ",
    "relocs {",
    " align 3",
    "excl ",
    ":",
    "=>",
];

/// Damage that usually still parses, so that the verifier must find it.
fn mutate_gently(c: &mut Choices<'_>, bytes: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return;
    }
    let (a, b) = (c.below(lines.len()), c.below(lines.len()));
    match c.below(3) {
        // Moves instructions to other places of their function, or to other functions.
        0 if lines[a].starts_with("    ") && lines[b].starts_with("    ") => lines.swap(a, b),
        1 => {
            let digit = char::from(b'0' + c.below(10) as u8);
            lines[a] = lines[a].replacen(|c: char| c.is_ascii_digit(), &digit.to_string(), 1);
        }
        _ => {
            let words = ["i32", "i64", "ptr", "acquire", "release", "add", "fadd", "zext", "lock"];
            let (from, to) = (c.pick(&words), c.pick(&words));
            lines[a] = lines[a].replacen(from, to, 1);
        }
    }
    *bytes = lines.join("\n").into_bytes();
}

fn mutate(c: &mut Choices<'_>, bytes: &mut Vec<u8>, other: &[u8]) {
    let at = c.below(bytes.len() + 1);
    let end = (at + c.below(20)).min(bytes.len());
    match c.below(7) {
        0 => bytes.truncate(at),
        1 if at < bytes.len() => bytes[at] ^= 1 << c.below(8),
        2 if at < bytes.len() => bytes[at] = c.any() as u8,
        3 => drop(bytes.drain(at..end)),
        4 => {
            let copied = bytes[at..end].to_vec();
            bytes.splice(at..at, copied);
        }
        5 => {
            let from = c.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        _ => drop(bytes.splice(at..at, c.pick(PIECES).bytes())),
    }
}

#[test]
fn damaged_input_never_panics() {
    let mut numbers = Numbers(2024);
    let (mut parsed, mut well_formed) = (0, 0);
    for _ in 0..MUTANTS / 10 {
        let text = print(&common::program(&numbers.take(300)));
        let other = print(&common::program(&numbers.take(300)));
        for _ in 0..10 {
            let decisions = numbers.take(30);
            let c = &mut Choices::new(&decisions);
            let mut bytes = text.clone().into_bytes();
            let gently = c.flip();
            for _ in 0..1 + c.below(4) {
                match gently {
                    true => mutate_gently(c, &mut bytes),
                    false => mutate(c, &mut bytes, other.as_bytes()),
                }
            }
            let Ok(program) = parse_bytes("m.rir", &bytes) else { continue };
            parsed += 1;
            let printed = print(&program);
            if errors(&program).is_empty() {
                well_formed += 1;
                let options = ParseOptions { own_positions: false };
                assert_eq!(parse_with("m.rir", &printed, options).as_ref(), Ok(&program));
            }
        }
    }
    // If no damaged text parsed, the test would show little.
    println!("of {MUTANTS} mutants {parsed} parsed, {well_formed} well-formed");
    assert!(parsed > MUTANTS / 10, "only {parsed} parsed");
    assert!(well_formed > MUTANTS / 50 && well_formed < parsed, "{well_formed} of {parsed}");
}

#[test]
fn every_prefix_ends() {
    let text = print(&common::program(&Numbers(7).take(500)));
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let _ = parse_bytes("m.rir", &text.as_bytes()[..end]);
    }
}
