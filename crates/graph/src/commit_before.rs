//! Commit-before: when an event may be committed.
//!
//! Paper 003, section 2: an event can be committed when all events that are commit-before it are. For
//! POWER that is (addr ∪ data ∪ ctrl ∪ rf ∪ (addr;po) ∪ po-loc ∪ sync ∪ lwsync)⁺; here also `eieio`
//! between stores, which is part of happens-before and so cannot close a cycle. ARM's is without po-loc
//! ([`Rules::keeps_locations`](crate::model::Rules::keeps_locations)); that of SC, TSO and PSO is
//! program order. `rf` need not be checked: a load is only ever given a committed store.

use crate::fetch::{EventId, Kind, Threads, When};

/// Whether an event can be committed once the events that satisfy `done` are, going by the order of its
/// own thread. Committed events always count as done.
pub(crate) fn is_ready(threads: &Threads<'_>, id: EventId, done: impl Fn(EventId) -> bool) -> bool {
    let event = threads.event(id);
    let done = |po: u32| {
        let other = threads.event_at(event.thread, po);
        threads.committed(other).is_some() || done(other)
    };
    let first = threads.settled(event.thread);
    if threads.rules.commits_in_program_order {
        return (first..event.po).all(done);
    }
    if !(first..event.light.max(threads.clocks.of(event.full, event.thread))).all(done) {
        return false;
    }
    if !threads.deps.iter(event.before).all(|po| po < first || done(po)) {
        return false;
    }
    (first..event.po).all(|po| {
        let other = threads.event_at(event.thread, po);
        let ordered = po < event.stores && event.is_store() && threads.event(other).is_store();
        let same = threads.rules.keeps_locations
            && threads.location(id).is_some()
            && threads.location(id) == threads.location(other);
        !(ordered || same) || done(po)
    })
}

/// Whether the events that starting and joining threads order before an event are done.
pub(crate) fn is_reached(
    threads: &Threads<'_>,
    id: EventId,
    done: impl Fn(EventId) -> bool,
) -> bool {
    let event = threads.event(id);
    threads.clocks.entries(event.full).all(|(thread, count)| {
        thread == event.thread
            || count <= threads.events_before_failure(thread)
                && (threads.settled(thread)..count).all(|po| {
                    let other = threads.event_at(thread, po);
                    threads.committed(other).is_some() || done(other)
                })
    })
}

/// Whether an event can be committed now.
pub(crate) fn is_enabled(threads: &Threads<'_>, id: EventId) -> bool {
    let event = threads.event(id);
    let known = match event.kind {
        Kind::Store(store) => threads.value(store.value).is_some(),
        Kind::Load(load) => match load.when {
            Some(When::Compares(_, wanted)) => threads.value(wanted).is_some(),
            Some(When::Free | When::Woken(_)) | None => true,
        },
    };
    known
        && threads.location(id).is_some()
        && is_ready(threads, id, |_| false)
        && is_reached(threads, id, |_| false)
}
