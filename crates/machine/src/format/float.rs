//! Floats: `%f`, `%e`, `%g`, `%a`.

use super::{Pieces, Spec};

/// The most digits after the point of any float; all further digits are zeros.
const DIGITS: usize = 1100;
const FRACTION_BITS: u32 = 52;

pub(super) fn pieces(spec: &Spec, value: f64) -> Pieces {
    let prefix = spec.sign(value.is_sign_negative());
    let magnitude = value.abs();
    if !magnitude.is_finite() {
        let word = if magnitude.is_nan() { "nan" } else { "inf" };
        return Pieces { prefix, body: cased(spec, word), ..Pieces::default() };
    }
    let pieces = match spec.conversion.to_ascii_lowercase() {
        b'f' => fixed(spec, magnitude, spec.precision.unwrap_or(6)),
        b'e' => scientific(spec, magnitude, spec.precision.unwrap_or(6)),
        b'g' => general(spec, magnitude),
        _ => hexadecimal(spec, magnitude),
    };
    let prefix = prefix.into_iter().chain(pieces.prefix).collect();
    Pieces { prefix, fills: true, ..pieces }
}

fn cased(spec: &Spec, text: &str) -> Vec<u8> {
    if spec.is_upper() { text.to_uppercase().into() } else { text.to_owned().into() }
}

fn fixed(spec: &Spec, value: f64, precision: usize) -> Pieces {
    let digits = precision.min(DIGITS);
    let mut body = format!("{value:.digits$}");
    if precision == 0 && spec.alternative {
        body.push('.');
    }
    let more_zeros = precision - digits;
    Pieces { body: body.into(), more_zeros, ..Pieces::default() }
}

/// Mantissa and exponent of a value, rounded to this many digits after the point.
fn scaled(value: f64, digits: usize) -> (String, i32) {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// `e+05`
fn exponent(spec: &Spec, exponent: i32) -> Vec<u8> {
    let sign = if exponent < 0 { '-' } else { '+' };
    cased(spec, &format!("e{sign}{:02}", exponent.unsigned_abs()))
}

fn scientific(spec: &Spec, value: f64, precision: usize) -> Pieces {
    let digits = precision.min(DIGITS);
    let (mut mantissa, power) = scaled(value, digits);
    if precision == 0 && spec.alternative {
        mantissa.push('.');
    }
    Pieces {
        body: mantissa.into(),
        more_zeros: precision - digits,
        suffix: exponent(spec, power),
        ..Pieces::default()
    }
}

/// `%e` or `%f`, whichever is shorter, without trailing zeros unless the flag `#` asks for them.
fn general(spec: &Spec, value: f64) -> Pieces {
    let precision = spec.precision.unwrap_or(6).max(1);
    let significant = precision.min(DIGITS);
    let (_, power) = scaled(value, significant - 1);
    let fits = power >= -4 && i64::from(power) < precision as i64;
    let mut pieces = match fits {
        true => {
            let behind = (precision as i64 - 1 - i64::from(power)).max(0);
            fixed(spec, value, behind as usize)
        }
        false => scientific(spec, value, precision - 1),
    };
    if !spec.alternative {
        pieces.more_zeros = 0;
        if pieces.body.contains(&b'.') {
            while pieces.body.last() == Some(&b'0') {
                pieces.body.pop();
            }
            if pieces.body.last() == Some(&b'.') {
                pieces.body.pop();
            }
        }
    }
    pieces
}

/// `0x1.8p+1`
fn hexadecimal(spec: &Spec, value: f64) -> Pieces {
    let bits = value.to_bits();
    let (fraction, biased) = (bits & ((1 << FRACTION_BITS) - 1), (bits >> FRACTION_BITS) as i32);
    let power = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    let mut mantissa = u64::from(biased != 0) << FRACTION_BITS | fraction;
    let full = (FRACTION_BITS / 4) as usize;
    let mut digits = full;
    match spec.precision {
        Some(precision) if precision < full => {
            // To the nearest, ties to even.
            let dropped = (full - precision) as u32 * 4;
            let (half, rest) = (1u64 << (dropped - 1), mantissa & ((1 << dropped) - 1));
            mantissa >>= dropped;
            mantissa += u64::from(rest > half || rest == half && mantissa & 1 == 1);
            digits = precision;
        }
        Some(_) => {}
        None => {
            while digits > 0 && mantissa & 0xf == 0 {
                mantissa >>= 4;
                digits -= 1;
            }
        }
    }
    let whole = mantissa >> (digits * 4);
    let behind = mantissa & ((1 << (digits * 4)) - 1);
    let mut body = format!("{whole:x}");
    if digits > 0 {
        body += &format!(".{behind:0digits$x}");
    } else if spec.alternative {
        body.push('.');
    }
    let sign = if power < 0 { '-' } else { '+' };
    Pieces {
        prefix: cased(spec, "0x"),
        body: cased(spec, &body),
        more_zeros: spec.precision.unwrap_or(0).saturating_sub(full),
        suffix: cased(spec, &format!("p{sign}{}", power.unsigned_abs())),
        ..Pieces::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::format;

    fn formatted(conversion: &str, value: f64) -> String {
        let byte = |addr: u64| match addr {
            0x1000..0x1008 => Some(value.to_bits().to_le_bytes()[(addr - 0x1000) as usize]),
            _ => conversion.bytes().chain([0]).nth((addr - 0x100) as usize),
        };
        let text = format(0x100, 0x1000, 4096, &byte).expect("it is supported");
        String::from_utf8(text.bytes).expect("it is ASCII")
    }

    /// The expected values are those that glibc prints.
    #[test]
    fn floats() {
        for (conversion, value, expected) in [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 2.5, "2."),
            ("%.2f", -0.005, "-0.01"),
            ("%10.3f|", std::f64::consts::PI, "     3.142|"),
            ("%-10.1f|", 3.25, "3.2       |"),
            ("%010.2f", -3.25, "-000003.25"),
            ("%+f", 0.0, "+0.000000"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.0e", 12345.678, "1e+04"),
            ("%#.0E", 12345.678, "1.E+04"),
            ("%e", 0.0, "0.000000e+00"),
            ("%e", 1e-300, "1.000000e-300"),
            ("%g", 100000.0, "100000"),
            ("%g", 1e6, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 0.5, "0.5"),
            ("%#g", 0.5, "0.500000"),
            ("%.3g", 1234.0, "1.23e+03"),
            ("%.10g", 1234.5, "1234.5"),
            ("%g", 0.0, "0"),
            ("%g", 999999.5, "1e+06"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 3.0, "0x1.8p+1"),
            ("%A", -0.1, "-0X1.999999999999AP-4"),
            ("%.1a", 1.96875, "0x2.0p+0"),
            ("%.0a", 1.5, "0x2p+0"),
            ("%a", 0.0, "0x0p+0"),
            ("%a", 5e-324, "0x0.0000000000001p-1022"),
            ("%020a", 3.0, "0x0000000000001.8p+1"),
            ("%f", f64::INFINITY, "inf"),
            ("%08F", f64::NEG_INFINITY, "    -INF"),
            ("%f", f64::NAN, "nan"),
        ] {
            assert_eq!(formatted(conversion, value), expected, "{conversion}");
        }
        assert_eq!(formatted("%.1200f", 1.0).len(), 1202);
    }
}
