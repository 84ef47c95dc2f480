//! Products and quotients. They leave the flags undefined, or set a carry that is not modelled.

use super::super::emit::{Emit, constant};
use super::super::flags::Source;
use super::super::product::{Divided, Sign};
use super::super::regs::{X86_EAX, X86_EDX};
use super::source;
use crate::ast::Inst;
use raddle_ir::{BinOp, Diagnostic, Operand, Type};

/// `MUL src`: `EDX` and `EAX` become `EAX * src`. `IMUL` also has the forms `dst *= src` and
/// `dst = src * number`.
pub(super) fn multiply(e: &mut Emit<'_, '_>, inst: &Inst, sign: Sign) -> Result<(), Diagnostic> {
    if sign == Sign::Signed && inst.args.len() > 1 {
        return multiply_register(e, inst);
    }
    let [src] = e.args(inst)?;
    let src = source(e, src)?;
    let (eax, edx) = (e.machine_reg(X86_EAX), e.machine_reg(X86_EDX));
    let [low, high] = [e.temp(Type::I64), e.temp(Type::I64)];
    e.arith(BinOp::Mul, low, eax.into(), src);
    e.multiply_high(high, e.word().ty(), sign, eax.into(), src);
    e.move_to(eax, low.into());
    e.move_to(edx, high.into());
    e.set_flags(constant(0), constant(0), Source::Undefined);
    Ok(())
}

fn multiply_register(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let (dst, a, b): (_, Operand, _) = if inst.args.len() == 2 {
        let [dst, src] = e.args(inst)?;
        let dst = e.reg_arg(dst)?;
        (dst, dst.into(), source(e, src)?)
    } else {
        let [dst, src, number] = e.args(inst)?;
        let number = constant(e.int_arg(number)?);
        (e.reg_arg(dst)?, number, source(e, src)?)
    };
    e.arith(BinOp::Mul, dst, a, b);
    e.set_flags(constant(0), constant(0), Source::Undefined);
    Ok(())
}

/// `EAX` gets the quotient and `EDX` the remainder. A division that raises a divide error fails.
pub(super) fn divide(e: &mut Emit<'_, '_>, inst: &Inst, sign: Sign) -> Result<(), Diagnostic> {
    let [src] = e.args(inst)?;
    let src = source(e, src)?;
    let (eax, edx) = (e.machine_reg(X86_EAX), e.machine_reg(X86_EDX));
    let Divided { quotient, remainder } = e.divide_double(sign, [edx.into(), eax.into()], src);
    e.move_to(eax, quotient.into());
    e.move_to(edx, remainder.into());
    e.set_flags(constant(0), constant(0), Source::Undefined);
    Ok(())
}
