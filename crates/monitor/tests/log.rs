//! Logs: the fast parser for usual lines and the general parser for all others have the same results.

use raddle_monitor::Buffers::{PerAddress, PerThread};
use raddle_monitor::log::{self, MOST_DISTINCT, Reading};
use raddle_monitor::{Buffers, Violation};
use std::fmt::Write;
use std::io::Read;

fn read(text: impl Read, buffers: Buffers) -> Reading {
    log::monitor(text, buffers).expect("a log")
}

fn told(reading: &Reading) -> (u64, &[(Violation, u64)], u64) {
    (reading.events, &reading.violations, reading.others)
}

/// A log in its usual form, and the same log with more blanks.
fn both_layouts(seed: u64) -> [String; 2] {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut texts = [String::new(), String::new()];
    for _ in 0..random.u32(1..200) {
        let thread = random.u32(..5);
        let place =
            ["x", "cell[3]", "a-name-of-15-by", "a-name-of-16-byt", "a-much-longer-name[12]"];
        let place = place[random.usize(..5)];
        let line = match random.u32(..12) {
            0 => format!("{thread} f"),
            1 => format!("{thread} b"),
            2 => format!("{thread} s {}", thread + 1),
            3 => format!("{thread} u {place} @l{}", random.u32(..9)),
            n => {
                let op = if n < 8 { 'r' } else { 'w' };
                let site = ["", " @s", " @f.c:1", " @a-very-long-file-name.c:123"];
                format!("{thread} {op} {place}{}", site[random.usize(..4)])
            }
        };
        texts[0] += &line;
        texts[0].push('\n');
        writeln!(texts[1], " {} # as written", line.replace(' ', "  \t")).expect("a string");
    }
    texts
}

#[test]
fn both_ways_read_the_same() {
    for seed in 0..500 {
        let [usual, odd] = both_layouts(seed);
        for buffers in [PerThread, PerAddress] {
            let readings = [&usual, &odd].map(|text| read(text.as_bytes(), buffers));
            assert_eq!(told(&readings[0]), told(&readings[1]), "{usual}");
            let last_line_open = read(usual.trim_end().as_bytes(), buffers);
            assert_eq!(told(&readings[0]), told(&last_line_open), "{usual}");
        }
    }
}

/// A reader that returns a few bytes at a time.
struct Drip<'a>(&'a [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let some = self.0.len().min(7).min(into.len());
        into[..some].copy_from_slice(&self.0[..some]);
        self.0 = &self.0[some..];
        Ok(some)
    }
}

#[test]
fn lines_may_come_in_pieces() {
    for seed in 0..50 {
        let [usual, _] = both_layouts(seed);
        let whole = read(usual.as_bytes(), PerAddress);
        assert_eq!(told(&whole), told(&read(Drip(usual.as_bytes()), PerAddress)));
    }
}

#[test]
fn numbers_of_threads_are_checked_the_fast_way_too() {
    for bad in ["4096 r x @site\n0 r x @site\n", "123456 r x @site\n0 r x @site\n"] {
        assert!(log::monitor(bad.as_bytes(), PerThread).is_err(), "{bad}");
    }
    assert_eq!(read(&b"4095 r x @site\n0 r x @site-of-some-kind\n"[..], PerThread).events, 2);
}

/// The number of distinct violations that are kept is limited.
#[test]
fn distinct_violations_are_bounded() {
    let mut text = String::new();
    let rounds = MOST_DISTINCT / 20;
    for n in 0..rounds {
        text += &format!("0 w x @a{n}\n0 r y @b\n1 w y @c{n}\n");
        for m in 0..40 {
            text += &format!("1 r x @d{m}\n0 w x @a{n}\n0 r y\n1 w y @c{m}\n");
        }
    }
    let reading = read(text.as_bytes(), PerThread);
    assert_eq!(reading.violations.len(), MOST_DISTINCT);
    assert!(reading.others > 0);
}
