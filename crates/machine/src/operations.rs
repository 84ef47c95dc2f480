//! Visible operations: reads their operands and completes them.

use crate::code::{Op, Pc, Slot, Src, is_wide};
use crate::layout::{ObjectId, object_address};
use crate::machine::Machine;
use crate::quick::{self, Quick};
use crate::thread::{Status, ThreadId, field, frame};
use crate::trail::Word;
use crate::visible::{Ending, Phase, Visible};
use raddle_ir::Order;

/// An ordinary load of at most eight bytes.
#[derive(Clone, Copy, Debug)]
pub struct QuickLoad {
    pub pc: Pc,
    dst: Slot,
    pub bytes: u32,
    pub addr: u64,
}

/// A store of at most eight bytes.
#[derive(Clone, Copy, Debug)]
pub struct QuickStore {
    pub pc: Pc,
    pub bytes: u32,
    pub addr: u64,
    pub value: u64,
}

/// The end of a run of [`Machine::reach`].
#[derive(Clone, Copy, Debug)]
pub enum Reached {
    /// An ordinary load.
    Load,
    /// A store that orders nothing.
    Store(QuickStore),
    /// The thread has ended.
    End,
    /// The thread has ended the program.
    Halt,
    /// Anything else, or the bound on local steps.
    Other,
}

impl Machine<'_> {
    /// The visible operation that a ready thread is at.
    pub fn visible(&self, thread: ThreadId) -> Visible {
        let word = |src| self.read(thread, src);
        let value = |src, ty| self.read_as(thread, src, is_wide(ty));
        match self.code.op(self.pc(thread)) {
            Op::Load { ty, addr, access, .. } => Visible::Load { addr: word(addr), ty, access },
            Op::Store { ty, addr, value: v, access } => {
                Visible::Store { addr: word(addr), ty, value: value(v, ty), access }
            }
            Op::Rmw { op, ty, addr, value: v, when, .. } => {
                let when = when.map(|(pred, wanted)| (pred, value(wanted, ty)));
                Visible::Rmw { addr: word(addr), ty, op, operand: value(v, ty), when }
            }
            Op::CmpXchg { ty, addr, expected, new, .. } => Visible::CmpXchg {
                addr: word(addr),
                ty,
                expected: value(expected, ty),
                new: value(new, ty),
            },
            Op::StoreCond { ty, addr, value: v, .. } => {
                Visible::StoreCond { addr: word(addr), ty, value: value(v, ty) }
            }
            Op::Fence { kind } => Visible::Fence { kind },
            Op::Free { addr } => Visible::Free { addr: word(addr), by: Ending::Free },
            Op::DropAllocas => {
                let addr = self.newest_alloca(thread).map_or(0, object_address);
                Visible::Free { addr, by: Ending::Frame }
            }
            Op::ThreadExit { .. } | Op::Return { .. } => {
                let next = self.next_end(thread);
                let (addr, by) = next.map_or((0, Ending::Frame), |(o, by)| (object_address(o), by));
                Visible::Free { addr, by }
            }
            Op::Spawn { .. } => Visible::Spawn,
            Op::Join { thread: handle, .. } => Visible::Join { handle: word(handle) },
            Op::Lock { addr } => Visible::Lock { addr: word(addr) },
            Op::TryLock { addr, .. } => Visible::TryLock { addr: word(addr) },
            Op::Unlock { addr } => Visible::Unlock { addr: word(addr) },
            Op::CondWait { woken, cond, mutex } => match self.phase(thread) {
                Phase::Outside => Visible::CondEnqueue { addr: word(cond), mutex: word(mutex) },
                Phase::Enqueued | Phase::EnqueuedWoken => Visible::Unlock { addr: word(mutex) },
                Phase::Waiting | Phase::Woken if woken.is_some() => {
                    Visible::CondLeave { addr: word(cond) }
                }
                Phase::Waiting => Visible::Relock { addr: word(mutex), woken: false },
                Phase::Woken | Phase::Left => Visible::Relock { addr: word(mutex), woken: true },
            },
            Op::CondSignal { cond } => Visible::Signal { addr: word(cond) },
            Op::CondBroadcast { cond } => Visible::Broadcast { addr: word(cond) },
            Op::Await { ty, pred, addr, value: v, .. } => {
                Visible::Await { addr: word(addr), ty, pred, value: value(v, ty) }
            }
            Op::Choose { lo, hi, .. } => Visible::Choose { count: (hi - lo).saturating_add(1) },
            Op::Format { .. } => Visible::Format,
            Op::Pause => Visible::Choose { count: 1 },
            op => unreachable!("{op:?} is not a visible operation"),
        }
    }

    /// The memory order of the access that a thread is at, if it is at one. `done` says whether a conditional
    /// access succeeded.
    pub fn order(&self, thread: ThreadId, done: bool) -> Option<Order> {
        match self.code.op(self.pc(thread)) {
            Op::Load { access, .. } | Op::Store { access, .. } => Some(access.order),
            Op::CmpXchg { failure, .. } if !done => Some(failure),
            Op::Rmw { order, .. }
            | Op::CmpXchg { order, .. }
            | Op::StoreCond { order, .. }
            | Op::Await { order, .. } => Some(order),
            _ => None,
        }
    }

    /// Whether a thread is at a load or a store of a `volatile` object.
    pub fn is_volatile(&self, thread: ThreadId) -> bool {
        match self.code.op(self.pc(thread)) {
            Op::Load { access, .. } | Op::Store { access, .. } => access.volatile,
            _ => false,
        }
    }

    /// The ordinary load that a thread is at, if it is at one: [`Machine::visible`] for the most common
    /// operation. [`Machine::give`] and [`Machine::reach`] complete it.
    #[inline(always)]
    pub fn at_load(&self, thread: ThreadId) -> Option<QuickLoad> {
        let pc = self.pc(thread);
        match &self.code.quick[pc.0 as usize] {
            Quick::Load { dst, addr, bytes } => {
                let (addr, bytes) = (self.read_word(thread, *addr), u32::from(*bytes));
                Some(QuickLoad { pc, dst: *dst, bytes, addr })
            }
            _ => None,
        }
    }

    /// Gives the load of [`Machine::at_load`] its value. The program counter stays at the load:
    /// [`Machine::reach`] continues after it.
    #[inline]
    pub fn give(&mut self, thread: ThreadId, load: &QuickLoad, value: u64) {
        self.put(thread, load.dst, value);
    }

    /// The ordinary store that a thread is at, if it is at one.
    #[inline(always)]
    pub fn at_store(&self, thread: ThreadId) -> Option<QuickStore> {
        let pc = self.pc(thread);
        match &self.code.quick[pc.0 as usize] {
            Quick::Store { addr, value, bytes, .. } => {
                let (addr, value) = (self.read_word(thread, *addr), self.read_word(thread, *value));
                Some(QuickStore { pc, bytes: u32::from(*bytes), addr, value })
            }
            _ => None,
        }
    }

    /// Runs a ready thread from `pc` on, as far as quick operations lead, at most `left` steps. Does not
    /// write the thread's program counter: the caller does so with [`Machine::halt_at`], once.
    #[inline]
    pub fn reach(&mut self, thread: ThreadId, mut pc: Pc, left: &mut u64) -> (Pc, Reached) {
        loop {
            let frame = Word::from_index(self.get(thread, field::FRAME));
            quick::steps(&self.code, &mut self.trail, frame, &mut pc, left);
            match &self.code.quick[pc.0 as usize] {
                Quick::Load { addr, .. } if !self.may_be_private(thread, *addr, pc) => {
                    return (pc, Reached::Load);
                }
                Quick::Store { addr, value, bytes, plain: true }
                    if !self.may_be_private(thread, *addr, pc) =>
                {
                    let bytes = u32::from(*bytes);
                    let [addr, value] = [addr, value].map(|src| self.read_word(thread, *src));
                    return (pc, Reached::Store(QuickStore { pc, bytes, addr, value }));
                }
                // Objects may have to end with the thread: `run` decides.
                Quick::Return { .. }
                    if self.code.shares_thread_locals && self.is_outermost(frame) =>
                {
                    return (pc, Reached::Other);
                }
                Quick::Return { value } if self.is_outermost(frame) => {
                    let value = value.map_or(0, |src| self.read_word(thread, src));
                    self.finish(thread, value);
                    return (pc, Reached::End);
                }
                Quick::Return { value } if *left > 0 => {
                    let value = value.map_or(0, |src| self.read_word(thread, src));
                    match self.leave(thread, value.into()) {
                        Some(back) => pc = back,
                        None => return (pc, Reached::End),
                    }
                }
                Quick::DropAllocas if *left > 0 => {
                    self.drop_private(thread);
                    if self.newest_alloca(thread).is_some() {
                        return (pc, Reached::Other);
                    }
                    pc = pc.next();
                }
                Quick::Halt if *left > 0 => {
                    self.set_status(thread, Status::Halted);
                    return (pc, Reached::Halt);
                }
                _ => return (pc, Reached::Other),
            }
            *left -= 1;
        }
    }

    pub(crate) fn is_outermost(&self, frame: Word) -> bool {
        self.trail.get(frame.at(frame::CALLER)) == 0
    }

    /// Whether the access at `pc`, to the address in `addr`, may be a local step, because no other thread can
    /// observe it. The addresses of shared globals are constants, so only a register can point to a private
    /// object.
    #[inline(always)]
    fn may_be_private(&self, thread: ThreadId, addr: Src, pc: Pc) -> bool {
        addr.is_slot() && self.is_at_private(thread, pc) || self.is_alone(thread)
    }

    /// Sets a thread's program counter, after [`Machine::reach`].
    #[inline]
    pub fn halt_at(&mut self, thread: ThreadId, pc: Pc) {
        self.set(thread, field::PC, pc.0.into());
    }

    /// Completes the visible operation that the thread is at. `value` goes to its destination; `ok` says
    /// whether a conditional operation succeeded. The thread moves past the operation.
    #[inline]
    pub fn complete(&mut self, thread: ThreadId, value: u128, ok: bool) {
        match self.code.op(self.pc(thread)) {
            Op::Load { dst, ty, .. } | Op::Rmw { dst, ty, .. } | Op::Await { dst, ty, .. } => {
                self.put_as(thread, dst, value & ty.mask(), is_wide(ty));
            }
            Op::CmpXchg { dst, ok: flag, ty, .. } => {
                self.put_as(thread, dst, value & ty.mask(), is_wide(ty));
                self.put(thread, flag, ok.into());
            }
            Op::StoreCond { ok: dst, .. } | Op::TryLock { dst, .. } => {
                self.put(thread, dst, ok.into());
            }
            Op::Join { dst: Some(dst), .. } => self.put(thread, dst, value as u64),
            Op::Choose { dst, lo, .. } => self.put(thread, dst, lo + value as u64),
            Op::CondWait { woken, .. } => {
                let phase = self.phase(thread);
                let next = match (phase, woken) {
                    (Phase::Outside, _) => Phase::Enqueued,
                    (Phase::Enqueued, _) => Phase::Waiting,
                    (Phase::EnqueuedWoken, _) => Phase::Woken,
                    (Phase::Waiting | Phase::Woken, Some(dst)) => {
                        self.put(thread, dst, (phase == Phase::Woken).into());
                        Phase::Left
                    }
                    (Phase::Waiting | Phase::Woken | Phase::Left, _) => Phase::Outside,
                };
                self.set(thread, field::PHASE, next as u64);
                if next != Phase::Outside {
                    return;
                }
            }
            Op::DropAllocas | Op::ThreadExit { .. } | Op::Return { .. } => {
                if let Some(object) = self.newest_alloca(thread) {
                    self.forget_alloca(thread, object);
                }
                return;
            }
            _ => {}
        }
        self.step(thread);
    }

    /// Takes the newest object off the frame's list.
    pub(crate) fn forget_alloca(&mut self, thread: ThreadId, newest: ObjectId) {
        let next = self.trail.get(self.memory.link(newest));
        let head = Word::from_index(self.get(thread, field::FRAME)).at(frame::ALLOCAS);
        self.trail.set(head, next);
    }

    pub(crate) fn newest_alloca(&self, thread: ThreadId) -> Option<ObjectId> {
        let head = Word::from_index(self.get(thread, field::FRAME)).at(frame::ALLOCAS);
        let newest = self.trail.get(head);
        newest.checked_sub(1).map(|object| ObjectId(object as u32))
    }
}
