//! Local steps: a thread runs until it is before a visible operation, or stops.
//!
//! The loop keeps the program counter in a local variable; the word [`field::PC`] is written when the run
//! ends, and before operations that a story is told from. Most steps run in [`quick::steps`]; this file has
//! the general implementation of every local operation.

use crate::code::{Op, Pc, Source, Src, is_wide};
use crate::eval;
use crate::fault::{FailureKind, Fault};
use crate::layout::object_address;
use crate::machine::Machine;
use crate::memory::ObjectKind;
use crate::quick;
use crate::thread::{Status, ThreadId, field, frame};
use crate::trail::Word;

/// Why a run of local steps ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Before a visible operation: [`Machine::visible`] says which.
    Visible,
    Finished,
    /// [`Machine::take_fault`] gives the reason.
    Failed,
    /// An `assume` did not hold.
    Blocked,
    /// The bound on local steps was reached.
    Cut,
    /// The program ends.
    Halted,
    /// At the head of a loop whose next round would have no effect.
    Spinning,
    /// The bound on iterations was reached.
    Unrolled,
}

/// Steps that a thread takes between two checks of the budget and of the length of the undo log.
pub const STRETCH: u64 = 1 << 14;

/// The result of one local step.
enum Next {
    Go,
    Jump(Pc),
    Stop(Stop),
}

impl Machine<'_> {
    /// Runs the local operations of a ready thread. Sets its status to match the result.
    pub fn run(&mut self, thread: ThreadId) -> Stop {
        self.run_on(thread, self.bounds.steps)
    }

    /// [`Machine::run`] with a bound on the steps.
    pub fn run_on(&mut self, thread: ThreadId, steps: u64) -> Stop {
        let mut pc = self.pc(thread);
        self.run_from = self.trail.mark().index();
        let mut left = steps.min(STRETCH);
        let (start, mut after) = (self.trail.mark(), steps - left);
        loop {
            // The frame can change in a step below, but not in `quick::steps`.
            let frame = Word::from_index(self.get(thread, field::FRAME));
            quick::steps(&self.code, &mut self.trail, frame, &mut pc, &mut left);
            // The most common ends of a run, without `local_step`: its checks are not needed for operands
            // that are at hand.
            match &self.code.ops[pc.0 as usize] {
                Op::Load { addr, .. } if addr.is_at_hand() && !self.is_at_private(thread, pc) => {
                    self.set(thread, field::PC, pc.0.into());
                    return Stop::Visible;
                }
                Op::Store { addr, value, .. }
                    if addr.is_at_hand()
                        && value.is_at_hand()
                        && !self.is_at_private(thread, pc) =>
                {
                    self.set(thread, field::PC, pc.0.into());
                    return Stop::Visible;
                }
                // The end of the thread.
                Op::Return { value, ty }
                    if self.is_outermost(frame)
                        && !self.code.shares_thread_locals
                        && !is_wide(*ty)
                        && value.is_none_or(Src::is_at_hand) =>
                {
                    let value = value.map_or(0, |src| self.read(thread, src));
                    self.finish(thread, value);
                    return self.stopped(thread, pc, Stop::Finished);
                }
                _ => {}
            }
            if left == 0 {
                // The end of a stretch. A spent budget looks like the bound on steps; the engine checks
                // the budget before it counts the result.
                if after == 0 || self.trail.budget().is_spent() {
                    return self.stopped(thread, pc, Stop::Cut);
                }
                self.compact(thread, pc, start);
                left = after.min(STRETCH);
                after -= left;
            }
            left -= 1;
            let next = match self.local_step(thread, pc) {
                Ok(next) => next,
                Err(fault) => {
                    self.fault = Some(fault);
                    Next::Stop(Stop::Failed)
                }
            };
            match next {
                Next::Go => pc = Pc(pc.0 + 1),
                Next::Jump(to) => pc = to,
                Next::Stop(stop) => return self.stopped(thread, pc, stop),
            }
        }
    }

    /// The fault of the run that just failed.
    pub fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take().map(|fault| *fault)
    }

    #[inline]
    fn stopped(&mut self, thread: ThreadId, pc: Pc, stop: Stop) -> Stop {
        self.set(thread, field::PC, pc.0.into());
        match stop {
            Stop::Visible | Stop::Finished => {}
            Stop::Failed => self.set_status(thread, Status::Failed),
            Stop::Blocked => self.set_status(thread, Status::Blocked),
            Stop::Cut => self.set_status(thread, Status::OutOfSteps),
            Stop::Halted => self.set_status(thread, Status::Halted),
            Stop::Spinning => self.set_status(thread, Status::Spinning),
            Stop::Unrolled => self.set_status(thread, Status::Unrolled),
        }
        stop
    }

    #[inline]
    fn local_step(&mut self, thread: ThreadId, pc: Pc) -> Result<Next, Box<Fault>> {
        match self.code.op(pc) {
            Op::Bin { op, ty, dst, a, b } if !is_wide(ty) => {
                self.ready(thread, [a, b])?;
                let value = eval::bin64(op, ty, self.read(thread, a), self.read(thread, b))?;
                self.put(thread, dst, value);
            }
            Op::Bin { op, ty, dst, a, b } => {
                let (a, b) = (self.read_wide(thread, a), self.read_wide(thread, b));
                let value = eval::bin128(op, ty, a, b)?;
                self.put_as(thread, dst, value, true);
            }
            Op::Un { op, ty, dst, a } => {
                let value = eval::un(op, ty, self.read_as(thread, a, is_wide(ty)));
                self.put_as(thread, dst, value, is_wide(ty));
            }
            Op::Cmp { pred, ty, dst, a, b } => {
                self.ready(thread, [a, b])?;
                let wide = is_wide(ty);
                let (a, b) = (self.read_as(thread, a, wide), self.read_as(thread, b, wide));
                self.put(thread, dst, eval::cmp(pred, ty, a, b).into());
            }
            Op::Cast { op, from, to, dst, a } => {
                self.ready(thread, [a])?;
                let value = eval::cast(op, from, to, self.read_as(thread, a, is_wide(from)));
                self.put_as(thread, dst, value, is_wide(to));
            }
            Op::Select { ty, dst, cond, a, b } => {
                self.ready(thread, [a, b])?;
                let chosen = if self.read(thread, cond) != 0 { a } else { b };
                let value = self.read_as(thread, chosen, is_wide(ty));
                self.put_as(thread, dst, value, is_wide(ty));
            }
            Op::Move { ty, dst, a } => {
                self.ready(thread, [a])?;
                let value = self.read_as(thread, a, is_wide(ty));
                self.put_as(thread, dst, value, is_wide(ty));
            }
            Op::Jump(to) => return Ok(Next::Jump(to)),
            Op::Branch { cond, then, els } => {
                return Ok(Next::Jump(if self.read(thread, cond) != 0 { then } else { els }));
            }
            Op::Nop => {}
            op if op.is_visible() => {
                if self.is_at_private(thread, pc) && self.private_step(thread, op)? {
                    return Ok(Next::Go);
                }
                return self.before_visible(thread, op);
            }
            op => return self.rare_step(thread, pc, op),
        }
        Ok(Next::Go)
    }

    /// Local operations that are not on the hot path.
    fn rare_step(&mut self, thread: ThreadId, pc: Pc, op: Op) -> Result<Next, Box<Fault>> {
        match op {
            Op::Pause if self.pausing => return Ok(Next::Stop(Stop::Visible)),
            Op::Pause => {}
            Op::LoopEntry(id) => self.enter_loop(thread, id),
            Op::LoopHead(id) => {
                if let Some(stop) = self.pass_head(thread, id) {
                    return Ok(Next::Stop(stop));
                }
            }
            Op::Switch { value, ty, table } => {
                let value = self.read_as(thread, value, is_wide(ty));
                let table = &self.code.switches[table as usize];
                let case = table.cases.iter().find(|(bits, _)| *bits == value);
                return Ok(Next::Jump(case.map_or(table.default, |(_, to)| *to)));
            }
            Op::Call { target, args, dst } => {
                for n in 0..args.len {
                    let (src, _) = self.code.args[(args.start + n) as usize];
                    self.ready(thread, [src])?;
                }
                let func = self.callee(thread, target)?;
                let args = self.arguments(thread, args);
                let result = dst
                    .map_or(0, |(slot, ty)| u64::from(ty.bits()) << 32 | (u64::from(slot.0) + 1));
                return Ok(Next::Jump(self.enter(thread, func, &args, Pc(pc.0 + 1), result)?));
            }
            Op::Return { .. }
                if self.is_at_last_return(thread) && self.must_end_objects(thread) =>
            {
                return Ok(Next::Stop(Stop::Visible));
            }
            Op::Return { value, ty } => {
                let wide = is_wide(ty);
                let value = match value {
                    Some(src) => {
                        self.ready(thread, [src])?;
                        self.read_as(thread, src, wide)
                    }
                    None => 0,
                };
                return Ok(match self.leave(thread, value) {
                    Some(back) => Next::Jump(back),
                    None => Next::Stop(Stop::Finished),
                });
            }
            Op::ThreadExit { .. } if self.must_end_objects(thread) => {
                return Ok(Next::Stop(Stop::Visible));
            }
            Op::ThreadExit { value } => {
                let value = self.read(thread, value);
                self.finish(thread, value);
                return Ok(Next::Stop(Stop::Finished));
            }
            Op::Halt => return Ok(Next::Stop(Stop::Halted)),
            Op::DropAllocas => {
                self.drop_private(thread);
                return Ok(match self.newest_alloca(thread) {
                    Some(_) => Next::Stop(Stop::Visible),
                    None => Next::Go,
                });
            }
            Op::Alloca { dst, size, private } => {
                let size = self.read(thread, size);
                self.set(thread, field::PC, pc.0.into());
                let kind = match private {
                    true => ObjectKind::Private(thread),
                    false => ObjectKind::Frame,
                };
                let object = self.allocate(thread, size, kind)?;
                let head = Word::from_index(self.get(thread, field::FRAME)).at(frame::ALLOCAS);
                let (link, next) = (self.memory.link(object), self.trail.get(head));
                self.trail.set(link, next);
                self.trail.set(head, u64::from(object.0) + 1);
                self.put(thread, dst, object_address(object));
            }
            Op::Malloc { dst, size, zeroed } => {
                let size = self.read(thread, size);
                self.set(thread, field::PC, pc.0.into());
                let kind = if zeroed { ObjectKind::ZeroedHeap } else { ObjectKind::Heap };
                let object = self.allocate(thread, size, kind)?;
                self.put(thread, dst, object_address(object));
            }
            Op::Extent { dst, addr } => {
                self.ready(thread, [addr])?;
                let bytes = self.memory.extent(&self.trail, self.read(thread, addr));
                self.put(thread, dst, bytes.into());
            }
            Op::SelfId { dst } => self.put(thread, dst, crate::visible::handle(thread)),
            Op::Assume { cond } => {
                if self.read(thread, cond) == 0 {
                    return Ok(Next::Stop(Stop::Blocked));
                }
            }
            Op::Assert { cond, message } => {
                if self.read(thread, cond) == 0 {
                    let message = self.code.messages[message as usize].clone();
                    return Err(Fault::new(FailureKind::Assertion, message).into());
                }
            }
            Op::Unsupported { message } => {
                let message = self.code.messages[message as usize].clone();
                return Err(Fault::new(FailureKind::Unsupported, message).into());
            }
            Op::Fail { kind, message } => {
                let message = self.code.messages[message as usize].clone();
                return Err(Fault::new(kind.into(), message).into());
            }
            Op::Unreachable => {
                return Err(Fault::unreachable().into());
            }
            op => unreachable!("{op:?} is not a local operation"),
        }
        Ok(Next::Go)
    }

    /// Whether a return would end the thread, in a program that shares thread-local objects.
    fn is_at_last_return(&self, thread: ThreadId) -> bool {
        let frame = Word::from_index(self.get(thread, field::FRAME));
        self.code.shares_thread_locals && self.is_outermost(frame)
    }

    /// Stops before a visible operation. Makes its operands readable first.
    fn before_visible(&mut self, thread: ThreadId, op: Op) -> Result<Next, Box<Fault>> {
        if let Op::Choose { lo, hi, .. } = op
            && hi - lo >= u64::from(crate::visible::MAX_CHOICES)
        {
            return Err(Fault::too_many_choices(crate::visible::MAX_CHOICES).into());
        }
        if !self.code.thread_locals.is_empty() {
            let mut operands = Vec::new();
            self.code.for_each_operand(op, |src, _| operands.push(src));
            for src in operands {
                self.ready(thread, [src])?;
            }
        }
        Ok(Next::Stop(Stop::Visible))
    }

    /// Creates the thread's copies of the thread-local globals among the operands.
    #[inline]
    pub(crate) fn ready<const N: usize>(
        &mut self,
        thread: ThreadId,
        operands: [Src; N],
    ) -> Result<(), Fault> {
        for src in operands {
            if let Source::ThreadLocal(index) = src.get() {
                let (global, _) = self.code.thread_locals[index as usize];
                self.thread_local(thread, global)?;
            }
        }
        Ok(())
    }
}
