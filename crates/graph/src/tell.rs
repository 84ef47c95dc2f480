//! What happened along a schedule, for people.

use crate::ahead::{Ahead, Failed, Kind, Location};
use crate::graph::Graph;
use crate::state::Act;
use raddle_engine::{Bytes, Cell, Datum, Deed, ReplayEvent, Writing};
use raddle_ir::Type;

/// What an act that was just carried out did.
pub(crate) fn event<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>, act: Act) -> ReplayEvent {
    let (thread, loc, deed) = match act {
        Act::Choose(thread, choice) => (thread, ahead.place(thread), Deed::Choose(choice)),
        Act::Read(id, _) | Act::Place(id, _) | Act::Defer(id) => {
            let event = ahead.event(id);
            (event.thread, event.at, access(ahead, graph, act))
        }
    };
    ReplayEvent { number: thread, thread: ahead.thread_name(thread).to_owned(), loc, deed }
}

pub(crate) fn failure(ahead: &Ahead<'_>, failed: &Failed) -> ReplayEvent {
    let Failed { thread, at, fault } = failed;
    let deed = Deed::Fail { kind: fault.kind.into(), message: fault.message.clone(), at: None };
    ReplayEvent { number: *thread, thread: ahead.thread_name(*thread).to_owned(), loc: *at, deed }
}

fn access<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>, act: Act) -> Deed {
    let (Act::Read(id, other) | Act::Place(id, other)) = act else { return Deed::Choose(0) };
    let event = ahead.event(id);
    let location = ahead.location(id);
    let value = |store: Option<usize>| {
        let bits = match store {
            Some(store) => graph.written(ahead, store),
            None => location.and_then(|location| ahead.initial(location)),
        };
        datum(event.ty, bits.unwrap_or(0))
    };
    let cell = |value| Cell { at: bytes(ahead, location), value };
    match event.kind {
        Kind::Load(_) => Deed::Read { cell: cell(value(other)), forwarded: false },
        Kind::Store(store) => {
            let how = if store.read.is_some() { Writing::Rmw } else { Writing::Store };
            Deed::Write { cell: cell(value(ahead.committed(id))), old: value(other), how }
        }
    }
}

fn bytes(ahead: &Ahead<'_>, location: Option<Location>) -> Bytes {
    let (addr, bytes) = location.map_or((0, 0), |location| ahead.extent_of(location));
    Bytes { addr, bytes, name: ahead.name_of(addr) }
}

/// Integers are shown with their sign.
fn datum(ty: Type, bits: u128) -> Datum {
    let unused = 128 - ty.bits();
    let signed = ((bits << unused) as i128) >> unused;
    let shown = match ty {
        Type::Int(_) => signed.to_string(),
        Type::Ptr => format!("{bits:#x}"),
        Type::F32 => f32::from_bits(bits as u32).to_string(),
        Type::F64 => f64::from_bits(bits as u64).to_string(),
    };
    Datum { bits, shown }
}
