//! C's formatted output: what `printf` makes of a format and its arguments.
//!
//! C17, section 7.21.6.1, as glibc does it where the standard leaves a choice. Arguments come in slots
//! of eight bytes, floats as `f64`; an argument of type `long double` takes two slots and is not
//! shown. Not covered: `%n` and positional arguments (`%1$d`) are refused; wide strings are not
//! shown. A string that is not in memory, or does not end there, is shown as `(bad pointer)`, and where
//! that was is told: it is an error of the program.
//!
//! Work is bounded: at most [`MAX_READ`] bytes are read and as many kept as asked for; padding
//! beyond that is counted, not made.

mod float;

/// Bytes that one call may read: format and strings together.
pub(crate) const MAX_READ: u32 = 1 << 22;

const BAD_POINTER: &[u8] = b"(bad pointer)";

/// Formatted text: its first bytes, and how long it would be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Text {
    pub bytes: Vec<u8>,
    pub length: u64,
    /// Where a string was read that is not there.
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

/// How wide an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Length {
    Char,
    Short,
    Int,
    Long,
    LongDouble,
}

/// One conversion: `%-08.3lx`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
    conversion: u8,
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

/// Formats the string at `format` with the arguments at `args`; `byte` reads memory. Keeps `keep`
/// bytes of the text. An error says what is not supported.
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
                // Nothing that can be converted: as it stands.
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
    /// The first byte of a string that was not there.
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

impl Spec {
    /// What follows a `%`; `None`, and past it, if that is no conversion.
    fn parse(
        format: &[u8],
        at: &mut usize,
        reader: &mut Reader<'_>,
    ) -> Result<Option<Spec>, &'static str> {
        let peek = |at: usize| format.get(at).copied().unwrap_or(0);
        let mut spec = Spec {
            left: false,
            plus: false,
            space: false,
            alternative: false,
            zero: false,
            width: 0,
            precision: None,
            length: Length::Int,
            conversion: 0,
        };
        while spec.flag(peek(*at)) {
            *at += 1;
        }
        match count(format, at, reader) {
            Count::None => {}
            Count::Is(width) => spec.width = width,
            Count::Negative(width) => (spec.left, spec.width) = (true, width),
        }
        if peek(*at) == b'$' {
            return Err("positional arguments in a format");
        }
        if peek(*at) == b'.' {
            *at += 1;
            spec.precision = match count(format, at, reader) {
                Count::None => Some(0),
                Count::Is(precision) => Some(precision),
                Count::Negative(_) => None,
            };
        }
        spec.length = length(format, at);
        spec.conversion = peek(*at);
        *at = (*at + 1).min(format.len());
        match spec.conversion {
            b'n' => Err("%n in a format"),
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b's' | b'p' | b'%' => Ok(Some(spec)),
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => Ok(Some(spec)),
            _ => Ok(None),
        }
    }

    fn flag(&mut self, byte: u8) -> bool {
        match byte {
            b'-' => self.left = true,
            b'+' => self.plus = true,
            b' ' => self.space = true,
            b'#' => self.alternative = true,
            b'0' => self.zero = true,
            // Grouping of digits: there is none in the "C" locale.
            b'\'' => {}
            _ => return false,
        }
        true
    }

    fn is_upper(&self) -> bool {
        self.conversion.is_ascii_uppercase()
    }

    /// The sign of a signed conversion.
    fn sign(&self, negative: bool) -> Vec<u8> {
        match (negative, self.plus, self.space) {
            (true, ..) => b"-".to_vec(),
            (_, true, _) => b"+".to_vec(),
            (.., true) => b" ".to_vec(),
            _ => Vec::new(),
        }
    }
}

/// A width or a precision.
enum Count {
    None,
    Is(usize),
    Negative(usize),
}

/// Digits, or `*` for an argument.
fn count(format: &[u8], at: &mut usize, reader: &mut Reader<'_>) -> Count {
    if format.get(*at) == Some(&b'*') {
        *at += 1;
        let value = reader.argument() as i32;
        let magnitude = value.unsigned_abs() as usize;
        return if value < 0 { Count::Negative(magnitude) } else { Count::Is(magnitude) };
    }
    let mut found = None;
    while let Some(digit) = format.get(*at).filter(|b| b.is_ascii_digit()) {
        let value = found.unwrap_or(0usize).saturating_mul(10) + usize::from(digit - b'0');
        found = Some(value.min(i32::MAX as usize));
        *at += 1;
    }
    found.map_or(Count::None, Count::Is)
}

fn length(format: &[u8], at: &mut usize) -> Length {
    let rest = &format[*at..];
    let (length, bytes) = match rest {
        [b'h', b'h', ..] => (Length::Char, 2),
        [b'h', ..] => (Length::Short, 1),
        [b'l', b'l', ..] => (Length::Long, 2),
        [b'l' | b'q' | b'j' | b'z' | b't', ..] => (Length::Long, 1),
        [b'L', ..] => (Length::LongDouble, 1),
        _ => (Length::Int, 0),
    };
    *at += bytes;
    length
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

/// Digits with as many zeros before them as the precision asks for.
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

/// Writes the parts, filled up to the width.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments lie at 0x1000 on, strings where they are put.
    fn formatted(format: &str, args: &[u64], strings: &[(u64, &str)]) -> String {
        let mut memory = std::collections::BTreeMap::new();
        let slots = args.iter().flat_map(|arg| arg.to_le_bytes());
        memory.extend((0x1000u64..).zip(slots));
        for (addr, text) in strings.iter().copied().chain([(0x100, format)]) {
            memory.extend((addr..).zip(text.bytes().chain([0])));
        }
        let text = super::format(0x100, 0x1000, 4096, &|addr| memory.get(&addr).copied());
        let text = text.map_or_else(|what| format!("unsupported: {what}").into(), |t| t.bytes);
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn integers() {
        let minus = -5i64 as u64;
        for (format, args, expected) in [
            ("%d|%5d|%-5d|%05d", &[1, 2, 3, 4][..], "1|    2|3    |00004"),
            ("%d %u", &[minus, minus], "-5 4294967291"),
            ("%hhd %hd %ld", &[300, 70000, minus], "44 4464 -5"),
            ("%+d % d %+d", &[3, 3, minus], "+3  3 -5"),
            ("%x %X %#x %#X %#x", &[255, 255, 255, 255, 0], "ff FF 0xff 0XFF 0"),
            ("%o %#o %#o", &[8, 8, 0], "10 010 0"),
            ("%.3d|%8.3d|%-8.3d|%08.3d", &[7, 7, 7, 7], "007|     007|007     |     007"),
            ("[%.0d] [%#.0o]", &[0, 0], "[] [0]"),
            ("%#08x %08d", &[255, minus], "0x0000ff -0000005"),
            ("%*d %-*d| %*d|", &[5, 1, 5, 1, minus, 1], "    1 1    | 1    |"),
            ("%.*d", &[3, 1], "001"),
            ("%lu %zu %jd %td", &[u64::MAX, 1, 2, 3], "18446744073709551615 1 2 3"),
            ("100%% %c%c", &[u64::from(b'a'), u64::from(b'b')], "100% ab"),
            ("%p %p", &[0, 0x1234], "(nil) 0x1234"),
        ] {
            assert_eq!(formatted(format, args, &[]), expected, "{format}");
        }
    }

    #[test]
    fn strings() {
        let strings = [(0x2000, "hello"), (0x3000, "")];
        let found = formatted("%s|%8s|%-8s|%.2s|%s|", &[0x2000; 5], &strings);
        assert_eq!(found, "hello|   hello|hello   |he|hello|");
        assert_eq!(
            formatted("[%s] [%s] [%s]", &[0x3000, 0, 77], &strings),
            "[] [(null)] [(bad pointer)]"
        );
        assert_eq!(super::format(5, 0, 99, &|_| None).unwrap().bytes, BAD_POINTER);
        // A string without an end is fine if the precision ends it.
        assert_eq!(formatted("%.1s", &[0x1000], &[]), "\0".trim_end_matches('\0'));
    }

    #[test]
    fn odd_formats() {
        assert_eq!(formatted("%k %", &[], &[]), "%k %");
        assert_eq!(formatted("%5", &[], &[]), "%5");
        assert_eq!(formatted("%d %s", &[], &[]), "0 (null)");
        assert_eq!(formatted("%n", &[], &[]), "unsupported: %n in a format");
        assert_eq!(formatted("%1$d", &[1], &[]), "unsupported: positional arguments in a format");
        let huge = super::format(0x100, 0, 10, &|addr| {
            let text = b"%2147483647d%99999999999d\0";
            addr.checked_sub(0x100).and_then(|n| text.get(n as usize).copied())
        });
        let huge = huge.unwrap();
        assert_eq!((huge.length, huge.bytes.len()), (2 * u64::from(i32::MAX as u32), 10));
    }

    #[test]
    fn work_is_bounded() {
        // Memory without a NUL: the string has no end.
        let endless = super::format(0, 0, 10, &|_| Some(b'a')).unwrap();
        assert_eq!(endless.bytes, &BAD_POINTER[..10]);
    }
}
