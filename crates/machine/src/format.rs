//! C's formatted output: the text that `printf` produces from a format and its arguments.
//!
//! C17, section 7.21.6.1, as glibc does it where the standard leaves a choice. Arguments come in slots of
//! eight bytes, floats as `f64`. An argument of type `long double` takes two slots and is not shown. Not
//! covered: `%n` and positional arguments (`%1$d`) are refused; wide strings are not shown. A string that is
//! not in memory, or has no end there, is shown as `(bad pointer)`, and its address is reported: this is an
//! error of the program.
//!
//! The parts: [`spec`] reads a conversion, [`float`] converts floats, the rest is here.
//!
//! Work is bounded: at most [`MAX_READ`] bytes are read, and only as many bytes are kept as requested;
//! further padding is counted, not produced.

mod float;
mod spec;
#[cfg(test)]
mod tests;

use spec::{Length, Spec};

/// Bytes that one call may read: format and strings together.
pub(crate) const MAX_READ: u32 = 1 << 22;

const BAD_POINTER: &[u8] = b"(bad pointer)";

/// Formatted text: its first bytes, and how long it would be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Text {
    pub bytes: Vec<u8>,
    pub length: u64,
    /// The address of a string that is not in memory.
    pub bad: Option<u64>,
    keep: usize,
}

impl Text {
    fn put(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let room = self.keep.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn pad(&mut self, byte: u8, count: usize) {
        self.length += count as u64;
        let room = self.keep.saturating_sub(self.bytes.len());
        self.bytes.resize(self.bytes.len() + count.min(room), byte);
    }
}

/// A converted argument, in the order in which its parts are written.
#[derive(Default)]
struct Pieces {
    /// Sign and base.
    prefix: Vec<u8>,
    zeros: usize,
    body: Vec<u8>,
    more_zeros: usize,
    suffix: Vec<u8>,
    /// Whether zeros may fill the width.
    fills: bool,
}

/// Formats the string at `format` with the arguments at `args`; `byte` reads memory. Keeps `keep` bytes of
/// the text. An error names the unsupported conversion.
pub(crate) fn format(
    format: u64,
    args: u64,
    keep: usize,
    byte: &dyn Fn(u64) -> Option<u8>,
) -> Result<Text, &'static str> {
    let mut reader = Reader { byte, left: MAX_READ, args, bad: None };
    let mut text = Text { keep, ..Text::default() };
    let Some(format) = reader.string(format, None) else {
        text.put(BAD_POINTER);
        text.bad = reader.bad;
        return Ok(text);
    };
    let mut at = 0;
    while at < format.len() {
        let literal = format[at..].iter().position(|b| *b == b'%');
        let end = literal.map_or(format.len(), |n| at + n);
        text.put(&format[at..end]);
        at = end;
        if at < format.len() {
            at += 1;
            let start = at;
            match Spec::parse(&format, &mut at, &mut reader)? {
                Some(spec) => convert(&spec, &mut reader, &mut text)?,
                // Not a conversion: copied unchanged.
                None => text.put(&format[start - 1..at]),
            }
        }
    }
    text.bad = reader.bad;
    Ok(text)
}

struct Reader<'r> {
    byte: &'r dyn Fn(u64) -> Option<u8>,
    left: u32,
    /// The next argument.
    args: u64,
    /// The address of the first string that is not in memory.
    bad: Option<u64>,
}

impl Reader<'_> {
    fn byte(&mut self, addr: u64) -> Option<u8> {
        self.left = self.left.checked_sub(1)?;
        (self.byte)(addr)
    }

    /// The bytes up to a NUL, or up to `most`.
    fn string(&mut self, addr: u64, most: Option<usize>) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        while most.is_none_or(|most| bytes.len() < most) {
            let at = addr.wrapping_add(bytes.len() as u64);
            match self.byte(at) {
                Some(0) => break,
                Some(byte) => bytes.push(byte),
                None => {
                    self.bad = self.bad.or(Some(at));
                    return None;
                }
            }
        }
        Some(bytes)
    }

    /// The next argument; 0 if there is none.
    fn argument(&mut self) -> u64 {
        let addr = self.args;
        self.args = addr.wrapping_add(8);
        let mut bytes = [0; 8];
        for (n, byte) in bytes.iter_mut().enumerate() {
            *byte = self.byte(addr.wrapping_add(n as u64)).unwrap_or(0);
        }
        u64::from_le_bytes(bytes)
    }
}

fn convert(spec: &Spec, reader: &mut Reader<'_>, text: &mut Text) -> Result<(), &'static str> {
    let pieces = match spec.conversion {
        b'%' => Pieces { body: b"%".to_vec(), ..Pieces::default() },
        b'd' | b'i' => {
            let value = reader.argument();
            let value = match spec.length {
                Length::Char => i64::from(value as i8),
                Length::Short => i64::from(value as i16),
                Length::Int => i64::from(value as i32),
                Length::Long | Length::LongDouble => value as i64,
            };
            let digits = value.unsigned_abs().to_string();
            integer(spec, spec.sign(value < 0), digits)
        }
        b'u' | b'o' | b'x' | b'X' => unsigned(spec, reader.argument()),
        b'c' => character(spec, reader.argument()),
        b's' => string(spec, reader),
        b'p' => match reader.argument() {
            0 => Pieces { body: b"(nil)".to_vec(), ..Pieces::default() },
            addr => integer(spec, b"0x".to_vec(), format!("{addr:x}")),
        },
        _ => {
            let bits = reader.argument();
            if spec.length == Length::LongDouble {
                reader.argument();
                Pieces { body: b"(long double)".to_vec(), ..Pieces::default() }
            } else {
                float::pieces(spec, f64::from_bits(bits))
            }
        }
    };
    layout(spec, &pieces, text);
    Ok(())
}

fn unsigned(spec: &Spec, value: u64) -> Pieces {
    let value = match spec.length {
        Length::Char => u64::from(value as u8),
        Length::Short => u64::from(value as u16),
        Length::Int => u64::from(value as u32),
        Length::Long | Length::LongDouble => value,
    };
    let marked = spec.alternative && value != 0;
    match spec.conversion {
        b'o' => {
            let mut pieces = integer(spec, Vec::new(), format!("{value:o}"));
            let zero_first = pieces.zeros > 0 || pieces.body.first() == Some(&b'0');
            if spec.alternative && !zero_first {
                pieces.zeros = 1;
            }
            pieces
        }
        b'x' => {
            integer(spec, if marked { b"0x".to_vec() } else { Vec::new() }, format!("{value:x}"))
        }
        b'X' => {
            integer(spec, if marked { b"0X".to_vec() } else { Vec::new() }, format!("{value:X}"))
        }
        _ => integer(spec, Vec::new(), value.to_string()),
    }
}

/// Digits, with leading zeros up to the precision.
fn integer(spec: &Spec, prefix: Vec<u8>, digits: String) -> Pieces {
    let body = if digits == "0" && spec.precision == Some(0) { String::new() } else { digits };
    let zeros = spec.precision.unwrap_or(0).saturating_sub(body.len());
    let fills = spec.precision.is_none();
    Pieces { prefix, zeros, body: body.into_bytes(), fills, ..Pieces::default() }
}

fn character(spec: &Spec, value: u64) -> Pieces {
    let body = match spec.length {
        Length::Long => char::from_u32(value as u32).map_or(vec![b'?'], |c| c.to_string().into()),
        _ => vec![value as u8],
    };
    Pieces { body, ..Pieces::default() }
}

fn string(spec: &Spec, reader: &mut Reader<'_>) -> Pieces {
    let addr = reader.argument();
    let body = match addr {
        0 => b"(null)".to_vec(),
        _ if spec.length == Length::Long => b"(wide string)".to_vec(),
        _ => reader.string(addr, spec.precision).unwrap_or_else(|| BAD_POINTER.to_vec()),
    };
    Pieces { body, ..Pieces::default() }
}

/// Writes the parts, padded to the width.
fn layout(spec: &Spec, pieces: &Pieces, text: &mut Text) {
    let Pieces { prefix, zeros, body, more_zeros, suffix, fills } = pieces;
    let width = prefix.len() + zeros + body.len() + more_zeros + suffix.len();
    let room = spec.width.saturating_sub(width);
    let with_zeros = *fills && spec.zero && !spec.left;
    if !spec.left && !with_zeros {
        text.pad(b' ', room);
    }
    text.put(prefix);
    if with_zeros {
        text.pad(b'0', room);
    }
    text.pad(b'0', *zeros);
    text.put(body);
    text.pad(b'0', *more_zeros);
    text.put(suffix);
    if spec.left {
        text.pad(b' ', room);
    }
}
