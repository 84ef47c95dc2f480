//! LLVM's intrinsic functions.

use super::arith::computes;
use super::function::Lower;
use raddle_ir::{
    BinOp, FailKind, FenceKind, FloatPred, InstKind as Out, IntPred, Operand, Pred, Type as Scalar,
    UnOp,
};
use raddle_llvm::ast::{Arg, Call, LocalId};

/// Intrinsics without an effect, whatever their arguments.
const SILENT: [&str; 16] = [
    "lifetime.",
    "dbg.",
    "donothing",
    "sideeffect",
    "assume",
    "invariant.start",
    "invariant.end",
    "experimental.noalias",
    "var.annotation",
    "codeview.annotation",
    "pseudoprobe",
    "prefetch",
    "stackrestore",
    "va_end",
    "stackprotector",
    "fake.use",
];

/// Intrinsics whose result is the first argument.
const IDENTITY: [&str; 9] = [
    "expect",
    "annotation",
    "ptr.annotation",
    "launder.invariant",
    "strip.invariant",
    "ssa.copy",
    "threadlocal.address",
    "canonicalize",
    "arithmetic.fence",
];

/// Intrinsics that stand for one machine instruction.
fn machine(name: &str) -> Option<Out> {
    let kind = match name {
        "x86.sse2.pause" => return Some(Out::Yield),
        "x86.sse2.mfence" => FenceKind::Mfence,
        "x86.sse2.lfence" => FenceKind::Lfence,
        "x86.sse.sfence" => FenceKind::Sfence,
        "ppc.sync" => FenceKind::Sync,
        "ppc.lwsync" => FenceKind::Lwsync,
        "ppc.isync" => FenceKind::Isync,
        "ppc.eieio" => FenceKind::Eieio,
        _ => return None,
    };
    Some(Out::Fence { kind })
}

/// The fences of 64-bit ARM: the option selects the ordered accesses.
fn arm(name: &str, option: u128) -> Option<FenceKind> {
    let (stores, loads) = (option & 3 == 2, option & 3 == 1);
    Some(match name {
        "aarch64.dmb" if stores => FenceKind::DmbSt,
        "aarch64.dmb" if loads => FenceKind::DmbLd,
        "aarch64.dmb" => FenceKind::Dmb,
        "aarch64.dsb" if stores => FenceKind::DsbSt,
        "aarch64.dsb" if loads => FenceKind::DsbLd,
        "aarch64.dsb" => FenceKind::Dsb,
        "aarch64.isb" => FenceKind::Isb,
        _ => return None,
    })
}

impl Lower<'_, '_> {
    /// `name` is the name without `llvm.`.
    pub(super) fn intrinsic(&mut self, name: &str, call: &Call, result: Option<LocalId>) {
        if SILENT.iter().any(|prefix| name.starts_with(prefix)) {
            return self.define_undefined(result);
        }
        let Some(first) = call.args.first() else {
            return self.without_arguments(name, result);
        };
        if IDENTITY.iter().any(|prefix| name.starts_with(prefix)) {
            let parts = self.parts(first.value);
            return self.define_parts(result, &parts);
        }
        if self.on_memory(name, &call.args) {
            return;
        }
        if let Operand::Int(option) = self.operand(first.value) {
            if let Some(kind) = arm(name, option) {
                return self.push(Out::Fence { kind });
            }
            if name == "aarch64.hint" {
                return self.push(Out::Yield);
            }
        }
        let ty = self.type_of(first.value).and_then(|ty| computes(self, ty));
        let done = match ty {
            Some(ty) => self.arithmetic(name, ty, &call.args, result),
            None => None,
        };
        if done.is_none() {
            self.reject(result, format!("the intrinsic llvm.{name}"));
        }
    }

    fn without_arguments(&mut self, name: &str, result: Option<LocalId>) {
        if let Some(kind) = machine(name) {
            return self.push(kind);
        }
        match name.split('.').next().unwrap_or("") {
            "trap" | "debugtrap" => self.trap(),
            // Stack memory is released when the function returns.
            "stacksave" => self.define(result, Operand::Int(0)),
            _ => self.reject(result, format!("the intrinsic llvm.{name}")),
        }
    }

    fn trap(&mut self) {
        let message = "a trap is executed".to_owned();
        self.push(Out::Fail { kind: FailKind::Abort, message });
    }

    fn on_memory(&mut self, name: &str, args: &[Arg]) -> bool {
        let kind = name.split('.').next().unwrap_or("");
        match (kind, args) {
            _ if name.contains("unordered.atomic") => return false,
            ("memcpy" | "memmove", [to, from, size, ..]) => {
                let (to, from) = (self.place(to), self.place(from));
                let size = self.size(size);
                self.copy(to, from, size, kind == "memmove");
            }
            ("memset", [to, byte, size, ..]) => {
                let to = self.place(to);
                let (byte, size) = (self.operand(byte.value), self.size(size));
                self.fill(to, byte, size);
            }
            ("va_start", [list]) => self.va_start(list),
            ("va_copy", [to, from]) => self.va_copy(to, from),
            ("ubsantrap", _) => self.trap(),
            _ => return false,
        }
        true
    }

    /// A number of bytes, as an `i64`.
    fn size(&mut self, arg: &Arg) -> Operand {
        let from = self.scalar_of(arg.value).unwrap_or(Scalar::I64);
        let size = self.operand(arg.value);
        self.resize(from, Scalar::I64, size)
    }

    fn arithmetic(
        &mut self,
        name: &str,
        ty: Scalar,
        args: &[Arg],
        result: Option<LocalId>,
    ) -> Option<()> {
        let mut values = [Operand::Undef; 3];
        for (value, arg) in values.iter_mut().zip(args) {
            *value = self.operand(arg.value);
        }
        let mut words = name.split('.');
        let (kind, second) = (words.next()?, words.next().unwrap_or(""));
        let third = words.next().unwrap_or("");
        if second == "with" && third == "overflow" {
            let (value, flag) = self.overflowing(kind, ty, values[0], values[1])?;
            self.define_parts(result, &[value, flag]);
            return Some(());
        }
        let to = result.and_then(|result| self.result_scalar(result)).unwrap_or(ty);
        let value = match ty {
            _ if second == "sat" => self.saturating(kind, ty, values[0], values[1])?,
            _ if kind == "is" && second == "constant" => Operand::Int(0),
            _ if kind == "is" && second == "fpclass" => self.float_class(ty, values)?,
            Scalar::Int(_) => self.on_integers(kind, ty, to, values)?,
            Scalar::Ptr => self.on_pointers(kind, to, values)?,
            Scalar::F32 | Scalar::F64 => self.on_floats(kind, ty, values)?,
        };
        self.define(result, value);
        Some(())
    }

    fn on_integers(
        &mut self,
        kind: &str,
        ty: Scalar,
        to: Scalar,
        [a, b, c]: [Operand; 3],
    ) -> Option<Operand> {
        Some(match kind {
            "smax" => self.extreme(IntPred::Sgt, ty, a, b),
            "smin" => self.extreme(IntPred::Slt, ty, a, b),
            "umax" => self.extreme(IntPred::Ugt, ty, a, b),
            "umin" => self.extreme(IntPred::Ult, ty, a, b),
            "abs" => {
                let negative = self.cmp(IntPred::Slt, ty, a, Operand::Int(0));
                let negated = self.un(UnOp::Neg, ty, a);
                self.select(ty, negative, negated, a)
            }
            "bswap" => self.bswap(ty, a),
            "bitreverse" => self.bit_reverse(ty, a)?,
            "ctpop" => self.population(ty, a),
            "ctlz" => self.leading_zeros(ty, a),
            "cttz" => self.trailing_zeros(ty, a),
            "fshl" => self.funnel(ty, a, b, c, true),
            "fshr" => self.funnel(ty, a, b, c, false),
            "scmp" => self.three_way(IntPred::Slt, IntPred::Sgt, ty, to, a, b),
            "ucmp" => self.three_way(IntPred::Ult, IntPred::Ugt, ty, to, a, b),
            "frameaddress" | "returnaddress" => Operand::Int(0),
            "eh" => Operand::Int(0),
            _ => return None,
        })
    }

    fn extreme(&mut self, pred: IntPred, ty: Scalar, a: Operand, b: Operand) -> Operand {
        let first = self.cmp(pred, ty, a, b);
        self.select(ty, first, a, b)
    }

    fn three_way(
        &mut self,
        less: IntPred,
        greater: IntPred,
        ty: Scalar,
        to: Scalar,
        a: Operand,
        b: Operand,
    ) -> Operand {
        let (less, greater) = (self.cmp(less, ty, a, b), self.cmp(greater, ty, a, b));
        let up = self.select(to, greater, Operand::Int(1), Operand::Int(0));
        self.select(to, less, Operand::Int(to.mask()), up)
    }

    fn on_pointers(&mut self, kind: &str, to: Scalar, [a, b, _]: [Operand; 3]) -> Option<Operand> {
        Some(match kind {
            // The size of an object is not known at compile time: the result is all ones, or 0 if the
            // minimum is requested.
            "objectsize" if b == Operand::Int(1) => Operand::Int(0),
            "objectsize" => Operand::Int(to.mask()),
            "ptrmask" => {
                let bits = self.bits_of(Scalar::Ptr, a);
                let masked = self.bin(BinOp::And, Scalar::I64, bits, b);
                self.with_bits(Scalar::Ptr, masked)
            }
            "eh" => Operand::Int(0),
            _ => return None,
        })
    }

    fn on_floats(&mut self, kind: &str, ty: Scalar, [a, b, c]: [Operand; 3]) -> Option<Operand> {
        let bits = Scalar::Int(ty.bits() as u8);
        let sign = 1u128 << (ty.bits() - 1);
        Some(match kind {
            "fabs" => {
                let whole = self.bits_of(ty, a);
                let cleared = self.bin(BinOp::And, bits, whole, Operand::Int(sign - 1));
                self.with_bits(ty, cleared)
            }
            "copysign" => {
                let (size, from) = (self.bits_of(ty, a), self.bits_of(ty, b));
                let size = self.bin(BinOp::And, bits, size, Operand::Int(sign - 1));
                let from = self.bin(BinOp::And, bits, from, Operand::Int(sign));
                let whole = self.bin(BinOp::Or, bits, size, from);
                self.with_bits(ty, whole)
            }
            // The intrinsic permits both a fused and an unfused operation; this one is not fused.
            "fmuladd" => {
                let product = self.bin(BinOp::FMul, ty, a, b);
                self.bin(BinOp::FAdd, ty, product, c)
            }
            "maxnum" => self.float_extreme(FloatPred::Ogt, ty, a, b),
            "minnum" => self.float_extreme(FloatPred::Olt, ty, a, b),
            _ => return None,
        })
    }

    /// Whether a float belongs to one of the classes in a mask. From bit 0 on, the mask has signalling NaN,
    /// quiet NaN, negative infinity, negative normal, negative subnormal, negative zero, positive zero,
    /// positive subnormal, positive normal, positive infinity. Both kinds of NaN count as one.
    fn float_class(&mut self, ty: Scalar, [a, mask, _]: [Operand; 3]) -> Option<Operand> {
        let (Operand::Int(mask), true) = (mask, ty.is_float()) else {
            return None;
        };
        let bits = Scalar::Int(ty.bits() as u8);
        let sign = 1u128 << (ty.bits() - 1);
        let least: u128 = if ty == Scalar::F32 { 1 << 23 } else { 1 << 52 };
        let infinity = if ty == Scalar::F32 { 0xff << 23 } else { 0x7ff << 52 };
        let whole = self.bits_of(ty, a);
        let size = self.bin(BinOp::And, bits, whole, Operand::Int(sign - 1));
        let negative = self.cmp(IntPred::Uge, bits, whole, Operand::Int(sign));
        // For each class: the first magnitude, one past the last, and the mask bits for negative and positive.
        let classes = [
            (infinity + 1, sign, 3, 3),
            (infinity, infinity + 1, 1 << 2, 1 << 9),
            (least, infinity, 1 << 3, 1 << 8),
            (1, least, 1 << 4, 1 << 7),
            (0, 1, 1 << 5, 1 << 6),
        ];
        let mut any = Operand::Int(0);
        for (low, end, minus, plus) in classes {
            let (minus, plus) = (mask & minus != 0, mask & plus != 0);
            if !minus && !plus {
                continue;
            }
            let from = self.bin(BinOp::Sub, bits, size, Operand::Int(low));
            let inside = self.cmp(IntPred::Ult, bits, from, Operand::Int(end - low));
            let signs = match (minus, plus) {
                (true, true) => Operand::Int(1),
                (true, false) => negative,
                _ => self.un(UnOp::Not, Scalar::BOOL, negative),
            };
            let fits = self.bin(BinOp::And, Scalar::BOOL, inside, signs);
            any = self.bin(BinOp::Or, Scalar::BOOL, any, fits);
        }
        Some(any)
    }

    /// The extreme of two floats; if exactly one of them is a number, that one.
    fn float_extreme(&mut self, pred: FloatPred, ty: Scalar, a: Operand, b: Operand) -> Operand {
        let (first, odd) = (self.fresh(Scalar::BOOL), self.fresh(Scalar::BOOL));
        self.push(Out::Cmp { pred: Pred::Float(pred), ty, dst: first, a, b });
        self.push(Out::Cmp { pred: Pred::Float(FloatPred::Uno), ty, dst: odd, a: b, b });
        let first = self.bin(BinOp::Or, Scalar::BOOL, first.into(), odd.into());
        self.select(ty, first, a, b)
    }
}
