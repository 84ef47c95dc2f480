//! Constants and constant expressions, folded to bits or to an address plus an offset.

use super::program::ProgramLowering;
use crate::layout::element_bits;
use crate::link::Symbol;
use raddle_ir::{BinOp, IntPred, Operand, Type as Scalar};
use raddle_llvm::ast::{BlockId, CastOp, ConstExpr, ConstId, ConstKind, Type, TypeId};

/// The parser limits the nesting of constants; aliases between them may add to that.
const MAX_DEPTH: u32 = 512;

/// The value of a scalar constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Folded {
    Bits(u128),
    /// An [`Operand::Global`] (with offset 0) or [`Operand::Func`], and an offset in bytes.
    Address(Operand, i64),
    Undef,
    /// The constant cannot be folded; the reason.
    Unfit(&'static str),
}

/// The address of a label: a number that is not null, and different for each label of the
/// function. Computed jumps compare with these numbers.
pub(super) fn label(block: BlockId) -> u128 {
    u128::from(block.as_u32()) + 1
}

pub(super) fn fold(assembly: &mut ProgramLowering<'_>, unit: usize, id: ConstId) -> Folded {
    fold_within(assembly, unit, id, MAX_DEPTH)
}

pub(super) fn fold_within(
    asm: &mut ProgramLowering<'_>,
    unit: usize,
    id: ConstId,
    depth: u32,
) -> Folded {
    let Some(depth) = depth.checked_sub(1) else {
        return Folded::Unfit("a constant that is nested too deeply");
    };
    let source = &asm.source.units[unit];
    let constant = source.module.constant(id);
    match &constant.kind {
        ConstKind::Int(bits) | ConstKind::Float(bits) => Folded::Bits(*bits),
        ConstKind::Null | ConstKind::Zero => Folded::Bits(0),
        ConstKind::Undef | ConstKind::Poison | ConstKind::NoneToken => Folded::Undef,
        ConstKind::Global(global)
        | ConstKind::DsoLocalEquivalent(global)
        | ConstKind::NoCfi(global) => address(asm, Symbol { unit, global: *global }, depth),
        ConstKind::PtrAuth(pointer) => fold_within(asm, unit, *pointer, depth),
        ConstKind::Aggregate(elements) => vector(asm, unit, constant.ty, elements, depth),
        ConstKind::Splat(element) => splat(asm, unit, constant.ty, *element, depth),
        ConstKind::Bytes(bytes) if bytes.len() <= 16 => {
            Folded::Bits(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte)))
        }
        ConstKind::Bytes(_) => Folded::Unfit("an array as a constant operand"),
        ConstKind::BlockAddress { block, .. } => Folded::Bits(label(*block)),
        ConstKind::WideInt(_) => Folded::Unfit("an integer of more than 128 bits"),
        ConstKind::Expr(expr) => expression(asm, unit, constant.ty, expr, depth),
    }
}

fn address(asm: &mut ProgramLowering<'_>, symbol: Symbol, depth: u32) -> Folded {
    match asm.alias_address(symbol, depth.min(64)) {
        Operand::Global(id, offset) => Folded::Address(Operand::Global(id, 0), offset),
        Operand::Int(bits) => Folded::Bits(bits),
        Operand::Undef => Folded::Unfit("an alias of something that has no address"),
        other => Folded::Address(other, 0),
    }
}

/// Places the lanes side by side, the first in the lowest bits.
fn vector(
    asm: &mut ProgramLowering<'_>,
    unit: usize,
    ty: TypeId,
    lanes: &[ConstId],
    depth: u32,
) -> Folded {
    let module = &asm.source.units[unit].module;
    let Type::Vector { element, .. } = module.ty(ty) else {
        return Folded::Unfit("an aggregate as a scalar constant");
    };
    let bits = element_bits(module, *element).unwrap_or(0);
    if lanes.len() as u64 * u64::from(bits) > 128 {
        return Folded::Unfit("a vector of more than 128 bits");
    }
    let mut whole = 0u128;
    for (index, lane) in lanes.iter().enumerate() {
        match fold_within(asm, unit, *lane, depth) {
            Folded::Bits(value) => whole |= value << (index as u32 * bits),
            Folded::Undef => {}
            _ => return Folded::Unfit("a vector of addresses"),
        }
    }
    Folded::Bits(whole)
}

fn splat(
    asm: &mut ProgramLowering<'_>,
    unit: usize,
    ty: TypeId,
    lane: ConstId,
    depth: u32,
) -> Folded {
    match asm.source.units[unit].module.ty(ty) {
        Type::Vector { len, .. } if *len <= 128 => {
            let lanes = vec![lane; *len as usize];
            vector(asm, unit, ty, &lanes, depth)
        }
        _ => Folded::Unfit("a vector of more than 128 bits"),
    }
}

fn scalar(asm: &ProgramLowering<'_>, unit: usize, ty: TypeId) -> Option<Scalar> {
    asm.source.units[unit].layout.scalar(ty)
}

fn const_scalar(asm: &ProgramLowering<'_>, unit: usize, id: ConstId) -> Option<Scalar> {
    scalar(asm, unit, asm.source.units[unit].module.constant(id).ty)
}

fn expression(
    asm: &mut ProgramLowering<'_>,
    unit: usize,
    ty: TypeId,
    expr: &ConstExpr,
    depth: u32,
) -> Folded {
    let Some(result) = scalar(asm, unit, ty) else {
        return Folded::Unfit("a constant expression that is not a scalar");
    };
    let mut fold = |id: &ConstId| fold_within(asm, unit, *id, depth);
    match expr {
        ConstExpr::Binary { op, lhs, rhs } => {
            let (lhs, rhs) = (fold(lhs), fold(rhs));
            binary(*op, result, lhs, rhs)
        }
        ConstExpr::Cast { op, arg } => {
            let value = fold(arg);
            let from = const_scalar(asm, unit, *arg);
            from.map_or(Folded::Unfit("a cast of an aggregate"), |from| {
                cast(*op, from, result, value)
            })
        }
        ConstExpr::Gep { source, base, indices, .. } => {
            let base = fold(base);
            gep(asm, unit, *source, base, indices, depth)
        }
        ConstExpr::ICmp { pred, lhs, rhs } => {
            let (a, b) = (fold(lhs), fold(rhs));
            let ty = const_scalar(asm, unit, *lhs);
            ty.map_or(Folded::Unfit("a comparison of aggregates"), |ty| compare(*pred, ty, a, b))
        }
        ConstExpr::Select { cond, then, otherwise } => match fold(cond) {
            Folded::Bits(0) => fold(otherwise),
            Folded::Bits(_) => fold(then),
            _ => Folded::Unfit("a constant choice that depends on an address"),
        },
        ConstExpr::FNeg(_)
        | ConstExpr::FCmp { .. }
        | ConstExpr::ExtractElement { .. }
        | ConstExpr::InsertElement { .. }
        | ConstExpr::ShuffleVector { .. }
        | ConstExpr::ExtractValue { .. }
        | ConstExpr::InsertValue { .. } => Folded::Unfit("a constant expression of this kind"),
    }
}

/// The value as a signed number.
pub(super) fn signed(bits: u128, ty: Scalar) -> i128 {
    let shift = 128 - ty.bits();
    ((bits << shift) as i128) >> shift
}

fn binary(op: BinOp, ty: Scalar, a: Folded, b: Folded) -> Folded {
    match (op, a, b) {
        (_, Folded::Bits(a), Folded::Bits(b)) => match integer(op, ty, a, b) {
            Some(bits) => Folded::Bits(bits),
            None => Folded::Unfit("a constant expression of this kind"),
        },
        (BinOp::Add, Folded::Address(base, at), Folded::Bits(by))
        | (BinOp::Add, Folded::Bits(by), Folded::Address(base, at)) => {
            Folded::Address(base, at.wrapping_add(by as i64))
        }
        (BinOp::Sub, Folded::Address(base, at), Folded::Bits(by)) => {
            Folded::Address(base, at.wrapping_sub(by as i64))
        }
        (BinOp::Sub, Folded::Address(base, a), Folded::Address(other, b)) if base == other => {
            Folded::Bits(a.wrapping_sub(b) as u128 & ty.mask())
        }
        (_, Folded::Undef, _) | (_, _, Folded::Undef) => Folded::Undef,
        (_, Folded::Unfit(why), _) | (_, _, Folded::Unfit(why)) => Folded::Unfit(why),
        _ => Folded::Unfit("arithmetic on addresses in a constant"),
    }
}

/// Integer arithmetic on constants; `None` if the result is undefined or `op` is not an integer operation.
pub(super) fn integer(op: BinOp, ty: Scalar, a: u128, b: u128) -> Option<u128> {
    let (sa, sb) = (signed(a, ty), signed(b, ty));
    let shift = u32::try_from(b).ok().filter(|by| *by < ty.bits());
    let bits = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv => sa.checked_div(sb)? as u128,
        BinOp::SRem => sa.checked_rem(sb)? as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a << shift?,
        BinOp::LShr => a >> shift?,
        BinOp::AShr => (sa >> shift?) as u128,
        _ => return None,
    };
    Some(bits & ty.mask())
}

fn cast(op: CastOp, from: Scalar, to: Scalar, value: Folded) -> Folded {
    match (op, value) {
        (CastOp::SExt, Folded::Bits(bits)) => Folded::Bits(signed(bits, from) as u128 & to.mask()),
        (
            CastOp::Trunc
            | CastOp::ZExt
            | CastOp::BitCast
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::AddrSpaceCast,
            Folded::Bits(bits),
        ) => Folded::Bits(bits & to.mask()),
        (_, Folded::Bits(_)) => Folded::Unfit("a constant conversion of floats"),
        (_, Folded::Address(..)) if to.bits() != 64 => {
            Folded::Unfit("a part of an address as a constant")
        }
        (_, other) => other,
    }
}

fn compare(pred: IntPred, ty: Scalar, a: Folded, b: Folded) -> Folded {
    use IntPred::*;
    let (a, b) = match (a, b) {
        (Folded::Bits(a), Folded::Bits(b)) => (a, b),
        (Folded::Address(base, a), Folded::Address(other, b)) if base == other => {
            (a as u64 as u128, b as u64 as u128)
        }
        // No object lies at address 0.
        (Folded::Address(..), Folded::Bits(0)) => (1, 0),
        (Folded::Bits(0), Folded::Address(..)) => (0, 1),
        (Folded::Unfit(why), _) | (_, Folded::Unfit(why)) => return Folded::Unfit(why),
        _ => return Folded::Unfit("a comparison of addresses in a constant"),
    };
    let (sa, sb) = (signed(a, ty), signed(b, ty));
    let holds = match pred {
        Eq => a == b,
        Ne => a != b,
        Ugt => a > b,
        Uge => a >= b,
        Ult => a < b,
        Ule => a <= b,
        Sgt => sa > sb,
        Sge => sa >= sb,
        Slt => sa < sb,
        Sle => sa <= sb,
    };
    Folded::Bits(holds.into())
}

fn gep(
    asm: &mut ProgramLowering<'_>,
    unit: usize,
    source: TypeId,
    base: Folded,
    indices: &[ConstId],
    depth: u32,
) -> Folded {
    let mut walk = crate::lower::gep::Walk::new(source);
    for index in indices {
        let ty = const_scalar(asm, unit, *index).unwrap_or(Scalar::I64);
        let Folded::Bits(bits) = fold_within(asm, unit, *index, depth) else {
            return Folded::Unfit("an index that is not a number in a constant");
        };
        if walk.constant(&asm.source.units[unit], signed(bits, ty) as i64).is_none() {
            return Folded::Unfit("an index into something that has no elements");
        }
    }
    match base {
        Folded::Bits(bits) => Folded::Bits((bits as u64).wrapping_add_signed(walk.offset).into()),
        Folded::Address(base, at) => Folded::Address(base, at.wrapping_add(walk.offset)),
        other => other,
    }
}
