//! Commit-before: when an event may be committed.
//!
//! Paper 003, section 2: an event can be committed when all events that are commit-before it are. For
//! POWER that is (addr ∪ data ∪ ctrl ∪ rf ∪ (addr;po) ∪ po-loc ∪ sync ∪ lwsync)⁺; here also `eieio`
//! between stores, which is part of happens-before and so closes no cycle. ARM's is without po-loc
//! ([`Rules::keeps_locations`](crate::model::Rules::keeps_locations)); that of SC, TSO and PSO is
//! program order. `rf` needs no look: a load is given a store that was committed.

use crate::ahead::{Ahead, EventId, Kind, When};

/// Whether an event can be committed once those that `done` tells of are. Those that are committed
/// are always done.
pub(crate) fn is_ready(ahead: &Ahead<'_>, id: EventId, done: impl Fn(EventId) -> bool) -> bool {
    let event = ahead.event(id);
    let done = |po: u32| {
        let other = ahead.event_at(event.thread, po);
        ahead.committed(other).is_some() || done(other)
    };
    let first = ahead.settled(event.thread);
    if ahead.rules.commits_in_program_order {
        return (first..event.po).all(done);
    }
    if !(first..event.light.max(ahead.clocks.of(event.full, event.thread))).all(done) {
        return false;
    }
    if !ahead.deps.iter(event.before).all(|po| po < first || done(po)) {
        return false;
    }
    (first..event.po).all(|po| {
        let other = ahead.event_at(event.thread, po);
        let ordered = po < event.stores && event.is_store() && ahead.event(other).is_store();
        let same = ahead.rules.keeps_locations
            && ahead.location(id).is_some()
            && ahead.location(id) == ahead.location(other);
        !(ordered || same) || done(po)
    })
}

/// Whether what starting and joining threads put before an event is done.
pub(crate) fn is_reached(ahead: &Ahead<'_>, id: EventId, done: impl Fn(EventId) -> bool) -> bool {
    let event = ahead.event(id);
    let mut before = ahead.clocks.get(event.full).iter().enumerate();
    before.all(|(thread, count)| {
        let thread = thread as u32;
        thread == event.thread
            || *count <= ahead.reach_of(thread)
                && (ahead.settled(thread)..*count).all(|po| {
                    let other = ahead.event_at(thread, po);
                    ahead.committed(other).is_some() || done(other)
                })
    })
}

/// Whether an event can be committed now.
pub(crate) fn is_enabled(ahead: &Ahead<'_>, id: EventId) -> bool {
    let event = ahead.event(id);
    let known = match event.kind {
        Kind::Store(store) => ahead.value(store.value).is_some(),
        Kind::Load(load) => match load.when {
            Some(When::Compares(_, wanted)) => ahead.value(wanted).is_some(),
            Some(When::Free | When::Woken(_)) | None => true,
        },
    };
    known
        && ahead.location(id).is_some()
        && is_ready(ahead, id, |_| false)
        && is_reached(ahead, id, |_| false)
}
