//! One operation of a thread at a time: a thread runs until it needs a value that is not known yet, or stops.

use super::spin::Head;
use super::value::{Expr, Val, can_fault};
use super::{EventId, Status, Threads, field};
use crate::table::Id;
use raddle_ir::{BinOp, Type};
use raddle_machine::code::{Op, Pc, Slot, Src, is_wide};
use raddle_machine::visible::MAX_CHOICES;
use raddle_machine::{FailureKind, Fault, STRETCH, ThreadId};

/// The result of one operation.
pub(super) enum Next {
    Go,
    Jump(Pc),
    /// Something is not known yet; the operation is tried again later.
    Wait,
    /// There are several outcomes; the operation is tried again when one was chosen.
    Choose,
    Stop(Status),
}

impl Threads<'_> {
    /// Lets every thread fetch as far as it can. The search relies on this: after a commit, every event that could be
    /// committed next is fetched.
    pub(crate) fn run_all(&mut self) {
        let mut thread = ThreadId(0);
        // Threads that are spawned on the way come later in the table.
        while thread.index() < self.records.len() {
            let runs = self.status(thread) == Status::Ready && !self.is_choosing(thread);
            if runs && self.run(thread) {
                // Another thread may have waited for its end.
                thread = ThreadId(0);
                continue;
            }
            thread = ThreadId(thread.0 + 1);
        }
    }

    /// Lets a thread fetch; returns whether it has reached its end by that.
    ///
    /// The loop is hot: it is entered for every ready thread after every commit of a load. A thread that still waits
    /// leaves it at its first operation, without a change on the trail.
    pub(super) fn run(&mut self, thread: ThreadId) -> bool {
        let mut left = self.bounds.steps;
        loop {
            let late = left.is_multiple_of(STRETCH) && self.trail.budget().is_spent();
            if left == 0 || late {
                self.set_status(thread, Status::OutOfSteps);
                return false;
            }
            left -= 1;
            let pc = self.pc(thread);
            match self.step(thread, pc) {
                Ok(Next::Go) => self.set(thread, field::PC, u64::from(pc.0) + 1),
                Ok(Next::Jump(to)) => self.set(thread, field::PC, to.0.into()),
                Ok(Next::Wait) => return false,
                Ok(Next::Choose) => {
                    self.set(thread, field::CHOOSES, 1);
                    return false;
                }
                Ok(Next::Stop(status)) => {
                    self.set_status(thread, status);
                    return status == Status::Finished;
                }
                Err(fault) => {
                    let at = self.place(thread);
                    self.note_fault(thread, self.address_at(thread));
                    self.fail(thread, at, fault);
                    return false;
                }
            }
        }
    }

    fn step(&mut self, thread: ThreadId, pc: Pc) -> Result<Next, Fault> {
        match self.code.op(pc) {
            Op::Bin { op, ty, dst, a, b } => return self.bin(thread, op, ty, dst, [a, b]),
            Op::Un { op, ty, dst, a } => {
                let a = self.read(thread, a, is_wide(ty))?;
                self.compute(thread, dst, ty, Expr::Un { op, ty, a }, &[a]);
            }
            Op::Cmp { pred, ty, dst, a, b } => {
                let (a, b) =
                    (self.read(thread, a, is_wide(ty))?, self.read(thread, b, is_wide(ty))?);
                self.compute(thread, dst, Type::BOOL, Expr::Cmp { pred, ty, a, b }, &[a, b]);
            }
            Op::Cast { op, from, to, dst, a } => {
                let a = self.read(thread, a, is_wide(from))?;
                self.compute(thread, dst, to, Expr::Cast { op, from, to, a }, &[a]);
            }
            Op::Select { ty, dst, cond, a, b } => {
                let cond = self.read(thread, cond, false)?;
                let (a, b) =
                    (self.read(thread, a, is_wide(ty))?, self.read(thread, b, is_wide(ty))?);
                self.compute(thread, dst, ty, Expr::Select { cond, a, b }, &[cond, a, b]);
            }
            Op::Move { ty, dst, a } => {
                let value = self.read(thread, a, is_wide(ty))?;
                self.put(thread, dst, value, is_wide(ty));
            }
            Op::Jump(to) => return Ok(Next::Jump(to)),
            Op::Branch { cond, then, els } => {
                let Some(cond) = self.branch_operand(thread, cond, false)? else {
                    return Ok(Next::Wait);
                };
                return Ok(Next::Jump(if cond != 0 { then } else { els }));
            }
            Op::Switch { value, ty, table } => {
                let Some(value) = self.branch_operand(thread, value, is_wide(ty))? else {
                    return Ok(Next::Wait);
                };
                let table = &self.code.switches[table as usize];
                let case = table.cases.iter().find(|(bits, _)| *bits == value);
                return Ok(Next::Jump(case.map_or(table.default, |(_, to)| *to)));
            }
            Op::Nop => {}
            op => return self.other_step(thread, pc, op),
        }
        Ok(Next::Go)
    }

    /// Calls, ends, loops, assumptions and assertions.
    fn other_step(&mut self, thread: ThreadId, pc: Pc, op: Op) -> Result<Next, Fault> {
        match op {
            Op::Call { target, args, dst } => {
                let Some(func) = self.callee(thread, target)? else { return Ok(Next::Wait) };
                let args = self.arguments(thread, args)?;
                let result = dst.map(|(slot, ty)| (slot, is_wide(ty)));
                return Ok(Next::Jump(self.enter(thread, func, &args, Pc(pc.0 + 1), result)?));
            }
            Op::Return { value, ty } => {
                let value = match value {
                    Some(src) => self.read(thread, src, is_wide(ty))?,
                    None => Val::known(0),
                };
                return Ok(match self.leave(thread, value) {
                    Some(back) => Next::Jump(back),
                    None => Next::Stop(Status::Finished),
                });
            }
            Op::ThreadExit { value } => {
                let value = self.read(thread, value, false)?;
                self.finish(thread, value);
                return Ok(Next::Stop(Status::Finished));
            }
            Op::Halt => return Ok(Next::Stop(Status::Halted)),
            Op::LoopEntry(id) => self.enter_loop(thread, id),
            Op::LoopHead(id) => match self.reach_head(thread, id) {
                Head::Pass => {}
                Head::Stop(status) => return Ok(Next::Stop(status)),
                Head::Wait => return Ok(Next::Wait),
            },
            Op::Assume { cond } => match self.branch_operand(thread, cond, false)? {
                None => return Ok(Next::Wait),
                Some(0) => return Ok(Next::Stop(Status::Blocked)),
                Some(_) => {}
            },
            Op::Assert { cond, message } => match self.branch_operand(thread, cond, false)? {
                None => return Ok(Next::Wait),
                Some(0) => return Err(self.fault_of(FailureKind::Assertion, message)),
                Some(_) => {}
            },
            Op::Unsupported { message } => {
                return Err(self.fault_of(FailureKind::Unsupported, message));
            }
            Op::Fail { kind, message } => return Err(self.fault_of(kind.into(), message)),
            Op::Unreachable => {
                return Err(Fault::unreachable());
            }
            Op::Choose { dst, lo, hi } => {
                if hi - lo >= u64::from(MAX_CHOICES) {
                    return Err(Fault::too_many_choices(MAX_CHOICES));
                }
                let Some(chosen) = self.take_choice(thread) else {
                    return Ok(self.choose_when_certain(thread));
                };
                self.put(thread, dst, Val::known((lo + chosen).into()), false);
            }
            op => return self.memory_step(thread, op),
        }
        Ok(Next::Go)
    }

    fn fault_of(&self, kind: FailureKind, message: u32) -> Fault {
        Fault::new(kind, self.code.messages[message as usize].clone())
    }

    fn bin(
        &mut self,
        thread: ThreadId,
        op: BinOp,
        ty: Type,
        dst: Slot,
        operands: [Src; 2],
    ) -> Result<Next, Fault> {
        let [a, b] = operands;
        let (a, b) = (self.read(thread, a, is_wide(ty))?, self.read(thread, b, is_wide(ty))?);
        if can_fault(op) {
            let (Some(x), Some(y)) = (self.value(a), self.value(b)) else { return Ok(Next::Wait) };
            // The quotient itself is computed below: this is to fault.
            raddle_machine::eval::bin128(op, ty, x, y)?;
        }
        self.compute(thread, dst, ty, Expr::Bin { op, ty, a, b }, &[a, b]);
        Ok(Next::Go)
    }

    fn compute(&mut self, thread: ThreadId, dst: Slot, ty: Type, expr: Expr, operands: &[Val]) {
        let mut deps = operands[0].deps;
        for operand in &operands[1..] {
            deps = self.deps.union(deps, operand.deps);
        }
        let value = self.nodes.result(&mut self.trail, expr, deps);
        self.put(thread, dst, value, is_wide(ty));
    }

    /// Reads the operand of a branch, if its value is known. All later events of the thread depend on it by control.
    fn branch_operand(
        &mut self,
        thread: ThreadId,
        src: Src,
        wide: bool,
    ) -> Result<Option<u128>, Fault> {
        let value = self.read(thread, src, wide)?;
        Ok(self.branch_on(thread, value))
    }

    pub(super) fn branch_on(&mut self, thread: ThreadId, value: Val) -> Option<u128> {
        let bits = self.value(value)?;
        let ctrl = self.deps.union(self.deps_of(thread, field::CTRL), value.deps);
        self.set(thread, field::CTRL, ctrl.0.into());
        Some(bits)
    }

    /// The outcome that was chosen for the operation that a thread is at, if it was.
    pub(super) fn take_choice(&mut self, thread: ThreadId) -> Option<u64> {
        let chosen = self.get(thread, field::CHOSEN).checked_sub(1)?;
        self.set(thread, field::CHOSEN, 0);
        Some(chosen)
    }

    /// Lets a thread choose once it is certain to reach the operation. After a wait that never ends, or a load that
    /// fails, all choices would give the same execution, which would be counted several times. Under POWER and
    /// ARM this delays no store that others could read: later stores depend on the same loads by control.
    pub(super) fn choose_when_certain(&self, thread: ThreadId) -> Next {
        let in_order = self.rules.commits_in_program_order;
        let may_stop = |id: EventId| {
            let load = self.event(id).load().filter(|_| self.committed(id).is_none());
            load.is_some_and(|load| in_order || load.when.is_some() || load.check.is_some())
        };
        // The threads that started it must reach those points, too.
        let others = self.clocks.entries(self.clock(thread));
        let mut parts = others.chain([(thread, self.fetched(thread))]);
        let may_stop = parts
            .any(|(of, end)| (self.settled(of)..end).any(|po| may_stop(self.event_at(of, po))));
        if may_stop { Next::Wait } else { Next::Choose }
    }

    /// How many outcomes the operation has that a thread must choose for.
    pub(crate) fn alternatives(&self, thread: ThreadId) -> u64 {
        match self.code.op(self.pc(thread)) {
            Op::Choose { lo, hi, .. } => (hi - lo).saturating_add(1),
            Op::CondSignal { .. } => self.signal_wakes(thread).count() as u64,
            // A store-conditional succeeds or fails.
            _ => 2,
        }
    }

    /// Chooses an outcome, and fetches.
    pub(crate) fn choose(&mut self, thread: ThreadId, outcome: u64) {
        self.set(thread, field::CHOSEN, outcome + 1);
        self.set(thread, field::CHOOSES, 0);
        self.run_all();
    }
}
