//! Calls.

use super::function::Lower;
use crate::link::Symbol;
use crate::shape::Shape;
use raddle_ir::{Callee as To, FuncId, InstKind as Out, Operand, Reg, Type as Scalar};
use raddle_llvm::ast::{
    Arg, Call, Callee, ConstExpr, ConstId, ConstKind, GlobalKind, LocalId, Type, Value,
};

/// The maximum number of nested casts around the address of a called function.
const MAX_CASTS: u32 = 16;

/// An argument as it is passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    pub value: Operand,
    pub ty: Scalar,
}

impl Lower<'_, '_> {
    pub(super) fn call(&mut self, call: &Call, result: Option<LocalId>) {
        let callee = match &call.callee {
            Callee::Asm(asm) => return self.inline_assembly(asm, call, result),
            Callee::Value(callee) => *callee,
        };
        let Some(symbol) = self.named(callee) else {
            return self.call_pointer(callee, call, result);
        };
        let name = self.asm.name(symbol);
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            return self.intrinsic(intrinsic, call, result);
        }
        if !self.special(symbol, name, call, result) {
            let id = self.asm.function(symbol);
            self.call_function(id, symbol, call, result);
        }
    }

    /// The function whose address the value is.
    fn named(&self, callee: Value) -> Option<Symbol> {
        let Value::Const(id) = callee else {
            return None;
        };
        let global = self.global_of(id, MAX_CASTS)?;
        let symbol = self.asm.definition(Symbol { unit: self.at, global });
        let value = self.asm.global_value(symbol);
        matches!(value.kind, GlobalKind::Function(_) | GlobalKind::IFunc { .. }).then_some(symbol)
    }

    fn global_of(&self, id: ConstId, depth: u32) -> Option<raddle_llvm::ast::GlobalId> {
        match &self.unit.module.constant(id).kind {
            ConstKind::Global(global)
            | ConstKind::DsoLocalEquivalent(global)
            | ConstKind::NoCfi(global) => Some(*global),
            ConstKind::Expr(expr) => match **expr {
                ConstExpr::Cast { arg, .. } if depth > 0 => self.global_of(arg, depth - 1),
                _ => None,
            },
            _ => None,
        }
    }

    // ---- arguments ----

    /// The arguments in the form in which they are passed; arguments without a value are left out.
    pub(super) fn passed(&mut self, args: &[Arg]) -> Vec<Passed> {
        args.iter().filter_map(|arg| self.pass(arg)).collect()
    }

    pub(super) fn pass(&mut self, arg: &Arg) -> Option<Passed> {
        let shape = Shape::of(self.unit, self.type_of(arg.value)?);
        let value = match &shape {
            Shape::Nothing => return None,
            Shape::Scalar(_) => self.operand(arg.value),
            Shape::Packed { leaves, ty } => {
                let parts = self.parts(arg.value);
                self.pack(leaves, *ty, &parts)
            }
            Shape::Unfit => {
                self.unsupported("passing an aggregate of more than 16 bytes as a value");
                Operand::Undef
            }
        };
        Some(Passed { value, ty: shape.register()? })
    }

    fn call_function(&mut self, id: FuncId, symbol: Symbol, call: &Call, result: Option<LocalId>) {
        let wanted = self.asm.params(id);
        let fixed = self.fixed_parameters(id, symbol);
        let all = call.args.len();
        let (first, rest) = call.args.split_at(fixed.unwrap_or(all).min(all));
        let mut passed = self.passed(first);
        if fixed.is_some() {
            let value = self.variadic_arguments(rest);
            passed.push(Passed { value, ty: Scalar::Ptr });
        }
        if passed.len() < wanted.len() {
            let (name, given) = (self.asm.name(symbol), passed.len());
            self.unsupported(format!(
                "calls {name} with {given} arguments, which takes {}",
                wanted.len()
            ));
        }
        let args = (0..wanted.len())
            .map(|index| match passed.get(index) {
                Some(passed) => self.coerce(passed.ty, wanted[index], passed.value),
                None => Operand::Undef,
            })
            .collect();
        let returned = self.asm.program.funcs[id].ret;
        self.finish_call(To::Direct(id), args, returned, result);
    }

    /// The number of arguments before the variadic ones; `None` if the callee is not variadic.
    fn fixed_parameters(&self, id: FuncId, symbol: Symbol) -> Option<usize> {
        let function = match &self.asm.global_value(symbol).kind {
            GlobalKind::Function(function) => function,
            _ => return None,
        };
        let params = function.params.len();
        let callee = &self.asm.program.funcs[id];
        if function.body.is_none() && callee.library {
            // A library function is variadic if its last parameter has that name, even if the program declares the
            // function differently.
            let last = callee.params.last().and_then(|last| callee.regs[*last].name.as_deref());
            return (last == Some("va")).then(|| callee.params.len() - 1);
        }
        (function.varargs && params > 0).then_some(params)
    }

    fn call_pointer(&mut self, callee: Value, call: &Call, result: Option<LocalId>) {
        let fixed = match self.unit.module.ty(call.ty) {
            Type::Func { params, varargs: true, .. } if !params.is_empty() => Some(params.len()),
            _ => None,
        };
        let to = self.operand(callee);
        let all = call.args.len();
        let (first, rest) = call.args.split_at(fixed.unwrap_or(all).min(all));
        let mut args: Vec<Operand> = self.typed_arguments(first);
        if fixed.is_some() {
            args.push(self.variadic_arguments(rest));
        }
        let returned =
            result.and_then(|result| Shape::of(self.unit, self.body.locals[result].ty).register());
        self.finish_call(To::Indirect(to), args, returned, result);
    }

    /// Moves wide constants into registers: a call through a pointer does not give the types of its arguments.
    fn typed_arguments(&mut self, args: &[Arg]) -> Vec<Operand> {
        let passed = self.passed(args);
        passed
            .into_iter()
            .map(|Passed { value, ty }| match value {
                Operand::Reg(_) => value,
                _ if ty.bits() <= 64 => value,
                _ => {
                    let dst = self.fresh(ty);
                    self.assign(ty, dst, value);
                    dst.into()
                }
            })
            .collect()
    }

    /// `returned` is the type that the callee returns.
    fn finish_call(
        &mut self,
        callee: To,
        args: Vec<Operand>,
        returned: Option<Scalar>,
        result: Option<LocalId>,
    ) {
        let wanted = result.map(|result| Shape::of(self.unit, self.body.locals[result].ty));
        let dst: Option<(Reg, Scalar)> = match (&wanted, returned) {
            (Some(shape), Some(ty)) if shape.register().is_some() => Some((self.fresh(ty), ty)),
            _ => None,
        };
        self.push(Out::Call { dst: dst.map(|(dst, _)| dst), callee, args });
        let (Some(shape), Some((dst, ty))) = (wanted, dst) else {
            return self.define_undefined(result);
        };
        match shape {
            Shape::Scalar(to) => {
                let value = self.coerce(ty, to, dst.into());
                self.define(result, value);
            }
            Shape::Packed { leaves, ty: to } => {
                let whole = self.coerce(ty, to, dst.into());
                let parts = self.unpack(&leaves, to, whole);
                self.define_parts(result, &parts);
            }
            Shape::Unfit => self
                .reject(result, "the result of a call that is an aggregate of more than 16 bytes"),
            Shape::Nothing => self.define_undefined(result),
        }
    }
}
