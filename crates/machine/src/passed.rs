//! What threads have gone past since a moment, read off the undo log.
//!
//! An engine may complete some visible operations as part of a thread's run (stores into a buffer,
//! fences, spawns, joins), without an event that tells of them. Every move of a program counter is
//! a change that the trail logs, so the log says which, where, and in which order; nothing has to
//! be noted while searching.
//!
//! Relies on: a thread's counter is set to a visible operation only when it stops there, and leaves
//! it only when the operation is complete.

use crate::code::{Op, Pc};
use crate::machine::Machine;
use crate::thread::{Status, ThreadId, field};
use crate::trail::{Mark, Word};
use raddle_ir::{FenceKind, LocId};

/// A visible operation of a kind that may need no event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassedOp {
    Store,
    Fence(FenceKind),
    /// The thread that was started.
    Spawn(ThreadId),
    Join,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    pub thread: ThreadId,
    pub loc: LocId,
    pub op: PassedOp,
}

impl Machine<'_> {
    /// The stores, fences, spawns and joins that were completed since a mark, in order.
    pub fn passed(&self, since: Mark) -> Vec<Passed> {
        let mut passed = Vec::new();
        let mut newest = None;
        let mut starting = vec![false; self.threads.len()];
        for (word, old) in self.trail.changes(since) {
            let Some((thread, field)) = self.owner(*word) else { continue };
            let starts = &mut starting[thread.0 as usize];
            match field {
                field::STATUS if *old == Status::Absent as u64 => {
                    newest = Some(thread);
                    *starts = self.begins_elsewhere(thread);
                }
                // From nowhere to the first instruction.
                field::PC if *starts => *starts = false,
                field::PC => {
                    let pc = Pc(*old as u32);
                    let op = self.passed_op(pc, newest);
                    passed.extend(op.map(|op| Passed { thread, loc: self.code.loc(pc), op }));
                }
                _ => {}
            }
        }
        passed
    }

    /// Whether a new thread's program counter has to change from 0.
    fn begins_elsewhere(&self, thread: ThreadId) -> bool {
        let func = self.threads[thread.0 as usize].func;
        let entry = func.and_then(|func| self.code.funcs[func.as_u32() as usize].entry);
        entry.is_some_and(|entry| entry != Pc(0))
    }

    /// The thread and field that a word is, if it is one of a thread's own.
    fn owner(&self, word: Word) -> Option<(ThreadId, u32)> {
        // Threads get their words in order.
        let after = self.threads.partition_point(|thread| thread.base <= word);
        let thread = after.checked_sub(1)?;
        let field = word.index() - self.threads[thread].base.index();
        let field = u32::try_from(field).ok().filter(|field| *field < field::COUNT)?;
        Some((ThreadId(thread as u32), field))
    }

    fn passed_op(&self, pc: Pc, newest: Option<ThreadId>) -> Option<PassedOp> {
        match self.code.op(pc) {
            Op::Store { .. } => Some(PassedOp::Store),
            Op::Fence { kind } => Some(PassedOp::Fence(kind)),
            Op::Spawn { .. } => newest.map(PassedOp::Spawn),
            Op::Join { .. } => Some(PassedOp::Join),
            _ => None,
        }
    }
}
