//! Parses lines of a log in any layout.

use super::names::Names;
use super::{BadLine, MAX_THREADS};
use crate::event::{Address, Kind, Op, Site, Thread};
use raddle_budget::Budget;

/// A line of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    pub thread: Thread,
    pub op: Op,
    /// The address of an access.
    pub address: Option<Address>,
    pub site: Site,
}

/// Parses lines and keeps the names of addresses and sites.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    pub(super) addresses: Names,
    pub(super) sites: Names,
    pub(super) line: u64,
}

impl Parser {
    pub(super) fn within(budget: &Budget) -> Parser {
        let names = || Names::within(budget);
        Parser { addresses: names(), sites: names(), line: 0 }
    }

    /// Whether no memory was left for a name. Then the last line has wrong numbers and must not be used.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.addresses.is_full() | self.sites.is_full()
    }

    pub fn address(&self, address: Address) -> &str {
        self.addresses.word(address.0).unwrap_or("?")
    }

    /// The name of an instruction in the log, if any.
    pub fn site(&self, site: Site) -> Option<&str> {
        self.sites.word(site.0)
    }

    /// Parses one line; `None` if it is empty or a comment.
    pub fn line(&mut self, text: &[u8]) -> Result<Option<Line>, BadLine> {
        self.line += 1;
        let mut words = Words { text, at: 0 };
        // Some editors begin a file with a byte order mark.
        if self.line == 1 && text.starts_with(b"\xef\xbb\xbf") {
            words.at = 3;
        }
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

    pub(super) fn too_long(&self) -> BadLine {
        let (message, expected) = ("the line is too long".to_owned(), "at most 65536 bytes");
        BadLine { line: self.line + 1, column: 0, message, expected }
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
