//! Finds the loads, goals and failures that a thread may reach before its store buffer has to be empty.
//!
//! It is worth delaying a store, or keeping a window ([`crate::attack`]) open, only while its thread can
//! still reach a load past which the store is delayed. If a thread may have to buffer a store because
//! another thread holds the memory lock, goals and failures count as well ([`crate::lazy`]). The analysis
//! goes backwards over the operations of all functions: a sought operation makes the fact true, and an
//! operation that waits for an empty buffer makes it false. Calls and returns are overapproximated.

use raddle_engine::tso_drains;
use raddle_ir::{BinOp, Order};
use raddle_machine::code::{Code, Op, Pc, Target};
use std::sync::Arc;

/// The kind of operation that is sought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sought {
    Load,
    /// A place of a goal.
    Goal,
    /// An operation that may fail.
    Failure,
}

/// For each operation: whether a sought operation is reachable before the buffer has to be empty.
#[derive(Clone, Debug)]
pub(crate) struct Delayable(Arc<[bool]>);

impl Delayable {
    pub(crate) fn new(code: &Code, sought: Sought) -> Delayable {
        let called = called(code);
        let mut ahead = vec![false; code.ops.len() + 1];
        let mut changed = true;
        while changed {
            changed = false;
            for pc in (0..code.ops.len()).rev() {
                if !ahead[pc] && is_ahead(code, sought, pc, &ahead, &called) {
                    ahead[pc] = true;
                    changed = true;
                }
            }
        }
        Delayable(ahead.into())
    }

    /// Whether a thread at `pc` may reach a sought operation with a store in its buffer.
    pub(crate) fn is_ahead(&self, pc: Pc) -> bool {
        self.0.get(pc.0 as usize).copied().unwrap_or(true)
    }
}

/// Whether an operation that does not wait for an empty buffer is of the sought kind.
fn is_sought(op: &Op, sought: Sought) -> bool {
    match sought {
        Sought::Load => matches!(op, Op::Load { .. } | Op::Await { .. }),
        Sought::Goal => matches!(op, Op::Pause),
        Sought::Failure => match op {
            Op::Bin { op, .. } => {
                matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
            }
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Await { .. }
            | Op::Assert { .. }
            | Op::Fail { .. }
            | Op::Unsupported { .. }
            | Op::Unreachable
            | Op::Alloca { .. }
            | Op::Malloc { .. }
            | Op::Extent { .. }
            | Op::Format { .. }
            | Op::Call { .. } => true,
            _ => false,
        },
    }
}

fn is_ahead(code: &Code, sought: Sought, pc: usize, ahead: &[bool], called: &[bool]) -> bool {
    let next = ahead[pc + 1];
    match code.ops[pc] {
        Op::Store { access, .. } if access.order == Order::SeqCst => false,
        Op::Load { access, .. } if access.exclusive => false,
        op if is_sought(&op, sought) => true,
        Op::Fence { kind } => !tso_drains(kind) && next,
        Op::Load { .. }
        | Op::Store { .. }
        | Op::Await { .. }
        | Op::Choose { .. }
        | Op::Format { .. } => next,
        // The others wait for an empty buffer.
        op if op.is_visible() => false,
        Op::Unreachable
        | Op::ThreadExit { .. }
        | Op::Halt
        | Op::Unsupported { .. }
        | Op::Fail { .. } => false,
        Op::Jump(to) => ahead[to.0 as usize],
        Op::Branch { then, els, .. } => ahead[then.0 as usize] || ahead[els.0 as usize],
        Op::Switch { table, .. } => {
            let table = &code.switches[table as usize];
            ahead[table.default.0 as usize]
                || table.cases.iter().any(|(_, to)| ahead[to.0 as usize])
        }
        Op::Call { target: Target::Pointer(_), .. } => true,
        Op::Call { target: Target::Func(func), .. } => {
            let entry = code.funcs[func.as_u32() as usize].entry;
            next || entry.is_some_and(|entry| ahead[entry.0 as usize])
        }
        Op::Return { .. } => {
            let func = code.function_at(Pc(pc as u32));
            func.is_none_or(|func| called[func.as_u32() as usize])
        }
        _ => next,
    }
}

/// For each function: whether some operation may call it, so that it returns to a caller.
fn called(code: &Code) -> Vec<bool> {
    let mut called = vec![false; code.funcs.len()];
    for op in &code.ops {
        match op {
            Op::Call { target: Target::Func(func), .. } => called[func.as_u32() as usize] = true,
            Op::Call { target: Target::Pointer(_), .. } => called.fill(true),
            _ => {}
        }
    }
    called
}
