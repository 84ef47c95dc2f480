//! ARMv7 instructions.
//!
//! Deviations: logical instructions that set flags define only zero and sign; barriers of every
//! shareability domain are system-wide. Immediates are limited by the word, not by the instruction
//! encoding.

use super::access::Size;
use super::emit::{Emit, constant};
use super::find;
use super::flags::{Condition, Source};
use super::product::Sign;
use crate::ast::{Arg, ArgKind, Inst, Mem};
use raddle_ir::{BinOp, Diagnostic, FenceKind, InstKind, IntPred, Operand, Reg, Type};

#[rustfmt::skip]
const CONDITIONS: &[(&str, Condition)] = &[
    ("eq", Condition::Compare(IntPred::Eq)), ("ne", Condition::Compare(IntPred::Ne)),
    ("lt", Condition::Compare(IntPred::Slt)), ("le", Condition::Compare(IntPred::Sle)),
    ("gt", Condition::Compare(IntPred::Sgt)), ("ge", Condition::Compare(IntPred::Sge)),
    ("hs", Condition::Compare(IntPred::Uge)), ("cs", Condition::Compare(IntPred::Uge)),
    ("lo", Condition::Compare(IntPred::Ult)), ("cc", Condition::Compare(IntPred::Ult)),
    ("hi", Condition::Compare(IntPred::Ugt)), ("ls", Condition::Compare(IntPred::Ule)),
    ("mi", Condition::Negative), ("pl", Condition::NotNegative),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Alu {
    Bin(BinOp),
    /// A quotient; it is 0 if the divisor is 0.
    Div(Sign),
    /// `b - a`
    ReverseSub,
    /// `a & ~b`
    BitClear,
    Move,
    MoveNot,
}

#[rustfmt::skip]
const ALU: &[(&str, Alu)] = &[
    ("add", Alu::Bin(BinOp::Add)), ("sub", Alu::Bin(BinOp::Sub)), ("mul", Alu::Bin(BinOp::Mul)),
    ("and", Alu::Bin(BinOp::And)), ("orr", Alu::Bin(BinOp::Or)), ("eor", Alu::Bin(BinOp::Xor)),
    ("lsl", Alu::Bin(BinOp::Shl)), ("lsr", Alu::Bin(BinOp::LShr)), ("asr", Alu::Bin(BinOp::AShr)),
    ("sdiv", Alu::Div(Sign::Signed)), ("udiv", Alu::Div(Sign::Unsigned)),
    ("rsb", Alu::ReverseSub), ("bic", Alu::BitClear), ("mov", Alu::Move), ("mvn", Alu::MoveNot),
];

/// Comparisons, and the operation whose result sets the flags. `cmp` keeps its operands instead.
#[rustfmt::skip]
const TESTS: &[(&str, Option<BinOp>)] = &[
    ("cmp", None), ("cmn", Some(BinOp::Add)), ("tst", Some(BinOp::And)), ("teq", Some(BinOp::Xor)),
];

#[derive(Clone, Copy)]
enum Memory {
    Load(Size),
    Store(Size),
    LoadExclusive,
}

#[rustfmt::skip]
const MEMORY: &[(&str, Memory)] = &[
    ("ldr", Memory::Load(Size::Word)), ("str", Memory::Store(Size::Word)),
    ("ldrh", Memory::Load(Size::Half)), ("strh", Memory::Store(Size::Half)),
    ("ldrb", Memory::Load(Size::Byte)), ("strb", Memory::Store(Size::Byte)),
    ("ldrex", Memory::LoadExclusive),
];

/// A decoded arithmetic mnemonic: `add`, `adds`, `addeq`.
struct Decoded {
    alu: Alu,
    sets_flags: bool,
    cond: Option<Condition>,
}

fn decode(mnemonic: &str) -> Option<Decoded> {
    ALU.iter().find_map(|(name, alu)| {
        let rest = mnemonic.strip_prefix(name)?;
        let cond = condition_code(rest);
        // A division never sets flags.
        let flags = rest == "s" && !matches!(alu, Alu::Div(_));
        let known = rest.is_empty() || flags || cond.is_some();
        known.then_some(Decoded { alu: *alu, sets_flags: rest == "s", cond })
    })
}

fn condition_code(code: &str) -> Option<Condition> {
    find(CONDITIONS, code)
}

fn branch_condition(mnemonic: &str) -> Option<Condition> {
    mnemonic.strip_prefix('b').and_then(condition_code)
}

pub(super) fn reads_flags(mnemonic: &str) -> bool {
    branch_condition(mnemonic).is_some() || decode(mnemonic).is_some_and(|d| d.cond.is_some())
}

pub(super) fn lower(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let name = inst.mnemonic.as_str();
    if let Some(kind) = find(MEMORY, name) {
        return memory(e, inst, kind);
    }
    if let Some(op) = find(TESTS, name) {
        return test(e, inst, op);
    }
    if let Some(decoded) = decode(name) {
        return arithmetic(e, inst, &decoded);
    }
    if let Some(cond) = branch_condition(name) {
        let [label] = e.args(inst)?;
        return e.branch_if(cond, label, inst);
    }
    match name {
        "b" => e.jump(inst),
        "mla" => multiply_and(e, inst, BinOp::Add),
        "mls" => multiply_and(e, inst, BinOp::Sub),
        "movw" => move_half(e, inst, false),
        "movt" => move_half(e, inst, true),
        "cbz" => branch_on_zero(e, inst, IntPred::Eq),
        "cbnz" => branch_on_zero(e, inst, IntPred::Ne),
        "strex" => store_exclusive(e, inst),
        "nop" => e.args(inst).map(|[]| ()),
        _ => barrier(e, inst),
    }
}

fn memory(e: &mut Emit<'_, '_>, inst: &Inst, kind: Memory) -> Result<(), Diagnostic> {
    let (reg, place) = place(e, inst, kind)?;
    match kind {
        Memory::Load(size) => e.load(reg, place.addr, size),
        Memory::Store(size) => e.store(place.addr, reg.into(), size),
        Memory::LoadExclusive => e.load_exclusive(reg, place.addr),
    }
    let Some((base, new)) = place.update else { return Ok(()) };
    if base == reg {
        return Err(e
            .error(inst.at, "the base register is also the one that is loaded or stored")
            .expected("two different registers"));
    }
    e.write_back(base, new);
    Ok(())
}

/// The address of an access, and the update of its base register.
struct MemoryOperand {
    addr: Operand,
    update: Option<(Reg, Operand)>,
}

/// The register operand and the address: `[R1,#4]`, `[R1,#4]!` (`R1` becomes the sum before the access) or
/// `[R1],#4` (after the access).
fn place(
    e: &mut Emit<'_, '_>,
    inst: &Inst,
    kind: Memory,
) -> Result<(Reg, MemoryOperand), Diagnostic> {
    let plain = matches!(kind, Memory::LoadExclusive);
    match inst.args.as_slice() {
        [reg, Arg { kind: ArgKind::Mem(mem), .. }, step] if !plain && is_bare(mem) => {
            let (reg, base, step) = (e.reg_arg(reg)?, e.reg(&mem.base)?, e.value_arg(step)?);
            let addr = e.sum_address(&[base.into()]);
            let after = e.sum_address(&[base.into(), step]);
            Ok((reg, MemoryOperand { addr, update: Some((base, after)) }))
        }
        [reg, Arg { kind: ArgKind::Mem(mem), at }] if !plain && mem.writeback => {
            let (reg, base) = (e.reg_arg(reg)?, e.reg(&mem.base)?);
            let addr = e.address(mem, *at)?;
            Ok((reg, MemoryOperand { addr, update: Some((base, addr)) }))
        }
        _ => {
            let [reg, mem] = e.args(inst)?;
            Ok((e.reg_arg(reg)?, MemoryOperand { addr: address(e, mem)?, update: None }))
        }
    }
}

fn is_bare(mem: &Mem) -> bool {
    mem.index.is_none() && mem.disp == 0 && !mem.writeback
}

/// `LDR R1,R2` is an old spelling of `LDR R1,[R2]`.
fn address(e: &mut Emit<'_, '_>, arg: &Arg) -> Result<Operand, Diagnostic> {
    match &arg.kind {
        ArgKind::Name(name) => {
            let base = e.reg(name)?;
            Ok(e.sum_address(&[base.into()]))
        }
        ArgKind::Mem(_) | ArgKind::Int(_) => e.mem_arg(arg),
    }
}

/// `STREX Rs,Rt,[Rn]`: `Rs` gets 0 if the store happened.
fn store_exclusive(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let [status, value, mem] = e.args(inst)?;
    let (status, value) = (e.reg_arg(status)?, e.reg_arg(value)?);
    let addr = address(e, mem)?;
    let stored = e.store_conditional(addr, value.into());
    let truth = e.truth(stored);
    e.arith(BinOp::Xor, status, truth.into(), constant(1));
    Ok(())
}

fn test(e: &mut Emit<'_, '_>, inst: &Inst, op: Option<BinOp>) -> Result<(), Diagnostic> {
    let [a, b] = e.args(inst)?;
    let (a, b) = (e.reg_arg(a)?.into(), e.value_arg(b)?);
    match op {
        None => e.set_flags(a, b, Source::Comparison),
        Some(op) => {
            let result = e.temp(Type::I64);
            e.arith(op, result, a, b);
            e.set_flags(result.into(), constant(0), Source::ZeroAndSign);
        }
    }
    Ok(())
}

fn arithmetic(e: &mut Emit<'_, '_>, inst: &Inst, decoded: &Decoded) -> Result<(), Diagnostic> {
    let (dst, a, b) = alu_operands(e, inst, decoded.alu)?;
    let Some(cond) = decoded.cond else {
        if decoded.sets_flags {
            arithmetic_with_flags(e, decoded.alu, dst, a, b);
        } else {
            compute(e, decoded.alu, dst, a, b);
        }
        return Ok(());
    };
    let holds = e.condition(cond, inst)?;
    let result = e.temp(Type::I64);
    compute(e, decoded.alu, result, a, b);
    e.select(dst, holds, result.into(), dst.into());
    Ok(())
}

/// `ADD R1,R2,#1`, or `ADD R1,#1` for `ADD R1,R1,#1`; moves have no first source.
fn alu_operands(
    e: &mut Emit<'_, '_>,
    inst: &Inst,
    alu: Alu,
) -> Result<(Reg, Operand, Operand), Diagnostic> {
    if inst.args.len() == 2 || matches!(alu, Alu::Move | Alu::MoveNot) {
        let [dst, b] = e.args(inst)?;
        let (dst, b) = (e.reg_arg(dst)?, e.value_arg(b)?);
        return Ok((dst, dst.into(), b));
    }
    let [dst, a, b] = e.args(inst)?;
    Ok((e.reg_arg(dst)?, e.reg_arg(a)?.into(), e.value_arg(b)?))
}

fn compute(e: &mut Emit<'_, '_>, alu: Alu, dst: Reg, a: Operand, b: Operand) {
    match alu {
        Alu::Bin(op) => e.arith(op, dst, a, b),
        Alu::Div(sign) => e.divide_or_zero(dst, sign, a, b),
        Alu::ReverseSub => e.arith(BinOp::Sub, dst, b, a),
        Alu::Move => e.move_to(dst, b),
        Alu::MoveNot => e.arith(BinOp::Xor, dst, b, constant(-1)),
        Alu::BitClear => {
            let inverse = e.inverse(b);
            e.arith(BinOp::And, dst, a, inverse);
        }
    }
}

/// `MLA Rd,Rn,Rm,Ra` and `MLS`: the product is added to `Ra`, or subtracted from it.
fn multiply_and(e: &mut Emit<'_, '_>, inst: &Inst, op: BinOp) -> Result<(), Diagnostic> {
    let [dst, a, b, with] = e.reg_args(inst)?;
    let product = e.temp(Type::I64);
    e.arith(BinOp::Mul, product, a.into(), b.into());
    e.arith(op, dst, with.into(), product.into());
    Ok(())
}

/// A subtraction keeps its operands for the flags, like a comparison; other operations set zero and sign.
fn arithmetic_with_flags(e: &mut Emit<'_, '_>, alu: Alu, dst: Reg, a: Operand, b: Operand) {
    match alu {
        Alu::Bin(BinOp::Sub) => e.set_flags(a, b, Source::Comparison),
        Alu::ReverseSub => e.set_flags(b, a, Source::Comparison),
        _ => {
            compute(e, alu, dst, a, b);
            e.set_flags(dst.into(), constant(0), Source::ZeroAndSign);
            return;
        }
    }
    compute(e, alu, dst, a, b);
}

/// `MOVW` and `MOVT`: a number of 16 bits becomes the whole register, or its upper half.
fn move_half(e: &mut Emit<'_, '_>, inst: &Inst, upper: bool) -> Result<(), Diagnostic> {
    let [dst, number] = e.args(inst)?;
    let (dst, value) = (e.reg_arg(dst)?, e.int_arg(number)?);
    if !(0..1 << 16).contains(&value) {
        return Err(e
            .error(number.at, "this number does not fit")
            .expected("a number of 16 bits, without a sign"));
    }
    if upper {
        e.arith(BinOp::And, dst, dst.into(), constant(0xffff));
        let shifted = e.context.word_value(i128::from(value) << 16, number.at)?;
        e.arith(BinOp::Or, dst, dst.into(), constant(shifted));
    } else {
        e.move_to(dst, constant(value));
    }
    Ok(())
}

/// `CBZ` and `CBNZ` do not change the flags.
fn branch_on_zero(e: &mut Emit<'_, '_>, inst: &Inst, pred: IntPred) -> Result<(), Diagnostic> {
    let [reg, label] = e.args(inst)?;
    let reg = e.reg_arg(reg)?;
    let to = e.label(label)?;
    let cond = e.compare(pred, reg.into(), constant(0));
    e.branch(cond, to);
    Ok(())
}

/// `DMB`, `DMB SY`, `DMB.ST`, `DSB ISHST`, `ISB`, ….
fn barrier(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let (base, dotted) = match inst.mnemonic.split_once('.') {
        Some((base, option)) => (base, Some(option)),
        None => (inst.mnemonic.as_str(), None),
    };
    let (full, store) = match base {
        "dmb" => (FenceKind::Dmb, Some(FenceKind::DmbSt)),
        "dsb" => (FenceKind::Dsb, Some(FenceKind::DsbSt)),
        "isb" => (FenceKind::Isb, None),
        _ => return Err(e.unsupported(inst)),
    };
    let option = match (dotted, inst.args.as_slice()) {
        (Some(option), []) => option.to_owned(),
        (None, []) => "sy".to_owned(),
        (None, [Arg { kind: ArgKind::Name(name), .. }]) => name.text.to_ascii_lowercase(),
        _ => String::new(),
    };
    let kind = match option.as_str() {
        "sy" => Some(full),
        "ish" | "nsh" | "osh" => store.and(Some(full)),
        "st" | "ishst" | "nshst" | "oshst" => store,
        _ => None,
    };
    let Some(kind) = kind else {
        let expected = if store.is_some() { "SY, ISH, NSH, OSH, or one with ST" } else { "SY" };
        return Err(e.error(inst.at, "this barrier has an unknown option").expected(expected));
    };
    e.function.push(InstKind::Fence { kind });
    Ok(())
}
