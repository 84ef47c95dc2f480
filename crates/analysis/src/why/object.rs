//! Bad accesses: the object, where it was allocated and freed, and by which thread; for a null pointer,
//! where it was read.

use super::{Cause, Told, Why};
use crate::cycle::Node;
use raddle_engine::{Bytes, Deed};
use raddle_machine::layout::split_address;
use raddle_machine::{Ending, Fault, in_bytes};

/// An address below this is a null pointer plus an offset.
const FIRST_PAGE: u64 = 4096;

pub(super) fn object(told: &Told<'_>) -> Option<Why> {
    let (last, event) = told.failure()?;
    let Deed::Fail { at: Some(touched), .. } = &event.deed else { return None };
    match split_address(touched.addr) {
        Some(_) => {
            let made =
                |deed: &Deed| matches!(deed, Deed::Allocate { at, .. } if is_same(at, touched));
            let allocated = told.events[..last].iter().rposition(|event| made(&event.deed));
            life(told, allocated, end_of(told, touched))
        }
        None if touched.addr < FIRST_PAGE => null(told, last),
        None => None,
    }
}

fn is_same(a: &Bytes, b: &Bytes) -> bool {
    let object = |at: &Bytes| split_address(at.addr).map(|(object, _)| object);
    object(a).is_some() && object(a) == object(b)
}

/// The end of the object that an address is in.
pub(super) fn end_of(told: &Told<'_>, touched: &Bytes) -> Option<Node> {
    let ends = |deed: &Deed| matches!(deed, Deed::Free { at, .. } if is_same(at, touched));
    told.events.iter().rposition(|event| ends(&event.deed))
}

/// How an object ended, as a clause: `main freed at f.c:3`.
fn ended(told: &Told<'_>, node: Node) -> String {
    let (thread, at) = (told.thread(node), told.at(node));
    match told.events[node].deed {
        Deed::Free { by: Ending::Thread, .. } => format!("ended with its thread, {thread}{at}"),
        Deed::Free { by: Ending::Frame, .. } => {
            format!("ended when its function returned in {thread}{at}")
        }
        _ => format!("{thread} freed{at}"),
    }
}

/// The message of a failure about an object that has ended, with the name of the object and how it ended; `None` if
/// it is about something else, or the end is not known.
pub(super) fn named(told: &Told<'_>) -> Option<String> {
    let (_, event) = told.failure()?;
    let Deed::Fail { message, at: Some(touched), .. } = &event.deed else { return None };
    let end = end_of(told, touched)?;
    let Deed::Free { at: object, .. } = &told.events[end].deed else { return None };
    let message = Fault::of_ended(message, &touched.name, &object.name)?;
    Some(format!("{message}, which {}", ended(told, end)))
}

fn life(told: &Told<'_>, allocated: Option<Node>, freed: Option<Node>) -> Option<Why> {
    let node = allocated.or(freed)?;
    let (Deed::Allocate { at, .. } | Deed::Free { at, .. }) = &told.events[node].deed else {
        return None;
    };
    let mut parts = Vec::new();
    if let Some(node) = allocated {
        parts.push(format!("was allocated by {}{}", told.thread(node), told.at(node)));
    }
    if let Some(node) = freed {
        let verb = match told.events[node].deed {
            Deed::Free { by: Ending::Thread, .. } => "ended with its thread,",
            Deed::Free { by: Ending::Frame, .. } => "ended with its function, run by",
            _ => "was freed by",
        };
        parts.push(format!("{verb} {}{}", told.thread(node), told.at(node)));
    }
    let words = format!("{at} ({}) {}", in_bytes(at.bytes), parts.join(" and "));
    Some(Why { words, causes: vec![Cause::Object { allocated, freed }] })
}

/// The thread's last load of a null pointer.
fn null(told: &Told<'_>, last: Node) -> Option<Why> {
    let read = (0..last).rev().filter(|node| told.same_thread(*node, last)).find(|node| {
        matches!(&told.events[*node].deed,
            Deed::Read { cell, .. } if cell.at.bytes == 8 && cell.value.bits == 0)
    })?;
    Some(Why { words: told.read(read)?, causes: Vec::new() })
}
