//! The system that is searched: the machine under SC, with what some threads delay.
//!
//! Three things beside the machine's own state: the stores that threads keep to themselves where the
//! search lets them ([`Rules::delayable`], lazy TSO reachability), reservations of load-linked, and
//! the state of an attack. Without the first and the last this is plain SC.
//!
//! What needs no event (local steps, fences, spawns, joins, formatted text) is done as soon as it can
//! be, as in the interleaving engine, so that steps mean the same in both.
//!
//! Invariant: between two calls from outside, every thread that can go on without a move has.

use crate::alone::Lingering;
use crate::attack::Attack;
use crate::delay::{Cover, Delayed};
use crate::delayable::{Delayable, Sought};
use crate::memoizable::is_memoizable;
use crate::rules::Rules;
use crate::space::{Row, Scratch, Space, StateId};
use raddle_engine::{MAX_SILENT, tso_drains};
use raddle_ir::{LocId, Verified};
use raddle_machine::code::Pc;
use raddle_machine::codec::{put, take};
use raddle_machine::visible::handle;
use raddle_machine::{Bounds, Fault, Machine, Mark, Status, Stop};
use raddle_machine::{ThreadId, Unroll, Visible, Watch};

/// What is part of a state beside the machine's words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Soft {
    /// By thread.
    pub delayed: Vec<Delayed>,
    /// The bytes that each thread's load-linked has reserved.
    pub reserved: Vec<Option<(u64, u32)>>,
    pub attack: Attack,
}

/// A fault of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub thread: ThreadId,
    pub fault: Fault,
    pub loc: LocId,
}

#[derive(Clone, Debug)]
pub(crate) struct System<'p> {
    pub machine: Machine<'p>,
    pub soft: Soft,
    pub rules: Rules,
    pub loads_ahead: Delayable,
    pub lingering: Lingering,
    goals: Vec<Vec<(ThreadId, Pc)>>,
    /// What failed since the last state that was gone back to.
    pub failed: Option<Failed>,
    /// Where a thread ran for too long without a visible operation.
    pub cut: Option<LocId>,
    /// Whether a store was not delayed for want of room.
    pub capped: bool,
    base: Mark,
    here: Mark,
    saved: Soft,
    saved_is_current: bool,
    bytes: Vec<u8>,
}

impl<'p> System<'p> {
    pub fn new(program: &'p Verified, bounds: Bounds, rules: Rules) -> Result<System<'p>, Fault> {
        let bounds = Bounds { spin: true, unroll: Unroll::NONE, ..bounds };
        let mut machine = Machine::new(program, bounds)?;
        // States are kept: only loops that read nothing would be gone round for ever.
        machine.watch(Watch::Silent);
        machine.prepare_codec();
        if rules.goals {
            machine.pause_at_goals();
        }
        let goals = machine.goals();
        let loads_ahead = Delayable::new(machine.code(), Sought::Load);
        let lingering = Lingering::new(program, machine.code(), machine.trail.budget());
        let base = machine.mark();
        let mut system = System {
            machine,
            soft: Soft::default(),
            rules,
            loads_ahead,
            lingering,
            goals,
            failed: None,
            cut: None,
            capped: false,
            base,
            here: base,
            saved: Soft::default(),
            saved_is_current: false,
            bytes: Vec::new(),
        };
        system.know_threads();
        for thread in system.machine.thread_ids() {
            system.settle(thread);
        }
        Ok(system)
    }

    fn know_threads(&mut self) {
        let count = self.machine.thread_count() as usize;
        if self.soft.delayed.len() < count {
            self.soft.delayed.resize_with(count, Delayed::default);
            self.soft.reserved.resize(count, None);
            self.touch_soft();
        }
    }

    /// Before a change of what is beside the machine.
    pub fn touch_soft(&mut self) {
        self.saved_is_current = false;
    }

    pub fn delayed(&self, thread: ThreadId) -> &Delayed {
        &self.soft.delayed[thread.0 as usize]
    }

    /// Whether nothing of the thread is delayed.
    pub fn is_drained(&self, thread: ThreadId) -> bool {
        self.delayed(thread).is_empty() && self.soft.attack.window_of(thread).is_none()
    }

    /// What a thread's own delayed stores say about some bytes, newest first.
    pub fn cover(&self, thread: ThreadId, addr: u64, bytes: u32) -> Cover {
        let newest = self.delayed(thread).cover(addr, bytes);
        match (newest, self.soft.attack.window_of(thread)) {
            (Cover::Nothing, Some(window)) => window.own.cover(addr, bytes),
            _ => newest,
        }
    }

    // ---- states ----

    /// The state as a row of components: threads, then groups of objects; at its head what is beside
    /// the machine, and how many of each there are.
    pub fn encode(&self, row: &mut Row) {
        row.clear();
        let threads = self.present_threads();
        for thread in (0..threads).map(ThreadId) {
            self.encode_thread(thread, &mut row.bytes);
            row.end_component();
        }
        row.threads = threads as usize;
        for group in 0..self.machine.group_count() {
            self.machine.encode_group(group, &mut row.bytes);
            row.end_component();
        }
        // Groups of objects that never were are not told apart from those that are not known.
        while row.ends.len() > threads as usize && row.component(row.ends.len() - 1).is_empty() {
            row.ends.pop();
        }
        self.encode_head(threads, row.ends.len(), &mut row.head);
    }

    fn encode_thread(&self, thread: ThreadId, out: &mut Vec<u8>) {
        match self.soft.attack.has_stopped(thread) {
            // It will not act again.
            true => out.push(Status::Blocked as u8),
            false => self.machine.encode_thread(thread, out),
        }
    }

    fn encode_head(&self, threads: u32, components: usize, out: &mut Vec<u8>) {
        put(out, threads.into());
        put(out, components as u64);
        self.encode_soft(threads, out);
    }

    fn present_threads(&self) -> u32 {
        let ids = (0..self.machine.thread_count()).rev();
        let last = ids.map(ThreadId).find(|id| self.machine.status(*id) != Status::Absent);
        last.map_or(0, |last| last.0 + 1)
    }

    fn encode_soft(&self, threads: u32, out: &mut Vec<u8>) {
        let plain = self.soft.attack == Attack::None
            && self.soft.delayed.iter().all(Delayed::is_empty)
            && self.soft.reserved.iter().all(Option::is_none);
        if plain {
            return;
        }
        self.soft.attack.encode(out);
        for thread in 0..threads as usize {
            self.soft.delayed[thread].encode(out);
            let (addr, bytes) = self.soft.reserved[thread].unwrap_or((0, 0));
            put(out, addr);
            put(out, bytes.into());
        }
    }

    /// Becomes a state of the space.
    pub fn decode(&mut self, space: &Space, state: StateId, scratch: &mut Scratch) {
        self.machine.backtrack(self.base);
        self.failed = None;
        self.cut = None;
        let mut head = std::mem::take(&mut self.bytes);
        space.head(state, scratch, &mut head);
        let mut bytes = head.as_slice();
        let (threads, count) = (take(&mut bytes) as u32, take(&mut bytes) as usize);
        self.decode_soft(threads, bytes);
        let machine = &mut self.machine;
        let counts = (threads as usize, count.saturating_sub(threads as usize));
        space.components(state, counts, scratch, |n, component| match n < threads as usize {
            true => machine.decode_thread(ThreadId(n as u32), component),
            false => machine.decode_group(n as u32 - threads, component),
        });
        self.bytes = head;
        self.here = self.machine.mark();
        self.saved.clone_from(&self.soft);
        self.saved_is_current = true;
    }

    fn decode_soft(&mut self, threads: u32, mut bytes: &[u8]) {
        self.soft.attack = Attack::None;
        self.soft.delayed.iter_mut().for_each(|delayed| *delayed = Delayed::default());
        self.soft.reserved.iter_mut().for_each(|reserved| *reserved = None);
        if bytes.is_empty() {
            return;
        }
        self.soft.attack = Attack::decode(&mut bytes);
        for thread in 0..threads as usize {
            self.soft.delayed[thread].decode(&mut bytes);
            let (addr, size) = (take(&mut bytes), take(&mut bytes) as u32);
            self.soft.reserved[thread] = (size > 0).then_some((addr, size));
        }
    }

    /// Goes back to the state that was decoded last.
    pub fn go_back(&mut self) {
        self.machine.backtrack(self.here);
        if !self.saved_is_current {
            self.soft.clone_from(&self.saved);
            // Threads that were named since keep their place.
            self.know_threads();
            self.saved_is_current = true;
        }
        self.failed = None;
        self.cut = None;
    }

    // ---- what needs no move ----

    /// Lets a thread go on up to its next move, those that it starts, and whoever waits for them.
    pub fn settle(&mut self, thread: ThreadId) {
        let mut work = vec![thread];
        while !work.is_empty() {
            while let Some(thread) = work.pop() {
                self.settle_one(thread, &mut work);
            }
            if self.machine.has_joins() {
                work.extend(self.machine.thread_ids().filter(|thread| self.can_join(*thread)));
            }
        }
    }

    /// Whether a thread waits for one that has ended.
    fn can_join(&self, thread: ThreadId) -> bool {
        self.machine.status(thread) == Status::Ready
            && self.is_drained(thread)
            && self.machine.joins(thread).is_some_and(|joined| self.has_ended(joined))
    }

    fn has_ended(&self, joined: u64) -> bool {
        self.machine.thread_of(joined).is_some_and(|target| {
            self.machine.status(target) == Status::Finished && self.is_drained(target)
        })
    }

    fn settle_one(&mut self, thread: ThreadId, work: &mut Vec<ThreadId>) {
        for _ in 0..MAX_SILENT {
            if self.machine.status(thread) != Status::Ready {
                return;
            }
            if self.machine.trail.budget().is_spent() {
                break;
            }
            match self.machine.run(thread) {
                Stop::Visible => {}
                Stop::Failed => {
                    let loc = self.machine.loc(thread);
                    let fault = self.machine.take_fault();
                    self.failed = fault.map(|fault| Failed { thread, fault, loc });
                    return;
                }
                Stop::Cut => return self.cut = Some(self.machine.loc(thread)),
                Stop::Finished | Stop::Blocked | Stop::Halted | Stop::Spinning | Stop::Unrolled => {
                    return;
                }
            }
            match self.silent(thread, work) {
                Ok(true) => {}
                Ok(false) => return,
                Err(fault) => return self.fail(thread, fault),
            }
        }
        self.cut = Some(self.machine.loc(thread));
        self.machine.set_status(thread, Status::OutOfSteps);
    }

    /// Performs a visible operation that is no move. False if it is one, or must wait.
    fn silent(&mut self, thread: ThreadId, work: &mut Vec<ThreadId>) -> Result<bool, Fault> {
        if self.machine.is_at_event(thread) || self.machine.is_at_access(thread) {
            return Ok(false);
        }
        match self.machine.visible(thread) {
            Visible::Fence { kind } => {
                if tso_drains(kind) && !self.is_drained(thread) {
                    return Ok(false);
                }
                self.machine.complete(thread, 0, true);
            }
            Visible::Spawn => {
                if !self.is_drained(thread) {
                    return Ok(false);
                }
                let child = self.machine.spawn(thread)?;
                self.know_threads();
                self.follows(child, thread);
                work.push(child);
            }
            Visible::Join { handle } => return self.join(thread, handle),
            Visible::Format => return self.format(thread),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What `thread` does from now on happens after what `cause` did: it is followed as well.
    pub fn follows(&mut self, thread: ThreadId, cause: ThreadId) {
        if self.soft.attack.past().is_some_and(|past| past.is_member(cause)) {
            self.touch_soft();
            if let Some(past) = self.soft.attack.past_mut() {
                past.join(thread);
            }
        }
    }

    fn join(&mut self, thread: ThreadId, joined: u64) -> Result<bool, Fault> {
        let target = self.machine.join_target(thread, joined)?;
        if !self.has_ended(handle(target)) || !self.is_drained(thread) {
            return Ok(false);
        }
        self.follows(thread, target);
        let result = self.machine.result(target);
        self.machine.complete(thread, result.into(), true);
        Ok(true)
    }

    /// Text is made of what the thread sees, and goes where it goes at once. False if stores of the
    /// thread to the same bytes have to leave first.
    fn format(&mut self, thread: ThreadId) -> Result<bool, Fault> {
        let made = self.machine.formatted(thread, &|addr| {
            let byte = self.machine.peek(addr)?;
            match self.cover(thread, addr, 1) {
                Cover::Value(value) => Some(value as u8),
                Cover::Nothing | Cover::Partly => Some(byte),
            }
        })?;
        if let Some((addr, bytes)) = made.target() {
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            if self.cover(thread, addr, bytes) != Cover::Nothing {
                return Ok(false);
            }
        }
        self.machine.complete_format(thread, made)?;
        Ok(true)
    }

    pub fn fail(&mut self, thread: ThreadId, fault: Fault) {
        let loc = self.machine.loc(thread);
        self.machine.set_status(thread, Status::Failed);
        self.failed = Some(Failed { thread, fault, loc });
    }

    // ---- goals ----

    /// Whether the state is one that is looked for, by control alone.
    pub fn is_goal(&self) -> bool {
        self.is_plain() && self.goals.iter().any(|goal| goal.iter().all(|place| self.is_at(*place)))
    }

    /// Whether goals are looked for, and the state is one of the program, not of an attack on it.
    fn is_plain(&self) -> bool {
        self.rules.goals && self.soft.attack == Attack::None
    }

    fn is_at(&self, (thread, pc): (ThreadId, Pc)) -> bool {
        self.machine.status(thread) == Status::Ready && self.machine.pc(thread) == pc
    }

    /// Whether moves concern little, and places of goals, counted through all goals, fit into a mask.
    pub fn is_memoizable(&self) -> bool {
        is_memoizable(self.machine.program) && self.goals.iter().map(Vec::len).sum::<usize>() <= 64
    }

    /// The places of goals that a thread is at, as a mask.
    pub fn places(&self, thread: ThreadId) -> u64 {
        if !self.is_plain() {
            return 0;
        }
        let places = self.goals.iter().flatten().enumerate();
        let here = places.filter(|(_, place)| place.0 == thread && self.is_at(**place));
        here.fold(0, |mask, (n, _)| mask | 1 << n)
    }

    /// Whether threads that are at these places are at a goal.
    pub fn is_goal_at(&self, places: u64) -> bool {
        let mut first = 0;
        self.goals.iter().any(|goal| {
            let wanted = u64::MAX.checked_shr(64 - goal.len() as u32).unwrap_or(0) << first;
            first += goal.len();
            places & wanted == wanted
        })
    }
}
