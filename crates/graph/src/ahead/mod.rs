//! Threads that run ahead of their loads.
//!
//! Paper 003, section 2 and appendix A.1: a thread fetches instructions in program order. Registers
//! hold values or wait for loads ([`value`]); each knows the loads that it came from ([`sets`]).
//! Loads and stores become events, which the search commits in an order of its own. A branch on a
//! value that waits stops the thread until the value is known; so do an indirect call, the size of
//! an allocation, the address of a private access, and a division.
//!
//! Whatever can be fetched is fetched: `run` is called for every thread at the start and when
//! something was committed that it may have waited for.
//!
//! Everything that changes is a word of the trail; lists grow and keep what they once held, and
//! their current length is a word.

mod access;
mod condition;
mod event;
mod fetch;
mod frames;
mod join;
mod locate;
mod objects;
mod private;
mod sets;
mod spin;
mod sync;
mod value;

pub(crate) use event::{Check, Event, EventId, Kind, Location, Pairing, When};
pub(crate) use sets::ClockId;

use crate::model::Rules;
use event::word;
use locate::Locations;
use objects::Objects;
use raddle_engine::Elements;
use raddle_ir::{FuncId, LocId, Observed, Verified};
use raddle_machine::code::{Code, Pc};
use raddle_machine::decode::decode;
use raddle_machine::visible::{DESTROYED, held_by};
use raddle_machine::{Bounds, Fault, FaultKind, Needs, Status, ThreadId, Trail, Word, layout};
use sets::{Clocks, DepSets, DepsId};
use value::Nodes;
use value::Val;

/// Offsets of a thread's words.
mod field {
    pub const STATUS: u32 = 0;
    pub const PC: u32 = 1;
    pub const FRAME: u32 = 2;
    pub const DEPTH: u32 = 3;
    /// How many events it has fetched, and how many of the first are committed.
    pub const EVENTS: u32 = 4;
    pub const COMMITTED: u32 = 5;
    /// Loads that branches depended on; those of branches before the last `isync`; those that
    /// addresses depended on.
    pub const CTRL: u32 = 6;
    pub const ISYNC: u32 = 7;
    pub const ADDRESSES: u32 = 8;
    pub const CLOCK: u32 = 9;
    pub const LIGHT: u32 = 10;
    pub const STORES: u32 = 11;
    pub const OBJECTS: u32 = 12;
    pub const SPAWNED: u32 = 13;
    /// What it returned: two words.
    pub const RESULT: u32 = 14;
    /// How far it is within an operation that fetches several events.
    pub const PHASE: u32 = 16;
    /// The load that made the reservation, plus 1.
    pub const RESERVED: u32 = 17;
    /// What it did that others can see, counted: see [`super::spin`].
    pub const CHANGES: u32 = 18;
    /// The outcome of the operation that it is at, plus 1.
    pub const CHOSEN: u32 = 19;
    /// Whether it is before an operation with several outcomes: see [`super::Ahead::alternatives`].
    pub const CHOOSES: u32 = 20;
    /// How many joins it has run past, and the thread that it waits for at one, plus 1: see [`super::join`].
    pub const JOINS: u32 = 21;
    pub const JOINING: u32 = 22;
    /// How many events it had fetched when it was let go one round of a loop ahead, plus 1: see [`super::spin`].
    pub const HURRIED: u32 = 23;
    /// The place in program order, plus 1, of a load at which it failed: what comes after it never happens.
    pub const FAILED_AT: u32 = 24;
    /// How many values it has changed in its own memory, of those that were not known at once: a node plus 1.
    pub const OVERWRITES: u32 = 25;
    pub const ALL: u32 = 26;
}

/// What is known of a thread for good.
#[derive(Clone, Debug)]
struct Thread {
    name: String,
    func: Option<FuncId>,
    words: Word,
    children: Vec<u32>,
    objects: Vec<layout::ObjectId>,
    thread_locals: Vec<(raddle_ir::GlobalId, layout::ObjectId)>,
    /// Frames by depth: first word and length.
    frames: Vec<(Word, u32)>,
    /// The events of the moment, in program order, and what is left of others.
    events: Vec<EventId>,
    /// The joins of the moment, and what is left of others.
    joins: Vec<join::Joined>,
}

/// A thread that failed.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub thread: u32,
    pub at: LocId,
    pub fault: Fault,
}

#[derive(Clone, Debug)]
pub(crate) struct Ahead<'p> {
    pub program: &'p Verified,
    pub trail: Trail,
    pub rules: Rules,
    code: Code,
    bounds: Bounds,
    max_events: u32,
    /// How many events there is room for, and whether a thread has fetched more.
    room: u32,
    is_over: bool,
    threads: Vec<Thread>,
    nodes: Nodes,
    events: Vec<Event>,
    event_count: Word,
    pub deps: DepSets,
    pub clocks: Clocks,
    objects: Objects,
    cells: private::Cells,
    locations: Locations,
    failures: Vec<Failed>,
    failure_count: Word,
    spin: spin::Live,
}

impl<'p> Ahead<'p> {
    /// The initial threads of a program before their first instructions.
    pub fn new(
        program: &'p Verified,
        rules: Rules,
        bounds: Bounds,
        max_events: u32,
        room: u32,
    ) -> Result<Ahead<'p>, Fault> {
        let mut trail = Trail::new(&bounds.budget);
        let (event_count, failure_count) = (trail.reserve(1), trail.reserve(1));
        let nodes = Nodes::new(&mut trail);
        let objects = Objects::new(program, &mut trail)?;
        let mut ahead = Ahead {
            program,
            trail,
            rules,
            code: decode(program, &bounds)?,
            bounds,
            max_events,
            room,
            is_over: false,
            threads: Vec::new(),
            nodes,
            events: Vec::new(),
            event_count,
            deps: DepSets::new(),
            clocks: Clocks::new(),
            objects,
            cells: private::Cells::default(),
            locations: Locations::default(),
            failures: Vec::new(),
            failure_count,
            spin: spin::Live::default(),
        };
        for thread in program.threads.values() {
            let id = ahead.name_thread(thread.name.clone());
            let mut args = Vec::with_capacity(thread.args.len());
            for arg in &thread.args {
                args.push(ahead.initial_value(id, *arg)?);
            }
            ahead.start(id, thread.func, &args)?;
        }
        Ok(ahead)
    }

    /// Whether a thread has more events than there is room for.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    #[inline]
    fn get(&self, thread: u32, field: u32) -> u64 {
        self.trail.get(self.threads[thread as usize].words.at(field))
    }

    #[inline]
    fn set(&mut self, thread: u32, field: u32, value: u64) {
        let word = self.threads[thread as usize].words.at(field);
        self.trail.set(word, value);
    }

    pub fn thread_count(&self) -> u32 {
        self.threads.len() as u32
    }

    pub fn thread_name(&self, thread: u32) -> &str {
        &self.threads[thread as usize].name
    }

    /// The thread that a handle, or what a lock holds, stands for.
    pub fn thread_of(&self, handle: u128) -> Option<u32> {
        let thread = u32::try_from(handle.checked_sub(1)?).ok()?;
        let known = thread < self.thread_count() && self.status(thread) != Status::Absent;
        known.then_some(thread)
    }

    /// What a thread is doing. One that is ready fetches, or waits for a value or for a thread, or is to
    /// choose.
    #[inline]
    pub fn status(&self, thread: u32) -> Status {
        Status::ALL[self.get(thread, field::STATUS) as usize]
    }

    /// Whether a thread is before an operation with several outcomes.
    pub fn is_choosing(&self, thread: u32) -> bool {
        self.get(thread, field::CHOOSES) != 0
    }

    fn set_status(&mut self, thread: u32, status: Status) {
        self.set(thread, field::STATUS, status as u64);
    }

    fn pc(&self, thread: u32) -> Pc {
        Pc(self.get(thread, field::PC) as u32)
    }

    /// How many events a thread has fetched.
    #[inline]
    pub fn fetched(&self, thread: u32) -> u32 {
        self.get(thread, field::EVENTS) as u32
    }

    /// How many of a thread's first events are committed, without a gap.
    #[inline]
    pub fn settled(&self, thread: u32) -> u32 {
        self.get(thread, field::COMMITTED) as u32
    }

    /// Whether a thread has come to where it is. One that waits for a value, or for the end of a thread
    /// that waits or failed, has run ahead to something that it will not come to.
    pub fn has_arrived(&self, thread: u32) -> bool {
        let clock = ClockId(self.get(thread, field::CLOCK) as u32);
        self.has_come(thread, self.fetched(thread), clock)
    }

    /// Whether a thread has come to where so many of its events and those that a clock tells of are before.
    fn has_come(&self, thread: u32, events: u32, clock: ClockId) -> bool {
        let mut before = self.clocks.get(clock).iter().enumerate();
        events <= self.settled(thread)
            && before.all(|(other, count)| {
                let other = other as u32;
                other == thread || *count <= self.settled(other).min(self.reach_of(other))
            })
    }

    /// Whether an event comes after one that never happens, as its thread failed before it.
    pub fn is_void(&self, id: EventId) -> bool {
        let mut before = self.clocks.get(self.event(id).full).iter().enumerate();
        before.any(|(thread, count)| {
            let thread = thread as u32;
            *count > self.fetched(thread).min(self.reach_of(thread))
        })
    }

    /// How many events of a thread others can come after: all of them, or those before a load at which it failed.
    pub fn reach_of(&self, thread: u32) -> u32 {
        (self.get(thread, field::FAILED_AT) as u32).checked_sub(1).unwrap_or(u32::MAX)
    }

    #[inline]
    pub fn event_at(&self, thread: u32, po: u32) -> EventId {
        self.threads[thread as usize].events[po as usize]
    }

    #[inline]
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.0 as usize]
    }

    /// The number that a committed event has in the graph.
    #[inline]
    pub fn committed(&self, id: EventId) -> Option<usize> {
        let word = self.trail.get(self.events[id.0 as usize].words.at(word::COMMIT));
        (word as usize).checked_sub(1)
    }

    #[inline]
    pub fn location(&self, id: EventId) -> Option<Location> {
        let word = self.trail.get(self.events[id.0 as usize].words.at(word::LOCATION));
        (word as u32).checked_sub(1).map(Location)
    }

    /// For a deferred load: how many stores to its location it is not to read from.
    #[inline]
    pub fn deferred(&self, id: EventId) -> Option<u64> {
        let word = self.trail.get(self.events[id.0 as usize].words.at(word::DEFERRED));
        word.checked_sub(1)
    }

    pub fn defer(&mut self, id: EventId, stores: u64) {
        let word = self.events[id.0 as usize].words.at(word::DEFERRED);
        self.trail.set(word, stores + 1);
    }

    #[inline]
    pub fn value(&self, value: Val) -> Option<u128> {
        self.nodes.get(&self.trail, value)
    }

    /// Notes that an event is committed.
    pub fn commit(&mut self, id: EventId, number: usize) {
        let event = self.events[id.0 as usize];
        self.trail.set(event.words.at(word::COMMIT), number as u64 + 1);
        let thread = event.thread;
        let mut settled = self.settled(thread);
        while settled < self.fetched(thread)
            && self.committed(self.event_at(thread, settled)).is_some()
        {
            settled += 1;
        }
        self.set(thread, field::COMMITTED, settled.into());
    }

    /// Notes that a load is committed with a value, and lets those go on that waited for it; its own
    /// thread fails there if there is something wrong with that.
    pub fn commit_load(&mut self, id: EventId, number: usize, bits: u128, fault: Option<Fault>) {
        self.commit(id, number);
        let event = self.events[id.0 as usize];
        if let Some(fault) = fault {
            self.fail_at(id, fault);
        }
        if let Kind::Load(load) = event.kind {
            self.nodes.settle(&mut self.trail, load.node, bits & event.ty.mask());
            // What a thread returned or was started with may wait for loads of another.
            for thread in 0..self.thread_count() {
                self.locate_all(thread);
            }
            self.run_all();
        }
    }

    /// The object that an address is in, as a user knows it, and the element or the offset.
    pub fn name_of(&self, addr: u64, elements: &Elements) -> String {
        let Some((object, offset)) = layout::split_address(addr) else {
            return format!("{addr:#x}");
        };
        if let Some(element) = elements.name(self.program, object, offset) {
            return element;
        }
        let name = self.object_name(object);
        if offset == 0 { name } else { format!("{name}+{offset}") }
    }

    /// How many events there are, committed or not.
    pub fn event_count(&self) -> usize {
        self.trail.get(self.event_count) as usize
    }

    /// Fails the thread of a load that found what it must not. What is not committed of it never
    /// happens.
    fn fail_at(&mut self, id: EventId, fault: Fault) {
        let event = self.events[id.0 as usize];
        let mut kept = self.fetched(event.thread);
        while kept > 0 && self.committed(self.event_at(event.thread, kept - 1)).is_none() {
            kept -= 1;
        }
        self.set(event.thread, field::EVENTS, kept.into());
        self.set(event.thread, field::FAILED_AT, u64::from(event.po) + 1);
        self.fail(event.thread, event.at, fault);
    }

    /// Whether an event is of a thread that starts or stops waiting for a condition variable.
    pub fn queues(&self, event: &Event) -> bool {
        let load = match event.kind {
            Kind::Load(load) => Some(load),
            Kind::Store(store) => store.read.and_then(|read| self.event(read).load().copied()),
        };
        load.is_some_and(|load| matches!(load.pairing, Pairing::Queue))
    }

    /// Whether a load accepts a value; `None` if that is not known.
    pub fn accepts(&self, event: &Event, value: u128) -> Option<bool> {
        Some(match event.load()?.when {
            None => true,
            Some(When::Compares(pred, wanted)) => {
                raddle_machine::int_pred(pred, event.ty, value, self.value(wanted)?)
            }
            Some(When::Free) => Needs::FREE_LOCK.met_by(value),
            Some(When::Woken(bit)) => value & bit == 0,
        })
    }

    /// What is wrong with what a load found.
    pub fn misuse(&self, event: &Event, value: u128) -> Option<Fault> {
        match event.load()?.check? {
            _ if value == DESTROYED => Some(Fault::lock_destroyed()),
            Check::NotHeld if value != held_by(ThreadId(event.thread)) => {
                Some(Fault::unlocks_without_holding())
            }
            Check::NotHeld | Check::Destroyed => None,
        }
    }

    /// Fails a thread where it is.
    fn fail(&mut self, thread: u32, at: LocId, fault: Fault) {
        let count = self.trail.get(self.failure_count) as usize;
        self.trail.set(self.failure_count, count as u64 + 1);
        self.failures.truncate(count);
        self.failures.push(Failed { thread, at, fault });
        self.set_status(thread, Status::Failed);
    }

    /// What threads have failed at. Of one thread the newest counts: a load that finds what it must not
    /// is known to only when it is committed, and what its thread had run into by then never comes.
    pub fn failures(&self) -> impl Iterator<Item = &Failed> {
        let all = &self.failures[..self.trail.get(self.failure_count) as usize];
        let newest = |n: usize| all[n + 1..].iter().all(|later| later.thread != all[n].thread);
        all.iter().enumerate().filter(move |(n, _)| newest(*n)).map(|(_, failed)| failed)
    }

    /// The final value of an observable register.
    pub fn observe_register(&self, what: Observed) -> Option<u64> {
        let Observed::Reg(thread, reg) = what else { return None };
        let thread = &self.threads[thread.as_u32() as usize];
        let func = &self.code.funcs[thread.func?.as_u32() as usize];
        let (slot, ty) = func.regs[reg.as_u32() as usize];
        let (frame, _) = thread.frames[0];
        let value = self.register(frame, slot, raddle_machine::code::is_wide(ty));
        self.value(value).map(|bits| bits as u64)
    }
}

fn unsupported(message: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Unsupported, message)
}
