//! Integer arithmetic of the IR on values kept zero-extended in 128 bits.

use crate::outcome::Trouble;
use raddle_ir::{BinOp, CastOp, IntPred, Pred, RmwOp, Type, UnOp};

fn signed(ty: Type, value: u128) -> i128 {
    let unused = 128 - ty.bits();
    ((value << unused) as i128) >> unused
}

/// `None` for a division by zero.
pub(crate) fn binary(op: BinOp, ty: Type, a: u128, b: u128) -> Result<Option<u128>, Trouble> {
    let (sa, sb) = (signed(ty, a), signed(ty, b));
    let wide = b >= u128::from(ty.bits());
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem if b == 0 => return Ok(None),
        BinOp::UDiv => a / b,
        BinOp::SDiv => sa.wrapping_div(sb) as u128,
        BinOp::URem => a % b,
        BinOp::SRem => sa.wrapping_rem(sb) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl | BinOp::LShr if wide => 0,
        BinOp::Shl => a << b,
        BinOp::LShr => a >> b,
        BinOp::AShr if wide => (sa >> 127) as u128,
        BinOp::AShr => (sa >> b) as u128,
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => {
            return Trouble::unsupported("floats");
        }
    };
    Ok(Some(value & ty.mask()))
}

pub(crate) fn unary(op: UnOp, ty: Type, a: u128) -> Result<u128, Trouble> {
    match op {
        UnOp::Not => Ok(!a & ty.mask()),
        UnOp::Neg => Ok(a.wrapping_neg() & ty.mask()),
        UnOp::FNeg => Trouble::unsupported("floats"),
    }
}

pub(crate) fn compare(pred: Pred, ty: Type, a: u128, b: u128) -> Result<bool, Trouble> {
    match pred {
        Pred::Int(pred) => Ok(compare_ints(pred, ty, a, b)),
        Pred::Float(_) => Trouble::unsupported("floats"),
    }
}

pub(crate) fn compare_ints(pred: IntPred, ty: Type, a: u128, b: u128) -> bool {
    let (sa, sb) = (signed(ty, a), signed(ty, b));
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::Ult => a < b,
        IntPred::Ule => a <= b,
        IntPred::Ugt => a > b,
        IntPred::Uge => a >= b,
        IntPred::Slt => sa < sb,
        IntPred::Sle => sa <= sb,
        IntPred::Sgt => sa > sb,
        IntPred::Sge => sa >= sb,
    }
}

pub(crate) fn cast(op: CastOp, from: Type, to: Type, a: u128) -> Result<u128, Trouble> {
    match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::BitCast | CastOp::PtrToInt | CastOp::IntToPtr => {
            Ok(a & to.mask())
        }
        CastOp::SExt => Ok(signed(from, a) as u128 & to.mask()),
        CastOp::FpTrunc
        | CastOp::FpExt
        | CastOp::FpToUi
        | CastOp::FpToSi
        | CastOp::UiToFp
        | CastOp::SiToFp => Trouble::unsupported("floats"),
    }
}

/// The value that a read-modify-write stores.
pub(crate) fn modify(op: RmwOp, ty: Type, old: u128, operand: u128) -> Result<u128, Trouble> {
    let (so, sv) = (signed(ty, old), signed(ty, operand));
    let value = match op {
        RmwOp::Xchg => operand,
        RmwOp::Add => old.wrapping_add(operand),
        RmwOp::Sub => old.wrapping_sub(operand),
        RmwOp::And => old & operand,
        RmwOp::Nand => !(old & operand),
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::Max => so.max(sv) as u128,
        RmwOp::Min => so.min(sv) as u128,
        RmwOp::UMax => old.max(operand),
        RmwOp::UMin => old.min(operand),
        RmwOp::FAdd | RmwOp::FSub => return Trouble::unsupported("floats"),
    };
    Ok(value & ty.mask())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_wraps_at_the_width() {
        assert_eq!(binary(BinOp::Add, Type::I8, 255, 1), Ok(Some(0)));
        assert_eq!(binary(BinOp::Sub, Type::I16, 0, 1), Ok(Some(0xffff)));
        assert_eq!(binary(BinOp::SDiv, Type::I8, 0x80, 0xff), Ok(Some(0x80)));
        assert_eq!(unary(UnOp::Neg, Type::I32, 1), Ok(0xffff_ffff));
    }

    #[test]
    fn shifts_by_the_width_or_more_give_zero_or_the_sign() {
        assert_eq!(binary(BinOp::Shl, Type::I8, 1, 8), Ok(Some(0)));
        assert_eq!(binary(BinOp::LShr, Type::I128, 1, 128), Ok(Some(0)));
        assert_eq!(binary(BinOp::AShr, Type::I8, 0x80, 9), Ok(Some(0xff)));
        assert_eq!(binary(BinOp::AShr, Type::I8, 0x80, 1), Ok(Some(0xc0)));
    }

    #[test]
    fn division_by_zero_has_no_value() {
        assert_eq!(binary(BinOp::URem, Type::I8, 3, 0), Ok(None));
    }

    #[test]
    fn signed_and_unsigned_orders_differ() {
        assert!(compare_ints(IntPred::Slt, Type::I8, 0xff, 0));
        assert!(compare_ints(IntPred::Ugt, Type::I8, 0xff, 0));
        assert_eq!(modify(RmwOp::Min, Type::I8, 0xff, 1), Ok(0xff));
        assert_eq!(modify(RmwOp::UMin, Type::I8, 0xff, 1), Ok(1));
        assert_eq!(cast(CastOp::SExt, Type::I8, Type::I16, 0x80), Ok(0xff80));
    }
}
