//! Products and quotients of any width, for which the word arithmetic of [`super::emit`] is not enough.

use super::emit::{Emit, constant};
use super::word::Word;
use raddle_ir::{BinOp, CastOp, InstKind, IntPred, Operand, Reg, Type};

/// Whether operands are signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

impl Sign {
    const fn extension(self) -> CastOp {
        match self {
            Sign::Signed => CastOp::SExt,
            Sign::Unsigned => CastOp::ZExt,
        }
    }

    pub(super) const fn division(self) -> BinOp {
        match self {
            Sign::Signed => BinOp::SDiv,
            Sign::Unsigned => BinOp::UDiv,
        }
    }

    pub(super) const fn remainder(self) -> BinOp {
        match self {
            Sign::Signed => BinOp::SRem,
            Sign::Unsigned => BinOp::URem,
        }
    }
}

/// The integer type with twice as many bits.
const fn twice(ty: Type) -> Type {
    match ty {
        Type::I32 => Type::I64,
        _ => Type::I128,
    }
}

/// A quotient and a remainder, in the form in which machine registers hold them.
pub(super) struct Divided {
    pub quotient: Reg,
    pub remainder: Reg,
}

impl Emit<'_, '_> {
    pub(super) fn binary(&mut self, op: BinOp, ty: Type, a: Operand, b: Operand) -> Reg {
        let dst = self.temp(ty);
        self.function.push(InstKind::Bin { op, ty, dst, a, b });
        dst
    }

    pub(super) fn converted(&mut self, op: CastOp, from: Type, to: Type, a: Operand) -> Reg {
        let dst = self.temp(to);
        self.cast(op, from, to, dst, a);
        dst
    }

    /// The low bits of a machine register, extended to twice the width.
    fn widened(&mut self, value: Operand, ty: Type, sign: Sign) -> Operand {
        let cut = self.truncate(value, ty);
        self.converted(sign.extension(), ty, twice(ty), cut).into()
    }

    /// The complete product of the low 32 bits of two registers, as a value of 64 bits.
    pub(super) fn multiply_words(&mut self, dst: Reg, a: Operand, b: Operand) {
        match self.word() {
            Word::W32 => self.arith(BinOp::Mul, dst, a, b),
            Word::W64 => {
                let a = self.widened(a, Type::I32, Sign::Signed);
                let b = self.widened(b, Type::I32, Sign::Signed);
                self.function.push(InstKind::Bin { op: BinOp::Mul, ty: Type::I64, dst, a, b });
            }
        }
    }

    /// The upper half of a product of values of type `ty`.
    pub(super) fn multiply_high(&mut self, dst: Reg, ty: Type, sign: Sign, a: Operand, b: Operand) {
        let wide = twice(ty);
        let (a, b) = (self.widened(a, ty, sign), self.widened(b, ty, sign));
        let product = self.binary(BinOp::Mul, wide, a, b);
        let bits = Operand::Int(u128::from(ty.bits()));
        let shifted = self.binary(BinOp::LShr, wide, product.into(), bits);
        let high = self.converted(CastOp::Trunc, wide, ty, shifted.into());
        self.extend_into(dst, ty, high);
    }

    /// The quotient or remainder of values of type `ty`; a division by 0 fails.
    pub(super) fn divide(&mut self, dst: Reg, op: BinOp, ty: Type, a: Operand, b: Operand) {
        let (a, b) = (self.truncate(a, ty), self.truncate(b, ty));
        let result = self.binary(op, ty, a, b);
        self.extend_into(dst, ty, result);
    }

    /// The quotient of words; 0 if the divisor is 0.
    pub(super) fn divide_or_zero(&mut self, dst: Reg, sign: Sign, a: Operand, b: Operand) {
        let by_zero = self.compare(IntPred::Eq, b, constant(0));
        let divisor = self.temp(Type::I64);
        self.select(divisor, by_zero, constant(1), b);
        let quotient = self.temp(Type::I64);
        self.divide(quotient, sign.division(), self.word().ty(), a, divisor.into());
        self.select(dst, by_zero, constant(0), quotient.into());
    }

    /// Divides the double word `high` and `low` by a word. A quotient that does not fit a word fails like a
    /// division by 0.
    pub(super) fn divide_double(
        &mut self,
        sign: Sign,
        [high, low]: [Operand; 2],
        divisor: Operand,
    ) -> Divided {
        let ty = self.word().ty();
        let wide = twice(ty);
        let high = self.widened(high, ty, Sign::Unsigned);
        let low = self.widened(low, ty, Sign::Unsigned);
        let divisor = self.widened(divisor, ty, sign);
        let bits = Operand::Int(u128::from(ty.bits()));
        let high = self.binary(BinOp::Shl, wide, high, bits);
        let dividend: Operand = self.binary(BinOp::Or, wide, high.into(), low).into();
        let quotient = self.binary(sign.division(), wide, dividend, divisor);
        let remainder = self.binary(sign.remainder(), wide, dividend, divisor);
        let part = self.converted(CastOp::Trunc, wide, ty, quotient.into());
        let again = self.converted(sign.extension(), ty, wide, part.into());
        let fits = self.temp(Type::BOOL);
        let pred = raddle_ir::Pred::Int(IntPred::Eq);
        let (a, b) = (again.into(), quotient.into());
        self.function.push(InstKind::Cmp { pred, ty: wide, dst: fits, a, b });
        let fits = self.converted(CastOp::ZExt, Type::BOOL, Type::I64, fits.into());
        self.binary(BinOp::UDiv, Type::I64, constant(1), fits.into());
        let [quotient, remainder] = [(part, ty), (remainder, wide)].map(|(value, from)| {
            let value = match from == ty {
                true => value,
                false => self.converted(CastOp::Trunc, wide, ty, value.into()),
            };
            let register = self.temp(Type::I64);
            self.extend_into(register, ty, value);
            register
        });
        Divided { quotient, remainder }
    }
}
