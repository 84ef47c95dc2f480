//! Held locks: only the holder writes there, so the load of an unlock reads the store of its lock.
//!
//! A lock operation waits until the lock is free, a try on a lock that is held writes nothing, and an unlock by a
//! thread that does not hold the lock fails. So in coherence order the first write after that of a lock is
//! that of its unlock, unless the program writes to the bytes of the lock by other means. Without such a write, deferring the load of an
//! unlock leads nowhere.

use crate::fetch::{Check, EventId, Kind, Location, Threads};
use crate::graph::Graph;

/// Whether an event is part of an operation on a lock.
pub(crate) fn is_of_lock(threads: &Threads<'_>, id: EventId) -> bool {
    threads.load_of(threads.event(id)).is_some_and(|load| load.check.is_some())
}

/// Whether a load belongs to the unlock of a lock that its thread holds, where only lock operations have
/// written.
pub(crate) fn releases_own_lock<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    load: EventId,
) -> bool {
    let gives =
        threads.event(load).load().is_some_and(|it| matches!(it.check, Some(Check::NotHeld)));
    let Some(location) = threads.location(load).filter(|_| gives) else { return false };
    let stores = graph.stores_at(location);
    stores.iter().all(|store| is_of_lock(threads, graph.rows[store].event))
        && has_taken(threads, load, location)
}

/// Whether the last store of its thread before a load took the lock. All addresses before it are known.
fn has_taken(threads: &Threads<'_>, load: EventId, location: Location) -> bool {
    let event = threads.event(load);
    let earlier = (0..event.po).rev().map(|po| threads.event_at(event.thread, po));
    let mut stores = earlier.filter(|id| threads.event(*id).is_store());
    let last = stores.find(|id| threads.location(*id).is_none_or(|other| other == location));
    let Some(Kind::Store(store)) = last.map(|id| threads.event(id).kind) else { return false };
    let holder = threads.value(store.value).and_then(|value| threads.thread_of(value));
    last.is_some_and(|id| is_of_lock(threads, id)) && holder == Some(event.thread)
}

/// Whether a store, or the store of an update, may come before a load is committed; `sure` says that the load
/// [releases](releases_own_lock) a lock of its thread.
pub(crate) fn may_write_first(
    threads: &Threads<'_>,
    id: EventId,
    load: EventId,
    sure: bool,
) -> bool {
    !sure || threads.event(id).thread == threads.event(load).thread || !is_of_lock(threads, id)
}
