//! Functions that are recognised by name and become instructions: assertions, assumptions, choices.
//!
//! Most are recognised only if the program does not define them. SV-COMP's `reach_error` and
//! `assume_abort_if_not` are always recognised, by the convention of that competition, and so are the names of atomic
//! functions ([`has_meaning`]).

use super::function::Lower;
use crate::link::Symbol;
use raddle_ir::{BinOp, FailKind, InstKind as Out, IntPred, Operand, Type as Scalar};
use raddle_llvm::ast::{
    Arg, Call, ConstExpr, ConstId, ConstKind, GlobalId, GlobalKind, LocalId, Value,
};
use std::ops::RangeInclusive;

/// `choose` explores every value; a wider range is not supported, since it was probably not intended.
const MAX_CHOICES: u64 = 1 << 16;

impl Lower<'_, '_> {
    /// Translates the call if it is one of these; returns whether it was.
    pub(super) fn special(
        &mut self,
        symbol: Symbol,
        name: &str,
        call: &Call,
        result: Option<LocalId>,
    ) -> bool {
        let name = source_name(name);
        let defined = match &self.asm.global_value(symbol).kind {
            GlobalKind::Function(function) => function.body.is_some(),
            _ => true,
        };
        match (name, defined, &*call.args) {
            ("reach_error", _, _) | ("__VERIFIER_error", false, _) => {
                self.fail_assertion(format!("{name}() is reached"));
            }
            ("assume_abort_if_not", _, [cond])
            | ("__VERIFIER_assume" | "__CPROVER_assume", false, [cond]) => {
                let cond = self.truth(cond);
                self.push(Out::Assume { cond });
            }
            ("__VERIFIER_assert" | "__CPROVER_assert", false, [cond, ..]) => {
                let cond = self.truth(cond);
                self.push(Out::Assert { cond, message: String::new() });
            }
            ("__assert_fail" | "__assert", false, [expr, ..])
            | ("__assert_rtn", false, [_, _, _, expr]) => {
                let text = self.text(expr).unwrap_or_else(|| "an assertion".to_owned());
                self.fail_assertion(text);
            }
            (_, false, _) => {
                let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") else {
                    return false;
                };
                return self.nondet(kind, result);
            }
            _ => return false,
        }
        self.define_undefined(result);
        true
    }

    fn fail_assertion(&mut self, message: String) {
        self.push(Out::Fail { kind: FailKind::Assertion, message });
    }

    /// Whether an argument is not 0.
    fn truth(&mut self, arg: &Arg) -> Operand {
        let ty = self.scalar_of(arg.value).filter(|ty| !ty.is_float());
        let value = self.operand(arg.value);
        match ty {
            Some(Scalar::BOOL) => value,
            Some(ty) => self.cmp(IntPred::Ne, ty, value, Operand::Int(0)),
            None => Operand::Undef,
        }
    }

    /// The constant string that an argument points to.
    fn text(&mut self, arg: &Arg) -> Option<String> {
        let Value::Const(id) = arg.value else {
            return None;
        };
        let global = self.start_of_global(id)?;
        let GlobalKind::Variable(variable) = &self.unit.module.global(global).kind else {
            return None;
        };
        let ConstKind::Bytes(bytes) = &self.unit.module.constant(variable.init?).kind else {
            return None;
        };
        let text = bytes.split(|byte| *byte == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// The global whose first byte a constant points to. Older compilers write the address as a
    /// `getelementptr` to the first element.
    fn start_of_global(&self, id: ConstId) -> Option<GlobalId> {
        let module = &self.unit.module;
        let is_zero = |id: &ConstId| matches!(module.constant(*id).kind, ConstKind::Int(0));
        match &module.constant(id).kind {
            ConstKind::Global(global) => Some(*global),
            ConstKind::Expr(expr) => match &**expr {
                ConstExpr::Gep { base, indices, .. } if indices.iter().all(is_zero) => {
                    match module.constant(*base).kind {
                        ConstKind::Global(global) => Some(global),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Emits a choice from the range of the options, restricted to the values of the type.
    fn nondet(&mut self, kind: &str, result: Option<LocalId>) -> bool {
        let ty = result.and_then(|result| self.result_scalar(result));
        let Some(ty @ Scalar::Int(bits)) = ty.filter(|ty| ty.bits() <= 64) else {
            self.reject(
                result,
                format!("__VERIFIER_nondet_{kind}: a choice that is not an integer"),
            );
            return true;
        };
        let is_truth = matches!(kind, "bool" | "_Bool");
        let range = &self.asm.source.options.nondet;
        let (low, hi, partial) = choices(range, bits, is_unsigned(kind), is_truth);
        let dst = self.fresh(ty);
        self.push(Out::Choose { dst, ty, lo: 0, hi, partial });
        let from = Operand::Int(low as u128 & ty.mask());
        let value = self.bin(BinOp::Add, ty, dst.into(), from);
        self.define(result, value);
        true
    }
}

/// Whether a function that the program defines has a meaning by its name.
pub(crate) fn has_meaning(name: &str) -> bool {
    matches!(source_name(name), "reach_error" | "assume_abort_if_not") || is_atomic(name)
}

/// Whether a function is an atomic section according to its name, by the convention of SV-COMP.
pub(super) fn is_atomic(name: &str) -> bool {
    let rest = source_name(name).strip_prefix("__VERIFIER_atomic_");
    rest.is_some_and(|rest| rest != "begin" && rest != "end")
}

/// Whether calls of an undefined function of this name become instructions.
pub(crate) fn is_recognised(name: &str) -> bool {
    let names = ["reach_error", "assume_abort_if_not", "__assert_fail", "__assert", "__assert_rtn"];
    let name = source_name(name);
    names.contains(&name)
        || ["__VERIFIER_", "__CPROVER_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The name of a function in the source. C++ adds the length before it and the types of the parameters after it, unless
/// the function is in a namespace or a class.
pub(super) fn source_name(symbol: &str) -> &str {
    let mangled = || {
        let rest = symbol.strip_prefix("_Z")?;
        // `L` stands for `static`.
        let rest = rest.strip_prefix('L').unwrap_or(rest);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (length, rest) = rest.split_at(digits);
        rest.get(..length.parse().ok()?)
    };
    mangled().unwrap_or(symbol)
}

/// The values that an input takes: the lowest one, how many more follow it, and whether the input has others.
pub(crate) fn choices(
    range: &RangeInclusive<i64>,
    bits: u8,
    unsigned: bool,
    is_truth: bool,
) -> (i64, u64, bool) {
    let (low, high) = match (*range.start(), *range.end()) {
        _ if is_truth => (0, 1),
        (low, high) if unsigned => (low.max(0), high.max(0)),
        ends => ends,
    };
    let (least, most) = limits(bits, unsigned || is_truth);
    let (low, high) = (low.clamp(least, most), high.clamp(least, most));
    let hi = high.abs_diff(low).min(MAX_CHOICES);
    let partial = !is_truth && u128::from(hi) != Scalar::Int(bits).mask();
    (low, hi, partial)
}

fn is_unsigned(kind: &str) -> bool {
    matches!(kind, "bool" | "_Bool")
        || kind.starts_with('u')
        || kind.starts_with("size")
        || kind.starts_with("unsigned")
}

/// The range of a type, restricted to `i64`.
fn limits(bits: u8, unsigned: bool) -> (i64, i64) {
    match (bits, unsigned) {
        (64.., true) => (0, i64::MAX),
        (64.., false) => (i64::MIN, i64::MAX),
        (_, true) => (0, (1i64 << bits) - 1),
        (_, false) => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cpp_are_those_of_the_source() {
        for (symbol, name) in [
            ("reach_error", "reach_error"),
            ("_Z11reach_errorv", "reach_error"),
            ("_ZL11reach_errorv", "reach_error"),
            ("_ZN3app11reach_errorEv", "_ZN3app11reach_errorEv"),
            ("_Z99reach_error", "_Z99reach_error"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(source_name(symbol), name);
        }
        assert!(is_atomic("_ZL21__VERIFIER_atomic_addv") && has_meaning("_Z11reach_errorv"));
        assert!(!is_atomic("_Z25__VERIFIER_atomic_beginv"));
    }
}
