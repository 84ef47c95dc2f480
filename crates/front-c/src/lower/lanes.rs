//! Vectors of at most 128 bits: an integer that holds the lanes side by side, the first in the lowest bits.

use super::function::Lower;
use crate::layout::element_bits;
use raddle_ir::{BinOp, Operand, Type as Scalar};
use raddle_llvm::ast::{ConstId, ConstKind, LocalId, Type, TypeId, Value};

/// A function on lanes: maps one lane of each operand, all of one type, to a lane of the result type.
pub(super) type OfLane<'f, 'a, 'm> =
    &'f dyn Fn(&mut Lower<'a, 'm>, TypeId, TypeId, &[Operand]) -> Option<Operand>;

/// The number, type and width of the lanes of a vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    pub element: TypeId,
    pub count: u32,
    /// The width of one lane.
    bits: u32,
    ty: Scalar,
    whole: Scalar,
}

impl<'a, 'm> Lower<'a, 'm> {
    /// `None` if the type is not a vector, or if it is too large.
    pub(super) fn lane_type(&self, ty: TypeId) -> Option<Lanes> {
        let Type::Vector { element, len, .. } = self.unit.module.ty(ty) else {
            return None;
        };
        Some(Lanes {
            element: *element,
            count: *len,
            bits: element_bits(&self.unit.module, *element)?,
            ty: self.unit.layout.scalar(*element)?,
            whole: self.unit.layout.scalar(ty)?,
        })
    }

    fn split(&mut self, lanes: Lanes, whole: Operand) -> Vec<Operand> {
        (0..lanes.count)
            .map(|index| {
                let shift = Operand::Int(u128::from(index * lanes.bits));
                self.lane(lanes, whole, shift)
            })
            .collect()
    }

    /// The lane that starts at bit `shift`.
    fn lane(&mut self, lanes: Lanes, whole: Operand, shift: Operand) -> Operand {
        let low = self.bin(BinOp::LShr, lanes.whole, whole, shift);
        let bits = self.resize(lanes.whole, Scalar::Int(lanes.bits as u8), low);
        self.with_bits(lanes.ty, bits)
    }

    fn join(&mut self, lanes: Lanes, parts: &[Operand]) -> Operand {
        let mut whole = Operand::Int(0);
        for (index, part) in parts.iter().enumerate() {
            let bits = self.bits_of(lanes.ty, *part);
            let wide = self.resize(Scalar::Int(lanes.bits as u8), lanes.whole, bits);
            let shift = Operand::Int(index as u128 * u128::from(lanes.bits));
            let placed = self.bin(BinOp::Shl, lanes.whole, wide, shift);
            whole = self.bin(BinOp::Or, lanes.whole, whole, placed);
        }
        whole
    }

    /// Applies `f` lane by lane.
    pub(super) fn map_lanes(
        &mut self,
        inputs: &[Value],
        to: TypeId,
        f: OfLane<'_, 'a, 'm>,
    ) -> Option<Operand> {
        let target = self.lane_type(to)?;
        let mut split = Vec::with_capacity(inputs.len());
        let mut from = target;
        for input in inputs {
            from = self.lane_type(self.type_of(*input)?)?;
            let whole = self.operand(*input);
            split.push(self.split(from, whole));
        }
        let mut made = Vec::new();
        for index in 0..target.count as usize {
            let lane: Option<Vec<Operand>> =
                split.iter().map(|lanes| lanes.get(index).copied()).collect();
            made.push(f(self, from.element, target.element, &lane?)?);
        }
        Some(self.join(target, &made))
    }

    pub(super) fn choose_lanes(
        &mut self,
        result: Option<LocalId>,
        cond: Value,
        then: Value,
        otherwise: Value,
    ) {
        let types = [cond, then].map(|v| self.type_of(v).and_then(|ty| self.lane_type(ty)));
        let [Some(conds), Some(lanes)] = types else {
            return self.reject(result, "a choice between vectors of more than 128 bits");
        };
        let [cond, then, otherwise] = [cond, then, otherwise].map(|value| self.operand(value));
        let conds = self.split(conds, cond);
        let (a, b) = (self.split(lanes, then), self.split(lanes, otherwise));
        let parts: Vec<Operand> = conds
            .iter()
            .zip(a.iter().zip(&b))
            .map(|(cond, (a, b))| self.select(lanes.ty, *cond, *a, *b))
            .collect();
        let whole = self.join(lanes, &parts);
        self.define(result, whole);
    }

    /// The bit where a lane starts, in the type of the whole.
    fn lane_start(&mut self, lanes: Lanes, index: Value) -> Operand {
        let ty = self.scalar_of(index).unwrap_or(Scalar::I64);
        let index = self.operand(index);
        let index = self.resize(ty, lanes.whole, index);
        self.bin(BinOp::Mul, lanes.whole, index, Operand::Int(lanes.bits.into()))
    }

    pub(super) fn extract_element(&mut self, result: Option<LocalId>, vector: Value, index: Value) {
        let Some(lanes) = self.type_of(vector).and_then(|ty| self.lane_type(ty)) else {
            return self.reject(result, "an element of a vector of more than 128 bits");
        };
        let whole = self.operand(vector);
        let start = self.lane_start(lanes, index);
        let lane = self.lane(lanes, whole, start);
        self.define(result, lane);
    }

    pub(super) fn insert_element(
        &mut self,
        result: Option<LocalId>,
        vector: Value,
        value: Value,
        index: Value,
    ) {
        let Some(lanes) = self.type_of(vector).and_then(|ty| self.lane_type(ty)) else {
            return self.reject(result, "an element of a vector of more than 128 bits");
        };
        let ones = Scalar::Int(lanes.bits as u8).mask();
        let start = self.lane_start(lanes, index);
        let hole = self.bin(BinOp::Shl, lanes.whole, Operand::Int(ones), start);
        let all = Operand::Int(lanes.whole.mask());
        let mask = self.bin(BinOp::Xor, lanes.whole, hole, all);
        let old = match self.operand(vector) {
            Operand::Undef => Operand::Int(0),
            old => old,
        };
        let kept = self.bin(BinOp::And, lanes.whole, old, mask);
        let value = self.operand(value);
        let bits = self.bits_of(lanes.ty, value);
        let wide = self.resize(Scalar::Int(lanes.bits as u8), lanes.whole, bits);
        let placed = self.bin(BinOp::Shl, lanes.whole, wide, start);
        let whole = self.bin(BinOp::Or, lanes.whole, kept, placed);
        self.define(result, whole);
    }

    pub(super) fn shuffle(
        &mut self,
        result: Option<LocalId>,
        lhs: Value,
        rhs: Value,
        mask: ConstId,
    ) {
        let made = self.shuffled(result, lhs, rhs, mask);
        match made {
            Some(whole) => self.define(result, whole),
            None => self.reject(result, "a permutation of vectors of more than 128 bits"),
        }
    }

    fn shuffled(
        &mut self,
        result: Option<LocalId>,
        lhs: Value,
        rhs: Value,
        mask: ConstId,
    ) -> Option<Operand> {
        let from = self.lane_type(self.type_of(lhs)?)?;
        let to = self.lane_type(self.body.locals[result?].ty)?;
        let chosen = self.mask(mask, to.count)?;
        let (a, b) = (self.operand(lhs), self.operand(rhs));
        let mut all = self.split(from, a);
        all.extend(self.split(from, b));
        let pick = |index: Option<u128>| {
            index.and_then(|index| all.get(usize::try_from(index).ok()?)).copied()
        };
        let parts: Vec<Operand> =
            chosen.into_iter().map(|index| pick(index).unwrap_or(Operand::Int(0))).collect();
        Some(self.join(to, &parts))
    }

    /// The lanes that a mask selects; `None` for lanes with an arbitrary value.
    fn mask(&self, mask: ConstId, count: u32) -> Option<Vec<Option<u128>>> {
        let module = &self.unit.module;
        let lane = |id: &ConstId| match module.constant(*id).kind {
            ConstKind::Int(bits) => Some(bits),
            ConstKind::Zero => Some(0),
            _ => None,
        };
        match &module.constant(mask).kind {
            ConstKind::Zero => Some(vec![Some(0); count as usize]),
            ConstKind::Undef | ConstKind::Poison => Some(vec![None; count as usize]),
            ConstKind::Aggregate(lanes) => Some(lanes.iter().map(lane).collect()),
            ConstKind::Splat(one) => Some(vec![lane(one); count as usize]),
            _ => None,
        }
    }
}
