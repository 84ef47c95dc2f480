//! Quick operations: on at most 64 bits, with operands *at hand*, in a register or a constant.
//!
//! The decoder decides once which operations are quick, so running them needs no further checks.
//! `Code::quick` has one entry per operation, at the same index as in `Code::ops`. A comparison that is
//! followed by the branch on it performs that branch too. It does not store its result if only that branch
//! reads it: the register is dead afterwards.

use crate::code::{Code, Op, Pc, Slot, Source, Src, is_wide};
use crate::eval;
use crate::thread::frame;
use crate::trail::{Trail, Word};
use raddle_ir::{BinOp, FuncId, IntPred, Observed, Operand, Order, Pred, Program, Reg, Type};

/// A quick operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quick {
    /// Not a quick operation: see the entry of `Code::ops`.
    Long,
    /// Arithmetic that cannot fault.
    Bin {
        op: BinOp,
        bits: u8,
        dst: Slot,
        a: Src,
        b: Src,
    },
    Compare {
        pred: IntPred,
        bits: u8,
        dst: Slot,
        a: Src,
        b: Src,
    },
    /// A comparison and the branch on it. `keep`: other operations read the result too.
    CompareBranch {
        pred: IntPred,
        bits: u8,
        keep: bool,
        dst: Slot,
        a: Src,
        b: Src,
        then: Pc,
        els: Pc,
    },
    Copy {
        dst: Slot,
        a: Src,
    },
    Jump(Pc),
    Branch {
        cond: Src,
        then: Pc,
        els: Pc,
    },
    /// An ordinary load of whole bytes.
    Load {
        bytes: u8,
        dst: Slot,
        addr: Src,
    },
    /// A store. `plain`: it orders nothing.
    Store {
        bytes: u8,
        plain: bool,
        addr: Src,
        value: Src,
    },
    Return {
        value: Option<Src>,
    },
    DropAllocas,
    Halt,
}

// ---- decoding ----

/// Translates the operations of the function that was decoded last: those without a quick entry yet.
pub(crate) fn translate(program: &Program, id: FuncId, code: &mut Code) {
    let uses = uses(program, id);
    let regs = &code.funcs[id.as_u32() as usize].regs;
    let ops = &code.ops[code.quick.len()..];
    let translated = ops.iter().enumerate().map(|(n, op)| {
        let alone = quick(op);
        let fused = ops.get(n + 1).and_then(|next| {
            compare_branch(alone, next, |slot| {
                let reg = regs.partition_point(|(first, _)| first.0 < slot.0);
                uses[reg] > 1
            })
        });
        fused.unwrap_or(alone)
    });
    let translated: Vec<Quick> = translated.collect();
    code.quick.extend(translated);
}

fn quick(op: &Op) -> Quick {
    match *op {
        Op::Bin { op, ty, dst, a, b }
            if is_quick(ty, [a, b]) && eval::total64(op, ty.bits() as u8, 0, 0).is_some() =>
        {
            Quick::Bin { op, bits: ty.bits() as u8, dst, a, b }
        }
        Op::Cmp { pred: Pred::Int(pred), ty, dst, a, b } if is_quick(ty, [a, b]) => {
            Quick::Compare { pred, bits: ty.bits() as u8, dst, a, b }
        }
        Op::Move { ty, dst, a } if is_quick(ty, [a]) => Quick::Copy { dst, a },
        Op::Jump(to) => Quick::Jump(to),
        // Both targets are equal, so the condition is not read. Engines that need its dependencies do not
        // run quick operations.
        Op::Branch { then, els, .. } if then == els => Quick::Jump(then),
        Op::Branch { cond, then, els } if is_quick(Type::Int(1), [cond]) => {
            Quick::Branch { cond, then, els }
        }
        Op::Load { dst, ty, addr, access }
            if is_quick(ty, [addr]) && !access.exclusive && ty.bits() % 8 == 0 =>
        {
            Quick::Load { bytes: ty.bytes() as u8, dst, addr }
        }
        Op::Store { ty, addr, value, access } if is_quick(ty, [addr, value]) => {
            let plain = matches!(access.order, Order::Asm | Order::Plain | Order::Relaxed);
            Quick::Store { bytes: ty.bytes() as u8, plain, addr, value }
        }
        Op::Return { value, ty } if value.is_none_or(|value| is_quick(ty, [value])) => {
            Quick::Return { value }
        }
        Op::DropAllocas => Quick::DropAllocas,
        Op::Halt => Quick::Halt,
        _ => Quick::Long,
    }
}

fn is_quick<const N: usize>(ty: Type, operands: [Src; N]) -> bool {
    let at_hand = |src: Src| matches!(src.get(), Source::Slot(_) | Source::Constant(_));
    !is_wide(ty) && operands.into_iter().all(at_hand)
}

/// A comparison fused with the next operation, if that is the branch on its result.
fn compare_branch(compare: Quick, next: &Op, is_read: impl Fn(Slot) -> bool) -> Option<Quick> {
    let Quick::Compare { pred, bits, dst, a, b } = compare else { return None };
    let Op::Branch { cond, then, els } = *next else { return None };
    (cond.get() == Source::Slot(dst)).then(|| {
        let keep = is_read(dst);
        match then == els && !keep {
            true => Quick::Jump(then),
            false => Quick::CompareBranch { pred, bits, keep, dst, a, b, then, els },
        }
    })
}

/// The number of reads of each register of a function. An observed register counts as read twice, so that
/// it is always kept.
fn uses(program: &Program, id: FuncId) -> Vec<u32> {
    let func = &program.funcs[id];
    let mut uses = vec![0; func.regs.len()];
    let mut count = |reg: Reg, by: u32| uses[reg.as_u32() as usize] += by;
    for block in func.blocks.values() {
        let mut used = |operand| {
            if let Operand::Reg(reg) = operand {
                count(reg, 1);
            }
        };
        block.insts.iter().for_each(|inst| inst.kind.for_each_operand(&mut used));
        block.term.kind.operand().into_iter().for_each(used);
    }
    for observable in program.observables.values() {
        if let Observed::Reg(thread, reg) = observable.what
            && program.threads[thread].func == id
        {
            count(reg, 2);
        }
    }
    uses
}

// ---- running ----

/// Runs quick local operations, up to the first operation that is not quick or not local. This is the hottest
/// loop of the machine. It cannot fault, call a function or change the frame.
#[inline]
pub(crate) fn steps(code: &Code, trail: &mut Trail, frame: Word, pc: &mut Pc, left: &mut u64) {
    let slots = frame.at(frame::SLOTS);
    let read = |trail: &Trail, src: Src| match src.get() {
        Source::Slot(slot) => trail.get(slots.at(slot.0)),
        Source::Constant(index) => code.constants[index as usize],
        Source::Wide(_) | Source::ThreadLocal(_) => unreachable!("{src:?} is not at hand"),
    };
    while *left > 0 {
        match &code.quick[pc.0 as usize] {
            Quick::Bin { op, bits, dst, a, b } => {
                let (a, b) = (read(trail, *a), read(trail, *b));
                // `translate` admits only operators that never fault, so this never returns.
                let Some(value) = eval::total64(*op, *bits, a, b) else { return };
                trail.set(slots.at(dst.0), value);
                pc.0 += 1;
            }
            Quick::CompareBranch { pred, bits, keep, dst, a, b, then, els } => {
                let (a, b) = (read(trail, *a), read(trail, *b));
                let holds = eval::int_pred64(*pred, *bits, a, b);
                // Without `keep` nothing reads the register again: save the logged write.
                if *keep {
                    trail.set(slots.at(dst.0), holds.into());
                }
                *pc = if holds { *then } else { *els };
            }
            Quick::Compare { pred, bits, dst, a, b } => {
                let (a, b) = (read(trail, *a), read(trail, *b));
                trail.set(slots.at(dst.0), eval::int_pred64(*pred, *bits, a, b).into());
                pc.0 += 1;
            }
            Quick::Copy { dst, a } => {
                let value = read(trail, *a);
                trail.set(slots.at(dst.0), value);
                pc.0 += 1;
            }
            Quick::Jump(to) => *pc = *to,
            Quick::Branch { cond, then, els } => {
                *pc = if read(trail, *cond) != 0 { *then } else { *els };
            }
            _ => return,
        }
        *left -= 1;
    }
}
