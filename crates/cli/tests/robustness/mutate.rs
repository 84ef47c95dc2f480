//! Damage to files: bytes, lines, numbers, nesting. The seed of the generator determines all of it.

use fastrand::Rng;

/// Numbers at the limits of fields, offsets, widths and types.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "7",
    "15",
    "64",
    "127",
    "129",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211455",
    "340282366920938463463374607431768211456",
    "0xffffffffffffffff",
    "1e308",
];

/// Groups of words that can replace each other: the result often still parses, and sometimes verifies.
const WORDS: &[&[&str]] = &[
    &["i1", "i7", "i8", "i16", "i32", "i64", "i65", "i128", "f32", "f64", "ptr"],
    &["plain", "relaxed", "acquire", "release", "acq_rel", "seq_cst", "asm", "excl", "volatile"],
    &["add", "sub", "mul", "udiv", "sdiv", "srem", "shl", "ashr", "xchg", "nand", "umin", "fadd"],
    &["lock", "unlock", "free", "cond_signal", "cond_broadcast", "join", "exit"],
    &["exists", "forall", "not exists", "~exists"],
    &["MOV", "XCHG", "ADD", "MFENCE", "CMPXCHG", "INC"],
];

/// Texts that open a level of nesting in some language.
const OPENERS: &[&str] = &["(", "!", "~", "{", "[", "not (", "all(", "\"", "(*", "/*"];

/// A damaged copy of `original`; pieces of `other` may be mixed in.
pub(crate) fn mutant(rng: &mut Rng, original: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..rng.usize(1..=4) {
        match rng.u32(0..10) {
            0 => damage_byte(rng, &mut bytes),
            1 => bytes.truncate(rng.usize(0..=bytes.len())),
            2 => splice(rng, &mut bytes, other),
            3 => nest(rng, &mut bytes),
            4..=6 => replace_word(rng, &mut bytes),
            7 => replace_number(rng, &mut bytes),
            _ => move_line(rng, &mut bytes),
        }
    }
    bytes
}

fn damage_byte(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let at = rng.usize(0..=bytes.len());
    match rng.u32(0..4) {
        0 => bytes.insert(at, 0),
        1 if at < bytes.len() => drop(bytes.remove(at)),
        2 if at < bytes.len() => bytes[at] ^= 1 << rng.u32(0..8),
        _ => bytes.insert(at, rng.u8(..)),
    }
}

fn splice(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    let (from, at) = (rng.usize(0..=other.len()), rng.usize(0..=bytes.len()));
    let piece = &other[from..(from + rng.usize(0..80)).min(other.len())];
    let end = (at + rng.usize(0..20)).min(bytes.len());
    bytes.splice(at..end, piece.iter().copied());
}

fn nest(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let opener = OPENERS[rng.usize(..OPENERS.len())];
    let depth = if rng.u32(0..8) == 0 { 20_000 } else { rng.usize(1..4) };
    let at = rng.usize(0..=bytes.len());
    bytes.splice(at..at, opener.repeat(depth).into_bytes());
}

/// The maximal runs of bytes that satisfy a predicate.
fn runs(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        if length > 0 {
            runs.push(at..at + length);
        }
        at += length.max(1);
    }
    runs
}

fn replace_word(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut places = Vec::new();
    for run in runs(bytes, |byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        let family =
            WORDS.iter().find(|words| words.iter().any(|w| w.as_bytes() == &bytes[run.clone()]));
        places.extend(family.map(|words| (run, *words)));
    }
    if let Some((run, words)) = rng.choice(places) {
        bytes.splice(run, words[rng.usize(..words.len())].bytes());
    }
}

fn replace_number(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if let Some(run) = rng.choice(runs(bytes, |byte| byte.is_ascii_digit())) {
        bytes.splice(run, NUMBERS[rng.usize(..NUMBERS.len())].bytes());
    }
}

/// Copies or drops a line, or swaps two lines, so that instructions are in unexpected places.
fn move_line(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (from, to) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    match rng.u32(0..3) {
        0 => lines.insert(to, lines[from]),
        1 => drop(lines.remove(from)),
        _ => lines.swap(from, to),
    }
    *bytes = lines.join(&b'\n');
}
