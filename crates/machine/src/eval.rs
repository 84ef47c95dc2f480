//! Arithmetic. Values are bit patterns, masked to their type's width; 64 bits suffice for all but
//! `i65`…`i128`, which take the slower path through `u128`.

use crate::fault::{FailureKind, Fault};
use raddle_ir::{BinOp, CastOp, FloatPred, IntPred, Pred, RmwOp, Type, UnOp};

#[inline]
pub fn mask64(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

#[inline]
fn sext64(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}

#[inline]
fn sext128(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

fn divided_by_zero() -> Fault {
    Fault::new(FailureKind::DivisionByZero, "division by zero")
}

/// `a op b` for integers or pointers of at most 64 bits, if the operator cannot fault.
#[inline]
pub fn total64(op: BinOp, bits: u8, a: u64, b: u64) -> Option<u64> {
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        _ => return None,
    };
    Some(value & mask64(bits.into()))
}

/// `a op b` for integers and pointers of at most 64 bits, and for floats.
#[inline]
pub fn bin64(op: BinOp, ty: Type, a: u64, b: u64) -> Result<u64, Fault> {
    let bits = ty.bits();
    if let Some(value) = total64(op, bits as u8, a, b) {
        return Ok(value);
    }
    let value = match op {
        BinOp::Shl if b < u64::from(bits) => a << b,
        BinOp::LShr if b < u64::from(bits) => a >> b,
        BinOp::Shl | BinOp::LShr => 0,
        BinOp::AShr => (sext64(a, bits) >> b.min(u64::from(bits) - 1)) as u64,
        BinOp::UDiv => a.checked_div(b).ok_or_else(divided_by_zero)?,
        BinOp::URem => a.checked_rem(b).ok_or_else(divided_by_zero)?,
        BinOp::SDiv | BinOp::SRem => signed_division(op, bits, a.into(), b.into())? as u64,
        // Floats; the rest is total.
        _ => return Ok(float_bin(op, ty, a, b)),
    };
    Ok(value & mask64(bits))
}

/// `a op b` for integers wider than 64 bits.
pub fn bin128(op: BinOp, ty: Type, a: u128, b: u128) -> Result<u128, Fault> {
    let bits = ty.bits();
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if b < u128::from(bits) => a << b,
        BinOp::LShr if b < u128::from(bits) => a >> b,
        BinOp::AShr => (sext128(a, bits) >> b.min(u128::from(bits) - 1)) as u128,
        BinOp::UDiv => a.checked_div(b).ok_or_else(divided_by_zero)?,
        BinOp::URem => a.checked_rem(b).ok_or_else(divided_by_zero)?,
        BinOp::SDiv | BinOp::SRem => signed_division(op, bits, a, b)?,
        // Shifts past the end; float operations cannot have an integer type in a verified program.
        _ => 0,
    };
    Ok(value & ty.mask())
}

fn signed_division(op: BinOp, bits: u32, a: u128, b: u128) -> Result<u128, Fault> {
    let (a, b) = (sext128(a, bits), sext128(b, bits));
    if b == 0 {
        return Err(divided_by_zero());
    }
    Ok(if op == BinOp::SDiv { a.wrapping_div(b) } else { a.wrapping_rem(b) } as u128)
}

fn float_bin(op: BinOp, ty: Type, a: u64, b: u64) -> u64 {
    fn apply<F>(op: BinOp, a: F, b: F) -> F
    where
        F: std::ops::Add<Output = F>
            + std::ops::Sub<Output = F>
            + std::ops::Mul<Output = F>
            + std::ops::Div<Output = F>
            + std::ops::Rem<Output = F>,
    {
        match op {
            BinOp::FAdd => a + b,
            BinOp::FSub => a - b,
            BinOp::FMul => a * b,
            BinOp::FDiv => a / b,
            _ => a % b,
        }
    }
    if ty == Type::F32 {
        u64::from(apply(op, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits())
    } else {
        apply(op, f64::from_bits(a), f64::from_bits(b)).to_bits()
    }
}

pub fn un(op: UnOp, ty: Type, a: u128) -> u128 {
    match op {
        UnOp::Not => !a & ty.mask(),
        UnOp::Neg => a.wrapping_neg() & ty.mask(),
        // The sign is the top bit of either encoding.
        UnOp::FNeg => a ^ (1 << (ty.bits() - 1)),
    }
}

#[inline]
pub fn cmp(pred: Pred, ty: Type, a: u128, b: u128) -> bool {
    match pred {
        Pred::Int(pred) => int_pred(pred, ty, a, b),
        Pred::Float(pred) => float_cmp(pred, float(ty, a), float(ty, b)),
    }
}

/// Whether `a pred b` for integers or pointers of type `ty`.
#[inline]
pub fn int_pred(pred: IntPred, ty: Type, a: u128, b: u128) -> bool {
    holds(pred, a, b, |value| sext128(value, ty.bits()))
}

/// [`int_pred`] for types of at most 64 `bits`.
#[inline]
pub fn int_pred64(pred: IntPred, bits: u8, a: u64, b: u64) -> bool {
    holds(pred, a, b, |value| sext64(value, bits.into()))
}

#[inline(always)]
fn holds<U: Ord, S: Ord>(pred: IntPred, a: U, b: U, signed: impl Fn(U) -> S) -> bool {
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::Ult => a < b,
        IntPred::Ule => a <= b,
        IntPred::Ugt => a > b,
        IntPred::Uge => a >= b,
        IntPred::Slt => signed(a) < signed(b),
        IntPred::Sle => signed(a) <= signed(b),
        IntPred::Sgt => signed(a) > signed(b),
        IntPred::Sge => signed(a) >= signed(b),
    }
}

fn float(ty: Type, bits: u128) -> f64 {
    if ty == Type::F32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits as u64) }
}

fn float_cmp(pred: FloatPred, a: f64, b: f64) -> bool {
    use FloatPred::*;
    let unordered = a.is_nan() || b.is_nan();
    match pred {
        Ord => !unordered,
        Uno => unordered,
        Oeq => a == b,
        One => !unordered && a != b,
        Olt => a < b,
        Ole => a <= b,
        Ogt => a > b,
        Oge => a >= b,
        Ueq => unordered || a == b,
        Une => a != b,
        FUlt => unordered || a < b,
        FUle => unordered || a <= b,
        FUgt => unordered || a > b,
        FUge => unordered || a >= b,
    }
}

pub fn cast(op: CastOp, from: Type, to: Type, a: u128) -> u128 {
    let encode = |value: f64| match to {
        Type::F32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    };
    match op {
        CastOp::Trunc | CastOp::PtrToInt | CastOp::IntToPtr => a & to.mask(),
        CastOp::ZExt | CastOp::BitCast => a,
        CastOp::SExt => sext128(a, from.bits()) as u128 & to.mask(),
        CastOp::FpTrunc | CastOp::FpExt => encode(float(from, a)),
        CastOp::FpToUi => float(from, a) as u128 & to.mask(),
        CastOp::FpToSi => float(from, a) as i128 as u128 & to.mask(),
        CastOp::UiToFp if to == Type::F32 => u128::from((a as f32).to_bits()),
        CastOp::UiToFp => encode(a as f64),
        CastOp::SiToFp if to == Type::F32 => u128::from((sext128(a, from.bits()) as f32).to_bits()),
        CastOp::SiToFp => encode(sext128(a, from.bits()) as f64),
    }
}

/// The value that a read-modify-write writes.
pub fn rmw_result(op: RmwOp, ty: Type, old: u128, operand: u128) -> u128 {
    let pick = |pred| if int_pred(pred, ty, old, operand) { old } else { operand };
    let value = match op {
        RmwOp::Xchg => operand,
        RmwOp::Add => old.wrapping_add(operand),
        RmwOp::Sub => old.wrapping_sub(operand),
        RmwOp::And => old & operand,
        RmwOp::Nand => !(old & operand),
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::Max => pick(IntPred::Sgt),
        RmwOp::Min => pick(IntPred::Slt),
        RmwOp::UMax => pick(IntPred::Ugt),
        RmwOp::UMin => pick(IntPred::Ult),
        RmwOp::FAdd => float_bin(BinOp::FAdd, ty, old as u64, operand as u64).into(),
        RmwOp::FSub => float_bin(BinOp::FSub, ty, old as u64, operand as u64).into(),
    };
    value & ty.mask()
}
