//! What happened along a schedule, for people.

use crate::ahead::{Ahead, Failed, Kind, Location};
use crate::graph::Graph;
use crate::state::Act;
use raddle_engine::{Bytes, Cell, Datum, Deed, Elements, ReplayEvent, Writing};
use raddle_ir::{Program, Type};
use raddle_machine::layout::split_address;

/// Tells of what threads do, with names instead of addresses.
pub(crate) struct Teller {
    elements: Elements,
}

impl Teller {
    pub fn new(program: &Program) -> Teller {
        Teller { elements: Elements::of(program) }
    }

    /// What an act that was just carried out did.
    pub fn event<const W: usize>(
        &self,
        ahead: &Ahead<'_>,
        graph: &Graph<W>,
        act: Act,
    ) -> ReplayEvent {
        let (thread, loc, deed) = match act {
            Act::Choose(thread, choice) => (thread, ahead.place(thread), Deed::Choose(choice)),
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
        let cell = |value| Cell { at: self.bytes(ahead, location), value };
        match event.kind {
            Kind::Load(_) => Deed::Read { cell: cell(value(other)), forwarded: false },
            Kind::Store(store) => {
                let how = if store.read.is_some() { Writing::Rmw } else { Writing::Store };
                Deed::Write { cell: cell(value(ahead.committed(id))), old: value(other), how }
            }
        }
    }

    fn bytes(&self, ahead: &Ahead<'_>, location: Option<Location>) -> Bytes {
        let (addr, bytes) = location.map_or((0, 0), |location| ahead.extent_of(location));
        Bytes { addr, bytes, name: ahead.name_of(addr, &self.elements) }
    }

    fn datum(&self, ahead: &Ahead<'_>, ty: Type, bits: u128) -> Datum {
        let shown = match ty {
            Type::Ptr if split_address(bits as u64).is_some() => {
                format!("&{}", ahead.name_of(bits as u64, &self.elements))
            }
            Type::Int(_) | Type::Ptr => return Datum::number(bits, ty.bytes()),
            Type::F32 => f32::from_bits(bits as u32).to_string(),
            Type::F64 => f64::from_bits(bits as u64).to_string(),
        };
        Datum { bits, shown }
    }
}

pub(crate) fn failure(ahead: &Ahead<'_>, failed: &Failed) -> ReplayEvent {
    let Failed { thread, at, fault } = failed;
    let deed = Deed::Fail { kind: fault.kind.into(), message: fault.message.clone(), at: None };
    ReplayEvent { number: *thread, thread: ahead.thread_name(*thread).to_owned(), loc: *at, deed }
}
