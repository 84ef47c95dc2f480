//! Numbers.
//!
//! Integers are kept modulo 2 to the power of their width. Floats are written as exact decimals,
//! as the bits of a `double` in hexadecimal (also for `float`), or as the bits of their
//! own format after `0xH` (half), `0xR` (bfloat), `0xK` (x86_fp80), `0xL` (fp128, low word first),
//! `0xM` (ppc_fp128, likewise) or `f0x` (any).

use crate::ast::Type;
use crate::lex::hex;

/// The widest integer type whose constants are kept as values.
pub(super) const MAX_BITS: u32 = 128;

/// The bits of an integer, for a type of 1 to 128 bits; `None` if the text is malformed.
pub(super) fn integer(text: &[u8], bits: u32) -> Option<u128> {
    let value = match text {
        [b'u', b'0', b'x', digits @ ..] => hex_bits(digits)?,
        [b's', b'0', b'x', digits @ ..] => {
            let width = (digits.len() as u32).saturating_mul(4);
            let value = hex_bits(digits)?;
            let negative = width < MAX_BITS && hex(digits[0])? >= 8;
            if negative { value | u128::MAX << width } else { value }
        }
        [b'-', digits @ ..] => decimal_bits(digits)?.wrapping_neg(),
        [b'+', digits @ ..] => decimal_bits(digits)?,
        digits => decimal_bits(digits)?,
    };
    Some(value & mask(bits))
}

fn mask(bits: u32) -> u128 {
    if bits >= MAX_BITS { u128::MAX } else { (1 << bits) - 1 }
}

/// A decimal number modulo 2¹²⁸.
fn decimal_bits(digits: &[u8]) -> Option<u128> {
    digits.iter().try_fold(0u128, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u128::from(byte - b'0'))?;
        Some(sum.wrapping_mul(10).wrapping_add(digit))
    })
}

/// A hexadecimal number modulo 2¹²⁸.
fn hex_bits(digits: &[u8]) -> Option<u128> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u128, |sum, byte| Some(sum << 4 | u128::from(hex(*byte)?)))
}

/// The layout of an IEEE 754 format.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    fraction: u32,
    /// x86's format stores the leading 1 of a normal number.
    explicit_one: bool,
}

fn format(ty: &Type) -> Option<Format> {
    let (exponent, fraction, explicit_one) = match ty {
        Type::Half => (5, 10, false),
        Type::BFloat => (8, 7, false),
        Type::Float => (8, 23, false),
        Type::Double => (11, 52, false),
        Type::X86Fp80 => (15, 63, true),
        Type::Fp128 => (15, 112, false),
        _ => return None,
    };
    Some(Format { exponent, fraction, explicit_one })
}

impl Format {
    fn bits(self) -> u32 {
        1 + self.exponent + self.fraction + u32::from(self.explicit_one)
    }

    fn assemble(self, negative: bool, exponent: u128, fraction: u128) -> u128 {
        let one = u128::from(self.explicit_one && exponent != 0) << self.fraction;
        let above = self.fraction + u32::from(self.explicit_one);
        let sign = u128::from(negative) << (above + self.exponent);
        sign | exponent << above | one | fraction
    }

    fn special(self) -> u128 {
        (1 << self.exponent) - 1
    }
}

/// The bits of a float in its own format; `None` if the text does not fit the type.
pub(super) fn float(text: &[u8], ty: &Type) -> Option<u128> {
    if let Some((letter, digits)) = hexadecimal(text) {
        return match (letter, ty) {
            (b'x', Type::Double) => narrow(hex_bits(digits)?, 64),
            (b'x', Type::Half | Type::BFloat | Type::Float) => {
                let bits = u64::try_from(hex_bits(digits)?).ok()?;
                convert(bits, format(ty)?)
            }
            (b'H', Type::Half) | (b'R', Type::BFloat) => narrow(hex_bits(digits)?, 16),
            (b'K', Type::X86Fp80) => narrow(hex_bits(digits)?, 80),
            (b'L', Type::Fp128) | (b'M', Type::PpcFp128) => low_word_first(digits),
            (b'f', Type::PpcFp128) => hex_bits(digits),
            (b'f', _) => narrow(hex_bits(digits)?, format(ty)?.bits()),
            _ => None,
        };
    }
    let text = std::str::from_utf8(text).ok()?;
    if let Some(bits) = special_value(text, ty) {
        return Some(bits);
    }
    if !text.as_bytes().last().is_some_and(|b| b.is_ascii_digit() || *b == b'.') {
        return None;
    }
    match ty {
        Type::Float => Some(u128::from((text.parse::<f64>().ok()? as f32).to_bits())),
        Type::Double => Some(u128::from(text.parse::<f64>().ok()?.to_bits())),
        // This is the first of the two doubles; the second is zero.
        Type::PpcFp128 => Some(u128::from(text.parse::<f64>().ok()?.to_bits())),
        _ => convert(text.parse::<f64>().ok()?.to_bits(), format(ty)?),
    }
}

/// Splits `0xH…` into its letter and digits; `x` if the letter is missing, `f` for `f0x`.
fn hexadecimal(text: &[u8]) -> Option<(u8, &[u8])> {
    match text {
        [b'f', b'0', b'x', digits @ ..] => Some((b'f', digits)),
        [b'0', b'x', letter @ (b'H' | b'R' | b'K' | b'L' | b'M'), digits @ ..] => {
            Some((*letter, digits))
        }
        [b'0', b'x', digits @ ..] => Some((b'x', digits)),
        _ => None,
    }
}

fn narrow(value: u128, bits: u32) -> Option<u128> {
    (value & !mask(bits) == 0).then_some(value)
}

fn low_word_first(digits: &[u8]) -> Option<u128> {
    const WORD_DIGITS: usize = 16;
    let (low, high) = digits.split_at(digits.len().min(WORD_DIGITS));
    let high = if high.is_empty() { 0 } else { hex_bits(high)? };
    Some(narrow(high, 64)? << 64 | hex_bits(low)?)
}

/// `+inf`, `-qnan`, `+nan(0x1)`, `-snan(0x1)`.
fn special_value(text: &str, ty: &Type) -> Option<u128> {
    let format = format(ty)?;
    let negative = text.starts_with('-');
    let word = text.strip_prefix(['-', '+'])?;
    let quiet = 1u128 << (format.fraction - 1);
    let payload = |prefix: &str| {
        let digits = word.strip_prefix(prefix)?.strip_suffix(')')?;
        narrow(hex_bits(digits.as_bytes())?, format.fraction - 1)
    };
    let fraction = match word {
        "inf" => 0,
        "qnan" => quiet,
        _ => match payload("nan(0x") {
            Some(payload) => quiet | payload,
            None => payload("snan(0x").filter(|payload| *payload != 0)?,
        },
    };
    Some(format.assemble(negative, format.special(), fraction))
}

/// Converts a double to another format, if that format can represent it exactly.
fn convert(double: u64, to: Format) -> Option<u128> {
    const BIAS: i32 = 1023;
    const FRACTION: u32 = 52;
    let negative = double >> 63 == 1;
    let exponent = (double >> FRACTION & 0x7ff) as i32;
    let fraction = u128::from(double & ((1 << FRACTION) - 1));
    let bias = (1i32 << (to.exponent - 1)) - 1;
    if exponent == 0x7ff {
        return Some(to.assemble(
            negative,
            to.special(),
            rescale(fraction, FRACTION, to.fraction)?,
        ));
    }
    if exponent == 0 && fraction == 0 {
        return Some(to.assemble(negative, 0, 0));
    }
    // The number is `significand` times 2 to the power of `scale`; the highest set bit is bit 52.
    let (significand, scale) = match exponent {
        0 => {
            let shift = fraction.leading_zeros() - (127 - FRACTION);
            (fraction << shift, 1 - BIAS - shift as i32)
        }
        _ => (fraction | 1 << FRACTION, exponent - BIAS),
    };
    let biased = scale + bias;
    if biased >= to.special() as i32 {
        return None;
    }
    if biased > 0 {
        let fraction = significand & ((1 << FRACTION) - 1);
        return Some(to.assemble(
            negative,
            biased as u128,
            rescale(fraction, FRACTION, to.fraction)?,
        ));
    }
    let lost = (1 - biased) as u32;
    Some(to.assemble(negative, 0, rescale(significand, FRACTION.checked_add(lost)?, to.fraction)?))
}

/// Converts a fraction of `from` bits to one of `to` bits, if no bits are lost.
fn rescale(fraction: u128, from: u32, to: u32) -> Option<u128> {
    if from <= to {
        return Some(fraction << (to - from));
    }
    let lost = from - to;
    if lost >= u128::BITS {
        return (fraction == 0).then_some(0);
    }
    (fraction & mask(lost) == 0).then_some(fraction >> lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_kept_modulo_their_width() {
        assert_eq!(integer(b"-1", 8), Some(0xff));
        assert_eq!(integer(b"300", 8), Some(44));
        assert_eq!(integer(b"-1", 128), Some(u128::MAX));
        assert_eq!(integer(b"340282366920938463463374607431768211455", 128), Some(u128::MAX));
        assert_eq!(integer(b"u0xFF", 16), Some(0xff));
        assert_eq!(integer(b"s0xFF", 16), Some(0xffff));
        assert_eq!(integer(b"u0xG", 16), None);
    }

    #[test]
    fn decimals() {
        assert_eq!(float(b"1.0", &Type::Double), Some(1f64.to_bits().into()));
        assert_eq!(float(b"-2.5e+00", &Type::Float), Some((-2.5f32).to_bits().into()));
        assert_eq!(float(b"1.0", &Type::Half), Some(0x3c00));
        assert_eq!(float(b"1.0", &Type::BFloat), Some(0x3f80));
        assert_eq!(float(b"1.0", &Type::X86Fp80), Some(0x3fff_8000_0000_0000_0000));
        assert_eq!(float(b"-1.0", &Type::Fp128), Some(0xbfff << 112));
        assert_eq!(float(b"65536.0", &Type::Half), None);
        assert_eq!(float(b"0.1", &Type::Half), None);
        assert_eq!(float(b"1.0", &Type::Int(32)), None);
    }

    #[test]
    fn hexadecimals() {
        let one_third = 0x3FD5_5555_4000_0000u64;
        assert_eq!(
            float(b"0x3FD5555540000000", &Type::Float),
            Some((f64::from_bits(one_third) as f32).to_bits().into())
        );
        assert_eq!(float(b"0x3FD5555555555555", &Type::Float), None);
        assert_eq!(float(b"0x7FF8000000000000", &Type::Float), Some(0x7fc0_0000));
        assert_eq!(float(b"0x36A0000000000000", &Type::Float), Some(1));
        assert_eq!(float(b"0x1", &Type::Double), Some(1));
        assert_eq!(float(b"0xH3C00", &Type::Half), Some(0x3c00));
        assert_eq!(float(b"0xR3F80", &Type::BFloat), Some(0x3f80));
        assert_eq!(
            float(b"0xK3FFF8000000000000000", &Type::X86Fp80),
            Some(0x3fff_8000_0000_0000_0000)
        );
        assert_eq!(
            float(b"0xL00000000000000013FFF000000000000", &Type::Fp128),
            Some(0x3fff_0000_0000_0000_0000_0000_0000_0001)
        );
        assert_eq!(float(b"f0x3F800000", &Type::Float), Some(0x3f80_0000));
        assert_eq!(float(b"0xH3C00", &Type::Double), None);
    }

    #[test]
    fn special_values() {
        assert_eq!(float(b"+inf", &Type::Double), Some(f64::INFINITY.to_bits().into()));
        assert_eq!(float(b"-inf", &Type::X86Fp80), Some(0xffff_8000_0000_0000_0000));
        assert_eq!(float(b"+qnan", &Type::Float), Some(0x7fc0_0000));
        assert_eq!(float(b"+nan(0x1)", &Type::Float), Some(0x7fc0_0001));
        assert_eq!(float(b"-snan(0x1)", &Type::Float), Some(0xff80_0001));
    }

    #[test]
    fn conversion_to_float_agrees_with_the_processor() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..10_000 {
            let single = f32::from_bits(random.u32(..));
            if !single.is_nan() {
                let double = f64::from(single).to_bits();
                let format = format(&Type::Float).unwrap();
                assert_eq!(convert(double, format), Some(single.to_bits().into()), "{single}");
            }
        }
    }
}
