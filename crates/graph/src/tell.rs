//! What happened along a schedule, for people.

use crate::ahead::{Ahead, Check, Failed, Kind, Load, Location, When};
use crate::graph::Graph;
use crate::state::Act;
use raddle_engine::{Bytes, Cell, Datum, Deed, Elements, ReplayEvent, Writing};
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
                let read = store.read.and_then(|read| ahead.event(read).load());
                if let Some(deed) = read.and_then(|read| of_lock(read, at())) {
                    return deed;
                }
                let how = if read.is_some() { Writing::Rmw } else { Writing::Store };
                Deed::Write { cell: cell(value(ahead.committed(id))), old: value(other), how }
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

/// What the write of a read-modify-write is, if that is an operation on a lock.
fn of_lock(read: &Load, at: Bytes) -> Option<Deed> {
    match (read.when, read.check) {
        (Some(When::Free), _) => Some(Deed::Lock { at, woken: false }),
        (_, Some(Check::NotHeld)) => Some(Deed::Unlock(at)),
        _ => None,
    }
}

pub(crate) fn failure(ahead: &Ahead<'_>, failed: &Failed) -> ReplayEvent {
    let Failed { thread, at, fault } = failed;
    let deed = Deed::Fail { kind: fault.kind.into(), message: fault.message.clone(), at: None };
    ReplayEvent { number: *thread, thread: ahead.thread_name(*thread).to_owned(), loc: *at, deed }
}
