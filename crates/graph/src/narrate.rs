//! The events of a replay, for people.

use crate::fetch::{Check, Event, EventId, Kind, Location, Pairing, Threads, When};
use crate::graph::{Graph, RowId};
use crate::state::Act;
use raddle_engine::{
    Bytes, Calls, Cast, Cell, Deed, Failed, Names, Origin, ReplayEvent, Stuck, Writing,
};
use raddle_ir::{LocId, Program};
use raddle_machine::ThreadId;

/// Describes the acts of threads, with names instead of addresses.
pub(crate) struct Narrator {
    names: Names,
    /// How many objects of each thread have a name.
    named: Vec<usize>,
    pub origins: Vec<Origin>,
}

impl Narrator {
    pub(crate) fn new(program: &Program) -> Narrator {
        Narrator { names: Names::new(program), named: Vec::new(), origins: Vec::new() }
    }

    /// Names the objects that threads have made since the last call.
    fn name_objects(&mut self, threads: &Threads<'_>) {
        for thread in threads.ids() {
            let n = thread.0 as usize;
            self.named.resize(self.named.len().max(n + 1), 0);
            for (made, calls) in threads.allocations(thread, self.named[n]) {
                self.named[n] += 1;
                self.origins.extend(self.names.made(threads, thread, &made, &calls));
            }
        }
    }

    /// Describes an act that was just carried out; `at` is where its thread was before, which is the place of a
    /// choice.
    pub(crate) fn event<const W: usize>(
        &mut self,
        threads: &Threads<'_>,
        graph: &Graph<W>,
        act: Act,
        at: (LocId, Calls),
    ) -> ReplayEvent {
        self.name_objects(threads);
        let (thread, at, deed) = match act {
            Act::Choose(thread, choice) => (thread, at, Deed::Choose(choice.into())),
            Act::Read(id, _) | Act::Place(id, _) | Act::Defer(id) => {
                let event = threads.event(id);
                (event.thread, (event.at, threads.calls_of(id)), self.access(threads, graph, act))
            }
        };
        ReplayEvent::new(threads, thread, at, deed)
    }

    /// Describes a thread that waits or spins at the end of a deadlock.
    pub(crate) fn stuck(&mut self, threads: &Threads<'_>, stuck: &Stuck) -> ReplayEvent {
        self.name_objects(threads);
        stuck.event(threads, &self.names)
    }

    fn access<const W: usize>(&self, threads: &Threads<'_>, graph: &Graph<W>, act: Act) -> Deed {
        let (Act::Read(id, other) | Act::Place(id, other)) = act else { return Deed::Choose(0) };
        let event = threads.event(id);
        let location = threads.location(id);
        let value = |store: Option<RowId>| {
            let bits = location.and_then(|location| graph.value_of(threads, store, location));
            let addr = location.map_or(0, |location| threads.extent_of(location).0);
            self.names.datum(threads, addr, event.ty.bytes(), bits.unwrap_or(0))
        };
        let at = || self.bytes(threads, location);
        let cell = |value| Cell { at: at(), value };
        match event.kind {
            Kind::Load(_) => Deed::Read { cell: cell(value(other)), forwarded: false },
            Kind::Store(store) => {
                let (old, new) = (value(other), value(threads.committed(id)));
                let update = store.read.map(|read| Update { read, old: old.bits, new: new.bits });
                if let Some(deed) = update.and_then(|update| synchronises(threads, &update, at())) {
                    return deed;
                }
                let how = if store.read.is_some() { Writing::Rmw } else { Writing::Store };
                Deed::Write { cell: cell(new), old, how }
            }
        }
    }

    fn bytes(&self, threads: &Threads<'_>, location: Option<Location>) -> Bytes {
        let (addr, bytes) = location.map_or((0, 0), |location| threads.extent_of(location));
        self.names.bytes(threads, addr, bytes)
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

pub(crate) fn failure(threads: &Threads<'_>, failed: &Failed) -> ReplayEvent {
    let Failed { thread, fault, loc } = failed;
    let deed = Deed::Fail { kind: fault.kind, message: fault.message.clone(), at: None };
    ReplayEvent::new(threads, *thread, (*loc, threads.calls(*thread)), deed)
}
