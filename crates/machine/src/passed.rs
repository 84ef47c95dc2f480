//! What threads have gone past since a moment, read off the undo log.
//!
//! An engine may complete some visible operations as part of a thread's run (stores into a buffer,
//! fences, spawns, joins), without an event that tells of them; allocations are no events either.
//! Every move of a program counter is a change that the trail logs, so the log says which, where,
//! and in which order; nothing has to be noted while searching.
//!
//! Relies on: a thread's counter is set to a visible operation only when it stops there, and leaves
//! it only when the operation is complete; it is set to an allocation before that is made.

use crate::code::{Op, Pc, Slot, Source, Src};
use crate::layout::ObjectId;
use crate::machine::Machine;
use crate::thread::{RECORD, Status, ThreadId, field, frame};
use crate::threads::word;
use crate::trail::{Mark, Word};
use raddle_ir::{FenceKind, FuncId, LocId, Reg};

/// An operation of a kind that may need no event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassedOp {
    Store,
    Fence(FenceKind),
    /// The thread that was started.
    Spawn(ThreadId),
    /// The thread that had ended.
    Join(Option<ThreadId>),
    Allocate(Allocation),
    /// Text goes to the output: the next of [`Machine::output`].
    Print,
}

/// An object that a thread made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocation {
    pub object: ObjectId,
    /// Of the heap, not of a frame.
    pub heap: bool,
    /// The function that asked for it, and the register that got its address.
    pub func: FuncId,
    pub reg: Option<Reg>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    pub thread: ThreadId,
    pub loc: LocId,
    pub op: PassedOp,
}

impl Machine<'_> {
    /// The stores, fences, spawns, joins and allocations that were completed since a mark, in order.
    pub fn passed(&self, since: Mark) -> Vec<Passed> {
        let mut passed = Vec::new();
        let mut newest = None;
        let mut starting = vec![false; self.threads.len()];
        let changes = self.trail.changes(since);
        for (moment, (word, old)) in changes.iter().enumerate() {
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
                    let then = &changes[moment..];
                    let op = match self.code.op(pc) {
                        Op::Join { thread: target, .. } => {
                            let handle = self.read_then(then, thread, target);
                            Some(PassedOp::Join(self.thread_of(handle)))
                        }
                        op => passed_op(op, newest),
                    };
                    let loc = || self.loc_then(then, thread);
                    passed.extend(op.map(|op| Passed { thread, loc: loc(), op }));
                }
                field::OBJECTS => {
                    let then = &changes[moment..];
                    let op = self.allocation(then, thread, *old).map(PassedOp::Allocate);
                    let loc = || self.loc_then(then, thread);
                    passed.extend(op.map(|op| Passed { thread, loc: loc(), op }));
                }
                _ => {}
            }
        }
        passed
    }

    /// What a word held before the first of the newest changes: the past, read off the undo log.
    fn then(&self, newest: &[(Word, u64)], word: Word) -> u64 {
        let change = newest.iter().find(|(changed, _)| *changed == word);
        change.map_or_else(|| self.trail.get(word), |(_, old)| *old)
    }

    /// What an operand was before the newest changes.
    fn read_then(&self, newest: &[(Word, u64)], thread: ThreadId, src: Src) -> u64 {
        match src.get() {
            Source::Slot(slot) => {
                let base = self.then(newest, word(thread, field::FRAME));
                self.then(newest, Word::from_index(base).at(frame::SLOTS + slot.0))
            }
            _ => self.read(thread, src),
        }
    }

    /// Where a thread was in the source before the newest changes: the innermost frame that has a
    /// position.
    fn loc_then(&self, newest: &[(Word, u64)], thread: ThreadId) -> LocId {
        let pc = Pc(self.then(newest, word(thread, field::PC)) as u32);
        let loc = self.code.loc(pc);
        if loc != LocId::NONE {
            return loc;
        }
        let frame = self.then(newest, word(thread, field::FRAME));
        self.loc_through(pc, Word::from_index(frame), |word| self.then(newest, word))
    }

    /// The allocation of the thread's `nth` object, made before the newest changes.
    fn allocation(&self, newest: &[(Word, u64)], thread: ThreadId, nth: u64) -> Option<Allocation> {
        let object = *self.threads[thread.0 as usize].objects.get(nth as usize)?;
        let pc = Pc(self.then(newest, word(thread, field::PC)) as u32);
        let (dst, heap) = match self.code.op(pc) {
            Op::Malloc { dst, .. } => (dst, true),
            Op::Alloca { dst, .. } => (dst, false),
            _ => return None,
        };
        let func = self.code.function_at(pc)?;
        let reg = self.register(func, dst);
        Some(Allocation { object, heap, func, reg })
    }

    /// The register behind a slot.
    fn register(&self, func: FuncId, slot: Slot) -> Option<Reg> {
        let regs = &self.code.funcs[func.as_u32() as usize].regs;
        let found = regs.iter().position(|(candidate, _)| *candidate == slot)?;
        Some(Reg::from_u32(found as u32))
    }

    /// Whether a new thread's program counter has to change from 0.
    fn begins_elsewhere(&self, thread: ThreadId) -> bool {
        let func = self.threads[thread.0 as usize].func;
        let entry = func.and_then(|func| self.code.funcs[func.as_u32() as usize].entry);
        entry.is_some_and(|entry| entry != Pc(0))
    }

    /// The thread and field that a word is, if it is one of a thread's own.
    fn owner(&self, word: Word) -> Option<(ThreadId, u32)> {
        let index = u32::try_from(word.index()).ok()?;
        let (thread, field) = (index / RECORD, index % RECORD);
        (thread < self.thread_count() && field < field::COUNT).then_some((ThreadId(thread), field))
    }
}

fn passed_op(op: Op, newest: Option<ThreadId>) -> Option<PassedOp> {
    match op {
        Op::Store { .. } => Some(PassedOp::Store),
        Op::Fence { kind } => Some(PassedOp::Fence(kind)),
        Op::Format { to: None, .. } => Some(PassedOp::Print),
        Op::Spawn { .. } => newest.map(PassedOp::Spawn),
        _ => None,
    }
}
