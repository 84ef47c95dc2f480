//! Parses lines as programs write them: one space between words, and no long words. All other lines are left
//! to [`super::parse`].
//!
//! A word is read as sixteen bytes at once, and cut at the first byte that ends it. So a line costs a few
//! dozen instructions, and its bytes are read once.

use super::MAX_THREADS;
use super::names::Short;
use super::parse::{Line, Parser};
use crate::event::{Address, Kind, Op, Site, Thread};

impl Parser {
    /// The first line of a text, and its length with the newline, if the line has the usual form.
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

/// The thread number at the start of a text, with a space behind it, and the start of the next word.
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

/// The word that starts at `at`, and its length: up to a space, a control character or the end of the line.
#[inline]
fn word(text: &[u8], at: usize) -> Option<(Short, usize)> {
    let bytes = u128::from_le_bytes(*text.get(at..)?.first_chunk()?);
    const LOW: u128 = u128::from_le_bytes([1; 16]);
    // In `ends`, the lowest byte less than 0x21 has its high bit set. Bytes above it may be wrong, because the
    // subtraction borrows from them.
    let ends = bytes.wrapping_sub(LOW * 0x21) & !bytes & (LOW << 7);
    let len = ends.trailing_zeros() / 8;
    (len > 0 && len as usize <= Short::MOST).then(|| (Short::new(bytes, len), len as usize))
}
