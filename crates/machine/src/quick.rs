//! Operations that take the short way: on at most 64 bits, with operands at hand.
//!
//! Which operations those are is decided once, when the program is decoded, so that running them
//! asks nothing twice. They stand beside the operations that they are, place by place. A comparison
//! also does what the branch on it does, which comes next, and leaves its result out if only that
//! branch reads it: nobody looks at a register that is not live.

use crate::code::{Code, Op, Pc, Slot, Source, Src, is_wide};
use crate::eval;
use crate::thread::frame;
use crate::trail::{Trail, Word};
use raddle_ir::{BinOp, FuncId, IntPred, Observed, Operand, Order, Pred, Program, Reg, Type};

/// An operation that takes the short way.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quick {
    /// None of these.
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
    /// A comparison and the branch on it. `keep`: something else reads the result.
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

/// Translates the newest operations of the code, which are all of a function's.
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
        // The condition decides nothing, and no engine that goes the short way asks for dependencies.
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

/// A comparison with the branch that comes next, if that is on it.
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

/// How often each register of a function is read; to be observed counts twice.
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

/// Runs local operations that take the short way, up to the first that does not or is not local.
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
                let Some(value) = eval::total64(*op, *bits, a, b) else { return };
                trail.set(slots.at(dst.0), value);
                pc.0 += 1;
            }
            Quick::CompareBranch { pred, bits, keep, dst, a, b, then, els } => {
                let (a, b) = (read(trail, *a), read(trail, *b));
                let holds = eval::int_pred64(*pred, *bits, a, b);
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
