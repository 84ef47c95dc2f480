//! Rules about a function as a whole, its blocks and their terminators.

use super::{At, Checker, Rule};
use crate::inst::{Operand, TerminatorKind};
use crate::program::{BlockId, FuncId, Function, Reg};
use crate::types::Type;
use cranelift_entity::EntityRef;
use std::collections::HashSet;

/// A function body while it is checked.
pub(super) struct Body<'c, 'p> {
    pub checker: &'c mut Checker<'p>,
    pub id: FuncId,
    pub function: &'p Function,
}

impl<'p> Checker<'p> {
    pub(super) fn function(&mut self, id: FuncId) {
        let function = &self.program.funcs[id];
        self.at = At { func: Some(id), loc: function.loc, ..At::default() };
        self.position(function.loc);
        self.unique("register", function.regs.values().filter_map(|r| r.name.as_deref()));
        self.unique("label", function.blocks.values().filter_map(|b| b.name.as_deref()));
        for info in function.regs.values() {
            self.width(info.ty);
            self.source_type(info.object);
        }
        if let Some(ty) = function.ret {
            self.width(ty);
        }
        self.parameters(function);
        let before = self.errors.len();
        Body { checker: self, id, function }.blocks();
        // Control flow can be followed only if every block and register exists.
        if !self.errors[before..].iter().any(|error| error.rule == Rule::References) {
            self.assignment(id);
        }
    }

    fn parameters(&mut self, function: &Function) {
        let params = &function.params;
        let first = params.iter().enumerate().all(|(index, param)| param.index() == index);
        self.require(first && params.len() <= function.regs.len(), Rule::Parameters, || {
            "the parameters are not the first registers, in order".to_owned()
        });
        let bare = !function.blocks.is_empty() || function.regs.len() <= params.len();
        self.require(bare, Rule::Declarations, || {
            "the function is only declared but has registers".to_owned()
        });
    }
}

impl Body<'_, '_> {
    fn blocks(&mut self) {
        let function = self.function;
        for (block_id, block) in &function.blocks {
            for (index, inst) in block.insts.iter().enumerate() {
                self.checker.at = At {
                    func: Some(self.id),
                    block: Some(block_id),
                    inst: Some(index),
                    loc: inst.loc,
                };
                self.checker.position(inst.loc);
                self.instruction(&inst.kind);
            }
            let (inst, loc) = (Some(block.insts.len()), block.term.loc);
            self.checker.at = At { func: Some(self.id), block: Some(block_id), inst, loc };
            self.checker.position(loc);
            self.terminator(&block.term.kind);
        }
    }

    fn terminator(&mut self, kind: &TerminatorKind) {
        kind.successors().into_iter().for_each(|to| self.target(to));
        match kind {
            TerminatorKind::Jump(_) | TerminatorKind::Unreachable => {}
            TerminatorKind::Branch { cond, .. } => self.operand(*cond, Type::BOOL),
            TerminatorKind::Switch { ty, value, cases, .. } => {
                self.checker.width(*ty);
                self.checker.require(ty.is_int(), Rule::Operations, || format!("a switch on {ty}"));
                self.operand(*value, *ty);
                self.cases(*ty, cases);
            }
            TerminatorKind::Return(value) => self.ret(*value),
        }
    }

    fn cases(&mut self, ty: Type, cases: &[(u128, BlockId)]) {
        let mut seen = HashSet::new();
        for (case, _) in cases {
            self.checker.constant(Operand::Int(*case), Some(ty));
            self.checker.require(seen.insert(*case), Rule::Cases, || {
                format!("the switch has the case {case} twice")
            });
        }
    }

    fn ret(&mut self, value: Option<Operand>) {
        match (value, self.function.ret) {
            (None, None) => {}
            (Some(value), Some(ty)) => self.operand(value, ty),
            (None, Some(ty)) => {
                self.checker
                    .error(Rule::Returns, format!("nothing is returned where {ty} is expected"));
            }
            (Some(_), None) => {
                self.checker.error(Rule::Returns, "a value is returned where none is declared");
            }
        }
    }

    fn target(&mut self, block: BlockId) {
        let exists = self.function.blocks.is_valid(block);
        self.checker.require(exists, Rule::References, || format!("there is no {block}"));
    }

    // ---- operands and results ----

    /// An operand in a place that requires `ty`.
    pub(super) fn operand(&mut self, operand: Operand, ty: Type) {
        self.operand_of(operand, Some(ty));
    }

    /// An operand in a place that requires `ty`, or (`None`) accepts any type.
    pub(super) fn operand_of(&mut self, operand: Operand, ty: Option<Type>) {
        let Operand::Reg(reg) = operand else {
            return self.checker.constant(operand, ty);
        };
        if let (Some(found), Some(wanted)) = (self.register(reg), ty)
            && found != wanted
        {
            let name = self.checker.reg_name(self.id, reg);
            let message = format!("{name} is {found} where {wanted} is expected");
            self.checker.error(Rule::OperandTypes, message);
        }
    }

    pub(super) fn address(&mut self, operand: Operand) {
        self.operand(operand, Type::Ptr);
    }

    /// Checks the register that gets a result of type `ty`.
    pub(super) fn result(&mut self, reg: Reg, ty: Type) {
        if let Some(found) = self.register(reg)
            && found != ty
        {
            let name = self.checker.reg_name(self.id, reg);
            let message = format!("{name} is {found} but gets a result of type {ty}");
            self.checker.error(Rule::ResultTypes, message);
        }
    }

    /// The register's type, if it exists.
    pub(super) fn register(&mut self, reg: Reg) -> Option<Type> {
        let ty = self.function.regs.get(reg).map(|info| info.ty);
        self.checker.require(ty.is_some(), Rule::References, || format!("there is no {reg}"));
        ty
    }
}
