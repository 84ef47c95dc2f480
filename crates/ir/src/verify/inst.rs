//! Rules about single instructions: types, calls, choices. The rules about accesses are in
//! [`memory`](super::memory).

use super::function::Body;
use super::{Rule, types};
use crate::inst::{Callee, InstKind, Operand, Pred};
use crate::program::Reg;
use crate::types::Type;
use crate::words::Mnemonic;

impl Body<'_, '_> {
    /// One arm for each instruction.
    pub(super) fn instruction(&mut self, kind: &InstKind) {
        match *kind {
            InstKind::Bin { op, ty, dst, a, b } => {
                self.operation(op, ty, types::binary(op, ty));
                self.computes(ty, dst, ty, &[a, b]);
            }
            InstKind::Un { op, ty, dst, a } => {
                self.operation(op, ty, types::unary(op, ty));
                self.computes(ty, dst, ty, &[a]);
            }
            InstKind::Cmp { pred, ty, dst, a, b } => {
                match pred {
                    Pred::Int(pred) => self.operation(pred, ty, ty.is_int_like()),
                    Pred::Float(pred) => self.operation(pred, ty, ty.is_float()),
                }
                self.computes(ty, dst, Type::BOOL, &[a, b]);
            }
            InstKind::Cast { op, from, to, dst, a } => {
                self.checker.require(types::cast(op, from, to), Rule::Casts, || {
                    format!("{} does not turn {from} into {to}", op.mnemonic())
                });
                self.checker.width(to);
                self.computes(from, dst, to, &[a]);
            }
            InstKind::Select { ty, dst, cond, a, b } => {
                self.operand(cond, Type::BOOL);
                self.computes(ty, dst, ty, &[a, b]);
            }
            InstKind::Move { ty, dst, a } => self.computes(ty, dst, ty, &[a]),
            InstKind::Call { dst, callee, ref args } => self.call(dst, callee, args),
            InstKind::Choose { dst, ty, lo, hi, .. } => self.choose(dst, ty, lo, hi),
            InstKind::Assume { cond } | InstKind::Assert { cond, .. } => {
                self.operand(cond, Type::BOOL);
            }
            InstKind::Alloca { dst, size, align, .. }
            | InstKind::Malloc { dst, size, align, .. } => {
                self.checker.alignment(align);
                self.computes(Type::I64, dst, Type::Ptr, &[size]);
            }
            InstKind::Load { dst, ty, addr, access } => {
                self.load_order(access);
                self.address(addr);
                self.computes(ty, dst, ty, &[]);
            }
            InstKind::Await { dst, ty, pred, addr, value, access } => {
                self.load_order(access);
                self.neither_exclusive_nor_raw(access);
                self.operation(pred, ty, ty.is_int_like());
                self.address(addr);
                self.computes(ty, dst, ty, &[value]);
            }
            InstKind::Store { ty, addr, value, access } => {
                self.not_exclusive(access);
                self.store(ty, addr, value, access);
            }
            InstKind::StoreCond { ty, ok, addr, value, access } => {
                self.store(ty, addr, value, access);
                self.result(ok, Type::BOOL);
            }
            InstKind::Rmw { op, ty, dst, addr, value, access, when } => {
                self.operation(op, ty, types::rmw(op, ty));
                self.neither_exclusive_nor_raw(access);
                self.written(addr);
                self.computes(ty, dst, ty, &[value]);
                if let Some((pred, wanted)) = when {
                    self.operation(pred, ty, ty.is_int_like());
                    self.operand(wanted, ty);
                }
            }
            InstKind::CmpXchg { ty, dst, ok, addr, expected, new, success, failure, .. } => {
                self.failure_order(success, failure);
                self.distinct(dst, ok);
                self.written(addr);
                self.computes(ty, dst, ty, &[expected, new]);
                self.result(ok, Type::BOOL);
            }
            InstKind::TryLock { dst, addr } => {
                self.written(addr);
                self.result(dst, Type::BOOL);
            }
            InstKind::Free { addr }
            | InstKind::Lock { addr }
            | InstKind::Unlock { addr }
            | InstKind::CondSignal { cond: addr }
            | InstKind::CondBroadcast { cond: addr } => self.written(addr),
            InstKind::CondWait { woken, cond, mutex } => {
                self.written(cond);
                self.written(mutex);
                woken.into_iter().for_each(|woken| self.result(woken, Type::BOOL));
            }
            InstKind::Spawn { dst, callee, ref args } => {
                self.callee(callee, args);
                if let Callee::Direct(func) = callee {
                    self.checker.thread_result(func);
                }
                self.result(dst, Type::I64);
            }
            InstKind::Join { dst, thread } => {
                self.operand(thread, Type::I64);
                dst.into_iter().for_each(|dst| self.result(dst, Type::I64));
            }
            InstKind::Extent { dst, addr } => {
                self.address(addr);
                self.result(dst, Type::I64);
            }
            InstKind::SelfId { dst } => self.result(dst, Type::I64),
            InstKind::ThreadExit { value } => self.operand(value, Type::I64),
            InstKind::Format { dst, format, args, to } => {
                self.address(format);
                self.address(args);
                if let Some((buffer, size)) = to {
                    self.written(buffer);
                    self.operand(size, Type::I64);
                }
                self.result(dst, Type::I32);
            }
            InstKind::Unsupported { .. }
            | InstKind::Fail { .. }
            | InstKind::Yield
            | InstKind::Halt
            | InstKind::Fence { .. } => {}
        }
    }

    /// Operands of type `ty`, and a register that gets a result of type `result`.
    fn computes(&mut self, ty: Type, dst: Reg, result: Type, operands: &[Operand]) {
        self.checker.width(ty);
        operands.iter().for_each(|operand| self.operand(*operand, ty));
        self.result(dst, result);
    }

    fn operation(&mut self, op: impl Mnemonic, ty: Type, holds: bool) {
        let message = || format!("`{}` does not work on {ty}", op.mnemonic());
        self.checker.require(holds, Rule::Operations, message);
    }

    fn call(&mut self, dst: Option<Reg>, callee: Callee, args: &[Operand]) {
        self.callee(callee, args);
        let function = match callee {
            Callee::Direct(func) => self.checker.program.funcs.get(func),
            Callee::Indirect(_) => None,
        };
        match (dst, function) {
            (None, _) => {}
            (Some(dst), None) => {
                self.register(dst);
            }
            (Some(dst), Some(function)) => match function.ret {
                Some(ty) => self.result(dst, ty),
                None => {
                    self.register(dst);
                    let message = format!("@{} returns nothing", function.name);
                    self.checker.error(Rule::Calls, message);
                }
            },
        }
    }

    /// The callee and its arguments; the arguments of an indirect call may have any type.
    fn callee(&mut self, callee: Callee, args: &[Operand]) {
        let function = match callee {
            Callee::Indirect(to) => {
                self.address(to);
                None
            }
            Callee::Direct(func) => {
                let function = self.checker.program.funcs.get(func);
                let exists = function.is_some();
                self.checker.require(exists, Rule::References, || format!("there is no {func}"));
                function
            }
        };
        if let Some(function) = function {
            let (given, wanted) = (args.len(), function.params.len());
            self.checker.require(given == wanted, Rule::Calls, || {
                format!("@{} takes {wanted} arguments and is given {given}", function.name)
            });
        }
        for (index, arg) in args.iter().enumerate() {
            let param = function.and_then(|f| f.regs.get(*f.params.get(index)?));
            self.operand_of(*arg, param.map(|info| info.ty));
        }
    }

    fn choose(&mut self, dst: Reg, ty: Type, lo: u64, hi: u64) {
        self.checker.width(ty);
        let small = ty.is_int() && ty.bits() <= 64;
        let fits = lo <= hi && u128::from(hi) <= ty.mask();
        self.checker.require(small && fits, Rule::Choices, || {
            format!("{lo} to {hi} is not a range of values of a choice of type {ty}")
        });
        self.result(dst, ty);
    }
}
