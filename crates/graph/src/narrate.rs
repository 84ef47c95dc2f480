//! The events of a replay, for people.

use crate::fetch::{
    Check, Event, EventId, Kind, Load, Location, Pairing, Passed, PassedOp, Threads, When,
};
use crate::graph::{Graph, RowId};
use crate::outcome::accesses_after_end;
use crate::state::Act;
use raddle_engine::{
    Aside, Bytes, Calls, Cast, Cell, Deed, Failed, FailureKind, Names, Origin, ReplayEnd,
    ReplayEvent, Replayed, Stuck, Writing,
};
use raddle_ir::{LocId, Program};
use raddle_machine::ThreadId;
use raddle_machine::layout::object_address;

/// Describes the acts of threads, with names instead of addresses.
pub(crate) struct Narrator {
    events: Vec<ReplayEvent>,
    starts: Vec<usize>,
    asides: Vec<Aside>,
    names: Names,
    origins: Vec<Origin>,
    threads: Vec<Told>,
}

/// How much of a thread is told.
#[derive(Clone, Copy, Default)]
struct Told {
    /// That it was started.
    started: bool,
    /// How many objects have a name.
    named: usize,
    /// How much of what it did without an event.
    passed: usize,
}

impl Narrator {
    pub(crate) fn new(program: &Program) -> Narrator {
        Narrator {
            events: Vec::new(),
            starts: Vec::new(),
            asides: Vec::new(),
            names: Names::new(program),
            origins: Vec::new(),
            threads: Vec::new(),
        }
    }

    /// The story, with its end.
    pub(crate) fn replayed(self, end: ReplayEnd) -> Replayed {
        let Narrator { events, starts, asides, origins, .. } = self;
        Replayed { end, events, starts, asides, origins }
    }

    fn told(&mut self, thread: ThreadId) -> &mut Told {
        let n = thread.0 as usize;
        if n >= self.threads.len() {
            self.threads.resize(n + 1, Told::default());
        }
        &mut self.threads[n]
    }

    /// Names the objects that threads have made since the last call.
    fn name_objects(&mut self, threads: &Threads<'_>) {
        for thread in threads.ids() {
            let from = self.told(thread).named;
            for (made, calls) in threads.allocations(thread, from) {
                self.told(thread).named += 1;
                self.origins.extend(self.names.made(threads, thread, &made, &calls));
            }
        }
    }

    /// Tells what the thread of an act that is about to be carried out has done before.
    pub(crate) fn before(&mut self, threads: &Threads<'_>, act: Act) {
        let (thread, events) = match act {
            Act::Choose(thread, _) => (thread, threads.fetched(thread)),
            Act::Read(id, _) | Act::Place(id, _) | Act::Defer(id) => {
                (threads.event(id).thread, threads.event(id).po)
            }
        };
        self.name_objects(threads);
        self.start(threads, thread);
        while let Some(passed) = threads.passed(thread, self.told(thread).passed).first()
            && passed.events <= events
        {
            self.pass(threads, thread, passed);
        }
    }

    /// Tells that a thread was started, and what its parent did before.
    fn start(&mut self, threads: &Threads<'_>, thread: ThreadId) {
        if std::mem::replace(&mut self.told(thread).started, true) {
            return;
        }
        let starts =
            |passed: &Passed| matches!(passed.op, PassedOp::Spawn(child) if child == thread);
        for parent in threads.ids() {
            let from = self.told(parent).passed;
            let untold = threads.passed(parent, from);
            if let Some(last) = untold.iter().position(starts) {
                self.start(threads, parent);
                // The start of the parent may have told a part of it.
                let from = from.max(self.told(parent).passed) - from;
                for passed in untold.get(from..=last).unwrap_or(&[]) {
                    self.pass(threads, parent, passed);
                }
                return;
            }
        }
    }

    /// Tells what threads have done since their last events.
    pub(crate) fn rest(&mut self, threads: &Threads<'_>) {
        self.name_objects(threads);
        for thread in threads.ids() {
            while let Some(passed) = threads.passed(thread, self.told(thread).passed).first()
                && threads.gets_to(thread, passed)
            {
                self.start(threads, thread);
                self.pass(threads, thread, passed);
            }
        }
    }

    fn pass(&mut self, threads: &Threads<'_>, thread: ThreadId, passed: &Passed) {
        let whole = |object| {
            let size = u32::try_from(threads.size_of(object)).unwrap_or(u32::MAX);
            self.names.whole(threads, object_address(object), size)
        };
        let deed = match passed.op {
            PassedOp::Spawn(child) => Deed::Spawn(threads.other(child)),
            PassedOp::Join(child) => Deed::Join(Some(threads.other(child))),
            PassedOp::Allocate { object, heap } => Deed::Allocate { at: whole(object), heap },
            PassedOp::End(object, by) => Deed::Free { at: whole(object), by },
        };
        self.told(thread).passed += 1;
        self.asides.push(Aside { event: self.events.len(), before: passed.events });
        let at = (passed.at, passed.calls.clone());
        self.events.push(ReplayEvent::new(threads, thread, at, deed));
    }

    /// Describes an act that was just carried out; `at` is where its thread was before, which is the place of a
    /// choice.
    pub(crate) fn event<const W: usize>(
        &mut self,
        threads: &Threads<'_>,
        graph: &Graph<W>,
        act: Act,
        at: (LocId, Calls),
    ) {
        self.name_objects(threads);
        let (thread, at, deed) = match act {
            Act::Choose(thread, choice) => (thread, at, Deed::Choose(choice.into())),
            Act::Read(id, _) | Act::Place(id, _) | Act::Defer(id) => {
                let event = threads.event(id);
                (event.thread, (event.at, threads.calls_of(id)), self.access(threads, graph, act))
            }
        };
        self.starts.push(self.events.len());
        self.events.push(ReplayEvent::new(threads, thread, at, deed));
    }

    /// Describes a thread that waits or spins at the end of a deadlock.
    pub(crate) fn stuck(&mut self, threads: &Threads<'_>, stuck: &Stuck) {
        self.name_objects(threads);
        self.events.push(stuck.event(threads, &self.names));
    }

    /// Tells what has failed.
    pub(crate) fn failures<const W: usize>(&mut self, threads: &Threads<'_>, graph: &Graph<W>) {
        self.name_objects(threads);
        for failed in threads.failures() {
            let at = (failed.loc, threads.calls(failed.thread));
            let has_place = matches!(
                failed.fault.kind,
                FailureKind::Memory | FailureKind::LockMisuse | FailureKind::Uninitialised
            );
            let touched = threads.failed_at(failed.thread).filter(|_| has_place);
            let touched = touched.map(|addr| self.names.bytes(threads, addr, 0));
            // A load that found an invalid value has a row already.
            let is_told = threads.events_before_failure(failed.thread) != u32::MAX;
            if let Some(touched) = touched.clone().filter(|_| !is_told) {
                let deed = Deed::Touch(touched);
                self.events.push(ReplayEvent::new(threads, failed.thread, at.clone(), deed));
            }
            self.fails(threads, failed, at, touched);
        }
        for (id, failed) in accesses_after_end(threads, graph) {
            let at = (failed.loc, threads.calls_of(id));
            let touched = self.bytes(threads, threads.location(id));
            self.fails(threads, &failed, at, Some(touched));
        }
    }

    fn fails(
        &mut self,
        threads: &Threads<'_>,
        failed: &Failed,
        at: (LocId, Calls),
        touched: Option<Bytes>,
    ) {
        let (kind, message) = (failed.fault.kind, failed.fault.message.clone());
        let deed = Deed::Fail { kind, message, at: touched };
        self.events.push(ReplayEvent::new(threads, failed.thread, at, deed));
    }

    fn access<const W: usize>(&self, threads: &Threads<'_>, graph: &Graph<W>, act: Act) -> Deed {
        let (Act::Read(id, other) | Act::Place(id, other)) = act else { return Deed::Choose(0) };
        let event = threads.event(id);
        let location = threads.location(id);
        let datum = |bits| {
            let addr = location.map_or(0, |location| threads.extent_of(location).0);
            self.names.datum(threads, addr, event.ty.bytes(), bits)
        };
        let value = |store: Option<RowId>| {
            let bits = location.and_then(|location| graph.value_of(threads, store, location));
            datum(bits.unwrap_or(0))
        };
        let at = || self.bytes(threads, location);
        let cell = |value| Cell { at: at(), value };
        match event.kind {
            // The load failed.
            Kind::Load(_) if threads.events_before_failure(event.thread) == event.po => {
                Deed::Touch(at())
            }
            Kind::Load(load) => {
                let found = value(other);
                match expected(threads, &load).filter(|expected| *expected != found.bits) {
                    Some(_) if load.check.is_some() => Deed::FindsLocked(at()),
                    Some(expected) => {
                        Deed::Mismatch { cell: cell(found), expected: datum(expected) }
                    }
                    None => Deed::Read { cell: cell(found), forwarded: false },
                }
            }
            Kind::Store(store) => {
                let (old, new) = (value(other), value(threads.committed(id)));
                let update = store.read.map(|read| Update { read, old: old.bits, new: new.bits });
                if let Some(deed) = update.and_then(|update| synchronises(threads, &update, at())) {
                    return deed;
                }
                Deed::Write { cell: cell(new), old, how: writing(threads, store.read) }
            }
        }
    }

    fn bytes(&self, threads: &Threads<'_>, location: Option<Location>) -> Bytes {
        let (addr, bytes) = location.map_or((0, 0), |location| threads.extent_of(location));
        self.names.bytes(threads, addr, bytes)
    }
}

/// The value that a compare-and-exchange expects, if the load is of one and the value is known.
fn expected(threads: &Threads<'_>, load: &Load) -> Option<u128> {
    let Pairing::If(expected) = load.pairing else { return None };
    threads.value(expected)
}

/// How a store came about; `read` is the load of the same read-modify-write.
fn writing(threads: &Threads<'_>, read: Option<EventId>) -> Writing {
    let load = read.and_then(|read| threads.event(read).load());
    match load {
        None => Writing::Store,
        Some(Load { pairing: Pairing::If(_), .. }) => Writing::Exchange,
        Some(Load { reserves: true, .. }) => Writing::Conditional,
        Some(_) => Writing::Rmw,
    }
}

/// A read-modify-write: its load, the old value and the new one.
struct Update {
    read: EventId,
    old: u128,
    new: u128,
}

/// The description of an update that is an operation on a lock or on a condition variable.
fn synchronises(threads: &Threads<'_>, update: &Update, at: Bytes) -> Option<Deed> {
    let event = threads.event(update.read);
    let load = event.load()?;
    let deed = match (load.pairing, load.when, load.check) {
        (_, Some(When::Free), _) => Deed::Lock { at, woken: ends_wait(threads, event) },
        (_, _, Some(Check::NotHeld)) => Deed::Unlock(at),
        (Pairing::If(_), _, Some(Check::Destroyed)) => Deed::Lock { at, woken: false },
        (Pairing::Queue, ..) if update.new >> event.thread.0 & 1 == 1 => Deed::StartWaiting(at),
        (Pairing::Queue, ..) => Deed::StopWaiting(at),
        (Pairing::Signal { all: true }, ..) => Deed::Broadcast(at),
        (Pairing::Signal { all: false }, ..) => {
            let gone = update.old & !update.new;
            let woken = (gone != 0).then(|| threads.other(ThreadId(gone.trailing_zeros())));
            Deed::Signal { at, woken }
        }
        _ => return None,
    };
    Some(deed)
}

/// Whether a lock is taken again at the end of a wait for a condition variable: the event before it in program
/// order is the wake-up, or the update with which the thread stopped waiting.
fn ends_wait(threads: &Threads<'_>, lock: &Event) -> bool {
    let before = lock.po.checked_sub(1).map(|po| threads.event(threads.event_at(lock.thread, po)));
    before.is_some_and(|event| {
        let woken = event.load().is_some_and(|load| matches!(load.when, Some(When::Woken(_))));
        woken || threads.queues(event)
    })
}
