//! Emitting instructions: allocates result registers and folds constants.

use super::constant::{integer, signed};
use super::function::Lower;
use raddle_ir::{BinOp, CastOp, InstKind, IntPred, Operand, Pred, Reg, Type as Scalar, UnOp};

impl Lower<'_, '_> {
    pub(super) fn fresh(&mut self, ty: Scalar) -> Reg {
        self.out.reg(None, ty)
    }

    pub(super) fn push(&mut self, kind: InstKind) {
        self.out.push(kind);
    }

    /// Emits a failure for a construct that cannot be translated.
    pub(super) fn unsupported(&mut self, what: impl Into<String>) {
        self.push(InstKind::Unsupported { what: what.into() });
    }

    pub(super) fn bin(&mut self, op: BinOp, ty: Scalar, a: Operand, b: Operand) -> Operand {
        if let Some(folded) = fold(op, ty, a, b) {
            return folded;
        }
        let dst = self.fresh(ty);
        self.push(InstKind::Bin { op, ty, dst, a, b });
        dst.into()
    }

    pub(super) fn un(&mut self, op: UnOp, ty: Scalar, a: Operand) -> Operand {
        let dst = self.fresh(ty);
        self.push(InstKind::Un { op, ty, dst, a });
        dst.into()
    }

    pub(super) fn cmp(&mut self, pred: IntPred, ty: Scalar, a: Operand, b: Operand) -> Operand {
        let dst = self.fresh(Scalar::BOOL);
        self.push(InstKind::Cmp { pred: Pred::Int(pred), ty, dst, a, b });
        dst.into()
    }

    pub(super) fn select(&mut self, ty: Scalar, cond: Operand, a: Operand, b: Operand) -> Operand {
        match cond {
            Operand::Int(0) => return b,
            Operand::Int(_) => return a,
            _ => {}
        }
        let dst = self.fresh(ty);
        self.push(InstKind::Select { ty, dst, cond, a, b });
        dst.into()
    }

    pub(super) fn cast(&mut self, op: CastOp, from: Scalar, to: Scalar, a: Operand) -> Operand {
        match (op, a) {
            (_, Operand::Undef) => return Operand::Undef,
            (
                CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr,
                Operand::Int(bits),
            )
            | (CastOp::BitCast, Operand::Int(bits)) => return Operand::Int(bits & to.mask()),
            (CastOp::SExt, Operand::Int(bits)) => {
                return Operand::Int(signed(bits, from) as u128 & to.mask());
            }
            _ => {}
        }
        let dst = self.fresh(to);
        self.push(InstKind::Cast { op, from, to, dst, a });
        dst.into()
    }

    /// Converts the bits to another type, truncated or zero-extended to fit.
    pub(super) fn coerce(&mut self, from: Scalar, to: Scalar, value: Operand) -> Operand {
        if from == to {
            return value;
        }
        let bits = self.bits_of(from, value);
        let whole = Scalar::Int(from.bits() as u8);
        let resized = self.resize(whole, Scalar::Int(to.bits() as u8), bits);
        self.with_bits(to, resized)
    }

    /// Converts an integer to another width.
    pub(super) fn resize(&mut self, from: Scalar, to: Scalar, value: Operand) -> Operand {
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.cast(CastOp::ZExt, from, to, value),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.cast(CastOp::Trunc, from, to, value),
        }
    }

    /// The bits of a value, as an integer of its width.
    pub(super) fn bits_of(&mut self, from: Scalar, value: Operand) -> Operand {
        let to = Scalar::Int(from.bits() as u8);
        match from {
            Scalar::Int(_) => value,
            Scalar::Ptr => self.cast(CastOp::PtrToInt, from, to, value),
            Scalar::F32 | Scalar::F64 => self.cast(CastOp::BitCast, from, to, value),
        }
    }

    /// The value of type `to` that has the bits of an integer of the same width.
    pub(super) fn with_bits(&mut self, to: Scalar, value: Operand) -> Operand {
        let from = Scalar::Int(to.bits() as u8);
        match to {
            Scalar::Int(_) => value,
            Scalar::Ptr => self.cast(CastOp::IntToPtr, from, to, value),
            Scalar::F32 | Scalar::F64 => self.cast(CastOp::BitCast, from, to, value),
        }
    }

    /// `base` plus a number of bytes.
    pub(super) fn offset(&mut self, base: Operand, by: i64) -> Operand {
        match base {
            _ if by == 0 => base,
            Operand::Global(id, at) => Operand::Global(id, at.wrapping_add(by)),
            _ => self.bin(BinOp::Add, Scalar::Ptr, base, Operand::Int(by as u64 as u128)),
        }
    }

    /// An address to write through. The address of a constant object is moved into a register, so that the
    /// error is found when the program runs (the verifier rejects direct writes to constant objects).
    pub(super) fn writable(&mut self, address: Operand) -> Operand {
        match address {
            Operand::Global(id, _) if self.asm.program.globals[id].constant => {
                let dst = self.fresh(Scalar::Ptr);
                self.push(InstKind::Move { ty: Scalar::Ptr, dst, a: address });
                dst.into()
            }
            other => other,
        }
    }

    pub(super) fn assign(&mut self, ty: Scalar, dst: Reg, a: Operand) {
        self.push(InstKind::Move { ty, dst, a });
    }
}

fn fold(op: BinOp, ty: Scalar, a: Operand, b: Operand) -> Option<Operand> {
    use BinOp::{Add, And, LShr, Mul, Or, Shl, Sub, Xor};
    match (op, a, b) {
        (Add | Sub | Mul | And | Or | Xor | Shl | LShr, Operand::Int(a), Operand::Int(b)) => {
            integer(op, ty, a, b).map(Operand::Int)
        }
        (Add | Sub | Or | Xor | Shl | LShr, a, Operand::Int(0)) => Some(a),
        (Add | Or | Xor, Operand::Int(0), b) => Some(b),
        _ => None,
    }
}
