//! Steps that are not events. A thread runs up to its next event; threads that this unblocks run too.
//!
//! On the way stores enter the buffer, fences and the orders of stores become barriers, and threads are
//! spawned and joined.

use crate::buffer::Entry;
use crate::clock::ClockId;
use crate::model::Barrier;
use crate::observe::What;
use crate::system::{System, field};
use raddle_engine::{Buffering, Failed, MAX_SILENT};
use raddle_ir::Order;
use raddle_machine::code::Pc;
use raddle_machine::memory::Purpose;
use raddle_machine::visible::handle;
use raddle_machine::{Fault, Reached, STRETCH, Status, Stop, ThreadId, Visible};

impl System<'_> {
    /// Runs a thread up to its next event, then every thread that this unblocks.
    pub(crate) fn settle(&mut self, thread: ThreadId) {
        let mut work = Vec::new();
        self.settle_one(thread, &mut work, MAX_SILENT, self.machine.bounds.steps);
        self.settle_all(work);
    }

    fn settle_all(&mut self, mut work: Vec<ThreadId>) {
        while let Some(thread) = work.pop() {
            self.settle_one(thread, &mut work, MAX_SILENT, self.machine.bounds.steps);
        }
    }

    /// [`System::settle`] for a thread that has completed its operation at `pc` and does not wait. It handles
    /// loads, stores and the end of the thread itself; everything else goes to [`System::settle_one`].
    #[inline]
    pub(crate) fn settle_quickly(&mut self, thread: ThreadId, pc: Pc) {
        let mut pc = pc.next();
        for silent in (1..MAX_SILENT).rev() {
            let most = self.machine.bounds.steps;
            let mut steps = most.min(STRETCH);
            let after = most - steps;
            let (at, reached) = self.machine.reach(thread, pc, &mut steps);
            match reached {
                Reached::Load => return self.machine.halt_at(thread, at),
                Reached::Store(_) if self.rules.buffering == Buffering::None => {
                    return self.machine.halt_at(thread, at);
                }
                Reached::Halt => return self.machine.halt_at(thread, at),
                Reached::End => {
                    self.machine.halt_at(thread, at);
                    return self.ended(thread);
                }
                Reached::Store(store)
                    if self.slots.is_none()
                        && self.is_writable(store.addr, store.bytes)
                        && !self.budget().is_spent() =>
                {
                    // The position of the store is logged here: if its update fails, the position is read
                    // from the undo log.
                    self.machine.halt_at(thread, at);
                    if self.notes.is_some() {
                        let order = self.machine.order(thread, true).unwrap_or(Order::Asm);
                        self.note_store(thread, store.addr, store.bytes, order);
                    }
                    self.buffer_store(thread, store.addr, store.bytes, store.value.into());
                    pc = at.next();
                    self.machine.halt_at(thread, pc);
                }
                _ => {
                    self.machine.halt_at(thread, at);
                    let mut work = Vec::new();
                    self.settle_one(thread, &mut work, silent + 1, steps + after);
                    return self.settle_all(work);
                }
            }
        }
        self.machine.halt_at(thread, pc);
        self.machine.set_status(thread, Status::OutOfOperations);
    }

    /// Runs one thread. Threads that this unblocks are added to the work list. The thread may perform fewer
    /// than `left` operations that are not events, and take `steps` steps up to its next visible operation.
    fn settle_one(
        &mut self,
        thread: ThreadId,
        work: &mut Vec<ThreadId>,
        mut left: u32,
        mut steps: u64,
    ) {
        while self.machine.status(thread) == Status::Ready {
            left -= 1;
            if left == 0 || self.budget().is_spent() {
                return self.machine.set_status(thread, Status::OutOfOperations);
            }
            if self.get(thread, field::DRAINING) != 0 && !self.pass_drain(thread) {
                return;
            }
            let stop = self.machine.run_on(thread, steps);
            steps = self.machine.bounds.steps;
            match stop {
                Stop::Visible => {}
                Stop::Finished => break,
                Stop::Failed => {
                    let loc = self.machine.loc(thread);
                    let fault = self.machine.take_fault();
                    self.failures.extend(fault.map(|fault| Failed { thread, fault, loc }));
                    return;
                }
                Stop::Blocked | Stop::Cut | Stop::Spinning | Stop::Unrolled | Stop::Halted => {
                    return;
                }
            }
            if self.machine.is_at_event(thread) {
                return;
            }
            let visible = self.machine.visible(thread);
            match self.silent(thread, visible, work) {
                Ok(true) => {}
                Ok(false) => return,
                Err(fault) => return self.fail(thread, fault),
            }
        }
        if self.machine.status(thread) == Status::Finished {
            self.wake_joiners(thread, work);
        }
    }

    /// Runs the threads that join a thread that has ended.
    #[inline]
    fn ended(&mut self, thread: ThreadId) {
        if self.machine.code().has_joins {
            let mut work = Vec::new();
            self.wake_joiners(thread, &mut work);
            self.settle_all(work);
        }
    }

    /// Performs a visible operation that is not an event. False if it is an event, or must wait.
    fn silent(
        &mut self,
        thread: ThreadId,
        visible: Visible,
        work: &mut Vec<ThreadId>,
    ) -> Result<bool, Fault> {
        match visible {
            Visible::Store { addr, ty, value, access }
                if self.rules.buffering != Buffering::None =>
            {
                let (before, after) = self.rules.store(access.order);
                self.machine.check_buffered(addr, ty.bytes())?;
                if self.slots.is_some() && !self.take_slot(thread, addr, ty.bytes()) {
                    return Ok(false);
                }
                self.barrier(thread, before);
                if self.data_races.is_some() {
                    self.watch_store(thread, addr, ty.bytes(), access.order);
                }
                if self.notes.is_some() {
                    self.note_store(thread, addr, ty.bytes(), access.order);
                }
                self.buffer_store(thread, addr, ty.bytes(), value);
                self.machine.complete(thread, 0, true);
                self.barrier(thread, after);
            }
            Visible::Fence { kind } => {
                if self.notes.is_some() {
                    self.note(thread, What::Fence(kind));
                }
                self.machine.complete(thread, 0, true);
                if self.data_races.is_some() {
                    self.watch_fence(thread, kind);
                }
                self.barrier(thread, self.rules.fence(kind));
            }
            Visible::Spawn => {
                if !self.pass_drain(thread) {
                    return Ok(false);
                }
                let child = self.machine.spawn(thread)?;
                self.machine.note_change(thread);
                self.add_threads();
                let clock = self.get(thread, field::CLOCK);
                self.set(child, field::CLOCK, clock);
                if self.data_races.is_some() {
                    self.watch_spawn(thread, child);
                }
                if self.notes.is_some() {
                    self.note(thread, What::Spawn(child.0));
                }
                work.push(child);
            }
            Visible::Join { handle } => return self.join(thread, handle),
            Visible::Format => return self.format(thread),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether a store can enter the buffer without a fault.
    #[inline(always)]
    fn is_writable(&self, addr: u64, bytes: u32) -> bool {
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        memory.find(trail, addr, bytes, Purpose::Write).is_some()
    }

    fn barrier(&mut self, thread: ThreadId, barrier: Barrier) {
        match barrier {
            Barrier::Nothing => {}
            Barrier::StoreStore => {
                let epoch = self.get(thread, field::EPOCH);
                self.set(thread, field::EPOCH, epoch + 1);
            }
            Barrier::Drain => self.set(thread, field::DRAINING, 1),
        }
    }

    /// Passes a point where the buffer must be empty. Everything later happens after all updates. False if
    /// the buffer is not empty.
    fn pass_drain(&mut self, thread: ThreadId) -> bool {
        if !self.is_drained(thread) {
            return false;
        }
        self.set(thread, field::DRAINING, 0);
        let updates = self.updates(thread);
        self.see(thread, updates);
        true
    }

    /// Joins a clock into the thread's clock.
    pub(crate) fn see(&mut self, thread: ThreadId, other: ClockId) {
        let joined = self.clocks.joined(self.clock(thread, field::CLOCK), other);
        self.set(thread, field::CLOCK, joined.0.into());
    }

    #[inline]
    fn buffer_store(&mut self, thread: ThreadId, addr: u64, bytes: u32, value: u128) {
        let (epoch, clock) =
            (self.get(thread, field::EPOCH) as u32, self.clock(thread, field::CLOCK));
        let trail = &mut self.machine.trail;
        let buffer = &mut self.processes[thread.0 as usize].buffer;
        let index = buffer.stores(trail);
        buffer.push(trail, Entry { index, addr, bytes, epoch, value, clock, load: 0 });
        self.machine.note_change(thread);
    }

    /// Formats text from the memory that the thread sees, and writes it to its target at once. False if
    /// stores of the thread to the target bytes are still in its buffer; they have to leave first.
    fn format(&mut self, thread: ThreadId) -> Result<bool, Fault> {
        let made = match self.is_drained(thread) {
            true => self.machine.formatted(thread, &|addr| self.machine.peek(addr)),
            false => self.machine.formatted(thread, &|addr| {
                // The buffer is read only where memory exists.
                self.machine.peek(addr)?;
                self.value_seen(thread, addr, 1).map_or(Some(0), |byte| Some(byte as u8))
            }),
        }?;
        if let Some((addr, bytes)) = made.target() {
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            let buffer = &self.process(thread).buffer;
            let covering = buffer.covering(&self.machine.trail, addr, bytes);
            if covering.count > 0 || covering.partly {
                return Ok(false);
            }
        }
        self.machine.complete_format(thread, made)?;
        Ok(true)
    }

    fn join(&mut self, thread: ThreadId, handle: u64) -> Result<bool, Fault> {
        let target = self.machine.join_target(thread, handle)?;
        let ended = self.machine.status(target) == Status::Finished && self.is_drained(target);
        if !ended || !self.pass_drain(thread) {
            return Ok(false);
        }
        let updates = self.updates(target);
        for clock in [self.clock(target, field::CLOCK), updates] {
            self.see(thread, clock);
        }
        if self.data_races.is_some() {
            self.watch_join(thread, target);
        }
        if self.notes.is_some() {
            self.note(thread, What::Join(target.0));
        }
        let result = self.machine.result(target);
        self.machine.complete(thread, result.into(), true);
        self.machine.note_change(thread);
        Ok(true)
    }

    /// Adds the threads that join an ended thread to the work list, if its buffer is empty.
    fn wake_joiners(&self, ended: ThreadId, work: &mut Vec<ThreadId>) {
        if !self.machine.code().has_joins || !self.is_drained(ended) {
            return;
        }
        for thread in self.machine.thread_ids() {
            if self.machine.status(thread) == Status::Ready
                && self.machine.joins(thread) == Some(handle(ended))
            {
                work.push(thread);
            }
        }
    }

    /// Called when a thread's buffer has become empty: runs the threads that waited for that.
    pub(crate) fn drained(&mut self, thread: ThreadId) {
        match self.machine.status(thread) {
            Status::Finished => self.ended(thread),
            Status::Ready => {
                let waits = self.get(thread, field::DRAINING) != 0
                    || matches!(
                        self.machine.visible(thread),
                        Visible::Spawn | Visible::Join { .. } | Visible::Format
                    );
                if waits {
                    self.settle(thread);
                }
            }
            _ => {}
        }
    }
}
