//! Inline assembly: a parser for the supported subset.
//!
//! Supported are fences of every architecture, hints to let other threads run, x86's atomic
//! read-modify-writes and its plain loads and stores. The text is LLVM's form of GCC's templates: `$0` and
//! `${0:b}` name operands, `$$` is a dollar sign, `$(a$|b$)` are alternatives for assembler dialects, the
//! first of which is AT&T's.

mod constraints;
mod template;

pub(crate) use constraints::{Constraint, Flag, Register, constraints};
pub(crate) use template::{AsmOperand, Statement, statements};

use raddle_ir::{FenceKind, RmwOp};

/// One instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Fence(FenceKind),
    Yield,
    /// A load, a store, or a copy between registers.
    Move {
        source: AsmOperand,
        target: AsmOperand,
        bits: Option<u8>,
    },
    /// `old = memory; memory = old op source`, in one step.
    Rmw {
        op: RmwOp,
        source: AsmOperand,
        memory: AsmOperand,
        bits: Option<u8>,
        /// The operand that receives the old value (`xadd`, `xchg`).
        old: Option<usize>,
    },
    /// If memory equals the accumulator, it becomes `new`; the accumulator gets the old value.
    CmpXchg {
        new: AsmOperand,
        memory: AsmOperand,
        bits: Option<u8>,
    },
    /// The same with pairs of registers of `bits` each: if memory equals D and A, it becomes C and B.
    CmpXchgPair {
        memory: AsmOperand,
        bits: u8,
    },
    /// Changes one bit; the carry flag gets the old bit.
    Bit {
        op: RmwOp,
        index: AsmOperand,
        memory: AsmOperand,
        bits: Option<u8>,
    },
    /// Writes 1, or all ones, to an operand if the flag is set.
    Set {
        flag: Flag,
        to: usize,
        ones: bool,
    },
}

/// A machine architecture of inline assembly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Machine {
    X86,
    Power,
    Arm,
}

impl Step {
    /// The machine that has this instruction; `None` if several machines have it or it orders nothing.
    pub(crate) fn machine(&self) -> Option<Machine> {
        match self {
            Step::Yield => None,
            Step::Fence(kind) => match kind {
                FenceKind::Mfence | FenceKind::Lfence | FenceKind::Sfence => Some(Machine::X86),
                FenceKind::Sync | FenceKind::Lwsync | FenceKind::Isync | FenceKind::Eieio => {
                    Some(Machine::Power)
                }
                FenceKind::Dmb
                | FenceKind::DmbSt
                | FenceKind::DmbLd
                | FenceKind::Dsb
                | FenceKind::DsbSt
                | FenceKind::DsbLd
                | FenceKind::Isb => Some(Machine::Arm),
                _ => None,
            },
            Step::Move { .. }
            | Step::Rmw { .. }
            | Step::CmpXchg { .. }
            | Step::CmpXchgPair { .. }
            | Step::Bit { .. }
            | Step::Set { .. } => Some(Machine::X86),
        }
    }
}

/// The instructions of a template; `None` if one of them is not supported.
pub(crate) fn steps(template: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut locked = false;
    for statement in statements(template) {
        let Statement { mnemonic, operands, lock } = statement;
        if mnemonic == "lock" && operands.is_empty() {
            locked = true;
            continue;
        }
        if mnemonic == "rep" && operands.is_empty() {
            continue;
        }
        let lock = lock || std::mem::take(&mut locked);
        steps.push(step(&mnemonic, &operands, lock)?);
    }
    (!locked).then_some(steps)
}

fn step(mnemonic: &str, operands: &[AsmOperand], lock: bool) -> Option<Step> {
    if !lock && let Some(kind) = fence(mnemonic, operands) {
        return Some(Step::Fence(kind));
    }
    if operands.is_empty() && matches!(mnemonic, "pause" | "nop" | "yield" | "wfe") {
        return Some(Step::Yield);
    }
    if let Some(flag) = mnemonic.strip_prefix("set").and_then(Flag::named) {
        let [AsmOperand::Operand(to)] = *operands else {
            return None;
        };
        return Some(Step::Set { flag, to, ones: false });
    }
    if let ("cmpxchg8b" | "cmpxchg16b", [memory], true) = (mnemonic, operands, lock) {
        let bits = if mnemonic == "cmpxchg8b" { 32 } else { 64 };
        return Some(Step::CmpXchgPair { memory: memory.clone(), bits });
    }
    let (stem, bits) = sized(mnemonic)?;
    match (stem, operands) {
        ("sbb", [AsmOperand::Operand(a), AsmOperand::Operand(b)]) if a == b => {
            Some(Step::Set { flag: Flag::Carry, to: *a, ones: true })
        }
        ("mov", [source, target]) if !lock => {
            Some(Step::Move { source: source.clone(), target: target.clone(), bits })
        }
        ("or" | "add", [AsmOperand::Immediate(0), AsmOperand::Stack]) if lock => {
            Some(Step::Fence(FenceKind::Mfence))
        }
        ("xadd", [source @ AsmOperand::Operand(old), memory]) if lock => {
            let (source, memory) = (source.clone(), memory.clone());
            Some(Step::Rmw { op: RmwOp::Add, source, memory, bits, old: Some(*old) })
        }
        // An exchange with memory is atomic even without `lock`. The constraints tell which operand is
        // memory.
        ("xchg", [source @ AsmOperand::Operand(old), memory]) => {
            let (source, memory) = (source.clone(), memory.clone());
            Some(Step::Rmw { op: RmwOp::Xchg, source, memory, bits, old: Some(*old) })
        }
        ("cmpxchg", [new, memory]) if lock => {
            Some(Step::CmpXchg { new: new.clone(), memory: memory.clone(), bits })
        }
        ("inc" | "dec", [memory]) if lock => {
            let op = if stem == "inc" { RmwOp::Add } else { RmwOp::Sub };
            let memory = memory.clone();
            Some(Step::Rmw { op, source: AsmOperand::Immediate(1), memory, bits, old: None })
        }
        ("add" | "sub" | "and" | "or" | "xor", [source, memory]) if lock => {
            let op = arithmetic(stem)?;
            let (source, memory) = (source.clone(), memory.clone());
            Some(Step::Rmw { op, source, memory, bits, old: None })
        }
        ("bts" | "btr" | "btc", [index, memory]) if lock => {
            let op = arithmetic(stem)?;
            Some(Step::Bit { op, index: index.clone(), memory: memory.clone(), bits })
        }
        _ => None,
    }
}

fn arithmetic(stem: &str) -> Option<RmwOp> {
    Some(match stem {
        "add" => RmwOp::Add,
        "sub" => RmwOp::Sub,
        "and" | "btr" => RmwOp::And,
        "or" | "bts" => RmwOp::Or,
        "xor" | "btc" => RmwOp::Xor,
        _ => return None,
    })
}

/// A mnemonic without its size suffix, and the width that the suffix denotes.
fn sized(mnemonic: &str) -> Option<(&str, Option<u8>)> {
    const STEMS: [&str; 15] = [
        "xadd", "xchg", "cmpxchg", "inc", "dec", "add", "sub", "and", "or", "xor", "bts", "btr",
        "btc", "sbb", "mov",
    ];
    if STEMS.contains(&mnemonic) {
        return Some((mnemonic, None));
    }
    let (stem, suffix) = mnemonic.split_at_checked(mnemonic.len().checked_sub(1)?)?;
    let bits = match suffix {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    };
    STEMS.contains(&stem).then_some((stem, Some(bits)))
}

fn fence(mnemonic: &str, operands: &[AsmOperand]) -> Option<FenceKind> {
    let option = match operands {
        [] => "",
        [AsmOperand::Word(word)] => word,
        [AsmOperand::Word(before), AsmOperand::Word(after)] if mnemonic == "fence" => {
            return Some(riscv(before, after));
        }
        _ => return None,
    };
    Some(match (mnemonic, option) {
        ("mfence", "") => FenceKind::Mfence,
        ("lfence", "") => FenceKind::Lfence,
        ("sfence", "") => FenceKind::Sfence,
        ("sync" | "hwsync", "" | "0") => FenceKind::Sync,
        ("lwsync", "") | ("sync", "1") => FenceKind::Lwsync,
        ("isync", "") => FenceKind::Isync,
        ("eieio", "") => FenceKind::Eieio,
        ("dmb", "" | "sy" | "ish" | "nsh" | "osh") => FenceKind::Dmb,
        ("dmb", "st" | "ishst" | "nshst" | "oshst") => FenceKind::DmbSt,
        ("dmb", "ld" | "ishld" | "nshld" | "oshld") => FenceKind::DmbLd,
        ("dsb", "" | "sy" | "ish" | "nsh" | "osh") => FenceKind::Dsb,
        ("dsb", "st" | "ishst" | "nshst" | "oshst") => FenceKind::DsbSt,
        ("dsb", "ld" | "ishld" | "nshld" | "oshld") => FenceKind::DsbLd,
        ("isb", "" | "sy") => FenceKind::Isb,
        ("fence", "" | "iorw" | "rw") => FenceKind::Full,
        _ => return None,
    })
}

/// The fence kind of RISC-V's `fence`.
fn riscv(before: &str, after: &str) -> FenceKind {
    let writes = |set: &str| set.chars().all(|letter| matches!(letter, 'w' | 'o'));
    if writes(before) && writes(after) { FenceKind::StoreStore } else { FenceKind::Full }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fences(template: &str) -> Option<Vec<FenceKind>> {
        let kind = |step| match step {
            Step::Fence(kind) => Some(kind),
            _ => None,
        };
        steps(template)?.into_iter().map(kind).collect()
    }

    #[test]
    fn fences_of_every_architecture() {
        for (template, kind) in [
            ("mfence", FenceKind::Mfence),
            ("\tmfence\n\t", FenceKind::Mfence),
            ("lock; addl $$0,0(%esp)", FenceKind::Mfence),
            ("lock; addl $$0,0(%rsp)", FenceKind::Mfence),
            ("lock orq $$0x0, (%rsp)", FenceKind::Mfence),
            ("lock; orb $$0, -4(%rsp)", FenceKind::Mfence),
            ("LWSYNC", FenceKind::Lwsync),
            ("sync", FenceKind::Sync),
            ("dmb ishst", FenceKind::DmbSt),
            ("dmb", FenceKind::Dmb),
            ("dsb sy", FenceKind::Dsb),
            ("isb", FenceKind::Isb),
            ("fence w,w", FenceKind::StoreStore),
        ] {
            assert_eq!(fences(template), Some(vec![kind]), "{template}");
        }
        assert_eq!(fences(""), Some(vec![]));
        assert_eq!(fences("cpuid"), None);
    }

    #[test]
    fn spinning_is_a_hint() {
        for template in ["pause", "rep; nop", "rep nop", "nop"] {
            assert_eq!(steps(template), Some(vec![Step::Yield]), "{template}");
        }
    }

    #[test]
    fn atomics_name_their_operands() {
        let Some([Step::Rmw { op: RmwOp::Add, source, memory, bits, old }]) =
            steps("lock; xaddl $0, $1").and_then(|steps| <[Step; 1]>::try_from(steps).ok())
        else {
            panic!("not understood");
        };
        assert_eq!((source, memory), (AsmOperand::Operand(0), AsmOperand::Operand(1)));
        assert_eq!((bits, old), (Some(32), Some(0)));
        let dec = steps("lock decl ${0:w}; sete $1").expect("understood");
        assert_eq!(dec[1], Step::Set { flag: Flag::Zero, to: 1, ones: false });
        let load = Step::Move {
            source: AsmOperand::Operand(1),
            target: AsmOperand::Operand(0),
            bits: Some(64),
        };
        assert_eq!(steps("movq $1, $0"), Some(vec![load]));
        assert_eq!(steps("lock movq $1, $0"), None);
        let pair = Step::CmpXchgPair { memory: AsmOperand::Operand(0), bits: 64 };
        assert_eq!(steps("lock;cmpxchg16b $0;").as_deref(), Some(&[pair][..]));
        assert_eq!(steps("cmpxchg16b $0"), None);
        // Without `lock` it is not atomic, and not supported.
        assert_eq!(steps("addl $0, $1"), None);
        assert_eq!(steps("lock;"), None);
    }
}
