//! Threads, which fetch events ahead of their loads.
//!
//! Paper 003, section 2 and appendix A.1: a thread fetches instructions in program order. Registers
//! hold values or wait for loads ([`value`]); each knows the loads that it came from ([`sets`]).
//! Loads and stores become events, which the search commits in an order of its own. A branch on a
//! value that waits stops the thread until the value is known; so do an indirect call, the size of
//! an allocation, the address of a private access, and a division.
//!
//! Threads fetch as far as they can: `run` is called for every thread at the start, and after every commit of a
//! load, since any thread may have waited for its value.
//!
//! Everything that changes is a word of the trail. Tables only grow: backtracking resets their current length,
//! which is a word, and entries beyond it are overwritten later.

mod access;
mod calls;
mod condition;
mod event;
mod failure;
mod frames;
mod join;
mod locate;
mod objects;
mod private;
mod sets;
mod spin;
mod step;
mod sync;
mod value;

pub(crate) use calls::{Passed, PassedOp};
pub(crate) use event::{Check, Event, EventId, Kind, Load, Location, Pairing, When};
pub(crate) use sets::{ClockId, DepsId};

use crate::graph::RowId;
use crate::model::Rules;
use crate::table::{Id, Table, from_word, to_word};
use event::word;
use failure::unsupported;
use locate::Locations;
use objects::Objects;
use raddle_engine::{Failed, Options};
use raddle_ir::{FuncId, Observed, Verified};
use raddle_machine::code::{Code, Pc};
use raddle_machine::decode::decode;
use raddle_machine::{Bounds, Fault, Needs, Status, ThreadId, Trail, Word, layout};
use sets::{Clocks, DepSets};
use value::Nodes;
use value::Val;

/// Offsets of a thread's words.
mod field {
    pub(super) const STATUS: u32 = 0;
    pub(super) const PC: u32 = 1;
    pub(super) const FRAME: u32 = 2;
    pub(super) const DEPTH: u32 = 3;
    /// How many events it has fetched, and how many of the first are committed.
    pub(super) const EVENTS: u32 = 4;
    pub(super) const COMMITTED: u32 = 5;
    /// Loads that branches depended on; those of branches before the last `isync`; those that
    /// addresses depended on.
    pub(super) const CTRL: u32 = 6;
    pub(super) const ISYNC: u32 = 7;
    pub(super) const ADDRESSES: u32 = 8;
    pub(super) const CLOCK: u32 = 9;
    pub(super) const LIGHT: u32 = 10;
    pub(super) const STORES: u32 = 11;
    pub(super) const OBJECTS: u32 = 12;
    pub(super) const SPAWNED: u32 = 13;
    /// Its return value: two words.
    pub(super) const RESULT: u32 = 14;
    /// How far it is within an operation that fetches several events.
    pub(super) const PHASE: u32 = 16;
    /// The load that made the reservation, plus 1.
    pub(super) const RESERVED: u32 = 17;
    /// The number of its effects that others can see: see [`super::spin`].
    pub(super) const CHANGES: u32 = 18;
    /// The outcome of the operation that it is at, plus 1.
    pub(super) const CHOSEN: u32 = 19;
    /// Whether it is before an operation with several outcomes: see [`super::Threads::alternatives`].
    pub(super) const CHOOSES: u32 = 20;
    /// How many joins it has run past, and the thread that it waits for at one, plus 1: see [`super::join`].
    pub(super) const JOINS: u32 = 21;
    pub(super) const JOINING: u32 = 22;
    /// How many events it had fetched when it last speculated, plus 1: see [`super::spin`].
    pub(super) const SPECULATED: u32 = 23;
    /// The place in program order, plus 1, of a load at which it failed: later events never happen.
    pub(super) const FAILED_AT: u32 = 24;
    /// How many values it has changed in its own memory, of those that were not known at once: a node plus 1.
    pub(super) const OVERWRITES: u32 = 25;
    pub(super) const ALL: u32 = 26;
}

/// A thread in all executions; its state in the current one is on the trail.
#[derive(Clone, Debug)]
struct Thread {
    name: String,
    func: Option<FuncId>,
    words: Word,
    children: Vec<ThreadId>,
    objects: Vec<layout::ObjectId>,
    thread_locals: Vec<(raddle_ir::GlobalId, layout::ObjectId)>,
    /// Frames by depth: first word and length.
    frames: Vec<(Word, u32)>,
    /// The events in program order; those beyond [`field::EVENTS`] are of other executions.
    events: Vec<EventId>,
    /// The joins; those beyond [`field::JOINS`] are of other executions.
    joins: Vec<join::Joined>,
}

#[derive(Clone, Debug)]
pub(crate) struct Threads<'p> {
    pub program: &'p Verified,
    pub trail: Trail,
    pub rules: Rules,
    code: Code,
    bounds: Bounds,
    max_events: u32,
    /// The number of events that the graph can hold, and whether a thread has fetched more.
    capacity: u32,
    exceeds_capacity: bool,
    records: Table<ThreadId, Thread>,
    nodes: Nodes,
    events: Table<EventId, Event>,
    event_count: Word,
    pub deps: DepSets,
    pub clocks: Clocks,
    objects: Objects,
    cells: private::Cells,
    locations: Locations,
    failures: Vec<Failed>,
    failure_count: Word,
    noted: Option<Box<calls::Noted>>,
    spin: spin::Live,
}

impl<'p> Threads<'p> {
    /// The initial threads of a program before their first instructions.
    pub(crate) fn new(
        program: &'p Verified,
        options: &Options,
        capacity: u32,
    ) -> Result<Threads<'p>, Fault> {
        let bounds = options.limits.bounds();
        let mut trail = Trail::new(&bounds.budget);
        let (event_count, failure_count) = (trail.reserve(1), trail.reserve(1));
        let nodes = Nodes::new(&mut trail);
        let objects = Objects::new(program, &mut trail)?;
        let mut threads = Threads {
            program,
            trail,
            rules: Rules::of(options.model),
            code: decode(program, &bounds)?,
            bounds,
            max_events: options.limits.events,
            capacity,
            exceeds_capacity: false,
            records: Table::default(),
            nodes,
            events: Table::default(),
            event_count,
            deps: DepSets::new(),
            clocks: Clocks::new(),
            objects,
            cells: private::Cells::default(),
            locations: Locations::default(),
            failures: Vec::new(),
            failure_count,
            noted: None,
            spin: spin::Live::default(),
        };
        for thread in program.threads.values() {
            let id = threads.add_thread(thread.name.clone());
            let mut args = Vec::with_capacity(thread.args.len());
            for arg in &thread.args {
                args.push(threads.initial_value(id, *arg)?);
            }
            threads.start(id, thread.func, &args)?;
        }
        Ok(threads)
    }

    /// Whether a thread has fetched more events than the graph can hold.
    pub(crate) fn exceeds_capacity(&self) -> bool {
        self.exceeds_capacity
    }

    #[inline]
    fn get(&self, thread: ThreadId, field: u32) -> u64 {
        self.trail.get(self.records[thread].words.at(field))
    }

    #[inline]
    fn set(&mut self, thread: ThreadId, field: u32, value: u64) {
        let word = self.records[thread].words.at(field);
        self.trail.set(word, value);
    }

    /// The threads of all executions so far; those of others than the current one are absent.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = ThreadId> + use<> {
        self.records.ids()
    }

    pub(crate) fn contains(&self, thread: ThreadId) -> bool {
        thread.index() < self.records.len()
    }

    /// An event by its place in the program order of a thread, if there is such an event.
    pub(crate) fn find_event(&self, thread: ThreadId, po: u32) -> Option<EventId> {
        let known = self.contains(thread) && po < self.fetched(thread);
        known.then(|| self.event_at(thread, po))
    }

    /// The events that a thread has fetched and that are not committed, in program order.
    #[inline]
    pub(crate) fn uncommitted(&self, thread: ThreadId) -> impl Iterator<Item = EventId> + '_ {
        let places = self.settled(thread)..self.fetched(thread);
        places.map(move |po| self.event_at(thread, po)).filter(|id| self.committed(*id).is_none())
    }

    /// The events before a thread's next one that are ordered as by a full fence.
    #[inline]
    fn clock(&self, thread: ThreadId) -> ClockId {
        ClockId(self.get(thread, field::CLOCK) as u32)
    }

    #[inline]
    fn deps_of(&self, thread: ThreadId, field: u32) -> DepsId {
        DepsId(self.get(thread, field) as u32)
    }

    /// The thread that a handle, or the value of a lock, stands for.
    pub(crate) fn thread_of(&self, handle: u128) -> Option<ThreadId> {
        let thread = ThreadId(u32::try_from(handle.checked_sub(1)?).ok()?);
        let known = self.contains(thread) && self.status(thread) != Status::Absent;
        known.then_some(thread)
    }

    /// The status of a thread. A ready thread fetches, waits for a value or for a thread, or has to choose.
    #[inline]
    pub(crate) fn status(&self, thread: ThreadId) -> Status {
        Status::ALL[self.get(thread, field::STATUS) as usize]
    }

    /// Whether a thread is before an operation with several outcomes.
    pub(crate) fn is_choosing(&self, thread: ThreadId) -> bool {
        self.get(thread, field::CHOOSES) != 0
    }

    fn set_status(&mut self, thread: ThreadId, status: Status) {
        self.set(thread, field::STATUS, status as u64);
    }

    fn pc(&self, thread: ThreadId) -> Pc {
        Pc(self.get(thread, field::PC) as u32)
    }

    /// How many events a thread has fetched.
    #[inline]
    pub(crate) fn fetched(&self, thread: ThreadId) -> u32 {
        self.get(thread, field::EVENTS) as u32
    }

    /// How many of a thread's first events are committed, without a gap.
    #[inline]
    pub(crate) fn settled(&self, thread: ThreadId) -> u32 {
        self.get(thread, field::COMMITTED) as u32
    }

    /// Whether a thread reaches the point up to which it has fetched: everything before is committed. A thread
    /// fetches past loads that wait for ever, and past joins of threads that never end; it does not reach the
    /// operations after them.
    pub(crate) fn has_arrived(&self, thread: ThreadId) -> bool {
        self.has_reached(thread, self.fetched(thread), self.clock(thread))
    }

    /// Whether a thread reaches a point after so many of its events and after those of a clock.
    fn has_reached(&self, thread: ThreadId, events: u32, clock: ClockId) -> bool {
        events <= self.settled(thread)
            && self.clocks.entries(clock).all(|(other, count)| {
                other == thread
                    || count <= self.settled(other).min(self.events_before_failure(other))
            })
    }

    /// Whether an event comes after one that never happens, as its thread failed before it.
    pub(crate) fn never_happens(&self, id: EventId) -> bool {
        let mut before = self.clocks.entries(self.event(id).full);
        before.any(|(thread, count)| {
            count > self.fetched(thread).min(self.events_before_failure(thread))
        })
    }

    /// How many events of a thread happen: all of them, or those before a load at which it failed.
    pub(crate) fn events_before_failure(&self, thread: ThreadId) -> u32 {
        (self.get(thread, field::FAILED_AT) as u32).checked_sub(1).unwrap_or(u32::MAX)
    }

    #[inline]
    pub(crate) fn event_at(&self, thread: ThreadId, po: u32) -> EventId {
        self.records[thread].events[po as usize]
    }

    #[inline]
    pub(crate) fn event(&self, id: EventId) -> &Event {
        &self.events[id]
    }

    /// The number that a committed event has in the graph.
    #[inline]
    pub(crate) fn committed(&self, id: EventId) -> Option<RowId> {
        from_word(self.trail.get(self.events[id].words.at(word::COMMIT)))
    }

    #[inline]
    pub(crate) fn location(&self, id: EventId) -> Option<Location> {
        from_word(self.trail.get(self.events[id].words.at(word::LOCATION)))
    }

    /// For a deferred load: how many stores to its location it is not to read from.
    #[inline]
    pub(crate) fn deferred(&self, id: EventId) -> Option<u64> {
        let word = self.trail.get(self.events[id].words.at(word::DEFERRED));
        word.checked_sub(1)
    }

    pub(crate) fn defer(&mut self, id: EventId, stores: u64) {
        let word = self.events[id].words.at(word::DEFERRED);
        self.trail.set(word, stores + 1);
    }

    #[inline]
    pub(crate) fn value(&self, value: Val) -> Option<u128> {
        self.nodes.get(&self.trail, value)
    }

    /// Records that an event is committed.
    pub(crate) fn commit(&mut self, id: EventId, row: RowId) {
        let event = self.events[id];
        self.trail.set(event.words.at(word::COMMIT), to_word(Some(row)));
        let thread = event.thread;
        let mut settled = self.settled(thread);
        while settled < self.fetched(thread)
            && self.committed(self.event_at(thread, settled)).is_some()
        {
            settled += 1;
        }
        self.set(thread, field::COMMITTED, settled.into());
    }

    /// Records that a load is committed with a value, and lets threads that waited for it fetch. With a fault, the
    /// thread of the load fails there.
    pub(crate) fn commit_load(
        &mut self,
        id: EventId,
        row: RowId,
        bits: u128,
        fault: Option<Fault>,
    ) {
        self.commit(id, row);
        let event = self.events[id];
        if let Some(fault) = fault {
            self.fail_at(id, fault);
        }
        if let Kind::Load(load) = event.kind {
            self.nodes.settle(&mut self.trail, load.node, bits & event.ty.mask());
            // An address can depend on loads of other threads, through arguments and return values.
            for thread in self.ids() {
                self.locate_all(thread);
            }
            self.run_all();
        }
    }

    /// How many events there are, committed or not.
    pub(crate) fn event_count(&self) -> usize {
        self.trail.get(self.event_count) as usize
    }

    /// Whether an event is of a thread that starts or stops waiting for a condition variable.
    pub(crate) fn queues(&self, event: &Event) -> bool {
        self.load_of(event).is_some_and(|load| matches!(load.pairing, Pairing::Queue))
    }

    /// The load of an event: of a load itself, of a store that of the same read-modify-write.
    pub(crate) fn load_of<'a>(&'a self, event: &'a Event) -> Option<&'a Load> {
        match event.kind {
            Kind::Load(_) => event.load(),
            Kind::Store(store) => self.event(store.read?).load(),
        }
    }

    /// Whether a load accepts a value; `None` if that is not known.
    pub(crate) fn accepts(&self, event: &Event, value: u128) -> Option<bool> {
        Some(match event.load()?.when {
            None => true,
            Some(When::Compares(pred, wanted)) => {
                raddle_machine::int_pred(pred, event.ty, value, self.value(wanted)?)
            }
            Some(When::Free) => Needs::FREE_LOCK.met_by(value),
            Some(When::Woken(bit)) => value & bit == 0,
        })
    }

    /// The final value of an observable register.
    pub(crate) fn observe_register(&self, what: Observed) -> Option<u64> {
        let Observed::Reg(thread, reg) = what else { return None };
        let thread = &self.records[ThreadId(thread.as_u32())];
        let func = &self.code.funcs[thread.func?.as_u32() as usize];
        let (slot, ty) = func.regs[reg.as_u32() as usize];
        let (frame, _) = thread.frames[0];
        let value = self.register(frame, slot, raddle_machine::code::is_wide(ty));
        self.value(value).map(|bits| bits as u64)
    }
}
