//! Arithmetic for which the IR has no instructions: overflow, saturation, bit manipulation.

use super::function::Lower;
use raddle_ir::{BinOp, CastOp, IntPred, Operand, Type as Scalar, UnOp};

/// `pattern` repeated every `every` bits.
fn repeated(pattern: u128, every: u32, ty: Scalar) -> Operand {
    let mut bits = 0;
    for at in (0..ty.bits()).step_by(every as usize) {
        bits |= pattern << at;
    }
    Operand::Int(bits & ty.mask())
}

fn int(value: u32) -> Operand {
    Operand::Int(value.into())
}

impl Lower<'_, '_> {
    /// The wrapped result, and whether it wrapped.
    pub(super) fn overflowing(
        &mut self,
        kind: &str,
        ty: Scalar,
        a: Operand,
        b: Operand,
    ) -> Option<(Operand, Operand)> {
        Some(match kind {
            "uadd" => {
                let sum = self.bin(BinOp::Add, ty, a, b);
                (sum, self.cmp(IntPred::Ult, ty, sum, a))
            }
            "usub" => {
                let less = self.cmp(IntPred::Ult, ty, a, b);
                (self.bin(BinOp::Sub, ty, a, b), less)
            }
            "sadd" => {
                let sum = self.bin(BinOp::Add, ty, a, b);
                (sum, self.signs_differ(ty, (a, sum), (b, sum)))
            }
            "ssub" => {
                let difference = self.bin(BinOp::Sub, ty, a, b);
                (difference, self.signs_differ(ty, (a, b), (a, difference)))
            }
            "umul" | "smul" => self.multiply(ty, a, b, kind == "smul")?,
            _ => return None,
        })
    }

    /// Whether both pairs have different signs.
    fn signs_differ(
        &mut self,
        ty: Scalar,
        one: (Operand, Operand),
        other: (Operand, Operand),
    ) -> Operand {
        let one = self.bin(BinOp::Xor, ty, one.0, one.1);
        let other = self.bin(BinOp::Xor, ty, other.0, other.1);
        let both = self.bin(BinOp::And, ty, one, other);
        self.cmp(IntPred::Slt, ty, both, Operand::Int(0))
    }

    /// Multiplies in twice the width; detects overflow of unsigned numbers of more than 64 bits by dividing back.
    fn multiply(
        &mut self,
        ty: Scalar,
        a: Operand,
        b: Operand,
        signed: bool,
    ) -> Option<(Operand, Operand)> {
        let extend = if signed { CastOp::SExt } else { CastOp::ZExt };
        if ty.bits() <= 64 {
            let wide = Scalar::Int(ty.bits() as u8 * 2);
            let [x, y] = [a, b].map(|value| self.cast(extend, ty, wide, value));
            let product = self.bin(BinOp::Mul, wide, x, y);
            let low = self.cast(CastOp::Trunc, wide, ty, product);
            let back = self.cast(extend, ty, wide, low);
            return Some((low, self.cmp(IntPred::Ne, wide, product, back)));
        }
        if signed {
            return None;
        }
        let product = self.bin(BinOp::Mul, ty, a, b);
        let zero = self.cmp(IntPred::Eq, ty, a, Operand::Int(0));
        let divisor = self.select(ty, zero, Operand::Int(1), a);
        let back = self.bin(BinOp::UDiv, ty, product, divisor);
        let expected = self.select(ty, zero, Operand::Int(0), b);
        Some((product, self.cmp(IntPred::Ne, ty, back, expected)))
    }

    pub(super) fn saturating(
        &mut self,
        kind: &str,
        ty: Scalar,
        a: Operand,
        b: Operand,
    ) -> Option<Operand> {
        if !ty.is_int() {
            return None;
        }
        let (value, over) = self.overflowing(kind, ty, a, b)?;
        let limit = match kind {
            "uadd" => Operand::Int(ty.mask()),
            "usub" => Operand::Int(0),
            _ => {
                let least = 1u128 << (ty.bits() - 1);
                let negative = self.cmp(IntPred::Slt, ty, a, Operand::Int(0));
                self.select(ty, negative, Operand::Int(least), Operand::Int(least - 1))
            }
        };
        Some(self.select(ty, over, limit, value))
    }

    // ---- bits ----

    pub(super) fn bswap(&mut self, ty: Scalar, a: Operand) -> Operand {
        let bytes = ty.bits() / 8;
        let mut whole = Operand::Int(0);
        for index in 0..bytes {
            let low = self.bin(BinOp::LShr, ty, a, int(index * 8));
            let byte = self.bin(BinOp::And, ty, low, Operand::Int(0xff));
            let placed = self.bin(BinOp::Shl, ty, byte, int((bytes - 1 - index) * 8));
            whole = self.bin(BinOp::Or, ty, whole, placed);
        }
        whole
    }

    pub(super) fn bit_reverse(&mut self, ty: Scalar, a: Operand) -> Option<Operand> {
        if !ty.bits().is_multiple_of(8) {
            return None;
        }
        let mut at = self.bswap(ty, a);
        for (width, pattern) in [(4, 0x0f), (2, 0x33), (1, 0x55)] {
            let mask = repeated(pattern, 8, ty);
            let low = self.bin(BinOp::And, ty, at, mask);
            let high = self.bin(BinOp::LShr, ty, at, int(width));
            let high = self.bin(BinOp::And, ty, high, mask);
            let low = self.bin(BinOp::Shl, ty, low, int(width));
            at = self.bin(BinOp::Or, ty, low, high);
        }
        Some(at)
    }

    /// The number of set bits: counted in pairs, nibbles, bytes, then all bytes at once.
    pub(super) fn population(&mut self, ty: Scalar, a: Operand) -> Operand {
        let wide = Scalar::Int(ty.bits().next_power_of_two().max(8) as u8);
        let mut at = self.resize(ty, wide, a);
        let half = self.bin(BinOp::LShr, wide, at, int(1));
        let half = self.bin(BinOp::And, wide, half, repeated(0x55, 8, wide));
        at = self.bin(BinOp::Sub, wide, at, half);
        let low = self.bin(BinOp::And, wide, at, repeated(0x33, 8, wide));
        let high = self.bin(BinOp::LShr, wide, at, int(2));
        let high = self.bin(BinOp::And, wide, high, repeated(0x33, 8, wide));
        at = self.bin(BinOp::Add, wide, low, high);
        let high = self.bin(BinOp::LShr, wide, at, int(4));
        at = self.bin(BinOp::Add, wide, at, high);
        at = self.bin(BinOp::And, wide, at, repeated(0x0f, 8, wide));
        if wide.bits() > 8 {
            at = self.bin(BinOp::Mul, wide, at, repeated(0x01, 8, wide));
            at = self.bin(BinOp::LShr, wide, at, int(wide.bits() - 8));
        }
        self.resize(wide, ty, at)
    }

    pub(super) fn leading_zeros(&mut self, ty: Scalar, a: Operand) -> Operand {
        let mut at = a;
        let mut by = 1;
        while by < ty.bits() {
            let shifted = self.bin(BinOp::LShr, ty, at, int(by));
            at = self.bin(BinOp::Or, ty, at, shifted);
            by *= 2;
        }
        let count = self.population(ty, at);
        let width = Operand::Int(u128::from(ty.bits()) & ty.mask());
        self.bin(BinOp::Sub, ty, width, count)
    }

    pub(super) fn trailing_zeros(&mut self, ty: Scalar, a: Operand) -> Operand {
        let flipped = self.un(UnOp::Not, ty, a);
        let below = self.bin(BinOp::Sub, ty, a, Operand::Int(1));
        let low = self.bin(BinOp::And, ty, flipped, below);
        self.population(ty, low)
    }

    /// Shifts the concatenation of both operands; returns the high half of a left shift, else the low half.
    pub(super) fn funnel(
        &mut self,
        ty: Scalar,
        a: Operand,
        b: Operand,
        by: Operand,
        left: bool,
    ) -> Operand {
        let width = Operand::Int(ty.bits().into());
        let by = self.bin(BinOp::URem, ty, by, width);
        let rest = self.bin(BinOp::Sub, ty, width, by);
        // A shift by the whole width gives 0, as required if `by` is 0.
        let (high, low) = if left { (by, rest) } else { (rest, by) };
        let high = self.bin(BinOp::Shl, ty, a, high);
        let low = self.bin(BinOp::LShr, ty, b, low);
        self.bin(BinOp::Or, ty, high, low)
    }
}
