//! Lines as programs write them: one blank between words, and words that are not long. All others are
//! left to [`super::parse`].
//!
//! A word is sixteen bytes read at once, up to the first that ends it; so a line costs a few dozen
//! instructions, and is looked at once.

use super::MAX_THREADS;
use super::names::Short;
use super::parse::{Line, Parser};
use crate::event::{Address, Kind, Op, Site, Thread};

impl Parser {
    /// The first line of a text and its length, with what ends it, if it is of the usual kind.
    #[inline]
    pub(super) fn quick_line(&mut self, text: &[u8]) -> Option<(Line, usize)> {
        let (thread, at) = thread(text)?;
        let kind = match text.get(at)? {
            b'r' => Kind::Read,
            b'w' => Kind::Write,
            b'u' => Kind::Interlocked,
            _ => return None,
        };
        if *text.get(at + 1)? != b' ' {
            return None;
        }
        let (word, len) = word(text, at + 2)?;
        if matches!(text[at + 2], b'@' | b'#') {
            return None;
        }
        let end = at + 2 + len;
        let (site, end) = match text.get(end..end + 2)? {
            [b'\n', _] => (Site::NONE, end + 1),
            b" @" => {
                let (word, len) = self::word(text, end + 2)?;
                if *text.get(end + 2 + len)? != b'\n' {
                    return None;
                }
                (Site(self.sites.short_number(word)), end + 2 + len + 1)
            }
            _ => return None,
        };
        let address = Some(Address(self.addresses.short_number(word)));
        self.line += 1;
        Some((Line { thread, op: Op::Access(kind), address, site }, end))
    }
}

/// A number of few digits with a blank behind it, and where the next word begins.
#[inline]
fn thread(text: &[u8]) -> Option<(Thread, usize)> {
    let (mut number, mut at) = (0, 0);
    loop {
        match *text.get(at)? {
            digit @ b'0'..=b'9' if number < MAX_THREADS => {
                number = number * 10 + u32::from(digit - b'0');
            }
            b' ' if at > 0 && number < MAX_THREADS => return Some((Thread(number), at + 1)),
            _ => return None,
        }
        at += 1;
    }
}

/// The word from a byte on, and its length: up to a blank, a control character or the end of the line.
#[inline]
fn word(text: &[u8], at: usize) -> Option<(Short, usize)> {
    let bytes = u128::from_le_bytes(*text.get(at..)?.first_chunk()?);
    const LOW: u128 = u128::from_le_bytes([1; 16]);
    // The lowest byte that is less than 0x21 has its high bit set; what is above it may be wrong.
    let ends = bytes.wrapping_sub(LOW * 0x21) & !bytes & (LOW << 7);
    let len = ends.trailing_zeros() / 8;
    (len > 0 && len as usize <= Short::MOST).then(|| (Short::new(bytes, len), len as usize))
}
