//! The system that is searched: the machine under SC, with the delayed stores of some threads.
//!
//! A state has three parts outside the machine: the delayed stores of threads
//! ([`Rules::delayable`], lazy TSO reachability), the reservations of load-linked operations, and the state
//! of an attack. Without the first and the last, this is plain SC.
//!
//! Operations that need no event (local steps, fences, spawns, joins, formatted text) are performed as
//! soon as they can be, as in the interleaving engine. So steps mean the same in both engines.
//!
//! Invariant: between two calls from outside, every thread is at its next move, or cannot go on.

use crate::alone::Lingering;
use crate::attack::Attack;
use crate::delay::{Cover, Delayed};
use crate::delayable::{Delayable, Sought};
use crate::memoizable::is_memoizable;
use crate::rules::Rules;
use crate::space::{Row, Scratch, Space, StateId};
use raddle_engine::{Failed, MAX_SILENT, tso_drains};
use raddle_ir::{LocId, Verified};
use raddle_machine::code::Pc;
use raddle_machine::codec::{put, take};
use raddle_machine::visible::handle;
use raddle_machine::{Bounds, Fault, Machine, Mark, Status, Stop};
use raddle_machine::{ThreadId, Unroll, Visible, Watch};

/// The part of a state outside the machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ExtraState {
    /// By thread.
    pub delayed: Vec<Delayed>,
    /// By thread: the bytes that its load-linked has reserved.
    pub reserved: Vec<Option<(u64, u32)>>,
    pub attack: Attack,
}

#[derive(Clone, Debug)]
pub(crate) struct System<'p> {
    pub machine: Machine<'p>,
    pub extra: ExtraState,
    pub rules: Rules,
    pub loads_ahead: Delayable,
    /// Where a thread may be inside a loop that may spin.
    pub lingering: Lingering,
    /// Where a thread may be inside a loop that is not known to end.
    pub repeating: Lingering,
    goals: Vec<Vec<(ThreadId, Pc)>>,
    /// The failure since the last `decode` or `go_back`.
    pub failed: Option<Failed>,
    /// Where a thread ran for too long without a visible operation.
    pub cut: Option<LocId>,
    /// Whether a store was not delayed because its thread had delayed [`Rules::cap`] stores.
    pub capped: bool,
    /// The initial state of the machine, before any thread has run.
    base: Mark,
    /// The state of the machine that was decoded last.
    here: Mark,
    /// The extra state that was decoded last.
    saved: ExtraState,
    /// Whether `extra` still equals `saved`.
    saved_is_current: bool,
    bytes: Vec<u8>,
}

impl<'p> System<'p> {
    pub(crate) fn new(
        program: &'p Verified,
        bounds: Bounds,
        rules: Rules,
    ) -> Result<System<'p>, Fault> {
        let bounds = Bounds { spin: true, unroll: Unroll::NONE, ..bounds };
        let mut machine = Machine::new(program, bounds)?;
        // The search stores states, so a loop with visible operations ends in a known state. Only loops without
        // visible operations would run forever.
        machine.watch(Watch::Silent);
        machine.prepare_codec();
        if rules.goals {
            machine.pause_at_goals();
        }
        let goals = machine.goals();
        let loads_ahead = Delayable::new(machine.code(), Sought::Load);
        let budget = machine.trail.budget();
        let lingering = Lingering::in_spinning(program, machine.code(), budget);
        let repeating = Lingering::in_endless(program, machine.code(), budget);
        let base = machine.trail.mark();
        let mut system = System {
            machine,
            extra: ExtraState::default(),
            rules,
            loads_ahead,
            lingering,
            repeating,
            goals,
            failed: None,
            cut: None,
            capped: false,
            base,
            here: base,
            saved: ExtraState::default(),
            saved_is_current: false,
            bytes: Vec::new(),
        };
        system.add_thread_slots();
        for thread in system.machine.thread_ids() {
            system.settle(thread);
        }
        Ok(system)
    }

    /// Gives every thread of the machine an entry in the extra state.
    fn add_thread_slots(&mut self) {
        let count = self.machine.thread_count() as usize;
        if self.extra.delayed.len() < count {
            self.extra.delayed.resize_with(count, Delayed::default);
            self.extra.reserved.resize(count, None);
            self.mark_extra_changed();
        }
    }

    /// Must be called with every change of `extra`, for [`System::go_back`].
    pub(crate) fn mark_extra_changed(&mut self) {
        self.saved_is_current = false;
    }

    pub(crate) fn delayed(&self, thread: ThreadId) -> &Delayed {
        &self.extra.delayed[thread.0 as usize]
    }

    /// Whether no store of the thread is delayed.
    pub(crate) fn is_drained(&self, thread: ThreadId) -> bool {
        self.delayed(thread).is_empty() && self.extra.attack.window_of(thread).is_none()
    }

    /// The part of some bytes that a thread's own delayed stores cover, newest first.
    pub(crate) fn cover(&self, thread: ThreadId, addr: u64, bytes: u32) -> Cover {
        let newest = self.delayed(thread).cover(addr, bytes);
        match (newest, self.extra.attack.window_of(thread)) {
            (Cover::Nothing, Some(window)) => window.own.cover(addr, bytes),
            _ => newest,
        }
    }

    /// Makes this a system that has all names of another one, in an arbitrary state.
    pub(crate) fn adopt_names(&mut self, other: &System<'p>) {
        if self.machine.named() != other.machine.named() {
            let capped = self.capped | other.capped;
            *self = System { capped, ..other.clone() };
        }
    }

    // ---- states ----

    /// Encodes the state as a row of components: threads, then groups of objects. The head has the number of
    /// each, and the extra state.
    pub(crate) fn encode(&self, row: &mut Row) {
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
        // Whether a group is empty or unknown to this machine depends on the search order, so empty groups
        // at the end are dropped: equal states must have equal rows.
        while row.ends.len() > threads as usize && row.component(row.ends.len() - 1).is_empty() {
            row.ends.pop();
        }
        self.encode_head(threads, row.ends.len(), &mut row.head);
    }

    fn encode_thread(&self, thread: ThreadId, out: &mut Vec<u8>) {
        match self.extra.attack.has_stopped(thread) {
            // It will not act again, so its state does not matter.
            true => out.push(Status::Blocked as u8),
            false => self.machine.encode_thread(thread, out),
        }
    }

    fn encode_head(&self, threads: u32, components: usize, out: &mut Vec<u8>) {
        put(out, threads.into());
        put(out, components as u64);
        self.encode_extra(threads, out);
    }

    /// The number of threads up to the last one that is not absent.
    fn present_threads(&self) -> u32 {
        let ids = (0..self.machine.thread_count()).rev();
        let last = ids.map(ThreadId).find(|id| self.machine.status(*id) != Status::Absent);
        last.map_or(0, |last| last.0 + 1)
    }

    fn encode_extra(&self, threads: u32, out: &mut Vec<u8>) {
        let plain = self.extra.attack == Attack::None
            && self.extra.delayed.iter().all(Delayed::is_empty)
            && self.extra.reserved.iter().all(Option::is_none);
        // Most states of most searches: the head is then short and shared.
        if plain {
            return;
        }
        self.extra.attack.encode(out);
        for thread in 0..threads as usize {
            self.extra.delayed[thread].encode(out);
            let (addr, bytes) = self.extra.reserved[thread].unwrap_or((0, 0));
            put(out, addr);
            put(out, bytes.into());
        }
    }

    /// Makes the system the given state of the space.
    pub(crate) fn decode(&mut self, space: &Space, state: StateId, scratch: &mut Scratch) {
        self.machine.trail.backtrack(self.base);
        self.failed = None;
        self.cut = None;
        let mut head = std::mem::take(&mut self.bytes);
        space.head(state, scratch, &mut head);
        let mut bytes = head.as_slice();
        let (threads, count) = (take(&mut bytes) as u32, take(&mut bytes) as usize);
        self.decode_extra(threads, bytes);
        let machine = &mut self.machine;
        let counts = (threads as usize, count.saturating_sub(threads as usize));
        space.components(state, counts, scratch, |n, component| match n < threads as usize {
            true => machine.decode_thread(ThreadId(n as u32), component),
            false => machine.decode_group(n as u32 - threads, component),
        });
        self.bytes = head;
        self.here = self.machine.trail.mark();
        self.saved.clone_from(&self.extra);
        self.saved_is_current = true;
    }

    fn decode_extra(&mut self, threads: u32, mut bytes: &[u8]) {
        self.extra.attack = Attack::None;
        self.extra.delayed.iter_mut().for_each(|delayed| *delayed = Delayed::default());
        self.extra.reserved.iter_mut().for_each(|reserved| *reserved = None);
        if bytes.is_empty() {
            return;
        }
        self.extra.attack = Attack::decode(&mut bytes);
        for thread in 0..threads as usize {
            self.extra.delayed[thread].decode(&mut bytes);
            let (addr, size) = (take(&mut bytes), take(&mut bytes) as u32);
            self.extra.reserved[thread] = (size > 0).then_some((addr, size));
        }
    }

    /// Goes back to the state that was decoded last.
    pub(crate) fn go_back(&mut self) {
        self.machine.trail.backtrack(self.here);
        if !self.saved_is_current {
            self.extra.clone_from(&self.saved);
            // The machine keeps the numbers of threads that were created since.
            self.add_thread_slots();
            self.saved_is_current = true;
        }
        self.failed = None;
        self.cut = None;
    }

    // ---- operations that need no move ----

    /// Runs a thread up to its next move, and so the threads that it starts and the threads that join them.
    pub(crate) fn settle(&mut self, thread: ThreadId) {
        let mut work = vec![thread];
        while !work.is_empty() {
            while let Some(thread) = work.pop() {
                self.settle_one(thread, &mut work);
            }
            if self.machine.code().has_joins {
                work.extend(self.machine.thread_ids().filter(|thread| self.can_join(*thread)));
            }
        }
    }

    /// Whether a thread waits for a thread that has ended.
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

    /// Performs a visible operation that is not a move. Returns false if it is a move or has to wait.
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
                self.add_thread_slots();
                self.follows(child, thread);
                work.push(child);
            }
            Visible::Join { handle } => return self.join(thread, handle),
            Visible::Format => return self.format(thread),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Records that all later events of `thread` happen after the past events of `cause`.
    pub(crate) fn follows(&mut self, thread: ThreadId, cause: ThreadId) {
        if self.extra.attack.past().is_some_and(|past| past.is_member(cause)) {
            self.mark_extra_changed();
            if let Some(past) = self.extra.attack.past_mut() {
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

    /// Formats text from the values that the thread sees, and writes it to memory at once. Returns false if
    /// delayed stores of the thread to the same bytes have to become visible first.
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

    pub(crate) fn fail(&mut self, thread: ThreadId, fault: Fault) {
        let loc = self.machine.loc(thread);
        self.machine.set_status(thread, Status::Failed);
        self.failed = Some(Failed { thread, fault, loc });
    }

    // ---- goals ----

    /// Whether the state is a goal. Goals are defined by the positions of threads.
    pub(crate) fn is_goal(&self) -> bool {
        self.is_plain() && self.goals.iter().any(|goal| goal.iter().all(|place| self.is_at(*place)))
    }

    /// Whether the search looks for goals and the state belongs to the program, not to an attack on it.
    fn is_plain(&self) -> bool {
        self.rules.goals && self.extra.attack == Attack::None
    }

    fn is_at(&self, (thread, pc): (ThreadId, Pc)) -> bool {
        self.machine.status(thread) == Status::Ready && self.machine.pc(thread) == pc
    }

    /// Whether the program is memoizable and the places of all goals together fit into a mask.
    pub(crate) fn is_memoizable(&self) -> bool {
        is_memoizable(self.machine.program) && self.goals.iter().map(Vec::len).sum::<usize>() <= 64
    }

    /// The places of goals at which a thread is, as a mask.
    pub(crate) fn places(&self, thread: ThreadId) -> u64 {
        if !self.is_plain() {
            return 0;
        }
        let places = self.goals.iter().flatten().enumerate();
        let here = places.filter(|(_, place)| place.0 == thread && self.is_at(**place));
        here.fold(0, |mask, (n, _)| mask | 1 << n)
    }

    /// Whether these places include all places of a goal.
    pub(crate) fn is_goal_at(&self, places: u64) -> bool {
        let mut first = 0;
        self.goals.iter().any(|goal| {
            let wanted = u64::MAX.checked_shr(64 - goal.len() as u32).unwrap_or(0) << first;
            first += goal.len();
            places & wanted == wanted
        })
    }
}
