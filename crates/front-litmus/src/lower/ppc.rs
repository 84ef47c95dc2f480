//! POWER instructions.
//!
//! Deviations: register 0 is an ordinary register, as in herd, also in places where the architecture reads
//! it as the number 0; only condition field 0 exists; after a failed `stwcx.` the condition "less than"
//! holds too. Immediates are limited by the word, not by the instruction encoding. A division by 0, whose
//! result the architecture leaves open, fails.

use super::access::Size;
use super::emit::{Emit, constant};
use super::find;
use super::flags::{Condition, Source};
use super::product::Sign;
use crate::ast::{Arg, ArgKind, Inst};
use raddle_ir::{BinOp, CastOp, Diagnostic, FenceKind, IntPred, Operand, Reg, Type};

/// Operations on three registers. Each has a record form with a dot, which compares the result with zero.
#[rustfmt::skip]
const REGISTER_OPS: &[(&str, BinOp)] = &[
    ("add", BinOp::Add), ("sub", BinOp::Sub), ("mulld", BinOp::Mul),
    ("and", BinOp::And), ("or", BinOp::Or), ("xor", BinOp::Xor),
    ("slw", BinOp::Shl), ("srw", BinOp::LShr), ("sraw", BinOp::AShr),
    ("sld", BinOp::Shl), ("srd", BinOp::LShr), ("srad", BinOp::AShr),
];

#[derive(Clone, Copy)]
enum Product {
    High,
    Quotient,
    Remainder,
}

/// Operations on three registers with an explicit width. They also have record forms.
#[rustfmt::skip]
const PRODUCTS: &[(&str, Product, Type, Sign)] = &[
    ("mulhw", Product::High, Type::I32, Sign::Signed),
    ("mulhwu", Product::High, Type::I32, Sign::Unsigned),
    ("mulhd", Product::High, Type::I64, Sign::Signed),
    ("mulhdu", Product::High, Type::I64, Sign::Unsigned),
    ("divw", Product::Quotient, Type::I32, Sign::Signed),
    ("divwu", Product::Quotient, Type::I32, Sign::Unsigned),
    ("divd", Product::Quotient, Type::I64, Sign::Signed),
    ("divdu", Product::Quotient, Type::I64, Sign::Unsigned),
    ("modsw", Product::Remainder, Type::I32, Sign::Signed),
    ("moduw", Product::Remainder, Type::I32, Sign::Unsigned),
    ("modsd", Product::Remainder, Type::I64, Sign::Signed),
    ("modud", Product::Remainder, Type::I64, Sign::Unsigned),
];

/// Operations on two registers and a number; the dot of `andi.` is part of its name.
#[rustfmt::skip]
const IMMEDIATE_OPS: &[(&str, BinOp)] = &[
    ("addi", BinOp::Add), ("subi", BinOp::Sub), ("mulli", BinOp::Mul),
    ("andi.", BinOp::And), ("ori", BinOp::Or), ("xori", BinOp::Xor),
    ("slwi", BinOp::Shl), ("srwi", BinOp::LShr), ("srawi", BinOp::AShr),
];

#[rustfmt::skip]
const BRANCHES: &[(&str, IntPred)] = &[
    ("beq", IntPred::Eq), ("bne", IntPred::Ne),
    ("blt", IntPred::Slt), ("ble", IntPred::Sle), ("bgt", IntPred::Sgt), ("bge", IntPred::Sge),
    ("bnl", IntPred::Sge), ("bng", IntPred::Sle),
];

#[rustfmt::skip]
const FENCES: &[(&str, FenceKind)] = &[
    ("sync", FenceKind::Sync), ("hwsync", FenceKind::Sync), ("msync", FenceKind::Sync),
    ("ptesync", FenceKind::Sync),
    ("lwsync", FenceKind::Lwsync), ("isync", FenceKind::Isync), ("eieio", FenceKind::Eieio),
];

/// Comparisons: whether they are unsigned, and whether the second operand is a number.
#[rustfmt::skip]
const COMPARISONS: &[(&str, bool, bool)] = &[
    ("cmpw", false, false), ("cmpwi", false, true), ("cmpd", false, false), ("cmpdi", false, true),
    ("cmplw", true, false), ("cmplwi", true, true), ("cmpld", true, false), ("cmpldi", true, true),
];

#[derive(Clone, Copy)]
enum Memory {
    Load(Size),
    Store(Size),
    LoadReserve,
    StoreConditional,
}

/// Loads and stores, and whether the address is the sum of two registers.
#[rustfmt::skip]
const MEMORY: &[(&str, Memory, bool)] = &[
    ("lbz", Memory::Load(Size::Byte), false), ("lbzx", Memory::Load(Size::Byte), true),
    ("lhz", Memory::Load(Size::Half), false), ("lhzx", Memory::Load(Size::Half), true),
    ("lwz", Memory::Load(Size::Word), false), ("lwzx", Memory::Load(Size::Word), true),
    ("lwa", Memory::Load(Size::Word), false), ("lwax", Memory::Load(Size::Word), true),
    ("ld", Memory::Load(Size::Word), false), ("ldx", Memory::Load(Size::Word), true),
    ("stb", Memory::Store(Size::Byte), false), ("stbx", Memory::Store(Size::Byte), true),
    ("sth", Memory::Store(Size::Half), false), ("sthx", Memory::Store(Size::Half), true),
    ("stw", Memory::Store(Size::Word), false), ("stwx", Memory::Store(Size::Word), true),
    ("std", Memory::Store(Size::Word), false), ("stdx", Memory::Store(Size::Word), true),
    ("lwarx", Memory::LoadReserve, true), ("ldarx", Memory::LoadReserve, true),
    ("stwcx.", Memory::StoreConditional, true), ("stdcx.", Memory::StoreConditional, true),
];

#[derive(Clone, Copy)]
struct MemoryForm {
    kind: Memory,
    indexed: bool,
    /// Whether the base register becomes the address.
    update: bool,
}

/// Update forms have a `u` at the end of the mnemonic, or before the `x`: `lwzu`, `stwux`.
fn memory_form(mnemonic: &str) -> Option<MemoryForm> {
    let find = |name: &str, update: bool| {
        let entry = MEMORY.iter().find(|(known, ..)| *known == name);
        entry.map(|(_, kind, indexed)| MemoryForm { kind: *kind, indexed: *indexed, update })
    };
    let updating = |name: &str| {
        find(name, true).filter(|form| matches!(form.kind, Memory::Load(_) | Memory::Store(_)))
    };
    let indexed = || mnemonic.strip_suffix("ux").and_then(|base| updating(&format!("{base}x")));
    let plain = || mnemonic.strip_suffix('u').and_then(updating);
    find(mnemonic, false).or_else(plain).or_else(indexed)
}

/// Whether the instruction works on 64 bits.
pub(super) fn is_wide(mnemonic: &str) -> bool {
    #[rustfmt::skip]
    const WIDE: &[&str] = &[
        "ld", "ldx", "std", "stdx", "ldarx", "stdcx.", "ldu", "ldux", "stdu", "stdux",
        "cmpd", "cmpdi", "cmpld", "cmpldi", "mulld", "mulld.",
        "sld", "sld.", "srd", "srd.", "srad", "srad.",
    ];
    let base = mnemonic.strip_suffix('.').unwrap_or(mnemonic);
    let wide = |(name, _, ty, _): &(&str, Product, Type, Sign)| *name == base && *ty == Type::I64;
    WIDE.contains(&mnemonic) || PRODUCTS.iter().any(wide)
}

pub(super) fn reads_flags(mnemonic: &str) -> bool {
    find(BRANCHES, mnemonic).is_some()
}

pub(super) fn lower(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let name = inst.mnemonic.as_str();
    if let Some(form) = memory_form(name) {
        return memory(e, inst, form);
    }
    if let Some(pred) = find(BRANCHES, name) {
        let [label] = after_condition_field(e, inst)?;
        return e.branch_if(Condition::Compare(pred), label, inst);
    }
    if let Some(kind) = find(FENCES, name) {
        return e.fence(inst, kind);
    }
    if let Some((_, unsigned, number)) = COMPARISONS.iter().find(|(known, ..)| *known == name) {
        return comparison(e, inst, *unsigned, *number);
    }
    match name {
        "b" => e.jump(inst),
        "nop" => e.args(inst).map(|[]| ()),
        _ => arithmetic(e, inst),
    }
}

fn arithmetic(e: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    let name = inst.mnemonic.as_str();
    let (base, record) = name.strip_suffix('.').map_or((name, false), |base| (base, true));
    let dst = if let Some(op) = find(REGISTER_OPS, base) {
        let [dst, a, b] = e.reg_args(inst)?;
        e.arith(op, dst, a.into(), b.into());
        dst
    } else if let Some(op) = find(IMMEDIATE_OPS, name) {
        let [dst, a, b] = e.args(inst)?;
        let (dst, a, b) = (e.reg_arg(dst)?, e.reg_arg(a)?, e.int_arg(b)?);
        e.arith(op, dst, a.into(), constant(b));
        dst
    } else if let Some((_, product, ty, sign)) = PRODUCTS.iter().find(|(name, ..)| *name == base) {
        let [dst, a, b] = e.reg_args(inst)?;
        let (a, b) = (a.into(), b.into());
        match product {
            Product::High => e.multiply_high(dst, *ty, *sign, a, b),
            Product::Quotient => e.divide(dst, sign.division(), *ty, a, b),
            Product::Remainder => e.divide(dst, sign.remainder(), *ty, a, b),
        }
        dst
    } else {
        other_arithmetic(e, inst, base, record)?
    };
    if record {
        e.set_flags(dst.into(), constant(0), Source::Comparison);
    }
    Ok(())
}

/// Returns the register that holds the result.
fn other_arithmetic(
    e: &mut Emit<'_, '_>,
    inst: &Inst,
    base: &str,
    record: bool,
) -> Result<Reg, Diagnostic> {
    match base {
        "li" | "lis" if record => Err(e.unsupported(inst)),
        "li" => {
            let [dst, value] = e.args(inst)?;
            let (dst, value) = (e.reg_arg(dst)?, e.int_arg(value)?);
            e.move_to(dst, constant(value));
            Ok(dst)
        }
        "lis" => {
            let [dst, arg] = e.args(inst)?;
            let (dst, value) = (e.reg_arg(dst)?, e.int_arg(arg)?);
            let shifted = e.context.word_value(i128::from(value) << 16, arg.at)?;
            e.move_to(dst, constant(shifted));
            Ok(dst)
        }
        "mr" | "neg" | "not" | "extsb" | "extsh" | "extsw" => {
            let [dst, src] = e.reg_args(inst)?;
            unary(e, base, dst, src.into());
            Ok(dst)
        }
        "mullw" | "subf" | "nor" | "nand" | "eqv" | "andc" | "orc" => {
            let [dst, a, b] = e.reg_args(inst)?;
            binary(e, base, dst, a.into(), b.into());
            Ok(dst)
        }
        _ => Err(e.unsupported(inst)),
    }
}

fn unary(e: &mut Emit<'_, '_>, name: &str, dst: Reg, src: Operand) {
    let from = match name {
        "mr" => return e.move_to(dst, src),
        "neg" => return e.arith(BinOp::Sub, dst, constant(0), src),
        "not" => return e.arith(BinOp::Xor, dst, src, constant(-1)),
        "extsb" => Type::I8,
        "extsh" => Type::I16,
        _ => Type::I32,
    };
    let cut = e.truncate(src, from);
    e.cast(CastOp::SExt, from, Type::I64, dst, cut);
}

fn binary(e: &mut Emit<'_, '_>, name: &str, dst: Reg, a: Operand, b: Operand) {
    let op = match name {
        "mullw" => return e.multiply_words(dst, a, b),
        "subf" => return e.arith(BinOp::Sub, dst, b, a),
        "andc" | "orc" => {
            let inverse = e.inverse(b);
            let op = if name == "andc" { BinOp::And } else { BinOp::Or };
            return e.arith(op, dst, a, inverse);
        }
        "nor" => BinOp::Or,
        "nand" => BinOp::And,
        _ => BinOp::Xor,
    };
    let part = e.temp(Type::I64);
    e.arith(op, part, a, b);
    e.arith(BinOp::Xor, dst, part.into(), constant(-1));
}

fn memory(e: &mut Emit<'_, '_>, inst: &Inst, form: MemoryForm) -> Result<(), Diagnostic> {
    let Operands { reg, base, addr } = operands(e, inst, form.indexed)?;
    match form.kind {
        Memory::Load(size) => e.load(reg, addr, size),
        Memory::Store(size) => e.store(addr, reg.into(), size),
        Memory::LoadReserve => e.load_exclusive(reg, addr),
        Memory::StoreConditional => {
            let stored = e.store_conditional(addr, reg.into());
            let truth = e.truth(stored);
            e.set_flags(truth.into(), constant(1), Source::Comparison);
        }
    }
    match base {
        _ if !form.update => Ok(()),
        Some(base) if base != reg || !matches!(form.kind, Memory::Load(_)) => {
            e.write_back(base, addr);
            Ok(())
        }
        _ => Err(e
            .error(inst.at, "an update form needs a base register of its own")
            .expected("a base that is a register and not the target of the load")),
    }
}

/// The operands of an access: a register to load or store, the register that an update form changes, and
/// the address.
struct Operands {
    reg: Reg,
    base: Option<Reg>,
    addr: Operand,
}

/// `lwz r1,0(r2)`, also in its old spelling `lwz r1,0,r2`, and `lwzx r1,r3,r2`. Update
/// forms change `r2` in the first form and `r3` in the second.
fn operands(e: &mut Emit<'_, '_>, inst: &Inst, indexed: bool) -> Result<Operands, Diagnostic> {
    if !indexed && inst.args.len() == 2 {
        let [reg, mem] = e.args(inst)?;
        let addr = e.mem_arg(mem)?;
        let reg = e.reg_arg(reg)?;
        let base = match &mem.kind {
            ArgKind::Mem(mem) => Some(e.reg(&mem.base)?),
            ArgKind::Name(_) | ArgKind::Int(_) => None,
        };
        return Ok(Operands { reg, base, addr });
    }
    let [reg, offset, last] = e.args(inst)?;
    let first: Option<Operand> = match offset.kind {
        ArgKind::Int(0) => None,
        ArgKind::Int(_) if indexed => {
            return Err(e
                .error(offset.at, "this is not a register")
                .expected("a register, or 0 for none"));
        }
        _ if indexed => Some(e.reg_arg(offset)?.into()),
        _ => Some(constant(e.int_arg(offset)?)),
    };
    let last = e.reg_arg(last)?;
    let base = match first {
        Some(Operand::Reg(first)) => Some(first),
        _ => (!indexed).then_some(last),
    };
    let parts: Vec<Operand> = first.into_iter().chain([last.into()]).collect();
    let addr = e.sum_address(&parts);
    Ok(Operands { reg: e.reg_arg(reg)?, base, addr })
}

fn comparison(
    e: &mut Emit<'_, '_>,
    inst: &Inst,
    unsigned: bool,
    number: bool,
) -> Result<(), Diagnostic> {
    let [a, b] = after_condition_field(e, inst)?;
    let a = e.reg_arg(a)?.into();
    let b = if number { constant(e.int_arg(b)?) } else { e.reg_arg(b)?.into() };
    let (a, b) = if unsigned { (biased(e, a), biased(e, b)) } else { (a, b) };
    e.set_flags(a, b, Source::Comparison);
    Ok(())
}

/// Flips the top bit: the signed order of the results is the unsigned order of the operands. Branches
/// compare signed.
fn biased(e: &mut Emit<'_, '_>, value: Operand) -> Operand {
    e.binary(BinOp::Xor, Type::I64, value, constant(i64::MIN)).into()
}

/// The operands without the optional condition field before them.
fn after_condition_field<'i, const N: usize>(
    e: &Emit<'_, '_>,
    inst: &'i Inst,
) -> Result<[&'i Arg; N], Diagnostic> {
    let Some((first, rest)) = inst.args.split_first().filter(|(_, rest)| rest.len() == N) else {
        return e.args(inst);
    };
    match &first.kind {
        ArgKind::Name(name) if name.text.eq_ignore_ascii_case("cr0") => e.args_of(inst, rest),
        _ => Err(e
            .error(first.at, "only condition field 0 is supported")
            .expected("`cr0`, or no condition field")),
    }
}
