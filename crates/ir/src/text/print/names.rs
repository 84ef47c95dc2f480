//! The text form of ids and operands.

use super::super::literal::{constant, name};
use crate::inst::{Callee, Operand};
use crate::program::{BlockId, FuncId, Function, GlobalId, Program, Reg};
use crate::types::Type;
use cranelift_entity::EntityRef;

/// The names that are visible in a function, or at the top level.
pub(super) struct Names<'p> {
    pub program: &'p Program,
    pub function: Option<&'p Function>,
}

pub(super) fn global(program: &Program, id: GlobalId) -> String {
    program.globals.get(id).map_or_else(|| format!("@<{id}>"), |g| format!("@{}", name(&g.name)))
}

impl<'p> Names<'p> {
    /// The names of `func`.
    pub(super) fn callee(program: &'p Program, func: FuncId) -> Names<'p> {
        Names { program, function: program.funcs.get(func) }
    }

    pub(super) fn func(&self, id: FuncId) -> String {
        let function = self.program.funcs.get(id);
        function.map_or_else(|| format!("@<{id}>"), |f| format!("@{}", name(&f.name)))
    }

    pub(super) fn reg(&self, reg: Reg) -> String {
        let info = self.function.and_then(|f| f.regs.get(reg));
        match info.and_then(|info| info.name.as_deref()) {
            Some(text) => format!("%{}", name(text)),
            None => format!("%{}", reg.index()),
        }
    }

    pub(super) fn block(&self, id: BlockId) -> String {
        let block = self.function.and_then(|f| f.blocks.get(id));
        match block.and_then(|block| block.name.as_deref()) {
            Some(text) => name(text),
            None => format!("#{}", id.index()),
        }
    }

    /// An operand of a known type, or (`None`) in a place that does not determine a type.
    pub(super) fn operand(&self, operand: Operand, ty: impl Into<Option<Type>>) -> String {
        match (operand, ty.into()) {
            (Operand::Reg(reg), _) => self.reg(reg),
            (Operand::Int(value), Some(ty)) => constant(value, ty),
            (Operand::Int(value), None) => value.to_string(),
            (Operand::Global(id, 0), _) => global(self.program, id),
            (Operand::Global(id, at), _) => format!("{}{at:+}", global(self.program, id)),
            (Operand::Func(id), _) => format!("&{}", self.func(id)),
            (Operand::Undef, _) => "undef".to_owned(),
        }
    }

    pub(super) fn address(&self, operand: Operand) -> String {
        self.operand(operand, Type::Ptr)
    }

    /// The arguments of a call, with the types of the callee's parameters if it is known.
    pub(super) fn arguments(&self, callee: Option<FuncId>, args: &[Operand]) -> String {
        let function = callee.and_then(|id| self.program.funcs.get(id));
        let ty = |at: usize| {
            let function = function?;
            function.regs.get(*function.params.get(at)?).map(|info| info.ty)
        };
        let args: Vec<_> =
            args.iter().enumerate().map(|(at, a)| self.operand(*a, ty(at))).collect();
        args.join(", ")
    }

    pub(super) fn call(&self, callee: Callee, args: &[Operand]) -> String {
        match callee {
            Callee::Direct(id) => format!("{}({})", self.func(id), self.arguments(Some(id), args)),
            Callee::Indirect(to) => {
                format!("*{}({})", self.address(to), self.arguments(None, args))
            }
        }
    }
}
