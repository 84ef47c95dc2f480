//! The system under a model: the machine, the store buffers, and the execution so far with its
//! happens-before.
//!
//! Paper 000, section 3 (operational TSO), appendix B (clocks), appendix C (PSO). Deviations:
//! - Stores into a buffer, fences, spawns and joins are not events. They conflict with nothing, so a
//!   thread performs them as soon as it can, together with its local steps; what they order is in
//!   the clocks (a buffered store keeps its thread's clock, a fence makes the thread's clock see
//!   the updates before it).
//! - Under SC a store is an event of its thread.
//!
//! Invariant: between two calls from outside, every thread that can go on without an event has.

use crate::api::Model;
use crate::buffer::{Buffer, Entry};
use crate::clock::{Chain, ClockId, Clocks};
use crate::event::{ANY, Action, Class, Event, Link, ONLY};
use crate::model::{Barrier, Buffering};
use crate::perform::needs_empty_buffer;
use raddle_ir::{LocId, Program};
use raddle_machine::memory::Purpose;
use raddle_machine::visible::{LOCK_BYTES, UNLOCKED, handle};
use raddle_machine::{
    Fault, FaultKind, Machine, Mark, Status, Stop, ThreadId, Visible, Word, int_pred,
};

/// The engine's words for a thread.
pub(crate) mod field {
    /// The thread's clock.
    pub const CLOCK: u32 = 0;
    /// The epoch that its next store belongs to.
    pub const EPOCH: u32 = 1;
    /// The thread waits for its buffer to empty before anything else.
    pub const DRAINING: u32 = 2;
    /// The epoch of its newest update; the clock of all updates of earlier epochs; of all updates.
    pub const LEFT_EPOCH: u32 = 3;
    pub const EARLIER_UPDATES: u32 = 4;
    pub const UPDATES: u32 = 5;
    /// The clock of the signal that woke it.
    pub const WOKEN_BY: u32 = 6;
    /// A reservation: address, bytes, and the write it saw (position plus 1).
    pub const RESERVED: u32 = 7;
    pub const RESERVED_BYTES: u32 = 8;
    pub const RESERVED_AFTER: u32 = 9;
    pub const COUNT: u32 = 10;
}

/// How many stores, fences, spawns and joins a thread may perform without an event.
const MAX_SILENT: u32 = 100_000;

/// What the engine knows of a thread for good.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub base: Word,
    pub buffer: Buffer,
    pub chain: Chain,
    /// Chains of updates, each with the word that holds its newest clock.
    pub update_chains: Vec<(Chain, Word)>,
}

/// A fault of a thread, in the current execution.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub thread: ThreadId,
    pub fault: Fault,
    pub loc: LocId,
}

impl Moment {
    /// How many events there were.
    pub fn events(&self) -> usize {
        self.events as usize
    }
}

/// A moment of the execution to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    trail: Mark,
    events: u32,
    links: u32,
    clocks: u32,
    failures: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct System<'p> {
    pub machine: Machine<'p>,
    pub model: Model,
    pub buffering: Buffering,
    pub processes: Vec<Process>,
    pub chains: u32,
    pub clocks: Clocks,
    pub events: Vec<Event>,
    pub links: Vec<Link>,
    pub failures: Vec<Failed>,
    /// Whether races are looked for.
    pub wants_races: bool,
}

impl<'p> System<'p> {
    /// The system before the first event.
    pub fn new(program: &'p Program, model: Model, step_limit: u64) -> Result<System<'p>, Fault> {
        let machine = Machine::new(program, step_limit)?;
        let mut system = System {
            machine,
            model,
            buffering: model.buffering(),
            processes: Vec::new(),
            chains: 0,
            clocks: Clocks::new(),
            events: Vec::new(),
            links: Vec::new(),
            failures: Vec::new(),
            wants_races: false,
        };
        system.know_threads();
        for thread in system.machine.thread_ids() {
            system.settle(thread);
        }
        Ok(system)
    }

    /// Gives every thread that the machine has named its words and chain.
    fn know_threads(&mut self) {
        while self.processes.len() < self.machine.thread_count() as usize {
            let trail = &mut self.machine.trail;
            let base = trail.reserve(field::COUNT);
            let buffer = Buffer::new(trail);
            let chain = self.new_chain();
            self.processes.push(Process { base, buffer, chain, update_chains: Vec::new() });
        }
    }

    pub fn new_chain(&mut self) -> Chain {
        self.chains += 1;
        self.clocks.widen(self.chains as usize);
        Chain(self.chains - 1)
    }

    pub fn moment(&self) -> Moment {
        Moment {
            trail: self.machine.mark(),
            events: self.events.len() as u32,
            links: self.links.len() as u32,
            clocks: self.clocks.len() as u32,
            failures: self.failures.len() as u32,
        }
    }

    pub fn go_back(&mut self, moment: Moment) {
        self.machine.backtrack(moment.trail);
        self.events.truncate(moment.events as usize);
        self.links.truncate(moment.links as usize);
        self.clocks.truncate(moment.clocks as usize);
        self.failures.truncate(moment.failures as usize);
    }

    #[inline]
    pub fn process(&self, thread: ThreadId) -> &Process {
        &self.processes[thread.0 as usize]
    }

    #[inline]
    pub fn get(&self, thread: ThreadId, field: u32) -> u64 {
        self.machine.trail.get(self.process(thread).base.at(field))
    }

    #[inline]
    pub fn set(&mut self, thread: ThreadId, field: u32, value: u64) {
        let word = self.process(thread).base.at(field);
        self.machine.trail.set(word, value);
    }

    #[inline]
    pub fn clock(&self, thread: ThreadId, field: u32) -> ClockId {
        ClockId(self.get(thread, field) as u32)
    }

    #[inline]
    pub fn is_drained(&self, thread: ThreadId) -> bool {
        self.buffering == Buffering::None
            || self.process(thread).buffer.is_empty(&self.machine.trail)
    }

    pub fn fail(&mut self, thread: ThreadId, fault: Fault) {
        let loc = self.machine.loc(thread);
        self.machine.set_status(thread, Status::Failed);
        self.failures.push(Failed { thread, fault, loc });
    }

    /// Stops the thread of the newest event if that was the last that the bound allows it.
    #[inline]
    pub fn heed_bound(&mut self, most: u32) {
        let Some(event) = self.events.last() else { return };
        let (thread, update) = (event.action.thread, event.action.update);
        if event.index >= most && !update && self.machine.status(thread) == Status::Ready {
            self.machine.set_status(thread, Status::OutOfEvents);
        }
    }

    // ---- what needs no event ----

    /// Lets a thread go on up to its next event, and all that this lets go on.
    pub fn settle(&mut self, thread: ThreadId) {
        let mut work = Vec::new();
        self.settle_one(thread, &mut work);
        while let Some(thread) = work.pop() {
            self.settle_one(thread, &mut work);
        }
    }

    fn settle_one(&mut self, thread: ThreadId, work: &mut Vec<ThreadId>) {
        let mut left = MAX_SILENT;
        while self.machine.status(thread) == Status::Ready {
            left -= 1;
            if left == 0 {
                return self.machine.set_status(thread, Status::OutOfSteps);
            }
            if self.get(thread, field::DRAINING) != 0 && !self.pass_drain(thread) {
                return;
            }
            match self.machine.run(thread) {
                Stop::Visible => {}
                Stop::Finished => break,
                Stop::Failed(fault) => {
                    let loc = self.machine.loc(thread);
                    self.failures.push(Failed { thread, fault, loc });
                    return;
                }
                Stop::Blocked | Stop::Cut => return,
            }
            if self.machine.is_at_event(thread) {
                return;
            }
            if self.buffer_plain_store(thread) {
                continue;
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

    /// The commonest silent operation, without detours: a store that orders nothing goes into the
    /// buffer. False if the thread's next operation is something else.
    #[inline]
    fn buffer_plain_store(&mut self, thread: ThreadId) -> bool {
        if self.buffering == Buffering::None {
            return false;
        }
        let Some((ty, addr, value)) = self.machine.at_plain_store(thread) else { return false };
        if self.check_buffered(addr, ty.bytes()).is_err() {
            return false;
        }
        self.buffer_store(thread, addr, ty.bytes(), value.into());
        self.machine.complete_store(thread);
        true
    }

    /// Performs a visible operation that is no event. False if it is one, or must wait.
    fn silent(
        &mut self,
        thread: ThreadId,
        visible: Visible,
        work: &mut Vec<ThreadId>,
    ) -> Result<bool, Fault> {
        match visible {
            Visible::Store { addr, ty, value, access } if self.buffering != Buffering::None => {
                let (before, after) = self.model.store(access.order);
                self.check_buffered(addr, ty.bytes())?;
                self.barrier(thread, before);
                self.buffer_store(thread, addr, ty.bytes(), value);
                self.machine.complete(thread, 0, true);
                self.barrier(thread, after);
            }
            Visible::Fence { kind } => {
                self.machine.complete(thread, 0, true);
                self.barrier(thread, self.model.fence(kind));
            }
            Visible::Spawn => {
                if !self.pass_drain(thread) {
                    return Ok(false);
                }
                let child = self.machine.spawn(thread)?;
                self.know_threads();
                let clock = self.get(thread, field::CLOCK);
                self.set(child, field::CLOCK, clock);
                work.push(child);
            }
            Visible::Join { handle } => return self.join(thread, handle),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A store into the buffer fails at once unless its object may be one that another thread has
    /// freed: whether that comes first is seen when the store leaves.
    fn check_buffered(&self, addr: u64, bytes: u32) -> Result<(), Fault> {
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        match memory.place(trail, addr, bytes, Purpose::Write) {
            Err(fault) if !memory.is_dead(trail, addr, bytes) => Err(fault),
            _ => Ok(()),
        }
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

    /// Past a point where the buffer must be empty: whatever comes next happens after all updates.
    fn pass_drain(&mut self, thread: ThreadId) -> bool {
        if !self.is_drained(thread) {
            return false;
        }
        self.set(thread, field::DRAINING, 0);
        let updates = self.clock(thread, field::UPDATES);
        self.see(thread, updates);
        true
    }

    /// Makes the thread's clock see another.
    pub fn see(&mut self, thread: ThreadId, other: ClockId) {
        let joined = self.clocks.joined(self.clock(thread, field::CLOCK), other);
        self.set(thread, field::CLOCK, joined.0.into());
    }

    fn buffer_store(&mut self, thread: ThreadId, addr: u64, bytes: u32, value: u128) {
        let (epoch, clock) =
            (self.get(thread, field::EPOCH) as u32, self.clock(thread, field::CLOCK));
        let trail = &mut self.machine.trail;
        let buffer = &mut self.processes[thread.0 as usize].buffer;
        let index = buffer.stores(trail);
        buffer.push(trail, Entry { index, addr, bytes, epoch, value, clock, load: 0 });
    }

    fn join(&mut self, thread: ThreadId, handle: u64) -> Result<bool, Fault> {
        let Some(target) = self.machine.thread_of(handle).filter(|target| *target != thread) else {
            return Err(Fault::new(FaultKind::ThreadMisuse, "joins what is no other thread"));
        };
        let ended = self.machine.status(target) == Status::Finished && self.is_drained(target);
        if !ended || !self.pass_drain(thread) {
            return Ok(false);
        }
        for field in [field::CLOCK, field::UPDATES] {
            let clock = self.clock(target, field);
            self.see(thread, clock);
        }
        let result = self.machine.result(target);
        self.machine.complete(thread, result.into(), true);
        Ok(true)
    }

    /// A thread has ended; whoever waits for it may go on.
    fn wake_joiners(&self, ended: ThreadId, work: &mut Vec<ThreadId>) {
        if !self.machine.has_joins() || !self.is_drained(ended) {
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

    /// A thread's buffer has become empty; whatever waited for that goes on.
    pub fn drained(&mut self, thread: ThreadId) {
        match self.machine.status(thread) {
            Status::Finished => {
                let mut work = vec![];
                self.wake_joiners(thread, &mut work);
                for thread in work {
                    self.settle(thread);
                }
            }
            Status::Ready => {
                let waits = self.get(thread, field::DRAINING) != 0
                    || matches!(
                        self.machine.visible(thread),
                        Visible::Spawn | Visible::Join { .. }
                    );
                if waits {
                    self.settle(thread);
                }
            }
            _ => {}
        }
    }

    // ---- what could happen next ----

    /// The next step of a thread, if it can happen now, told only as far as it takes to perform it.
    /// Several alternatives count as one.
    pub fn enabled_step(&self, thread: ThreadId) -> Option<Action> {
        if self.machine.status(thread) != Status::Ready || self.get(thread, field::DRAINING) != 0 {
            return None;
        }
        let mut choice = ONLY;
        if !self.machine.is_at_access(thread) || !self.is_drained(thread) {
            let visible = self.machine.visible(thread);
            if !self.can_happen(thread, visible) {
                return None;
            }
            if matches!(visible, Visible::Choose { .. } | Visible::Signal { .. }) {
                choice = ANY;
            }
        }
        let (class, update) = (Class::Local, false);
        Some(Action { thread, update, class, bytes: 0, addr: 0, forwarded: 0, choice })
    }

    fn can_happen(&self, thread: ThreadId, visible: Visible) -> bool {
        match visible {
            Visible::Fence { .. } | Visible::Spawn | Visible::Join { .. } => false,
            // A load that the buffer covers in part waits for that part to leave.
            Visible::Load { addr, ty, access } => {
                self.is_drained(thread)
                    || !access.exclusive && !self.is_partly_buffered(thread, addr, ty.bytes())
            }
            Visible::Lock { addr } => self.is_drained(thread) && self.is_free(addr),
            Visible::Relock { addr, woken } => woken && self.is_free(addr),
            Visible::Await { addr, ty, .. }
                if self.is_partly_buffered(thread, addr, ty.bytes()) =>
            {
                false
            }
            Visible::Await { addr, ty, pred, value } => {
                // An address at fault is let through, to fail when it happens.
                let seen = self.value_seen(thread, addr, ty.bytes());
                seen.is_none_or(|seen| int_pred(pred, ty, seen, value))
            }
            _ => !needs_empty_buffer(visible) || self.is_drained(thread),
        }
    }

    fn is_partly_buffered(&self, thread: ThreadId, addr: u64, bytes: u32) -> bool {
        self.process(thread).buffer.covering(&self.machine.trail, addr, bytes).1
    }

    /// Whether a lock is free; one at a bad address is, so that taking it can fail.
    fn is_free(&self, addr: u64) -> bool {
        self.in_memory(addr, LOCK_BYTES).is_none_or(|value| value == UNLOCKED)
    }

    /// What memory holds, if there is memory there.
    pub fn in_memory(&self, addr: u64, bytes: u32) -> Option<u128> {
        let trail = &self.machine.trail;
        let place = self.machine.memory.place(trail, addr, bytes, Purpose::Read).ok()?;
        Some(self.machine.memory.read(trail, place))
    }

    /// What a load by the thread would see, its own buffer included.
    pub fn value_seen(&self, thread: ThreadId, addr: u64, bytes: u32) -> Option<u128> {
        let mut value = self.in_memory(addr, bytes)?;
        if self.is_drained(thread) {
            return Some(value);
        }
        let trail = &self.machine.trail;
        for entry in self.process(thread).buffer.oldest_first(trail) {
            for byte in 0..u64::from(entry.bytes) {
                let at = (entry.addr + byte).wrapping_sub(addr);
                if at < u64::from(bytes) {
                    let new = entry.value >> (byte * 8) & 0xff;
                    value = value & !(0xff << (at * 8)) | new << (at * 8);
                }
            }
        }
        Some(value)
    }

    /// How a thread's operation touches memory, as things are now.
    pub fn action(&self, thread: ThreadId, visible: Visible) -> Action {
        let (class, addr, bytes) = self.touches(visible, thread);
        let mut action =
            Action { thread, update: false, class, bytes, addr, forwarded: 0, choice: ONLY };
        match visible {
            Visible::Load { .. } | Visible::Await { .. } => {
                action.forwarded = self.forwarded(&action);
            }
            Visible::Choose { .. } | Visible::Signal { .. } => action.choice = ANY,
            _ => {}
        }
        action
    }

    fn touches(&self, visible: Visible, thread: ThreadId) -> (Class, u64, u32) {
        match visible {
            Visible::Load { addr, ty, .. } | Visible::Await { addr, ty, .. } => {
                (Class::Read, addr, ty.bytes())
            }
            Visible::Store { addr, ty, .. } | Visible::Rmw { addr, ty, .. } => {
                (Class::Write, addr, ty.bytes())
            }
            Visible::CmpXchg { addr, ty, expected, .. } => {
                let seen = self.in_memory(addr, ty.bytes());
                let writes = seen.is_some_and(|seen| seen & ty.mask() == expected);
                (if writes { Class::Write } else { Class::Read }, addr, ty.bytes())
            }
            Visible::StoreCond { addr, ty, .. } => {
                let writes = self.reservation_holds(thread, addr, ty.bytes());
                (if writes { Class::Write } else { Class::Read }, addr, ty.bytes())
            }
            Visible::TryLock { addr } => {
                (if self.is_free(addr) { Class::Write } else { Class::Read }, addr, LOCK_BYTES)
            }
            Visible::Lock { addr } | Visible::Relock { addr, .. } | Visible::Unlock { addr } => {
                (Class::Write, addr, LOCK_BYTES)
            }
            Visible::CondEnqueue { addr, .. } => (Class::Read, addr, LOCK_BYTES),
            Visible::Signal { addr } | Visible::Broadcast { addr } => {
                (Class::Write, addr, LOCK_BYTES)
            }
            Visible::Free { addr, of_frame } => {
                let whole = self.machine.memory.whole(&self.machine.trail, addr, of_frame);
                (Class::Write, addr, whole.map_or(1, |place| place.bytes()))
            }
            Visible::Choose { .. }
            | Visible::Fence { .. }
            | Visible::Spawn
            | Visible::Join { .. } => (Class::Local, 0, 0),
        }
    }

    /// How many stores of the thread that cover the action's bytes are in its buffer.
    #[inline]
    pub fn forwarded(&self, action: &Action) -> u32 {
        if self.is_drained(action.thread) {
            return 0;
        }
        let buffer = &self.process(action.thread).buffer;
        buffer.covering(&self.machine.trail, action.addr, action.bytes).0
    }

    /// The oldest update of a thread: the only one that can happen now, but for PSO.
    #[inline]
    pub fn oldest_update(&self, thread: ThreadId) -> Option<Action> {
        let entry = self.process(thread).buffer.oldest(&self.machine.trail)?;
        Some(update_of(thread, &entry))
    }

    /// The updates of a thread that can happen now.
    pub fn enabled_updates(&self, thread: ThreadId) -> impl Iterator<Item = Action> + '_ {
        let drained = self.is_drained(thread);
        let entries = (!drained)
            .then(|| self.process(thread).buffer.leaving(&self.machine.trail, self.buffering));
        entries.into_iter().flatten().map(move |entry| update_of(thread, &entry))
    }

    /// The threads that a signal on the condition at `addr` could wake, in order.
    pub fn waiters(&self, addr: u64) -> impl Iterator<Item = ThreadId> + '_ {
        self.machine.thread_ids().filter(move |id| self.machine.waits_on(*id) == Some(addr))
    }

    /// Bytes held, for memory limits.
    pub fn bytes(&self) -> usize {
        self.machine.bytes()
            + self.clocks.bytes()
            + self.events.capacity() * std::mem::size_of::<Event>()
            + self.links.capacity() * std::mem::size_of::<Link>()
    }
}

fn update_of(thread: ThreadId, entry: &Entry) -> Action {
    Action {
        thread,
        update: true,
        class: Class::Write,
        bytes: entry.bytes,
        addr: entry.addr,
        forwarded: 0,
        choice: ONLY,
    }
}
