//! Where a load may come before a store buffer has to be empty.
//!
//! A store is worth delaying, and a window ([`crate::attack`]) worth keeping open, only while its
//! thread can still get to a load past which the store is delayed. Backwards over the operations of
//! all functions: a load makes it so, what waits for an empty buffer ends it. What a call comes to
//! and where a function returns to is not followed exactly, but never left out.

use raddle_engine::tso_drains;
use raddle_ir::Order;
use raddle_machine::code::{Code, Op, Pc, Target};
use std::sync::Arc;

/// For each operation: whether there is a load ahead.
#[derive(Clone, Debug)]
pub(crate) struct Ahead(Arc<[bool]>);

impl Ahead {
    pub fn new(code: &Code) -> Ahead {
        let called = called(code);
        let mut ahead = vec![false; code.ops.len() + 1];
        let mut changed = true;
        while changed {
            changed = false;
            for pc in (0..code.ops.len()).rev() {
                if !ahead[pc] && is_ahead(code, pc, &ahead, &called) {
                    ahead[pc] = true;
                    changed = true;
                }
            }
        }
        Ahead(ahead.into())
    }

    /// Whether a thread that is at `pc` may get to a load with a store in its buffer.
    pub fn is_load_ahead(&self, pc: Pc) -> bool {
        self.0.get(pc.0 as usize).copied().unwrap_or(true)
    }
}

fn is_ahead(code: &Code, pc: usize, ahead: &[bool], called: &[bool]) -> bool {
    let next = ahead[pc + 1];
    match code.ops[pc] {
        Op::Load { access, .. } => !access.exclusive,
        Op::Await { .. } => true,
        Op::Store { access, .. } => access.order != Order::SeqCst && next,
        Op::Fence { kind } => !tso_drains(kind) && next,
        Op::Rmw { .. }
        | Op::CmpXchg { .. }
        | Op::StoreCond { .. }
        | Op::Free { .. }
        | Op::Spawn { .. }
        | Op::Join { .. }
        | Op::Lock { .. }
        | Op::TryLock { .. }
        | Op::Unlock { .. }
        | Op::CondWait { .. }
        | Op::CondSignal { .. }
        | Op::CondBroadcast { .. } => false,
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

/// For each function: whether it is one that returns to a caller.
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
