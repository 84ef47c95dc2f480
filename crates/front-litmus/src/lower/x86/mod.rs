//! X86 instructions, in Intel's operand order: the destination first.
//!
//! Mnemonics may have a size suffix. `L` or no suffix means the test's word, `Q` makes the words of
//! the whole test 64 bits wide, `B` and `W` are supported for `MOV` only.
//!
//! Deviations: a 32-bit register name denotes the whole register in a test with 64-bit words;
//! immediates are limited by the word, not by the instruction encoding.

mod arith;
mod product;

use super::access::Size;
use super::emit::{Emit, constant};
use super::find;
use super::flags::{Condition, Source};
use super::product::Sign;
use crate::ast::{Arg, ArgKind, Inst};
use raddle_ir::{BinOp, CastOp, Diagnostic, FenceKind, IntPred, Operand, Reg, RmwOp, Type};

#[rustfmt::skip]
const CONDITIONS: &[(&str, Condition)] = &[
    ("e", Condition::Compare(IntPred::Eq)), ("z", Condition::Compare(IntPred::Eq)),
    ("ne", Condition::Compare(IntPred::Ne)), ("nz", Condition::Compare(IntPred::Ne)),
    ("l", Condition::Compare(IntPred::Slt)), ("nge", Condition::Compare(IntPred::Slt)),
    ("le", Condition::Compare(IntPred::Sle)), ("ng", Condition::Compare(IntPred::Sle)),
    ("g", Condition::Compare(IntPred::Sgt)), ("nle", Condition::Compare(IntPred::Sgt)),
    ("ge", Condition::Compare(IntPred::Sge)), ("nl", Condition::Compare(IntPred::Sge)),
    ("b", Condition::Compare(IntPred::Ult)), ("nae", Condition::Compare(IntPred::Ult)),
    ("c", Condition::Compare(IntPred::Ult)),
    ("be", Condition::Compare(IntPred::Ule)), ("na", Condition::Compare(IntPred::Ule)),
    ("a", Condition::Compare(IntPred::Ugt)), ("nbe", Condition::Compare(IntPred::Ugt)),
    ("ae", Condition::Compare(IntPred::Uge)), ("nb", Condition::Compare(IntPred::Uge)),
    ("nc", Condition::Compare(IntPred::Uge)),
    ("s", Condition::Negative), ("ns", Condition::NotNegative),
];

/// An operation with two operands whose first is also the destination.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Alu {
    op: BinOp,
    rmw: RmwOp,
}

const fn alu(op: BinOp, rmw: RmwOp) -> Alu {
    Alu { op, rmw }
}

const ADD: Alu = alu(BinOp::Add, RmwOp::Add);
const SUB: Alu = alu(BinOp::Sub, RmwOp::Sub);
const XOR: Alu = alu(BinOp::Xor, RmwOp::Xor);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    Mov,
    Xchg,
    Binary(Alu),
    /// Adds or subtracts one.
    Step(Alu),
    Neg,
    Not,
    Cmp,
    Test,
    Xadd,
    Cmpxchg,
    Lea,
    /// With one operand, a double-word product in `EDX` and `EAX`; the signed form also has two or three operands.
    Multiply(Sign),
    /// Divides `EDX` and `EAX` by a word.
    Divide(Sign),
}

/// The operations that may have a size suffix.
#[rustfmt::skip]
const SIZED: &[(&str, Op)] = &[
    ("mov", Op::Mov), ("xchg", Op::Xchg),
    ("add", Op::Binary(ADD)), ("sub", Op::Binary(SUB)),
    ("and", Op::Binary(alu(BinOp::And, RmwOp::And))),
    ("or", Op::Binary(alu(BinOp::Or, RmwOp::Or))),
    ("xor", Op::Binary(XOR)),
    ("inc", Op::Step(ADD)), ("dec", Op::Step(SUB)), ("neg", Op::Neg), ("not", Op::Not),
    ("cmp", Op::Cmp), ("test", Op::Test), ("xadd", Op::Xadd), ("cmpxchg", Op::Cmpxchg),
    ("lea", Op::Lea),
    ("mul", Op::Multiply(Sign::Unsigned)), ("imul", Op::Multiply(Sign::Signed)),
    ("div", Op::Divide(Sign::Unsigned)), ("idiv", Op::Divide(Sign::Signed)),
];

const FENCES: &[(&str, FenceKind)] =
    &[("mfence", FenceKind::Mfence), ("sfence", FenceKind::Sfence), ("lfence", FenceKind::Lfence)];

/// An operand that can be written to.
#[derive(Clone, Copy)]
enum WriteOperand {
    Reg(Reg),
    /// The address.
    Mem(Operand),
}

/// An operand that can be read.
#[derive(Clone, Copy)]
enum Value {
    At(WriteOperand),
    Imm(i64),
}

/// The operation and the suffix of a mnemonic.
fn decode(mnemonic: &str) -> Option<(Op, Option<char>)> {
    if let Some(op) = find(SIZED, mnemonic) {
        return Some((op, None));
    }
    let suffix = mnemonic.chars().last().filter(|c| matches!(c, 'b' | 'w' | 'l' | 'q'))?;
    Some((find(SIZED, mnemonic.strip_suffix(suffix)?)?, Some(suffix)))
}

fn condition_code(mnemonic: &str, prefix: &str) -> Option<Condition> {
    find(CONDITIONS, mnemonic.strip_prefix(prefix)?)
}

/// Whether the mnemonic denotes a 64-bit operation.
pub(super) fn is_wide(mnemonic: &str) -> bool {
    decode(mnemonic).is_some_and(|(_, suffix)| suffix == Some('q'))
}

pub(super) fn reads_flags(mnemonic: &str) -> bool {
    ["j", "set", "cmov"].iter().any(|prefix| condition_code(mnemonic, prefix).is_some())
}

pub(super) fn lower(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let name = inst.mnemonic.as_str();
    if let Some((op, suffix)) = decode(name) {
        return sized(e, inst, op, suffix);
    }
    if inst.lock {
        return Err(not_lockable(e, inst));
    }
    if let Some(kind) = find(FENCES, name) {
        return e.fence(inst, kind);
    }
    if let Some(cond) = condition_code(name, "j") {
        let [label] = e.args(inst)?;
        return e.branch_if(cond, label, inst);
    }
    if let Some(cond) = condition_code(name, "set") {
        return set_condition(e, inst, cond);
    }
    if let Some(cond) = condition_code(name, "cmov") {
        return move_if(e, inst, cond);
    }
    match name {
        "jmp" => e.jump(inst),
        "nop" | "pause" => e.args(inst).map(|[]| ()),
        _ => Err(e.unsupported(inst)),
    }
}

fn not_lockable(e: &Emit<'_, '_>, inst: &Inst) -> Diagnostic {
    e.error(inst.at, format!("`{}` cannot be locked here", inst.mnemonic))
        .expected("ADD, SUB, AND, OR, XOR, INC, DEC, NOT, XCHG, XADD or CMPXCHG on memory")
}

fn sized(
    e: &mut Emit<'_, '_>,
    inst: &Inst,
    op: Op,
    suffix: Option<char>,
) -> Result<(), Diagnostic> {
    let size = match suffix {
        Some('b') => Size::Byte,
        Some('w') => Size::Half,
        _ => Size::Word,
    };
    if size != Size::Word && op != Op::Mov {
        return Err(e
            .error(inst.at, format!("`{}` works on less than a word", inst.mnemonic))
            .expected("an operation on whole words")
            .help("only MOV has forms for bytes and half words here"));
    }
    let fixed = matches!(op, Op::Mov | Op::Cmp | Op::Test | Op::Lea | Op::Neg);
    if inst.lock && (fixed || matches!(op, Op::Multiply(_) | Op::Divide(_))) {
        return Err(not_lockable(e, inst));
    }
    match op {
        Op::Mov => mov(e, inst, size),
        Op::Xchg => arith::xchg(e, inst),
        Op::Binary(alu) => arith::binary(e, inst, alu),
        Op::Step(alu) => arith::step(e, inst, alu),
        Op::Neg => arith::neg(e, inst),
        Op::Not => arith::not(e, inst),
        Op::Cmp => {
            let (a, b) = compared(e, inst)?;
            e.set_flags(a, b, Source::Comparison);
            Ok(())
        }
        Op::Test => {
            let (a, b) = compared(e, inst)?;
            let result = e.temp(Type::I64);
            e.arith(BinOp::And, result, a, b);
            e.set_flags(result.into(), constant(0), Source::Comparison);
            Ok(())
        }
        Op::Xadd => arith::xadd(e, inst),
        Op::Cmpxchg => arith::cmpxchg(e, inst),
        Op::Lea => lea(e, inst),
        Op::Multiply(sign) => product::multiply(e, inst, sign),
        Op::Divide(sign) => product::divide(e, inst, sign),
    }
}

// ---- operands ----

fn value(e: &mut Emit<'_, '_>, arg: &Arg) -> Result<Value, Diagnostic> {
    match &arg.kind {
        ArgKind::Int(_) => Ok(Value::Imm(e.int_arg(arg)?)),
        ArgKind::Mem(_) | ArgKind::Name(_) => Ok(Value::At(place(e, arg)?)),
    }
}

fn place(e: &mut Emit<'_, '_>, arg: &Arg) -> Result<WriteOperand, Diagnostic> {
    match &arg.kind {
        ArgKind::Mem(_) => Ok(WriteOperand::Mem(e.mem_arg(arg)?)),
        ArgKind::Name(_) => Ok(WriteOperand::Reg(
            e.reg_arg(arg).map_err(|error| error.help("memory is written in brackets: `[x]`"))?,
        )),
        ArgKind::Int(_) => {
            Err(e.error(arg.at, "a number cannot be written to").expected("a register or memory"))
        }
    }
}

/// Reads a register, or loads from memory.
fn read(e: &mut Emit<'_, '_>, place: WriteOperand) -> Operand {
    match place {
        WriteOperand::Reg(reg) => reg.into(),
        WriteOperand::Mem(addr) => {
            let loaded = e.temp(Type::I64);
            e.load(loaded, addr, Size::Word);
            loaded.into()
        }
    }
}

fn read_value(e: &mut Emit<'_, '_>, value: Value) -> Operand {
    match value {
        Value::At(place) => read(e, place),
        Value::Imm(value) => constant(value),
    }
}

/// The value of an operand that is only read.
fn source(e: &mut Emit<'_, '_>, arg: &Arg) -> Result<Operand, Diagnostic> {
    let value = value(e, arg)?;
    Ok(read_value(e, value))
}

/// A copy of an operand that will change.
fn saved(e: &mut Emit<'_, '_>, place: WriteOperand) -> Reg {
    let old = e.temp(Type::I64);
    let value = read(e, place);
    e.move_to(old, value);
    old
}

/// Replaces a register or a word of memory.
fn write(e: &mut Emit<'_, '_>, dst: WriteOperand, value: Operand) {
    match dst {
        WriteOperand::Mem(addr) => e.store(addr, value, Size::Word),
        WriteOperand::Reg(reg) => e.move_to(reg, value),
    }
}

fn two_in_memory(e: &Emit<'_, '_>, inst: &Inst) -> Diagnostic {
    e.error(inst.at, format!("both operands of `{}` are in memory", inst.mnemonic))
        .expected("a register as one of them")
        .help("load one of them into a register first")
}

fn compared(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(Operand, Operand), Diagnostic> {
    let [a, b] = e.args(inst)?;
    let (a, b) = (value(e, a)?, value(e, b)?);
    if matches!((a, b), (Value::At(WriteOperand::Mem(_)), Value::At(WriteOperand::Mem(_)))) {
        return Err(two_in_memory(e, inst));
    }
    Ok((read_value(e, a), read_value(e, b)))
}

/// The only operand of an instruction, which is written to.
fn destination(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<WriteOperand, Diagnostic> {
    let [arg] = e.args(inst)?;
    let dst = place(e, arg)?;
    match dst {
        WriteOperand::Reg(_) if inst.lock => Err(not_lockable(e, inst)),
        _ => Ok(dst),
    }
}

// ---- moves ----

fn mov(e: &mut Emit<'_, '_>, inst: &Inst, size: Size) -> Result<(), Diagnostic> {
    let [dst, src] = e.args(inst)?;
    match (place(e, dst)?, value(e, src)?) {
        (WriteOperand::Mem(_), Value::At(WriteOperand::Mem(_))) => {
            return Err(two_in_memory(e, inst));
        }
        (WriteOperand::Mem(addr), src) => {
            let value = read_value(e, src);
            e.store(addr, value, size);
        }
        (WriteOperand::Reg(dst), Value::At(WriteOperand::Mem(addr))) if size == Size::Word => {
            e.load(dst, addr, size);
        }
        (WriteOperand::Reg(dst), Value::At(WriteOperand::Mem(addr))) => {
            let loaded = e.temp(Type::I64);
            e.load(loaded, addr, size);
            merge_low(e, dst, loaded.into(), size);
        }
        (WriteOperand::Reg(dst), src) if size == Size::Word => {
            let value = read_value(e, src);
            e.move_to(dst, value);
        }
        (WriteOperand::Reg(dst), src) => {
            let cut = e.size_type(size);
            let value = read_value(e, src);
            let value = e.truncate(value, cut);
            let low = e.temp(Type::I64);
            e.cast(CastOp::ZExt, cut, Type::I64, low, value);
            merge_low(e, dst, low.into(), size);
        }
    }
    Ok(())
}

/// Replaces the low bits of a register; no other bits of `low` are set.
fn merge_low(e: &mut Emit<'_, '_>, dst: Reg, low: Operand, size: Size) {
    let mask = e.size_type(size).mask() as i64;
    let high = e.temp(Type::I64);
    e.arith(BinOp::And, high, dst.into(), constant(!mask));
    e.arith(BinOp::Or, dst, high.into(), low);
}

fn set_condition(e: &mut Emit<'_, '_>, inst: &Inst, cond: Condition) -> Result<(), Diagnostic> {
    let dst = destination(e, inst)?;
    let holds = e.condition(cond, inst)?;
    let truth = e.truth(holds);
    match dst {
        WriteOperand::Mem(addr) => e.store(addr, truth.into(), Size::Byte),
        WriteOperand::Reg(dst) => merge_low(e, dst, truth.into(), Size::Byte),
    }
    Ok(())
}

/// The source is read even if the condition does not hold.
fn move_if(e: &mut Emit<'_, '_>, inst: &Inst, cond: Condition) -> Result<(), Diagnostic> {
    let [dst, src] = e.args(inst)?;
    let dst = e.reg_arg(dst)?;
    let value = source(e, src)?;
    let holds = e.condition(cond, inst)?;
    e.select(dst, holds, value, dst.into());
    Ok(())
}

fn lea(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let [dst, mem] = e.args(inst)?;
    let dst = e.reg_arg(dst)?;
    let addr = e.mem_arg(mem)?;
    e.cast(CastOp::PtrToInt, Type::Ptr, Type::I64, dst, addr);
    Ok(())
}
