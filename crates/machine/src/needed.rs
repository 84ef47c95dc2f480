//! The slots of a frame that may still be read, for each operation of a function.
//!
//! The usual backward analysis, over operations instead of blocks, since states are encoded
//! ([`crate::codec`]) in the middle of blocks. Computed once per function. Registers that the program
//! observes at its end count as read everywhere.

use crate::code::{Code, Op, Slot, Source, Src, Target, is_wide};
use fixedbitset::FixedBitSet;
use raddle_ir::{FuncId, Observed, Program};

/// The slots that are needed at each operation of one function.
#[derive(Clone, Debug)]
pub(crate) struct Needed {
    first: u32,
    at: Vec<Box<[u32]>>,
}

impl Needed {
    /// The slots that are needed before the operation at `pc` runs, in order.
    pub(crate) fn at(&self, pc: u32) -> &[u32] {
        self.at.get(pc.wrapping_sub(self.first) as usize).map_or(&[], |slots| slots)
    }
}

/// The slots of a function's registers that are observed at the end of the program.
pub(crate) fn observed_slots(program: &Program, code: &Code, func: FuncId) -> Vec<u32> {
    let mut slots = Vec::new();
    for observable in program.observables.values() {
        if let Observed::Reg(thread, reg) = observable.what
            && program.threads[thread].func == func
        {
            let (slot, ty) = code.funcs[func.as_u32() as usize].regs[reg.as_u32() as usize];
            slots.extend(slot.0..=slot.0 + u32::from(is_wide(ty)));
        }
    }
    slots
}

/// The needed slots of a function.
pub(crate) fn needed(program: &Program, code: &Code, func: FuncId) -> Needed {
    let std::ops::Range { start, end } = code.operations(func);
    let (first, end) = (start as u32, end as u32);
    let slots = code.funcs[func.as_u32() as usize].slots;
    let empty = FixedBitSet::with_capacity(slots as usize);
    let mut always = empty.clone();
    for slot in observed_slots(program, code, func) {
        always.insert(slot as usize);
    }
    let mut sets = vec![empty; (end - first) as usize];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (first..end).rev() {
            let op = code.ops[pc as usize];
            let mut bits = always.clone();
            for_each_successor(code, pc, op, |to| {
                if let Some(next) = sets.get(to.wrapping_sub(first) as usize) {
                    bits.union_with(next);
                }
            });
            for_each_written(op, |slot| bits.remove(slot as usize));
            bits.union_with(&always);
            code.for_each_operand(op, |operand, wide| {
                if let Source::Slot(Slot(slot)) = operand.get() {
                    bits.insert_range(slot as usize..slot as usize + 1 + usize::from(wide));
                }
            });
            if sets[(pc - first) as usize] != bits {
                sets[(pc - first) as usize] = bits;
                changed = true;
            }
        }
    }
    let slots = |set: &FixedBitSet| set.ones().map(|slot| slot as u32).collect();
    Needed { first, at: sets.iter().map(slots).collect() }
}

fn for_each_successor(code: &Code, pc: u32, op: Op, mut visit: impl FnMut(u32)) {
    match op {
        Op::Jump(to) => visit(to.0),
        Op::Branch { then, els, .. } => {
            visit(then.0);
            visit(els.0);
        }
        Op::Switch { table, .. } => {
            let table = &code.switches[table as usize];
            table.cases.iter().for_each(|(_, to)| visit(to.0));
            visit(table.default.0);
        }
        Op::Return { .. } | Op::ThreadExit { .. } | Op::Unreachable | Op::Halt => {}
        Op::Fail { .. } | Op::Unsupported { .. } => {}
        _ => visit(pc + 1),
    }
}

/// The slots that an operation certainly overwrites.
fn for_each_written(op: Op, mut visit: impl FnMut(u32)) {
    let mut typed = |slot: Slot, wide: bool| {
        visit(slot.0);
        if wide {
            visit(slot.0 + 1);
        }
    };
    match op {
        Op::Bin { ty, dst, .. }
        | Op::Un { ty, dst, .. }
        | Op::Select { ty, dst, .. }
        | Op::Move { ty, dst, .. }
        | Op::Load { ty, dst, .. }
        | Op::Rmw { ty, dst, .. }
        | Op::Await { ty, dst, .. } => typed(dst, is_wide(ty)),
        Op::Cast { to, dst, .. } => typed(dst, is_wide(to)),
        Op::Call { dst: Some((dst, ty)), .. } => typed(dst, is_wide(ty)),
        Op::CmpXchg { ty, dst, ok, .. } => {
            typed(dst, is_wide(ty));
            typed(ok, false);
        }
        Op::Cmp { dst, .. }
        | Op::Alloca { dst, .. }
        | Op::Malloc { dst, .. }
        | Op::Spawn { dst, .. }
        | Op::Extent { dst, .. }
        | Op::SelfId { dst }
        | Op::TryLock { dst, .. }
        | Op::Choose { dst, .. }
        | Op::Format { dst, .. }
        | Op::StoreCond { ok: dst, .. }
        | Op::Join { dst: Some(dst), .. } => typed(dst, false),
        // Written in the middle of the operation: the needed slots before it do not describe that moment.
        Op::CondWait { .. } => {}
        _ => {}
    }
}

impl Code {
    /// Visits the operands of an operation, each with whether it is wide.
    pub(crate) fn for_each_operand(&self, op: Op, mut visit: impl FnMut(Src, bool)) {
        let mut read = |operands: &[Src], wide: bool| {
            operands.iter().for_each(|operand| visit(*operand, wide))
        };
        match op {
            Op::Bin { ty, a, b, .. } | Op::Cmp { ty, a, b, .. } => read(&[a, b], is_wide(ty)),
            Op::Un { ty, a, .. } | Op::Move { ty, a, .. } => read(&[a], is_wide(ty)),
            Op::Cast { from, a, .. } => read(&[a], is_wide(from)),
            Op::Select { ty, cond, a, b, .. } => {
                read(&[cond], false);
                read(&[a, b], is_wide(ty));
            }
            Op::Call { target, args, .. } | Op::Spawn { target, args, .. } => {
                if let Target::Pointer(pointer) = target {
                    read(&[pointer], false);
                }
                self.args(args).iter().for_each(|(arg, wide)| read(&[*arg], *wide));
            }
            Op::Return { value: Some(value), ty } => read(&[value], is_wide(ty)),
            Op::ThreadExit { value } => read(&[value], false),
            Op::Branch { cond, .. } | Op::Assume { cond } | Op::Assert { cond, .. } => {
                read(&[cond], false);
            }
            Op::Switch { value, ty, .. } => read(&[value], is_wide(ty)),
            Op::Alloca { size, .. } | Op::Malloc { size, .. } => read(&[size], false),
            Op::Free { addr }
            | Op::Load { addr, .. }
            | Op::Extent { addr, .. }
            | Op::Lock { addr }
            | Op::TryLock { addr, .. }
            | Op::Unlock { addr } => read(&[addr], false),
            Op::Store { ty, addr, value, .. }
            | Op::StoreCond { ty, addr, value, .. }
            | Op::Await { ty, addr, value, .. } => {
                read(&[addr], false);
                read(&[value], is_wide(ty));
            }
            Op::Rmw { ty, addr, value, when, .. } => {
                read(&[addr], false);
                read(&[value], is_wide(ty));
                when.into_iter().for_each(|(_, wanted)| read(&[wanted], is_wide(ty)));
            }
            Op::CmpXchg { ty, addr, expected, new, .. } => {
                read(&[addr], false);
                read(&[expected, new], is_wide(ty));
            }
            Op::Join { thread, .. } => read(&[thread], false),
            Op::CondWait { cond, mutex, .. } => read(&[cond, mutex], false),
            Op::CondSignal { cond } | Op::CondBroadcast { cond } => read(&[cond], false),
            Op::Format { format, args, to, .. } => {
                read(&[format, args], false);
                to.into_iter().for_each(|(buffer, size)| read(&[buffer, size], false));
            }
            Op::Return { value: None, .. }
            | Op::DropAllocas
            | Op::Jump(_)
            | Op::Unreachable
            | Op::LoopEntry(_)
            | Op::LoopHead(_)
            | Op::Fence { .. }
            | Op::SelfId { .. }
            | Op::Halt
            | Op::Nop
            | Op::Pause
            | Op::Choose { .. }
            | Op::Unsupported { .. }
            | Op::Fail { .. } => {}
        }
    }
}
