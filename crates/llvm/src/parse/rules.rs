//! The operand and result types of operations. Instructions and constant expressions follow
//! the same rules.

use super::Parser;
use crate::ast::{CastOp, Type, TypeId};
use crate::fault::Parse;
use crate::intern::Types;
use raddle_ir::BinOp;

impl Parser<'_> {
    /// The element type of a vector; for any other type, the type itself.
    pub(super) fn scalar_type(&self, ty: TypeId) -> TypeId {
        match self.types.types[ty] {
            Type::Vector { element, .. } => element,
            _ => ty,
        }
    }

    pub(super) fn is_float(&self, ty: TypeId) -> bool {
        matches!(
            self.types.types[self.scalar_type(ty)],
            Type::Half
                | Type::BFloat
                | Type::Float
                | Type::Double
                | Type::X86Fp80
                | Type::Fp128
                | Type::PpcFp128
        )
    }

    /// Checks that integer operations are on integers, and float operations on floats.
    pub(super) fn require_operation(&self, op: BinOp, ty: TypeId, at: usize) -> Parse<()> {
        let fits = match self.types.types[self.scalar_type(ty)] {
            Type::Int(_) => !op.is_float(),
            _ => op.is_float() && self.is_float(ty),
        };
        if fits {
            return Ok(());
        }
        let name = self.show_type(ty);
        Err(self.fault_at(at, format!("an operation that {name} does not have")))
    }

    /// Checks that a cast is between the right classes of types, and in the right direction.
    pub(super) fn require_cast(
        &self,
        op: CastOp,
        from: TypeId,
        to: TypeId,
        at: usize,
    ) -> Parse<()> {
        if self.can_cast(op, from, to) {
            return Ok(());
        }
        let (from, to) = (self.show_type(from), self.show_type(to));
        Err(self.fault_at(at, format!("a conversion from {from} to {to}")))
    }

    fn can_cast(&self, op: CastOp, from: TypeId, to: TypeId) -> bool {
        let integer = |ty| matches!(self.types.types[self.scalar_type(ty)], Type::Int(_));
        let pointer = |ty| matches!(self.types.types[self.scalar_type(ty)], Type::Ptr { .. });
        let float = |ty| self.is_float(ty);
        let narrower = self.scalar_bits(to) < self.scalar_bits(from);
        let wider = self.scalar_bits(to) > self.scalar_bits(from);
        if op == CastOp::BitCast {
            return match (pointer(from), pointer(to)) {
                (false, false) => self.bits(from).is_some() && self.bits(from) == self.bits(to),
                (from, to) => from && to,
            };
        }
        self.lanes(from) == self.lanes(to)
            && match op {
                CastOp::Trunc => integer(from) && integer(to) && narrower,
                CastOp::ZExt | CastOp::SExt => integer(from) && integer(to) && wider,
                CastOp::FPTrunc => float(from) && float(to) && narrower,
                CastOp::FPExt => float(from) && float(to) && wider,
                CastOp::FPToUI | CastOp::FPToSI => float(from) && integer(to),
                CastOp::UIToFP | CastOp::SIToFP => integer(from) && float(to),
                CastOp::PtrToInt | CastOp::PtrToAddr => pointer(from) && integer(to),
                CastOp::IntToPtr => integer(from) && pointer(to),
                CastOp::AddrSpaceCast | CastOp::BitCast => pointer(from) && pointer(to),
            }
    }

    /// The number of elements of a vector, and whether the processor multiplies it by a factor.
    fn lanes(&self, ty: TypeId) -> Option<(u32, bool)> {
        match self.types.types[ty] {
            Type::Vector { len, scalable, .. } => Some((len, scalable)),
            _ => None,
        }
    }

    /// The width of a number, or of a vector's elements.
    fn scalar_bits(&self, ty: TypeId) -> Option<u64> {
        Some(match self.types.types[self.scalar_type(ty)] {
            Type::Int(bits) => bits.into(),
            Type::Half | Type::BFloat => 16,
            Type::Float => 32,
            Type::Double | Type::X86Mmx => 64,
            Type::X86Fp80 => 80,
            Type::Fp128 | Type::PpcFp128 => 128,
            Type::X86Amx => 8192,
            _ => return None,
        })
    }

    /// The total width of a number or vector; a scalable vector counts once.
    fn bits(&self, ty: TypeId) -> Option<u64> {
        let lanes = self.lanes(ty).map_or(1, |(len, _)| u64::from(len));
        Some(self.scalar_bits(ty)? * lanes)
    }

    /// The result type of a comparison: `i1`, or a vector of `i1`.
    pub(super) fn truth_type(&mut self, ty: TypeId) -> TypeId {
        match self.types.types[ty] {
            Type::Vector { len, scalable, .. } => {
                self.types.intern(Type::Vector { element: Types::I1, len, scalable })
            }
            _ => Types::I1,
        }
    }

    /// An address, or a vector of them.
    pub(super) fn require_address(&self, ty: TypeId, at: usize) -> Parse<()> {
        match self.types.types[self.scalar_type(ty)] {
            Type::Ptr { .. } => Ok(()),
            _ => Err(self.fault_at(at, "an address that is not a pointer")),
        }
    }

    /// The type of an address after one more index: a vector if one of the two is a vector.
    pub(super) fn gep_type(&mut self, base: TypeId, index: TypeId, at: usize) -> Parse<TypeId> {
        if !matches!(self.types.types[self.scalar_type(index)], Type::Int(_)) {
            return Err(self.fault_at(at, "an index that is not an integer"));
        }
        match (self.lanes(base), self.lanes(index)) {
            (None, Some((len, scalable))) => {
                Ok(self.types.intern(Type::Vector { element: base, len, scalable }))
            }
            (Some(a), Some(b)) if a != b => {
                Err(self.fault_at(at, "an address and an index of different lengths"))
            }
            _ => Ok(base),
        }
    }

    /// The element type of a vector.
    pub(super) fn element_type(&self, ty: TypeId, at: usize) -> Parse<TypeId> {
        match self.types.types[ty] {
            Type::Vector { element, .. } => Ok(element),
            _ => Err(self.fault_at(at, "an operand that is not a vector")),
        }
    }

    /// The result type of a shuffle: the element type of the operands, with the length of the mask.
    pub(super) fn shuffle_type(&mut self, ty: TypeId, mask: TypeId, at: usize) -> Parse<TypeId> {
        let element = self.element_type(ty, at)?;
        match self.types.types[mask] {
            Type::Vector { element: index, len, scalable } if index == Types::I32 => {
                Ok(self.types.intern(Type::Vector { element, len, scalable }))
            }
            _ => Err(self.fault_at(at, "a mask that is not a vector of i32")),
        }
    }

    /// The type to which a path of indices leads.
    pub(super) fn field_type(&self, ty: TypeId, path: &[u32], at: usize) -> Parse<TypeId> {
        if path.is_empty() {
            return Err(self.fault_at(at, "no index").expected("at least one"));
        }
        let step = |ty: TypeId, index: &u32| match &self.types.types[ty] {
            Type::Struct { fields, .. } => fields.get(*index as usize).copied(),
            Type::Array { element, len } if u64::from(*index) < *len => Some(*element),
            _ => None,
        };
        path.iter()
            .try_fold(ty, step)
            .ok_or_else(|| self.fault_at(at, "an index that the type does not have"))
    }
}
