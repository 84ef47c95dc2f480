//! Constants and constant expressions, folded to bits or to an address plus an offset.

use super::gep::Walk;
use super::program::{MAX_ALIASES, ProgramLowering};
use crate::layout::element_bits;
use crate::link::{Symbol, Unit};
use raddle_ir::{BinOp, IntPred, Operand, Type as Scalar};
use raddle_llvm::ast::{BlockId, CastOp, ConstExpr, ConstId, ConstKind, GlobalId, Type, TypeId};

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

pub(super) fn fold(asm: &mut ProgramLowering<'_>, unit: usize, id: ConstId) -> Folded {
    fold_within(asm, unit, id, MAX_DEPTH)
}

pub(super) fn fold_within(
    asm: &mut ProgramLowering<'_>,
    unit: usize,
    id: ConstId,
    depth: u32,
) -> Folded {
    Folding { unit: &asm.source.units[unit], asm, at: unit, depth }.fold(id)
}

/// The state while a constant is folded.
struct Folding<'a, 'm> {
    asm: &'a mut ProgramLowering<'m>,
    /// The index of the unit.
    at: usize,
    unit: &'m Unit,
    /// How many more levels may follow.
    depth: u32,
}

impl Folding<'_, '_> {
    fn fold(&mut self, id: ConstId) -> Folded {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Folded::Unfit("a constant that is nested too deeply");
        };
        self.depth = depth;
        let folded = self.constant(id);
        self.depth += 1;
        folded
    }

    fn constant(&mut self, id: ConstId) -> Folded {
        let constant = self.unit.module.constant(id);
        match &constant.kind {
            ConstKind::Int(bits) | ConstKind::Float(bits) => Folded::Bits(*bits),
            ConstKind::Null | ConstKind::Zero => Folded::Bits(0),
            ConstKind::Undef | ConstKind::Poison | ConstKind::NoneToken => Folded::Undef,
            ConstKind::Global(global)
            | ConstKind::DsoLocalEquivalent(global)
            | ConstKind::NoCfi(global) => self.address(*global),
            ConstKind::PtrAuth(pointer) => self.fold(*pointer),
            ConstKind::Aggregate(elements) => self.vector(constant.ty, elements),
            ConstKind::Splat(element) => self.splat(constant.ty, *element),
            ConstKind::Bytes(bytes) if bytes.len() <= 16 => {
                Folded::Bits(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte)))
            }
            ConstKind::Bytes(_) => Folded::Unfit("an array as a constant operand"),
            ConstKind::BlockAddress { block, .. } => Folded::Bits(label(*block)),
            ConstKind::WideInt(_) => Folded::Unfit("an integer of more than 128 bits"),
            ConstKind::Expr(expr) => self.expression(constant.ty, expr),
        }
    }

    fn address(&mut self, global: GlobalId) -> Folded {
        let symbol = Symbol { unit: self.at, global };
        match self.asm.address(symbol, self.depth.min(MAX_ALIASES)) {
            Operand::Global(id, offset) => Folded::Address(Operand::Global(id, 0), offset),
            Operand::Int(bits) => Folded::Bits(bits),
            Operand::Undef => Folded::Unfit("an alias of something that has no address"),
            other => Folded::Address(other, 0),
        }
    }

    /// Places the lanes side by side, the first in the lowest bits.
    fn vector(&mut self, ty: TypeId, lanes: &[ConstId]) -> Folded {
        let module = &self.unit.module;
        let Type::Vector { element, .. } = module.ty(ty) else {
            return Folded::Unfit("an aggregate as a scalar constant");
        };
        let bits = element_bits(module, *element).unwrap_or(0);
        if lanes.len() as u64 * u64::from(bits) > 128 {
            return Folded::Unfit("a vector of more than 128 bits");
        }
        let mut whole = 0u128;
        for (index, lane) in lanes.iter().enumerate() {
            match self.fold(*lane) {
                Folded::Bits(value) => whole |= value << (index as u32 * bits),
                Folded::Undef => {}
                _ => return Folded::Unfit("a vector of addresses"),
            }
        }
        Folded::Bits(whole)
    }

    fn splat(&mut self, ty: TypeId, lane: ConstId) -> Folded {
        match self.unit.module.ty(ty) {
            Type::Vector { len, .. } if *len <= 128 => self.vector(ty, &vec![lane; *len as usize]),
            _ => Folded::Unfit("a vector of more than 128 bits"),
        }
    }

    fn scalar_of(&self, id: ConstId) -> Option<Scalar> {
        self.unit.layout.scalar(self.unit.module.constant(id).ty)
    }

    fn expression(&mut self, ty: TypeId, expr: &ConstExpr) -> Folded {
        let Some(result) = self.unit.layout.scalar(ty) else {
            return Folded::Unfit("a constant expression that is not a scalar");
        };
        match expr {
            ConstExpr::Binary { op, lhs, rhs } => {
                binary(*op, result, self.fold(*lhs), self.fold(*rhs))
            }
            ConstExpr::Cast { op, arg } => {
                let value = self.fold(*arg);
                let from = self.scalar_of(*arg);
                from.map_or(Folded::Unfit("a cast of an aggregate"), |from| {
                    cast(*op, from, result, value)
                })
            }
            ConstExpr::Gep { source, base, indices, .. } => {
                let base = self.fold(*base);
                self.gep(*source, base, indices)
            }
            ConstExpr::ICmp { pred, lhs, rhs } => {
                let (a, b) = (self.fold(*lhs), self.fold(*rhs));
                let ty = self.scalar_of(*lhs);
                ty.map_or(Folded::Unfit("a comparison of aggregates"), |ty| {
                    compare(*pred, ty, a, b)
                })
            }
            ConstExpr::Select { cond, then, otherwise } => match self.fold(*cond) {
                Folded::Bits(0) => self.fold(*otherwise),
                Folded::Bits(_) => self.fold(*then),
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

    fn gep(&mut self, source: TypeId, base: Folded, indices: &[ConstId]) -> Folded {
        let mut walk = Walk::new(source);
        for index in indices {
            let ty = self.scalar_of(*index).unwrap_or(Scalar::I64);
            let Folded::Bits(bits) = self.fold(*index) else {
                return Folded::Unfit("an index that is not a number in a constant");
            };
            if walk.constant(self.unit, signed(bits, ty) as i64).is_none() {
                return Folded::Unfit("an index into something that has no elements");
            }
        }
        match base {
            Folded::Bits(bits) => {
                Folded::Bits((bits as u64).wrapping_add_signed(walk.offset).into())
            }
            Folded::Address(base, at) => Folded::Address(base, at.wrapping_add(walk.offset)),
            other => other,
        }
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
