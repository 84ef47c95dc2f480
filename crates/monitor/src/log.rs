//! Event logs: one event a line, in the order in which they happened under SC.
//!
//! ```text
//! THREAD OP [OBJECT] [@SITE]      # comment
//! ```
//!
//! `THREAD` is a number. `OP` is `r` (read), `w` (write), `u` (update: an interlocked operation), each
//! of the address `OBJECT`; `f` (fence) and `b` (store barrier), without one; `s` (spawn) and `j`
//! (join) of the thread `OBJECT`. An address is any word, compared as text; a site, any word, names
//! the instruction. docs/monitor.md says more.
//!
//! A log is read in pieces; what is kept are the names of addresses and sites.

use crate::event::{Address, Buffers, Kind, Op, Site, Thread};
use crate::stream::{Monitor, Violation};
use rustc_hash::FxHashMap;
use std::fmt;
use std::io::Read;

/// The most threads that a log may name, plus 1.
pub const MAX_THREADS: u32 = 4096;
/// The longest line.
pub const MAX_LINE: usize = 1 << 16;
const PIECE: usize = 1 << 18;

/// What is wrong with a line of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// From 1.
    pub line: u64,
    /// From 1; 0 for the whole line.
    pub column: u32,
    pub message: String,
    pub expected: &'static str,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}; expected {}", self.line, self.message, self.expected)
    }
}

/// Why a log was not read to its end.
#[derive(Debug)]
pub enum Trouble {
    Bad(BadLine),
    Io(std::io::Error),
}

/// Words and their numbers.
#[derive(Clone, Debug, Default)]
struct Names {
    numbers: FxHashMap<Box<[u8]>, u32>,
    words: Vec<String>,
}

impl Names {
    #[inline]
    fn number(&mut self, word: &[u8]) -> u32 {
        match self.numbers.get(word) {
            Some(number) => *number,
            None => self.add(word),
        }
    }

    #[cold]
    fn add(&mut self, word: &[u8]) -> u32 {
        let number = self.words.len() as u32;
        self.numbers.insert(word.into(), number);
        self.words.push(String::from_utf8_lossy(word).into_owned());
        number
    }
}

/// A line of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    pub thread: Thread,
    pub op: Op,
    /// Of an access.
    pub address: Option<Address>,
    pub site: Site,
}

/// Reads lines, and knows what they call things.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    addresses: Names,
    sites: Names,
    line: u64,
}

impl Parser {
    pub fn address(&self, address: Address) -> &str {
        self.addresses.words.get(address.index()).map_or("?", String::as_str)
    }

    /// How the log calls an instruction, if it does.
    pub fn site(&self, site: Site) -> Option<&str> {
        self.sites.words.get(site.0 as usize).map(String::as_str)
    }

    /// One line; `None` if there is nothing on it.
    pub fn line(&mut self, text: &[u8]) -> Result<Option<Line>, BadLine> {
        self.line += 1;
        let mut words = Words { text, at: 0 };
        let Some(first) = words.next() else { return Ok(None) };
        let thread = Thread(self.thread(&words, first)?);
        let op = match words.next() {
            Some([op]) => *op,
            Some(_) | None => return Err(self.bad(&words, "no operation", OPS)),
        };
        let (op, address) = match op {
            b'r' | b'w' | b'u' => {
                let Some(word) = words.next().filter(|word| word[0] != b'@') else {
                    return Err(self.bad(&words, "no address", "a word that names the address"));
                };
                let kind = match op {
                    b'r' => Kind::Read,
                    b'w' => Kind::Write,
                    _ => Kind::Interlocked,
                };
                (Op::Access(kind), Some(Address(self.addresses.number(word))))
            }
            b'f' => (Op::Fence, None),
            b'b' => (Op::StoreFence, None),
            b's' | b'j' => {
                let word = words.next().unwrap_or_default();
                let other = Thread(self.thread(&words, word)?);
                if other == thread {
                    return Err(self.bad(&words, "a thread and itself", "another thread"));
                }
                (if op == b's' { Op::Spawn(other) } else { Op::Join(other) }, None)
            }
            _ => return Err(self.bad(&words, "an unknown operation", OPS)),
        };
        let site = match words.next() {
            None => Site::NONE,
            Some([b'@', name @ ..]) if !name.is_empty() => Site(self.sites.number(name)),
            Some(_) => return Err(self.bad(&words, "a word too many", "@ and an instruction")),
        };
        match words.next() {
            None => Ok(Some(Line { thread, op, address, site })),
            Some(_) => Err(self.bad(&words, "a word too many", "the end of the line")),
        }
    }

    fn thread(&self, words: &Words<'_>, word: &[u8]) -> Result<u32, BadLine> {
        let mut number: u32 = 0;
        for digit in word {
            if !digit.is_ascii_digit() || number >= MAX_THREADS {
                return Err(self.bad(words, "not a thread", THREADS));
            }
            number = number * 10 + u32::from(digit - b'0');
        }
        if word.is_empty() || number >= MAX_THREADS {
            return Err(self.bad(words, "not a thread", THREADS));
        }
        Ok(number)
    }

    #[cold]
    fn bad(&self, words: &Words<'_>, message: &str, expected: &'static str) -> BadLine {
        let shown = String::from_utf8_lossy(words.last()).into_owned();
        let message =
            if shown.is_empty() { message.into() } else { format!("{message}: '{shown}'") };
        let column = (words.at - words.last().len()) as u32 + 1;
        BadLine { line: self.line, column, message, expected }
    }
}

const OPS: &str = "r, w, u, f, b, s or j";
const THREADS: &str = "the number of a thread, at most 4095";

/// The words of a line, up to a comment.
#[derive(Clone, Debug)]
struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        while self.text.get(self.at).is_some_and(blank) {
            self.at += 1;
        }
        let start = self.at;
        while self.text.get(self.at).is_some_and(|byte| !blank(byte)) {
            self.at += 1;
        }
        match &self.text[start..self.at] {
            [] => None,
            [b'#', ..] => {
                self.at = self.text.len();
                None
            }
            word => Some(word),
        }
    }

    /// The word that was read last.
    fn last(&self) -> &'a [u8] {
        let before = &self.text[..self.at.min(self.text.len())];
        let start = before.iter().rposition(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        &before[start.map_or(0, |n| n + 1)..]
    }
}

/// Calls `each` for every line of a source, in order, without what ends it.
fn lines(
    mut source: impl Read,
    mut each: impl FnMut(&[u8]) -> Result<(), BadLine>,
) -> Result<(), Trouble> {
    let (mut piece, mut filled, mut count) = (vec![0; PIECE], 0, 0);
    loop {
        let more = match source.read(&mut piece[filled..]) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            read => read.map_err(Trouble::Io)?,
        };
        let end = filled + more;
        let mut start = 0;
        while let Some(length) = piece[start..end].iter().position(|byte| *byte == b'\n') {
            count += 1;
            each(&piece[start..start + length]).map_err(Trouble::Bad)?;
            start += length + 1;
        }
        if more == 0 {
            return if start < end {
                each(&piece[start..end]).map_err(Trouble::Bad)
            } else {
                Ok(())
            };
        }
        if end - start > MAX_LINE {
            let message = "the line is too long".to_owned();
            let expected = "at most 65536 bytes";
            return Err(Trouble::Bad(BadLine { line: count + 1, column: 0, message, expected }));
        }
        piece.copy_within(start..end, 0);
        filled = end - start;
    }
}

/// What a monitor says of a log.
#[derive(Debug)]
pub struct Reading {
    pub names: Parser,
    pub events: u64,
    /// Distinct violations by their three instructions, with how often each was seen; in the order
    /// in which they were.
    pub violations: Vec<(Violation, u64)>,
}

/// Runs a monitor along a log.
pub fn monitor(source: impl Read, buffers: Buffers) -> Result<Reading, Trouble> {
    // One monitor, one answer.
    Ok(monitor_each(source, &[buffers])?.swap_remove(0))
}

/// Runs monitors along a log, which is read once: an answer for each.
pub fn monitor_each(source: impl Read, buffers: &[Buffers]) -> Result<Vec<Reading>, Trouble> {
    let mut parser = Parser::default();
    let mut each: Vec<_> =
        buffers.iter().map(|buffers| (Monitor::new(*buffers), Found::default())).collect();
    let mut events = 0;
    lines(source, |text| {
        let Some(Line { thread, op, address, site }) = parser.line(text)? else { return Ok(()) };
        events += 1;
        for (monitor, found) in &mut each {
            monitor.step(thread, op, address.as_slice(), site, |violation| {
                found.add(violation);
            });
        }
        Ok(())
    })?;
    let reading = |(_, found): (Monitor, Found)| Reading {
        names: parser.clone(),
        events,
        violations: found.violations,
    };
    Ok(each.into_iter().map(reading).collect())
}

/// The three instructions; threads and addresses where one is not known.
type Key = ([Site; 3], Option<(Thread, Thread, Address)>);

/// Distinct violations. Without sites, threads and addresses tell them apart.
#[derive(Clone, Debug, Default)]
pub struct Found {
    numbers: FxHashMap<Key, usize>,
    pub violations: Vec<(Violation, u64)>,
}

impl Found {
    /// Counts a violation. True if it is a new one.
    pub fn add(&mut self, violation: Violation) -> bool {
        let sites = violation.sites();
        let Violation { store, access, address, .. } = violation;
        let placeless = sites.contains(&Site::NONE);
        let key = (sites, placeless.then_some((store.0, access.0, address)));
        match self.numbers.get(&key) {
            Some(number) => {
                self.violations[*number].1 += 1;
                false
            }
            None => {
                self.numbers.insert(key, self.violations.len());
                self.violations.push((violation, 1));
                true
            }
        }
    }
}
