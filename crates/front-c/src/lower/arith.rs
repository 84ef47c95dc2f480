//! Arithmetic, comparisons, conversions and selects. Vectors use the same code lane by lane
//! ([`super::lanes`]).

use super::function::Lower;
use super::lanes::OfLane;
use raddle_ir::{
    BinOp, CastOp, FloatPred, InstKind, IntPred, Mnemonic, Operand, Pred, Type as Scalar, UnOp,
};
use raddle_llvm::ast::{self, FloatPredicate, LocalId, Type, TypeId, Value};

/// The type in which arithmetic on a value of an LLVM type is done; `None` for floats that the IR does
/// not have, and for aggregates.
pub(super) fn computes(lower: &Lower<'_, '_>, ty: TypeId) -> Option<Scalar> {
    match lower.unit.module.ty(ty) {
        Type::Int(_) | Type::Ptr { .. } | Type::Float | Type::Double => {
            lower.unit.layout.scalar(ty)
        }
        _ => None,
    }
}

/// The unsupported type, as messages name it.
fn foreign(lower: &Lower<'_, '_>, ty: TypeId) -> String {
    let name = match lower.unit.module.ty(ty) {
        Type::X86Fp80 => "long double (x86_fp80)",
        Type::Fp128 | Type::PpcFp128 => "128-bit floats",
        Type::Half | Type::BFloat => "16-bit floats",
        Type::Vector { .. } => "vectors of more than 128 bits",
        Type::Int(_) => "integers of more than 128 bits",
        _ => "values of this type",
    };
    format!("arithmetic on {name}")
}

impl<'a, 'm> Lower<'a, 'm> {
    /// Applies `f` to a scalar, or to every lane of a vector.
    fn each_lane(&mut self, result: Option<LocalId>, inputs: &[Value], f: OfLane<'_, 'a, 'm>) {
        let (Some(local), Some(from)) = (result, self.type_of(inputs[0])) else {
            return;
        };
        let to = self.body.locals[local].ty;
        let value = match (self.lane_type(from), self.lane_type(to)) {
            (Some(_), Some(_)) => self.map_lanes(inputs, to, f),
            _ => {
                let operands: Vec<Operand> =
                    inputs.iter().map(|value| self.operand(*value)).collect();
                f(self, from, to, &operands)
            }
        };
        match value {
            Some(value) => self.define(result, value),
            None => {
                let unfit = if computes(self, from).is_none() { from } else { to };
                self.reject(result, foreign(self, unfit));
            }
        }
    }

    pub(super) fn fneg(&mut self, result: Option<LocalId>, arg: Value) {
        self.each_lane(result, &[arg], &|lower, ty, _, args| {
            let ty = computes(lower, ty).filter(|ty| ty.is_float())?;
            Some(lower.un(UnOp::FNeg, ty, args[0]))
        });
    }

    pub(super) fn binary(&mut self, result: Option<LocalId>, op: BinOp, lhs: Value, rhs: Value) {
        self.each_lane(result, &[lhs, rhs], &|lower, ty, _, args| {
            let ty = computes(lower, ty).filter(|ty| ty.is_float() == op.is_float())?;
            Some(lower.bin(op, ty, args[0], args[1]))
        });
    }

    pub(super) fn icmp(&mut self, result: Option<LocalId>, pred: IntPred, lhs: Value, rhs: Value) {
        self.each_lane(result, &[lhs, rhs], &|lower, ty, _, args| {
            let ty = computes(lower, ty)?;
            Some(lower.cmp(pred, ty, args[0], args[1]))
        });
    }

    pub(super) fn fcmp(
        &mut self,
        result: Option<LocalId>,
        pred: FloatPredicate,
        lhs: Value,
        rhs: Value,
    ) {
        self.each_lane(result, &[lhs, rhs], &|lower, ty, _, args| {
            let ty = computes(lower, ty).filter(|ty| ty.is_float())?;
            let pred = match float_pred(pred) {
                Ok(pred) => pred,
                Err(known) => return Some(Operand::Int(known.into())),
            };
            let dst = lower.fresh(Scalar::BOOL);
            let (a, b) = (args[0], args[1]);
            lower.push(InstKind::Cmp { pred: Pred::Float(pred), ty, dst, a, b });
            Some(dst.into())
        });
    }

    pub(super) fn conversion(&mut self, result: Option<LocalId>, op: ast::CastOp, arg: Value) {
        use ast::CastOp as From;
        let (Some(local), Some(from)) = (result, self.scalar_of(arg)) else {
            return self.reject(result, "a conversion of a value that no register holds");
        };
        let Some(to) = self.result_scalar(local) else {
            return self.reject(result, "a conversion to a type that no register holds");
        };
        match op {
            From::BitCast | From::AddrSpaceCast => {
                let value = self.operand(arg);
                let value = self.coerce(from, to, value);
                self.define(result, value);
            }
            _ => self.each_lane(result, &[arg], &|lower, from, to, args| {
                let (from, to) = (computes(lower, from)?, computes(lower, to)?);
                lower.convert(op, from, to, args[0])
            }),
        }
    }

    fn convert(
        &mut self,
        op: ast::CastOp,
        from: Scalar,
        to: Scalar,
        arg: Operand,
    ) -> Option<Operand> {
        use ast::CastOp as From;
        let op = match op {
            From::PtrToAddr => CastOp::PtrToInt,
            From::BitCast | From::AddrSpaceCast => return Some(self.coerce(from, to, arg)),
            // The others have the same names in the IR.
            _ => CastOp::from_mnemonic(op.mnemonic())?,
        };
        Some(self.cast(op, from, to, arg))
    }

    /// `select`.
    pub(super) fn choose(
        &mut self,
        result: Option<LocalId>,
        cond: Value,
        then: Value,
        otherwise: Value,
    ) {
        if self.type_of(cond).and_then(|ty| self.lane_type(ty)).is_some() {
            return self.choose_lanes(result, cond, then, otherwise);
        }
        let leaves = self.type_of(then).and_then(|ty| self.leaves(ty)).unwrap_or_default();
        let cond = self.operand(cond);
        let (a, b) = (self.parts(then), self.parts(otherwise));
        let parts: Vec<Operand> = leaves
            .iter()
            .zip(a.iter().zip(&b))
            .map(|(leaf, (a, b))| self.select(leaf.ty, cond, *a, *b))
            .collect();
        self.define_parts(result, &parts);
    }
}

/// `Err` gives the result itself if it does not depend on the operands.
fn float_pred(pred: FloatPredicate) -> Result<FloatPred, bool> {
    Ok(match pred {
        FloatPredicate::False => return Err(false),
        FloatPredicate::True => return Err(true),
        FloatPredicate::Oeq => FloatPred::Oeq,
        FloatPredicate::Ogt => FloatPred::Ogt,
        FloatPredicate::Oge => FloatPred::Oge,
        FloatPredicate::Olt => FloatPred::Olt,
        FloatPredicate::Ole => FloatPred::Ole,
        FloatPredicate::One => FloatPred::One,
        FloatPredicate::Ord => FloatPred::Ord,
        FloatPredicate::Ueq => FloatPred::Ueq,
        FloatPredicate::Ugt => FloatPred::FUgt,
        FloatPredicate::Uge => FloatPred::FUge,
        FloatPredicate::Ult => FloatPred::FUlt,
        FloatPredicate::Ule => FloatPred::FUle,
        FloatPredicate::Une => FloatPred::Une,
        FloatPredicate::Uno => FloatPred::Uno,
    })
}
