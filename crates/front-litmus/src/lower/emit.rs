//! Building the function of one thread.
//!
//! A machine register is created when it is first named, and gets its initial value in the entry block.
//! The code starts in a second block, so that a label on the first row can be a jump target.

use super::context::Context;
use super::flags::{Condition, Flags};
use super::regs::{self, MachineReg};
use super::word::Word;
use crate::Arch;
use crate::ast::{Arg, ArgKind, At, Inst, Line, Name, Value};
use raddle_ir::{
    BinOp, BlockId, CastOp, Diagnostic, FenceKind, FunctionBuilder, InstKind, Operand, Reg, Type,
};
use std::collections::HashMap;

pub(super) struct Emit<'c, 't> {
    pub context: &'c mut Context<'t>,
    pub function: FunctionBuilder,
    pub flags: Flags,
    thread: u32,
    entry: BlockId,
    body: BlockId,
    registers: HashMap<MachineReg, Reg>,
    /// The keys of `registers`, in the order of creation.
    order: Vec<MachineReg>,
    labels: HashMap<String, BlockId>,
}

/// A constant of at most 64 bits.
pub(super) fn constant(value: i64) -> Operand {
    Operand::from(value as u64)
}

impl<'c, 't> Emit<'c, 't> {
    pub(super) fn new(
        context: &'c mut Context<'t>,
        thread: u32,
    ) -> Result<Emit<'c, 't>, Diagnostic> {
        let mut function = FunctionBuilder::new(format!("P{thread}"));
        let entry = function.current();
        let body = function.block(None);
        function.switch_to(body);
        let lines = &context.test.threads[thread as usize].lines;
        let flags = Flags::new(context.test.arch, lines);
        let mut emit = Emit {
            context,
            function,
            flags,
            thread,
            entry,
            body,
            registers: HashMap::new(),
            order: Vec::new(),
            labels: HashMap::new(),
        };
        for line in lines {
            if let Line::Label(label) = line {
                emit.declare_label(label)?;
            }
        }
        Ok(emit)
    }

    pub(super) fn arch(&self) -> Arch {
        self.context.test.arch
    }

    pub(super) fn word(&self) -> Word {
        self.context.word
    }

    pub(super) fn error(&self, at: At, message: impl Into<String>) -> Diagnostic {
        self.context.error(at, message)
    }

    pub(super) fn unsupported(&self, inst: &Inst) -> Diagnostic {
        let message = format!("the instruction `{}` is not supported", inst.mnemonic);
        self.error(inst.at, message)
            .expected(format!("an {} instruction that docs/litmus.md lists", self.arch()))
    }

    /// Sets the position of the following IR instructions to this instruction.
    pub(super) fn start_inst(&mut self, inst: &Inst) {
        let loc = self.context.loc(inst.at);
        self.function.at(loc);
    }

    // ---- labels ----

    fn declare_label(&mut self, label: &Name) -> Result<(), Diagnostic> {
        // The entry block already has the name `entry`.
        let name = (label.text != "entry").then_some(label.text.as_str());
        let block = self.function.block(name);
        match self.labels.insert(label.text.clone(), block) {
            None => Ok(()),
            Some(_) => Err(self
                .error(label.at, format!("the label `{}` is defined twice", label.text))
                .expected("a label that the thread has only once")),
        }
    }

    pub(super) fn start_label(&mut self, label: &Name) {
        let block = self.labels[&label.text];
        let loc = self.context.loc(label.at);
        self.function.at(loc);
        self.function.jump(block);
        self.function.switch_to(block);
        self.flags.forget_source();
    }

    pub(super) fn label(&self, arg: &Arg) -> Result<BlockId, Diagnostic> {
        let ArgKind::Name(name) = &arg.kind else {
            return Err(self.error(arg.at, "this is not a label").expected("a label to jump to"));
        };
        self.labels.get(&name.text).copied().ok_or_else(|| {
            let thread = self.thread;
            self.error(arg.at, format!("thread {thread} has no label `{}`", name.text))
                .expected(format!("a label of thread {thread}"))
                .help(format!("put `{}:` before the instruction to jump to", name.text))
        })
    }

    /// Jumps to the label that is the only operand; the code that follows is reachable only through another
    /// label.
    pub(super) fn jump(&mut self, inst: &Inst) -> Result<(), Diagnostic> {
        let [label] = self.args(inst)?;
        let to = self.label(label)?;
        self.function.jump(to);
        let next = self.function.block(None);
        self.function.switch_to(next);
        Ok(())
    }

    /// Jumps to a label if the condition holds.
    pub(super) fn branch_if(
        &mut self,
        cond: Condition,
        label: &Arg,
        inst: &Inst,
    ) -> Result<(), Diagnostic> {
        let to = self.label(label)?;
        let holds = self.condition(cond, inst)?;
        self.branch(holds, to);
        Ok(())
    }

    /// Jumps to a label or continues.
    pub(super) fn branch(&mut self, cond: Reg, to: BlockId) {
        let next = self.function.block(None);
        self.function.branch(cond, to, next);
        self.function.switch_to(next);
    }

    // ---- operands ----

    pub(super) fn args<'i, const N: usize>(
        &self,
        inst: &'i Inst,
    ) -> Result<[&'i Arg; N], Diagnostic> {
        self.args_of(inst, &inst.args)
    }

    /// Exactly `N` operands, from a part of the instruction's operands.
    pub(super) fn args_of<'i, const N: usize>(
        &self,
        inst: &Inst,
        args: &'i [Arg],
    ) -> Result<[&'i Arg; N], Diagnostic> {
        let all: Vec<&Arg> = args.iter().collect();
        let found = all.len();
        all.try_into().map_err(|_| {
            self.error(inst.at, format!("`{}` has {found} operands here", inst.mnemonic))
                .expected(if N == 1 { "one operand".to_owned() } else { format!("{N} operands") })
        })
    }

    pub(super) fn temp(&mut self, ty: Type) -> Reg {
        self.function.reg(None, ty)
    }

    pub(super) fn machine_reg(&mut self, reg: MachineReg) -> Reg {
        if let Some(found) = self.registers.get(&reg) {
            return *found;
        }
        let name = regs::ir_name(self.arch(), &reg);
        let name = (!Flags::owns_name(&name)).then_some(name);
        let made = self.function.reg(name.as_deref(), Type::I64);
        self.order.push(reg.clone());
        self.registers.insert(reg, made);
        made
    }

    pub(super) fn reg(&mut self, name: &Name) -> Result<Reg, Diagnostic> {
        let found = self.context.register(name)?;
        Ok(self.machine_reg(found.reg))
    }

    pub(super) fn reg_arg(&mut self, arg: &Arg) -> Result<Reg, Diagnostic> {
        match &arg.kind {
            ArgKind::Name(name) => self.reg(name),
            ArgKind::Int(_) | ArgKind::Mem(_) => {
                Err(self.error(arg.at, "this is not a register").expected("a register"))
            }
        }
    }

    /// Exactly `N` operands, which are registers.
    pub(super) fn reg_args<const N: usize>(&mut self, inst: &Inst) -> Result<[Reg; N], Diagnostic> {
        let args: [&Arg; N] = self.args(inst)?;
        let mut regs = [Reg::from_u32(0); N];
        for (reg, arg) in regs.iter_mut().zip(args) {
            *reg = self.reg_arg(arg)?;
        }
        Ok(regs)
    }

    pub(super) fn int_arg(&self, arg: &Arg) -> Result<i64, Diagnostic> {
        match arg.kind {
            ArgKind::Int(value) => self.context.word_value(value, arg.at),
            ArgKind::Name(_) | ArgKind::Mem(_) => {
                Err(self.error(arg.at, "this is not a number").expected("a number"))
            }
        }
    }

    /// A register or a number.
    pub(super) fn value_arg(&mut self, arg: &Arg) -> Result<Operand, Diagnostic> {
        match &arg.kind {
            ArgKind::Name(name) => Ok(self.reg(name)?.into()),
            ArgKind::Int(_) => Ok(constant(self.int_arg(arg)?)),
            ArgKind::Mem(_) => Err(self
                .error(arg.at, "memory cannot be used here")
                .expected("a register or a number")),
        }
    }

    // ---- arithmetic ----

    pub(super) fn move_to(&mut self, dst: Reg, a: Operand) {
        self.function.push(InstKind::Move { ty: Type::I64, dst, a });
    }

    pub(super) fn cast(&mut self, op: CastOp, from: Type, to: Type, dst: Reg, a: Operand) {
        self.function.push(InstKind::Cast { op, from, to, dst, a });
    }

    /// The low bits of a value, as a value of type `ty`.
    pub(super) fn truncate(&mut self, value: Operand, ty: Type) -> Operand {
        match value {
            _ if ty == Type::I64 => value,
            Operand::Int(bits) => Operand::Int(bits & ty.mask()),
            _ => {
                let cut = self.temp(ty);
                self.cast(CastOp::Trunc, Type::I64, ty, cut, value);
                cut.into()
            }
        }
    }

    /// Extends a value of 32 or 64 bits to the form in which a machine register holds it.
    pub(super) fn extend_into(&mut self, dst: Reg, ty: Type, value: Reg) {
        match ty {
            Type::I32 => self.cast(CastOp::SExt, Type::I32, Type::I64, dst, value.into()),
            _ => self.move_to(dst, value.into()),
        }
    }

    /// `dst = a op b` on words.
    pub(super) fn arith(&mut self, op: BinOp, dst: Reg, a: Operand, b: Operand) {
        let ty = self.word().ty();
        // Bitwise operations on two extended words give an extended word.
        if ty == Type::I64 || matches!(op, BinOp::And | BinOp::Or | BinOp::Xor) {
            self.function.push(InstKind::Bin { op, ty: Type::I64, dst, a, b });
            return;
        }
        let a = self.truncate(a, ty);
        let b = self.truncate(b, ty);
        let result = self.temp(ty);
        self.function.push(InstKind::Bin { op, ty, dst: result, a, b });
        self.extend_into(dst, ty, result);
    }

    /// `dst = cond ? a : b`
    pub(super) fn select(&mut self, dst: Reg, cond: Reg, a: Operand, b: Operand) {
        self.function.push(InstKind::Select { ty: Type::I64, dst, cond: cond.into(), a, b });
    }

    /// A truth value as 0 or 1.
    pub(super) fn truth(&mut self, value: Reg) -> Reg {
        self.converted(CastOp::ZExt, Type::BOOL, Type::I64, value.into())
    }

    /// The value with all bits flipped.
    pub(super) fn inverse(&mut self, value: Operand) -> Operand {
        self.binary(BinOp::Xor, Type::I64, value, constant(-1)).into()
    }

    pub(super) fn fence(&mut self, inst: &Inst, kind: FenceKind) -> Result<(), Diagnostic> {
        let [] = self.args(inst)?;
        self.function.push(InstKind::Fence { kind });
        Ok(())
    }

    // ---- the end ----

    /// Ends the thread and adds it to the program. Records the IR registers of the observed registers,
    /// in order.
    pub(super) fn finish<'o>(
        mut self,
        observed: impl Iterator<Item = &'o MachineReg>,
    ) -> Result<(), Diagnostic> {
        self.flags.check(&self.context.test.file)?;
        self.function.ret(None);
        let column = self.context.test.threads[self.thread as usize].at;
        self.function.switch_to(self.entry);
        for reg in observed {
            let ir = self.machine_reg(reg.clone());
            self.context.observed_registers.insert((self.thread, reg.clone()), ir);
        }
        for reg in std::mem::take(&mut self.order) {
            self.initialise(&reg, column)?;
        }
        let loc = self.context.loc(column);
        self.function.at(loc);
        if let Some(both) = self.flags.registers() {
            both.into_iter().for_each(|flag| self.move_to(flag, constant(0)));
        }
        self.function.jump(self.body);
        let mut function = self.function.finish();
        function.loc = loc;
        let func = self.context.program.function(function);
        self.context.program.thread(format!("P{}", self.thread), func, Vec::new());
        Ok(())
    }

    fn initialise(&mut self, reg: &MachineReg, column: At) -> Result<(), Diagnostic> {
        let dst = self.registers[reg];
        let (value, at) = match self.context.initial(self.thread, reg) {
            Some((value, at)) => (value.clone(), *at),
            None => (Value::Int { value: 0, at: column }, column),
        };
        let loc = self.context.loc(at);
        self.function.at(loc);
        match value {
            Value::Int { value, at } => {
                let word = self.context.word_value(value, at)?;
                self.move_to(dst, constant(word));
            }
            Value::Address(name) => {
                let global = self.context.location(&name.text);
                self.cast(CastOp::PtrToInt, Type::Ptr, Type::I64, dst, global.into());
            }
        }
        Ok(())
    }
}
