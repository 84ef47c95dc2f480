//! Address arithmetic: `getelementptr`.

use super::constant::signed;
use super::function::Lower;
use crate::link::Unit;
use raddle_ir::{BinOp, CastOp, Operand, Type as Scalar};
use raddle_llvm::ast::{LocalId, Type, TypeId, Value};

/// Walks over the indices: keeps the type in which the next index selects or counts, and the constant part
/// of the offset. Offsets wrap, as addresses do.
#[derive(Debug)]
pub(super) struct Walk {
    at: TypeId,
    /// Whether the next index is the first, which counts whole objects.
    first: bool,
    pub offset: i64,
}

impl Walk {
    pub(super) fn new(source: TypeId) -> Walk {
        Walk { at: source, first: true, offset: 0 }
    }

    /// Applies a constant index.
    pub(super) fn constant(&mut self, unit: &Unit, index: i64) -> Option<()> {
        if !self.first && matches!(unit.module.ty(self.at), Type::Struct { .. }) {
            let (field, offset) =
                unit.layout.element(&unit.module, self.at, u64::try_from(index).ok()?)?;
            self.at = field;
            self.offset = self.offset.wrapping_add(offset as i64);
            return Some(());
        }
        let scale = self.step(unit)?;
        self.offset = self.offset.wrapping_add((scale as i64).wrapping_mul(index));
        Some(())
    }

    /// Applies an index that is not constant; returns the number of bytes for each step of the index.
    pub(super) fn step(&mut self, unit: &Unit) -> Option<u64> {
        if self.first {
            self.first = false;
            return Some(unit.layout.extent(self.at)?.size);
        }
        let (element, scale) = match unit.module.ty(self.at) {
            Type::Array { .. } | Type::Vector { .. } => {
                unit.layout.element(&unit.module, self.at, 1)?
            }
            _ => return None,
        };
        self.at = element;
        Some(scale)
    }
}

impl Lower<'_, '_> {
    pub(super) fn gep(
        &mut self,
        result: Option<LocalId>,
        source: TypeId,
        base: Value,
        indices: &[Value],
    ) {
        match self.address(source, base, indices) {
            Some(address) => self.define(result, address),
            None => self.reject(result, "address arithmetic on vectors or on types without a size"),
        }
    }

    fn address(&mut self, source: TypeId, base: Value, indices: &[Value]) -> Option<Operand> {
        if self.scalar_of(base)? != Scalar::Ptr {
            return None;
        }
        let mut at = self.operand(base);
        let mut walk = Walk::new(source);
        for index in indices {
            let ty = self.scalar_of(*index).filter(|ty| ty.is_int())?;
            match self.operand(*index) {
                Operand::Int(bits) => walk.constant(self.unit, signed(bits, ty) as i64)?,
                index => {
                    let scale = walk.step(self.unit)?;
                    at = self.scaled(at, ty, index, scale);
                }
            }
        }
        Some(self.offset(at, walk.offset))
    }

    /// `base` plus `scale` times an index.
    fn scaled(&mut self, base: Operand, ty: Scalar, index: Operand, scale: u64) -> Operand {
        let wide = match ty.bits() {
            64 => index,
            bits if bits < 64 => self.cast(CastOp::SExt, ty, Scalar::I64, index),
            _ => self.cast(CastOp::Trunc, ty, Scalar::I64, index),
        };
        let bytes = match scale {
            1 => wide,
            _ if scale.is_power_of_two() => {
                let by = Operand::Int(scale.trailing_zeros().into());
                self.bin(BinOp::Shl, Scalar::I64, wide, by)
            }
            _ => self.bin(BinOp::Mul, Scalar::I64, wide, Operand::Int(scale.into())),
        };
        let offset = self.cast(CastOp::IntToPtr, Scalar::I64, Scalar::Ptr, bytes);
        self.bin(BinOp::Add, Scalar::Ptr, base, offset)
    }
}
