//! Scalar types. The IR has no aggregates: front ends split them into bytes and offsets.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a register, an operand or a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Type {
    /// A two's complement integer of 1 to 128 bits; signedness is in the operations.
    Int(u8),
    /// An address; 64 bits wide.
    Ptr,
    F32,
    F64,
}

impl Type {
    pub const BOOL: Type = Type::Int(1);
    pub const I8: Type = Type::Int(8);
    pub const I16: Type = Type::Int(16);
    pub const I32: Type = Type::Int(32);
    pub const I64: Type = Type::Int(64);
    pub const I128: Type = Type::Int(128);

    pub const MAX_BITS: u8 = 128;

    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Type::Int(bits) => bits as u32,
            Type::Ptr | Type::F64 => 64,
            Type::F32 => 32,
        }
    }

    /// The number of bytes that a value of this type occupies in memory.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub const fn is_int(self) -> bool {
        matches!(self, Type::Int(_))
    }

    pub const fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// Integer or pointer: the types that integer arithmetic and comparison accept.
    pub const fn is_int_like(self) -> bool {
        matches!(self, Type::Int(_) | Type::Ptr)
    }

    /// All bits that a value of this type has.
    pub const fn mask(self) -> u128 {
        let bits = self.bits();
        if bits >= 128 { u128::MAX } else { (1u128 << bits) - 1 }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::Ptr => f.write_str("ptr"),
            Type::F32 => f.write_str("f32"),
            Type::F64 => f.write_str("f64"),
        }
    }
}

/// Reads a type name as the text form spells it; `None` for anything else.
impl std::str::FromStr for Type {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        match s {
            "ptr" => Ok(Type::Ptr),
            "f32" => Ok(Type::F32),
            "f64" => Ok(Type::F64),
            _ => {
                let digits = s.strip_prefix('i').ok_or(())?;
                if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(());
                }
                match digits.parse::<u8>() {
                    Ok(bits) if (1..=Type::MAX_BITS).contains(&bits) => Ok(Type::Int(bits)),
                    _ => Err(()),
                }
            }
        }
    }
}
