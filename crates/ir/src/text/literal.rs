//! Literals: strings, integers and floats, from text and to text.
//!
//! An integer constant of type `iN` may be written as any value of -2^(N-1) … 2^N-1; the program
//! keeps its bit pattern. A float constant is written in decimal with a point or an exponent, or as
//! its encoding in hexadecimal; a bare `1` would be ambiguous between the two and is rejected.

use super::lex::{continues_name, starts_name};
use crate::types::Type;
use std::fmt;

/// A number as written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    Int { negative: bool, magnitude: u128, hex: bool },
    Float { f64: f64, f32: f32 },
}

/// Decodes a number token; the error is a message.
pub(super) fn number(text: &str) -> Result<Number, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let negative = digits.len() != text.len();
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    if !digits.is_empty() && digits.bytes().all(|b| char::from(b).is_digit(radix)) {
        let magnitude = u128::from_str_radix(digits, radix)
            .map_err(|_| format!("the number {text} needs more than 128 bits"))?;
        return Ok(Number::Int { negative, magnitude, hex: radix == 16 });
    }
    // Rust's float grammar also has words such as `inf`; a number token starts with a digit.
    match (radix, text.parse(), text.parse()) {
        (10, Ok(f64), Ok(f32)) => Ok(Number::Float { f64, f32 }),
        _ => Err(format!("a malformed number: `{text}`")),
    }
}

/// The bits of `number` as a constant of `ty`; the error is a message and a hint.
pub(super) fn bits(number: Number, ty: Type) -> Result<u128, (String, String)> {
    match (number, ty) {
        (Number::Float { f32, .. }, Type::F32) => Ok(f32.to_bits().into()),
        (Number::Float { f64, .. }, Type::F64) => Ok(f64.to_bits().into()),
        (Number::Float { .. }, _) => {
            Err((format!("a float constant where {ty} is expected"), "write an integer".into()))
        }
        (Number::Int { hex: false, .. }, Type::F32 | Type::F64) => Err((
            format!("an integer constant where {ty} is expected"),
            "write a float such as 1.0, or the encoding in hexadecimal".into(),
        )),
        (Number::Int { negative, magnitude, .. }, _) => {
            let limit = if negative { (ty.mask() >> 1) + 1 } else { ty.mask() };
            if magnitude <= limit {
                let value = if negative { magnitude.wrapping_neg() } else { magnitude };
                return Ok(value & ty.mask());
            }
            let sign = if negative { "-" } else { "" };
            let help = format!("{ty} holds -{:#x} to {:#x}", (ty.mask() >> 1) + 1, ty.mask());
            Err((format!("the constant {sign}{magnitude} does not fit {ty}"), help))
        }
    }
}

/// A constant of `ty` as the printer writes it: [`bits`] turns it back into `value`.
pub(super) fn constant(value: u128, ty: Type) -> String {
    match ty {
        Type::F32 => float(value, f32::from_bits(value as u32), u128::from(value as u32)),
        Type::F64 => float(value, f64::from_bits(value as u64), u128::from(value as u64)),
        Type::Ptr if value > 9 => format!("{value:#x}"),
        Type::Int(2..=128) => {
            // Front ends mean small negative numbers by bits near the mask.
            let negated = (ty.mask() ^ value).wrapping_add(1);
            if value <= ty.mask() && value > ty.mask() >> 1 && negated <= 1 << 16 {
                return format!("-{negated}");
            }
            value.to_string()
        }
        _ => value.to_string(),
    }
}

/// The shortest decimal that reads back as the same float, with a point or an exponent.
pub fn decimal(float: impl fmt::Debug + Into<f64> + Copy) -> String {
    format!("{float:?}")
}

/// A float in decimal if that loses no bits, else its encoding.
fn float(value: u128, float: impl fmt::Debug + Into<f64> + Copy, kept: u128) -> String {
    let text = decimal(float);
    if kept == value && float.into().is_finite() { text } else { format!("{value:#x}") }
}

/// Decodes a quoted string, quotes included; the error is the offset of an invalid escape in `text`.
pub(super) fn unquote(text: &str) -> Result<String, usize> {
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    let mut out = String::with_capacity(inner.len());
    let mut at = 0;
    while let Some(c) = inner[at..].chars().next() {
        at += c.len_utf8();
        if c != '\\' {
            out.push(c);
            continue;
        }
        let (decoded, len) = escape(&inner[at..]).ok_or(at)?;
        out.push(decoded);
        at += len;
    }
    Ok(out)
}

/// The character of an escape, and the number of bytes after the backslash.
fn escape(rest: &str) -> Option<(char, usize)> {
    let decoded = match rest.chars().next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        c @ ('"' | '\\') => c,
        'u' => {
            let digits = rest.strip_prefix("u{")?.split_once('}')?.0;
            if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            let code = u32::from_str_radix(digits, 16).ok()?;
            return Some((char::from_u32(code)?, "u{}".len() + digits.len()));
        }
        _ => return None,
    };
    Some((decoded, 1))
}

/// `text` in quotes, on one line.
pub(super) fn quote(text: &str) -> String {
    in_quotes(text, |c| format!("\\u{{{c:x}}}"))
}

/// `text` in quotes for a message: control characters are escaped as in C.
pub fn quoted(text: &str) -> String {
    in_quotes(text, |c| if c < 0x100 { format!("\\x{c:02x}") } else { format!("\\u{{{c:x}}}") })
}

/// Whether a character is not itself visible and changes how others are shown: control characters, and those that
/// change the direction of text, break lines, or have no width.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

fn in_quotes(text: &str, control: impl Fn(u32) -> String) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_hidden(c) => out.push_str(&control(c.into())),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// `text` as a name: bare if possible, else in quotes.
pub(super) fn name(text: &str) -> String {
    let bytes = text.as_bytes();
    let bare = bytes.first().is_some_and(|b| starts_name(*b));
    if bare && bytes.iter().all(|b| continues_name(*b)) { text.to_owned() } else { quote(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back() {
        for text in ["", "a", "a \"b\" \\ \n\r\t", "\0\u{7f}\u{85}é€😀", "\\u{41}"] {
            assert_eq!(unquote(&quote(text)).as_deref(), Ok(text));
        }
    }

    #[test]
    fn bad_escapes_are_found() {
        for (text, at) in
            [("\"ab\\q\"", 3), ("\"\\u{110000}\"", 1), ("\"\\u{+1}\"", 1), ("\"\\u41\"", 1)]
        {
            assert_eq!(unquote(text), Err(at), "{text}");
        }
    }

    #[test]
    fn constants_come_back() {
        let types = [1, 2, 7, 8, 16, 32, 63, 64, 65, 127, 128].map(Type::Int);
        for ty in types.into_iter().chain([Type::Ptr, Type::F32, Type::F64]) {
            let mask = ty.mask();
            let patterns = [0, 1, 9, 10, mask / 3, mask >> 1, (mask >> 1) + 1, mask - 1, mask];
            for value in patterns.map(|v| v & mask) {
                let text = constant(value, ty);
                assert_eq!(bits(number(&text).unwrap(), ty), Ok(value), "{text} as {ty}");
            }
        }
    }

    #[test]
    fn floats_read_as_written() {
        assert_eq!(constant(1.5f64.to_bits().into(), Type::F64), "1.5");
        assert_eq!(constant((-0.0f32).to_bits().into(), Type::F32), "-0.0");
        assert_eq!(constant(f64::NAN.to_bits().into(), Type::F64), "0x7ff8000000000000");
        assert!(bits(number("1").unwrap(), Type::F64).is_err());
        assert_eq!(bits(number("1e3").unwrap(), Type::F64), Ok(1000f64.to_bits().into()));
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert!(bits(number("256").unwrap(), Type::I8).is_err());
        assert!(bits(number("-129").unwrap(), Type::I8).is_err());
        assert_eq!(bits(number("-128").unwrap(), Type::I8), Ok(128));
        assert!(number("340282366920938463463374607431768211456").is_err());
        for text in ["0x", "12ab", "1.2.3", "0x1g", "1e"] {
            assert!(number(text).is_err(), "{text}");
        }
    }
}
