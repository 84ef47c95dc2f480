//! Locks that are held: nobody but the holder writes there, so that giving one back reads what taking it wrote.
//!
//! To lock waits for a lock that is free, to try finds one that is not and writes nothing, and to unlock what
//! another holds fails. So in coherence order the first write after that of a lock is that of its unlock, unless
//! the program writes to the bytes of the lock by other means. Without such a write no store can come that
//! the load of the unlock could be deferred for.

use crate::ahead::{Ahead, Check, EventId, Kind, Location};
use crate::graph::Graph;

/// Whether an event is part of an operation on a lock.
fn is_of_lock(ahead: &Ahead<'_>, id: EventId) -> bool {
    let load = match ahead.event(id).kind {
        Kind::Load(load) => Some(load),
        Kind::Store(store) => store.read.and_then(|read| ahead.event(read).load().copied()),
    };
    load.is_some_and(|load| load.check.is_some())
}

/// Whether a load gives back a lock that its thread has taken, and that was only ever taken and given back.
pub(crate) fn gives_back<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    load: EventId,
) -> bool {
    let gives = ahead.event(load).load().is_some_and(|it| matches!(it.check, Some(Check::NotHeld)));
    let Some(location) = ahead.location(load).filter(|_| gives) else { return false };
    let stores = graph.stores_at(location);
    stores.iter().all(|store| is_of_lock(ahead, graph.rows[store].event))
        && has_taken(ahead, load, location)
}

/// Whether the last store of its thread before a load took the lock. All addresses before it are known.
fn has_taken(ahead: &Ahead<'_>, load: EventId, location: Location) -> bool {
    let event = ahead.event(load);
    let earlier = (0..event.po).rev().map(|po| ahead.event_at(event.thread, po));
    let mut stores = earlier.filter(|id| ahead.event(*id).is_store());
    let last = stores.find(|id| ahead.location(*id).is_none_or(|other| other == location));
    let Some(Kind::Store(store)) = last.map(|id| ahead.event(id).kind) else { return false };
    let holder = ahead.value(store.value).and_then(|value| ahead.thread_of(value));
    last.is_some_and(|id| is_of_lock(ahead, id)) && holder == Some(event.thread)
}

/// Whether a store, or that of an update, can come for a load; `sure` says that this
/// [gives back](gives_back) a lock.
pub(crate) fn may_come(ahead: &Ahead<'_>, id: EventId, load: EventId, sure: bool) -> bool {
    !sure || ahead.event(id).thread == ahead.event(load).thread || !is_of_lock(ahead, id)
}
