//! Reads one conversion of a format.

use super::Reader;

/// The width of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Length {
    Char,
    Short,
    #[default]
    Int,
    Long,
    LongDouble,
}

/// One conversion: `%-08.3lx`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Spec {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alternative: bool,
    pub zero: bool,
    pub width: usize,
    pub precision: Option<usize>,
    pub length: Length,
    pub conversion: u8,
}

impl Spec {
    /// Reads the conversion after a `%`. `None` if it is not a conversion; its text is skipped.
    pub(super) fn parse(
        format: &[u8],
        at: &mut usize,
        reader: &mut Reader<'_>,
    ) -> Result<Option<Spec>, &'static str> {
        let peek = |at: usize| format.get(at).copied().unwrap_or(0);
        let mut spec = Spec::default();
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
            // Grouping of digits: has no effect in the "C" locale.
            b'\'' => {}
            _ => return false,
        }
        true
    }

    pub(super) fn is_upper(&self) -> bool {
        self.conversion.is_ascii_uppercase()
    }

    /// The sign of a signed conversion.
    pub(super) fn sign(&self, negative: bool) -> Vec<u8> {
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
