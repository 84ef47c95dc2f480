//! What happened along a schedule, for people.

use crate::ahead::{Ahead, Check, Event, EventId, Failed, Kind, Location, Pairing, When};
use crate::graph::Graph;
use crate::state::Act;
use crate::stuck::{Need, Stuck};
use raddle_engine::{Bytes, Cell, Datum, Deed, Elements, Other, ReplayEvent, Wants, Writing};
use raddle_ir::{LocId, Program, Type};
use raddle_machine::layout::{function_at, split_address};

/// Tells of what threads do, with names instead of addresses.
pub(crate) struct Teller {
    elements: Elements,
}

impl Teller {
    pub fn new(program: &Program) -> Teller {
        Teller { elements: Elements::of(program) }
    }

    /// What an act that was just carried out did; `at` is where its thread was before, which a choice
    /// is told at.
    pub fn event<const W: usize>(
        &self,
        ahead: &Ahead<'_>,
        graph: &Graph<W>,
        act: Act,
        at: LocId,
    ) -> ReplayEvent {
        let (thread, loc, deed) = match act {
            Act::Choose(thread, choice) => (thread, at, Deed::Choose(choice.into())),
            Act::Read(id, _) | Act::Place(id, _) | Act::Defer(id) => {
                let event = ahead.event(id);
                (event.thread, event.at, self.access(ahead, graph, act))
            }
        };
        ReplayEvent { number: thread, thread: ahead.thread_name(thread).to_owned(), loc, deed }
    }

    /// Who waits for what, or spins, at the end of a deadlock.
    pub fn stuck(&self, ahead: &Ahead<'_>, stuck: &Stuck) -> ReplayEvent {
        let other = |thread| other(ahead, thread);
        let at = |location| self.bytes(ahead, Some(location));
        let deed = match stuck.need {
            Need::Lock { lock, holder } => {
                Deed::Stuck(Wants::Lock { at: at(lock), holder: holder.map(other) })
            }
            Need::Signal(cond) => Deed::Stuck(Wants::Signal(Some(at(cond)))),
            Need::Value(place) => Deed::Stuck(Wants::Value(Some(at(place)))),
            Need::End(target) => Deed::Stuck(Wants::End(Some(other(target)))),
            Need::Change => Deed::Spin,
        };
        let Other { number, name } = other(stuck.thread);
        ReplayEvent { number, thread: name, loc: stuck.at, deed }
    }

    fn access<const W: usize>(&self, ahead: &Ahead<'_>, graph: &Graph<W>, act: Act) -> Deed {
        let (Act::Read(id, other) | Act::Place(id, other)) = act else { return Deed::Choose(0) };
        let event = ahead.event(id);
        let location = ahead.location(id);
        let value = |store: Option<usize>| {
            let bits = match store {
                Some(store) => graph.written(ahead, store),
                None => location.and_then(|location| ahead.initial(location)),
            };
            self.datum(ahead, event.ty, bits.unwrap_or(0))
        };
        let at = || self.bytes(ahead, location);
        let cell = |value| Cell { at: at(), value };
        match event.kind {
            Kind::Load(_) => Deed::Read { cell: cell(value(other)), forwarded: false },
            Kind::Store(store) => {
                let (old, new) = (value(other), value(ahead.committed(id)));
                let update = store.read.map(|read| Update { read, old: old.bits, new: new.bits });
                if let Some(deed) = update.and_then(|update| synchronises(ahead, &update, at())) {
                    return deed;
                }
                let how = if store.read.is_some() { Writing::Rmw } else { Writing::Store };
                Deed::Write { cell: cell(new), old, how }
            }
        }
    }

    fn bytes(&self, ahead: &Ahead<'_>, location: Option<Location>) -> Bytes {
        let (addr, bytes) = location.map_or((0, 0), |location| ahead.extent_of(location));
        Bytes { addr, bytes, name: ahead.name_of(addr, &self.elements) }
    }

    /// Addresses are shown by what they point to.
    fn datum(&self, ahead: &Ahead<'_>, ty: Type, bits: u128) -> Datum {
        let shown = match ty {
            Type::Int(_) | Type::Ptr => {
                match (ty.bytes() == 8).then(|| self.pointee(ahead, bits as u64)).flatten() {
                    Some(shown) => shown,
                    None => return Datum::number(bits, ty.bytes()),
                }
            }
            Type::F32 => f32::from_bits(bits as u32).to_string(),
            Type::F64 => f64::from_bits(bits as u64).to_string(),
        };
        Datum { bits, shown }
    }

    fn pointee(&self, ahead: &Ahead<'_>, addr: u64) -> Option<String> {
        if let Some(func) = function_at(addr, ahead.program.funcs.len()) {
            return Some(format!("&{}", ahead.program.funcs[func].name));
        }
        let (object, _) = split_address(addr)?;
        ahead.is_object(object).then(|| format!("&{}", ahead.name_of(addr, &self.elements)))
    }
}

/// A read-modify-write: its load, what that found, and what was written.
struct Update {
    read: EventId,
    old: u128,
    new: u128,
}

/// What an update is, if that is an operation on a lock or on a condition variable.
fn synchronises(ahead: &Ahead<'_>, update: &Update, at: Bytes) -> Option<Deed> {
    let event = ahead.event(update.read);
    let load = event.load()?;
    let deed = match (load.pairing, load.when, load.check) {
        (_, Some(When::Free), _) => Deed::Lock { at, woken: ends_wait(ahead, event) },
        (_, _, Some(Check::NotHeld)) => Deed::Unlock(at),
        (Pairing::If(_), _, Some(Check::Destroyed)) => Deed::Lock { at, woken: false },
        (Pairing::Queue, ..) if update.new >> event.thread & 1 == 1 => Deed::StartWaiting(at),
        (Pairing::Queue, ..) => Deed::StopWaiting(at),
        (Pairing::Signal { all: true }, ..) => Deed::Broadcast(at),
        (Pairing::Signal { all: false }, ..) => {
            let gone = update.old & !update.new;
            let woken = (gone != 0).then(|| other(ahead, gone.trailing_zeros()));
            Deed::Signal { at, woken }
        }
        _ => return None,
    };
    Some(deed)
}

/// Whether a lock is taken again at the end of a wait for a condition variable: what comes before it is
/// how that ended.
fn ends_wait(ahead: &Ahead<'_>, lock: &Event) -> bool {
    let before = lock.po.checked_sub(1).map(|po| ahead.event(ahead.event_at(lock.thread, po)));
    before.is_some_and(|event| {
        let woken = event.load().is_some_and(|load| matches!(load.when, Some(When::Woken(_))));
        woken || ahead.queues(event)
    })
}

fn other(ahead: &Ahead<'_>, thread: u32) -> Other {
    Other { number: thread, name: ahead.thread_name(thread).to_owned() }
}

pub(crate) fn failure(ahead: &Ahead<'_>, failed: &Failed) -> ReplayEvent {
    let Failed { thread, at, fault } = failed;
    let deed = Deed::Fail { kind: fault.kind.into(), message: fault.message.clone(), at: None };
    ReplayEvent { number: *thread, thread: ahead.thread_name(*thread).to_owned(), loc: *at, deed }
}
