//! Operands: locals, constants, aggregates and their leaves.

use super::constant::{Folded, fold};
use super::function::Lower;
use crate::layout::{Leaf, Leaves};
use raddle_ir::{BinOp, Operand, Type as Scalar};
use raddle_llvm::ast::{ConstExpr, ConstId, ConstKind, LocalId, TypeId, Value};
use smallvec::{SmallVec, smallvec};

/// Aggregates as values have fewer leaves than this.
const MAX_INDEX: u32 = 1 << 12;

/// The value of a local.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Val {
    /// No value yet, or a value that could not be translated.
    #[default]
    Unset,
    One(Operand),
    /// The leaves of an aggregate.
    Many(Box<[Operand]>),
}

pub(super) type Operands = SmallVec<[Operand; 2]>;

impl Lower<'_, '_> {
    pub(super) fn type_of(&self, value: Value) -> Option<TypeId> {
        self.unit.module.value_type(self.body, value)
    }

    /// The register type of a value; `None` for aggregates and types without a register.
    pub(super) fn scalar_of(&self, value: Value) -> Option<Scalar> {
        self.unit.layout.scalar(self.type_of(value)?)
    }

    pub(super) fn result_scalar(&self, result: LocalId) -> Option<Scalar> {
        self.unit.layout.scalar(self.body.locals[result].ty)
    }

    /// A value that is a single scalar.
    pub(super) fn operand(&mut self, value: Value) -> Operand {
        match value {
            Value::Local(local) => match &self.values[local] {
                Val::One(operand) => *operand,
                _ => Operand::Undef,
            },
            Value::Const(id) => self.constant(id),
            Value::Metadata => Operand::Undef,
        }
    }

    fn constant(&mut self, id: ConstId) -> Operand {
        let ty = self.unit.layout.scalar(self.unit.module.constant(id).ty);
        match (fold(self.asm, self.at, id), ty) {
            (Folded::Undef, _) => Operand::Undef,
            (Folded::Bits(bits), Some(ty)) => Operand::Int(bits & ty.mask()),
            (Folded::Address(base, at), Some(ty)) => {
                let address = self.offset(base, at);
                self.coerce(Scalar::Ptr, ty, address)
            }
            (Folded::Unfit(why), _) => {
                self.unsupported(why);
                Operand::Undef
            }
            (_, None) => Operand::Undef,
        }
    }

    /// A value as its leaves; one leaf for a scalar.
    pub(super) fn parts(&mut self, value: Value) -> Operands {
        match value {
            Value::Local(local) => match &self.values[local] {
                Val::Many(leaves) => leaves.iter().copied().collect(),
                Val::One(operand) => smallvec![*operand],
                Val::Unset => self.undefined(self.body.locals[local].ty),
            },
            Value::Const(id) => self.constant_parts(id),
            Value::Metadata => smallvec![Operand::Undef],
        }
    }

    fn undefined(&self, ty: TypeId) -> Operands {
        let leaves = self.leaves(ty);
        leaves.map_or_else(
            || smallvec![Operand::Undef],
            |leaves| smallvec![Operand::Undef; leaves.len()],
        )
    }

    fn constant_parts(&mut self, id: ConstId) -> Operands {
        let unit = self.unit;
        let constant = unit.module.constant(id);
        let Some(leaves) = self.leaves(constant.ty) else {
            self.unsupported("a constant of a type that no register holds");
            return smallvec![Operand::Undef];
        };
        if self.unit.layout.scalar(constant.ty).is_some() {
            return smallvec![self.constant(id)];
        }
        match &constant.kind {
            ConstKind::Zero => smallvec![Operand::Int(0); leaves.len()],
            ConstKind::Aggregate(elements) => {
                let parts: Vec<Operands> =
                    elements.iter().map(|element| self.constant_parts(*element)).collect();
                parts.into_iter().flatten().collect()
            }
            ConstKind::Bytes(bytes) => {
                bytes.iter().map(|byte| Operand::Int(u128::from(*byte))).collect()
            }
            ConstKind::Expr(expr) if matches!(**expr, ConstExpr::ExtractValue { .. }) => {
                self.unsupported("a constant part of an aggregate");
                smallvec![Operand::Undef; leaves.len()]
            }
            _ => smallvec![Operand::Undef; leaves.len()],
        }
    }

    pub(super) fn leaves(&self, ty: TypeId) -> Option<Leaves> {
        self.unit.layout.leaves(&self.unit.module, ty)
    }

    // ---- results ----

    pub(super) fn define(&mut self, result: Option<LocalId>, operand: Operand) {
        if let Some(result) = result {
            self.values[result] = Val::One(operand);
        }
    }

    pub(super) fn define_parts(&mut self, result: Option<LocalId>, parts: &[Operand]) {
        let Some(result) = result else {
            return;
        };
        let scalar = self.result_scalar(result).is_some();
        self.values[result] = match parts {
            [one] if scalar => Val::One(*one),
            many => Val::Many(many.into()),
        };
    }

    /// Translates a construct that is not supported: a failure, and an unspecified result.
    pub(super) fn reject(&mut self, result: Option<LocalId>, what: impl Into<String>) {
        self.unsupported(what);
        self.define_undefined(result);
    }

    /// Defines an unspecified result.
    pub(super) fn define_undefined(&mut self, result: Option<LocalId>) {
        if let Some(local) = result {
            let parts = self.undefined(self.body.locals[local].ty);
            self.define_parts(result, &parts);
        }
    }

    // ---- aggregates in one integer ----

    pub(super) fn pack(&mut self, leaves: &[Leaf], ty: Scalar, parts: &[Operand]) -> Operand {
        let mut whole = Operand::Int(0);
        for (leaf, part) in leaves.iter().zip(parts) {
            let bits = self.bits_of(leaf.ty, *part);
            let wide = self.resize(Scalar::Int(leaf.ty.bits() as u8), ty, bits);
            let shift = Operand::Int(u128::from(leaf.offset) * 8);
            let placed = self.bin(BinOp::Shl, ty, wide, shift);
            whole = self.bin(BinOp::Or, ty, whole, placed);
        }
        whole
    }

    pub(super) fn unpack(&mut self, leaves: &[Leaf], ty: Scalar, whole: Operand) -> Operands {
        leaves
            .iter()
            .map(|leaf| {
                let shift = Operand::Int(u128::from(leaf.offset) * 8);
                let low = self.bin(BinOp::LShr, ty, whole, shift);
                let bits = self.resize(ty, Scalar::Int(leaf.ty.bits() as u8), low);
                self.with_bits(leaf.ty, bits)
            })
            .collect()
    }

    // ---- extractvalue, insertvalue ----

    /// The leaves of an aggregate that a path of indices selects: the index of the first and their number.
    fn selected(&self, aggregate: TypeId, indices: &[u32]) -> Option<(usize, usize)> {
        let (mut at, mut first) = (aggregate, 0);
        for index in indices {
            if *index > MAX_INDEX {
                return None;
            }
            for before in 0..*index {
                let (field, _) = self.unit.layout.element(&self.unit.module, at, before.into())?;
                first += self.leaves(field)?.len();
            }
            at = self.unit.layout.element(&self.unit.module, at, (*index).into())?.0;
        }
        Some((first, self.leaves(at)?.len()))
    }

    pub(super) fn extract_value(
        &mut self,
        result: Option<LocalId>,
        aggregate: Value,
        indices: &[u32],
    ) {
        let parts = self.parts(aggregate);
        let chosen = self.type_of(aggregate).and_then(|ty| self.selected(ty, indices));
        match chosen.and_then(|(first, count)| parts.get(first..first + count)) {
            Some(chosen) => {
                let chosen = Operands::from_slice(chosen);
                self.define_parts(result, &chosen);
            }
            None => self.define_undefined(result),
        }
    }

    pub(super) fn insert_value(
        &mut self,
        result: Option<LocalId>,
        aggregate: Value,
        value: Value,
        indices: &[u32],
    ) {
        let mut parts = self.parts(aggregate);
        let new = self.parts(value);
        let chosen = self.type_of(aggregate).and_then(|ty| self.selected(ty, indices));
        let place = chosen.and_then(|(first, count)| parts.get_mut(first..first + count));
        match place {
            Some(place) if place.len() == new.len() => {
                place.copy_from_slice(&new);
                self.define_parts(result, &parts);
            }
            _ => self.define_undefined(result),
        }
    }
}
