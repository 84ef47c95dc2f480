//! Arithmetic and exchanges, on registers and on memory, with and without `LOCK`.

use super::super::access::Size;
use super::super::emit::{Emit, constant};
use super::super::flags::Source;
use super::super::regs::X86_EAX;
use super::{
    Alu, Value, WriteOperand, XOR, destination, not_lockable, place, read, read_value, saved,
    two_in_memory, value, write,
};
use crate::ast::Inst;
use raddle_ir::{BinOp, Diagnostic, IntPred, Operand, Reg, RmwOp, Type};

/// `dst = dst op src`. On memory this is a load and a store, or one atomic access with `LOCK`.
pub(super) fn binary(e: &mut Emit<'_, '_>, inst: &Inst, alu: Alu) -> Result<(), Diagnostic> {
    let [dst, src] = e.args(inst)?;
    let (dst, src) = (place(e, dst)?, value(e, src)?);
    match (dst, src) {
        (WriteOperand::Mem(_), Value::At(WriteOperand::Mem(_))) => Err(two_in_memory(e, inst)),
        (WriteOperand::Reg(_), _) if inst.lock => Err(not_lockable(e, inst)),
        _ => {
            let value = read_value(e, src);
            apply(e, inst.lock, dst, alu, value, Some(flag_source(alu.op)));
            Ok(())
        }
    }
}

fn flag_source(op: BinOp) -> Source {
    // The carry and overflow of an addition are not those of a comparison.
    if op == BinOp::Add { Source::ZeroAndSign } else { Source::Comparison }
}

/// Computes `dst op value` in place, and sets the flags if they are read.
fn apply(
    e: &mut Emit<'_, '_>,
    lock: bool,
    dst: WriteOperand,
    alu: Alu,
    value: Operand,
    flags: Option<Source>,
) {
    let atomic = match dst {
        WriteOperand::Mem(addr) if lock => Some(e.rmw(alu.rmw, addr, value)),
        _ => None,
    };
    let old = atomic.map_or_else(|| read(e, dst), Operand::from);
    let compares = alu.op == BinOp::Sub && flags == Some(Source::Comparison);
    if compares {
        e.set_flags(old, value, Source::Comparison);
    }
    if atomic.is_some() && !e.flags.are_read() {
        return;
    }
    let result = match dst {
        WriteOperand::Reg(reg) => reg,
        WriteOperand::Mem(_) => e.temp(Type::I64),
    };
    e.arith(alu.op, result, old, value);
    if let (WriteOperand::Mem(addr), None) = (dst, atomic) {
        e.store(addr, result.into(), Size::Word);
    }
    if let (Some(source), false) = (flags, compares) {
        e.set_flags(result.into(), constant(0), source);
    }
}

/// `INC` and `DEC` keep the old carry, which is not modelled here.
pub(super) fn step(e: &mut Emit<'_, '_>, inst: &Inst, alu: Alu) -> Result<(), Diagnostic> {
    let dst = destination(e, inst)?;
    apply(e, inst.lock, dst, alu, constant(1), Some(Source::ZeroAndSign));
    Ok(())
}

pub(super) fn not(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let dst = destination(e, inst)?;
    apply(e, inst.lock, dst, XOR, constant(-1), None);
    Ok(())
}

pub(super) fn neg(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let dst = destination(e, inst)?;
    let old = read(e, dst);
    e.set_flags(constant(0), old, Source::Comparison);
    let result = e.temp(Type::I64);
    e.arith(BinOp::Sub, result, constant(0), old);
    write(e, dst, result.into());
    Ok(())
}

// ---- exchanges ----

/// Takes `reg, mem` in either order, or two registers.
fn exchanged(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(WriteOperand, Reg), Diagnostic> {
    let [a, b] = e.args(inst)?;
    match (place(e, a)?, place(e, b)?) {
        (dst, WriteOperand::Reg(reg)) | (WriteOperand::Reg(reg), dst) => Ok((dst, reg)),
        (WriteOperand::Mem(_), WriteOperand::Mem(_)) => Err(two_in_memory(e, inst)),
    }
}

/// An exchange with memory is atomic with or without the prefix.
pub(super) fn xchg(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    match exchanged(e, inst)? {
        (WriteOperand::Mem(addr), reg) => {
            let old = e.rmw(RmwOp::Xchg, addr, reg.into());
            e.move_to(reg, old.into());
        }
        (_, _) if inst.lock => return Err(not_lockable(e, inst)),
        (dst, reg) => {
            let old = saved(e, dst);
            write(e, dst, reg.into());
            e.move_to(reg, old.into());
        }
    }
    Ok(())
}

/// A memory or register operand, then a register.
fn first_then_register(
    e: &mut Emit<'_, '_>,
    inst: &Inst,
) -> Result<(WriteOperand, Reg), Diagnostic> {
    let [dst, src] = e.args(inst)?;
    let (dst, src) = (place(e, dst)?, e.reg_arg(src)?);
    match dst {
        WriteOperand::Reg(_) if inst.lock => Err(not_lockable(e, inst)),
        _ => Ok((dst, src)),
    }
}

/// `dst, src = dst + src, dst`
pub(super) fn xadd(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let (dst, src) = first_then_register(e, inst)?;
    if let (WriteOperand::Mem(addr), true) = (dst, inst.lock) {
        let old = e.rmw(RmwOp::Add, addr, src.into());
        if e.flags.are_read() {
            sum_with_flags(e, old, src);
        }
        e.move_to(src, old.into());
        return Ok(());
    }
    let old = saved(e, dst);
    let sum = sum_with_flags(e, old, src);
    e.move_to(src, old.into());
    write(e, dst, sum.into());
    Ok(())
}

fn sum_with_flags(e: &mut Emit<'_, '_>, a: Reg, b: Reg) -> Reg {
    let sum = e.temp(Type::I64);
    e.arith(BinOp::Add, sum, a.into(), b.into());
    e.set_flags(sum.into(), constant(0), Source::ZeroAndSign);
    sum
}

/// Compares `EAX` with the destination and stores the source there if they are equal; `EAX` has the
/// old value afterwards in both cases. Without `LOCK` the destination is always written, if necessary
/// with its old value, as the architecture defines.
pub(super) fn cmpxchg(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let (dst, src) = first_then_register(e, inst)?;
    let eax = e.machine_reg(X86_EAX);
    if let (WriteOperand::Mem(addr), true) = (dst, inst.lock) {
        let old = e.compare_exchange(addr, eax.into(), src.into());
        e.set_flags(eax.into(), old.into(), Source::Comparison);
        e.move_to(eax, old.into());
        return Ok(());
    }
    let old = saved(e, dst);
    let equal = e.compare(IntPred::Eq, eax.into(), old.into());
    let new = e.temp(Type::I64);
    e.select(new, equal, src.into(), old.into());
    e.set_flags(eax.into(), old.into(), Source::Comparison);
    e.move_to(eax, old.into());
    write(e, dst, new.into());
    Ok(())
}
