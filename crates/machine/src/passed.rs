//! The operations that threads have passed since a moment, read from the undo log.
//!
//! An engine may complete some visible operations as part of a thread's run (stores into a buffer,
//! fences, spawns, joins), without an event that shows it; allocations are not events either.
//! Every move of a program counter is a change that the trail logs, so the log says which, where,
//! and in which order; nothing has to be noted while searching.
//!
//! Relies on: a thread's counter is set to a visible operation only when it stops there, and leaves
//! it only when the operation is complete; it is set to an allocation before that is made.

use crate::calls::Calls;
use crate::code::{Code, Op, Pc, Source, Src};
use crate::layout::ObjectId;
use crate::machine::Machine;
use crate::thread::{RECORD, Status, ThreadId, field, frame};
use crate::threads::word;
use crate::trail::{Mark, Word};
use raddle_ir::{FenceKind, FuncId, LocId, Reg};
use std::cell::OnceCell;

/// An operation of a kind that may need no event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassedOp {
    /// To this address, which may be in a private object.
    Store(u64),
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

impl Code {
    /// The allocation of an object by the operation at `pc`, if it is one that allocates.
    pub fn allocation(&self, pc: Pc, object: ObjectId) -> Option<Allocation> {
        let (dst, heap) = match self.op(pc) {
            Op::Malloc { dst, .. } => (dst, true),
            Op::Alloca { dst, .. } => (dst, false),
            _ => return None,
        };
        let func = self.function_at(pc)?;
        let regs = &self.funcs[func.as_u32() as usize].regs;
        let reg = regs.iter().position(|(slot, _)| *slot == dst);
        Some(Allocation { object, heap, func, reg: reg.map(|reg| Reg::from_u32(reg as u32)) })
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    pub thread: ThreadId,
    pub loc: LocId,
    pub calls: Calls,
    pub op: PassedOp,
}

impl Machine<'_> {
    /// The stores, fences, spawns, joins and allocations that were completed since a mark, in order.
    pub fn passed(&self, since: Mark) -> Vec<Passed> {
        let mut passed = Vec::new();
        let mut newest = None;
        let mut starting = vec![false; self.threads.len()];
        let past = Past::new(self, self.trail.changes(since));
        for (moment, (word, old)) in past.changes.iter().enumerate() {
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
                    let op = past.passed_op(moment, thread, self.code.op(pc), newest);
                    passed.extend(op.map(|op| past.passed(moment, thread, op)));
                }
                field::OBJECTS => {
                    let op = past.allocation(moment, thread, *old).map(PassedOp::Allocate);
                    passed.extend(op.map(|op| past.passed(moment, thread, op)));
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
        let index = u32::try_from(word.index()).ok()?;
        let (thread, field) = (index / RECORD, index % RECORD);
        (thread < self.thread_count() && field < field::COUNT).then_some((ThreadId(thread), field))
    }
}

/// The past, read off the undo log. A moment is a place in the log: before the change that is there.
struct Past<'m, 'p> {
    machine: &'m Machine<'p>,
    changes: &'m [(Word, u64)],
    /// The words that changed and where in the log, as numbers, sorted; made when it is asked for.
    places: OnceCell<Vec<u64>>,
}

impl<'m, 'p> Past<'m, 'p> {
    fn new(machine: &'m Machine<'p>, changes: &'m [(Word, u64)]) -> Past<'m, 'p> {
        Past { machine, changes, places: OnceCell::new() }
    }

    /// A log has fewer than 2^32 changes: that many would take 64 GiB.
    fn place(word: Word, moment: usize) -> u64 {
        word.index() << 32 | moment as u64
    }

    fn places(&self) -> &[u64] {
        self.places.get_or_init(|| {
            let changes = self.changes.iter().enumerate();
            let mut places: Vec<u64> =
                changes.map(|(moment, (word, _))| Past::place(*word, moment)).collect();
            places.sort_unstable();
            places
        })
    }

    /// The value of a word at the moment: the one that the first change since has overwritten, or the current one.
    fn word(&self, moment: usize, word: Word) -> u64 {
        let places = self.places();
        let next = places.partition_point(|place| *place < Past::place(word, moment));
        match places.get(next).filter(|place| **place >> 32 == word.index()) {
            Some(place) => self.changes[*place as u32 as usize].1,
            None => self.machine.trail.get(word),
        }
    }

    fn field(&self, moment: usize, thread: ThreadId, field: u32) -> u64 {
        self.word(moment, word(thread, field))
    }

    /// The value of an operand at the moment.
    fn operand(&self, moment: usize, thread: ThreadId, src: Src) -> u64 {
        match src.get() {
            Source::Slot(slot) => {
                let frame = Word::from_index(self.field(moment, thread, field::FRAME));
                self.word(moment, frame.at(frame::SLOTS + slot.0))
            }
            _ => self.machine.read(thread, src),
        }
    }

    /// An operation, with where its thread was in the source: the innermost frame that has a position.
    fn passed(&self, moment: usize, thread: ThreadId, op: PassedOp) -> Passed {
        let pc = Pc(self.field(moment, thread, field::PC) as u32);
        let frame = Word::from_index(self.field(moment, thread, field::FRAME));
        let word = |word| self.word(moment, word);
        let calls = self.machine.calls_through(pc, frame, word);
        Passed { thread, loc: self.machine.loc_through(pc, frame, word), calls, op }
    }

    /// The operation that a thread went past, if it is one to tell of.
    fn passed_op(
        &self,
        moment: usize,
        thread: ThreadId,
        op: Op,
        newest: Option<ThreadId>,
    ) -> Option<PassedOp> {
        match op {
            // The counter leaves a completed store by one step. It may also leave one to a private
            // object, later and for anywhere; by one step only before anything else has changed,
            // so that the operand still is what it was. While a thread is alone it has no events.
            Op::Store { addr, .. } => {
                let [from, to] = [moment, moment + 1].map(|at| self.field(at, thread, field::PC));
                let spawned = self.field(moment, thread, field::SPAWNED);
                let alone = self.machine.is_alone_after(thread, spawned);
                (to == from + 1 && !alone)
                    .then(|| PassedOp::Store(self.operand(moment, thread, addr)))
            }
            Op::Fence { kind } => Some(PassedOp::Fence(kind)),
            Op::Format { to: None, .. } => Some(PassedOp::Print),
            Op::Spawn { .. } => newest.map(PassedOp::Spawn),
            Op::Join { thread: target, .. } => {
                let handle = self.operand(moment, thread, target);
                Some(PassedOp::Join(self.machine.thread_of(handle)))
            }
            _ => None,
        }
    }

    /// The allocation of the thread's `nth` object.
    fn allocation(&self, moment: usize, thread: ThreadId, nth: u64) -> Option<Allocation> {
        let machine = self.machine;
        let object = *machine.threads[thread.0 as usize].objects.get(nth as usize)?;
        let pc = Pc(self.field(moment, thread, field::PC) as u32);
        machine.code.allocation(pc, object)
    }
}
