//! Values as people write them, by the types of their places.

use crate::parts::Value;
use crate::story::Datum;
use raddle_ir::text::decimal;
use raddle_ir::{Number, Program, SourceType};

/// A value of a known type; `pointee` names what an address points to.
pub(crate) fn shown(
    program: &Program,
    value: &Value<'_>,
    bits: u128,
    bytes: u32,
    pointee: impl Fn(u64) -> Option<String>,
) -> String {
    match value {
        Value::Of(ty) => of_type(ty, bits, bytes, &pointee),
        Value::Several(members) => {
            let member = |(member, from): &(&raddle_ir::Member, i64)| {
                let ty = &program.types[member.ty];
                if let Some((_, width)) = member.bits {
                    return field(ty, bits, bytes, *from, width);
                }
                let own = program.source_bytes(member.ty) as u32;
                let at = u32::try_from(*from).unwrap_or(0);
                let own_bits = bits.checked_shr(at).unwrap_or(0) & low_bits(own);
                of_type(ty, own_bits, own, &pointee)
            };
            let shown: Vec<String> = members.iter().map(member).collect();
            match &shown[..] {
                [only] => only.clone(),
                several => format!("{{{}}}", several.join(", ")),
            }
        }
    }
}

fn low_bits(bytes: u32) -> u128 {
    u128::MAX.checked_shr(128u32.saturating_sub(bytes.saturating_mul(8))).unwrap_or(0)
}

/// A bit-field `from` bits above the start of a value.
fn field(ty: &SourceType, bits: u128, bytes: u32, from: i64, width: u32) -> String {
    let end = bytes.saturating_mul(8).min(128);
    let inside = |from: &u32| from.checked_add(width).is_some_and(|to| to <= end);
    let Some(from) = u32::try_from(from).ok().filter(inside) else {
        // The bytes are only a part of it.
        return "?".to_owned();
    };
    let width = width.clamp(1, 128 - from);
    let unused = 128 - width;
    let bits = (bits >> from) << unused >> unused;
    let signed = matches!(
        ty,
        SourceType::Scalar { number: Number::Signed | Number::Char, .. }
            | SourceType::Enum { number: Number::Signed, .. }
    );
    let bits = if signed { (((bits << unused) as i128) >> unused) as u128 } else { bits };
    of_type(ty, bits, 16, &|_| None)
}

fn of_type(
    ty: &SourceType,
    bits: u128,
    bytes: u32,
    pointee: &impl Fn(u64) -> Option<String>,
) -> String {
    match ty {
        SourceType::Pointer => match bits as u64 {
            0 => "null".to_owned(),
            addr => pointee(addr).unwrap_or_else(|| format!("{addr:#x}")),
        },
        SourceType::Scalar { number, .. } => scalar(*number, bits, bytes),
        SourceType::Enum { values, number, .. } => {
            let unused = 128 - 8 * bytes.clamp(1, 16);
            let signed = ((bits << unused) as i128) >> unused;
            let value = if *number == Number::Signed { signed } else { bits as i128 };
            let named = values.iter().find(|(_, known)| *known == value);
            named.map_or_else(|| scalar(*number, bits, bytes), |(name, _)| name.clone())
        }
        SourceType::Array { .. } | SourceType::Record { .. } | SourceType::Opaque { .. } => {
            Datum::number(bits, bytes).shown
        }
    }
}

fn scalar(number: Number, bits: u128, bytes: u32) -> String {
    match (number, bytes) {
        (Number::Bool, _) if bits <= 1 => (bits == 1).to_string(),
        (Number::Float, 4) => decimal(f32::from_bits(bits as u32)),
        (Number::Float, 8) => decimal(f64::from_bits(bits as u64)),
        (Number::Char, _) => match bits as u8 {
            letter @ b' '..=b'~' => format!("'{}'", char::from(letter)),
            _ => Datum::number(bits, bytes).shown,
        },
        // A wide number that is not small is more likely a bit pattern or an address than a count.
        (Number::Unsigned, ..=4) => bits.to_string(),
        (Number::Unsigned, _) if bits < 1 << 28 => bits.to_string(),
        (Number::Unsigned, _) => format!("{bits:#x}"),
        _ => Datum::number(bits, bytes).shown,
    }
}
