//! Whether stores can still come for loads that wait for them.

use crate::ahead::{Ahead, EventId};
use crate::commit_before::{is_reached, is_ready};
use crate::graph::Graph;
use crate::lock::{gives_back, may_come};
use crate::state::goes_on;
use raddle_machine::Status;

/// What may still be stored where a load reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Prospect {
    None,
    /// Only by what was not fetched yet.
    Unfetched,
    /// By an event that was fetched.
    Fetched,
}

/// What hope is left after a load was deferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    ForAll,
    /// Nothing can come for it.
    NotForIt,
    /// Something can, but not for another that was deferred earlier.
    NotForOthers,
}

/// Scratch space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hope {
    /// By event: whether the order of commits lets it be committed.
    can: Vec<bool>,
}

impl Hope {
    fn waiting<'a>(ahead: &'a Ahead<'_>) -> impl Iterator<Item = EventId> + 'a {
        (0..ahead.thread_count()).flat_map(move |thread| {
            let events = ahead.settled(thread)..ahead.fetched(thread);
            let events = events.map(move |po| ahead.event_at(thread, po));
            events.filter(|id| ahead.committed(*id).is_none())
        })
    }

    /// The deferred loads, each with the number of stores that it was asked about.
    pub fn deferred<'a>(
        &self,
        ahead: &'a Ahead<'_>,
    ) -> impl Iterator<Item = (EventId, u64)> + use<'a, '_> {
        Self::waiting(ahead).filter_map(|id| Some((id, ahead.deferred(id)?)))
    }

    /// What may still be stored where a load reads.
    pub fn prospect<const W: usize>(
        &self,
        ahead: &Ahead<'_>,
        graph: &Graph<W>,
        load: EventId,
    ) -> Prospect {
        let sure = gives_back(ahead, graph, load);
        if Self::waiting(ahead)
            .any(|id| may_feed(ahead, id, load) && may_come(ahead, id, load, sure))
        {
            return Prospect::Fetched;
        }
        let own = ahead.event(load).thread;
        match (0..ahead.thread_count()).any(|thread| fetcher(ahead, thread, own).is_some()) {
            true => Prospect::Unfetched,
            false => Prospect::None,
        }
    }

    /// Whether every deferred load that has to be committed can be, as far as the order of commits
    /// goes: some store to its location can be committed before it. `newest` was deferred last.
    pub fn after_deferring<const W: usize>(
        &mut self,
        ahead: &Ahead<'_>,
        graph: &Graph<W>,
        newest: EventId,
    ) -> Left {
        self.can.clear();
        self.can.resize(ahead.event_count(), false);
        let mut more = true;
        while more {
            more = false;
            for id in Self::waiting(ahead) {
                if !self.can[id.0 as usize] && self.becomes_possible(ahead, graph, id) {
                    self.can[id.0 as usize] = true;
                    more = true;
                }
            }
        }
        // Who waits for a value that is not there may wait for ever.
        let is_lost = |id: EventId| goes_on(ahead, graph, id) && !self.can[id.0 as usize];
        if is_lost(newest) {
            return Left::NotForIt;
        }
        match self.deferred(ahead).any(|(id, _)| is_lost(id)) {
            true => Left::NotForOthers,
            false => Left::ForAll,
        }
    }

    fn becomes_possible<const W: usize>(
        &self,
        ahead: &Ahead<'_>,
        graph: &Graph<W>,
        id: EventId,
    ) -> bool {
        let done = |other: EventId| self.can[other.0 as usize];
        let Some(known) = ahead.deferred(id) else {
            return is_ready(ahead, id, done) && is_reached(ahead, id, done);
        };
        // The newest store is still to be asked about.
        let stores = ahead.location(id).map_or(0, |location| graph.stores_at(location).count());
        if u64::from(stores) > known {
            return true;
        }
        let sure = gives_back(ahead, graph, id);
        let feeds = |store| may_feed(ahead, store, id) && may_come(ahead, store, id, sure);
        if Self::waiting(ahead).any(|store| self.can[store.0 as usize] && feeds(store)) {
            return true;
        }
        let own = ahead.event(id).thread;
        let mut fetchers =
            (0..ahead.thread_count()).filter_map(|thread| fetcher(ahead, thread, own));
        fetchers.any(|thread| self.may_fetch(ahead, thread))
    }

    /// Whether a thread that does not wait for another may fetch more, going by what can be committed.
    fn may_fetch(&self, ahead: &Ahead<'_>, thread: u32) -> bool {
        if ahead.is_choosing(thread) || ahead.may_hurry(thread) {
            return true;
        }
        let mut waits = false;
        for po in ahead.settled(thread)..ahead.fetched(thread) {
            let id = ahead.event_at(thread, po);
            if ahead.committed(id).is_none() {
                if self.can[id.0 as usize] {
                    return true;
                }
                waits = true;
            }
        }
        !waits
    }
}

/// The thread that has to fetch before another can: that itself, or whom it waits for at a join. `None` if it
/// never will, or only after the thread `own` has ended.
fn fetcher(ahead: &Ahead<'_>, thread: u32, own: u32) -> Option<u32> {
    let mut at = thread;
    // Threads may wait for each other in a circle.
    for _ in 0..ahead.thread_count() {
        if at == own || ahead.status(at) != Status::Ready {
            return None;
        }
        match ahead.joining(at) {
            Some(target) => at = target,
            None => return Some(at),
        }
    }
    None
}

/// Whether an event is a store that a load may read from.
fn may_feed(ahead: &Ahead<'_>, store: EventId, load: EventId) -> bool {
    let (event, reader) = (ahead.event(store), ahead.event(load));
    let later = event.thread == reader.thread && event.po > reader.po;
    let location = ahead.location(store);
    event.is_store() && !later && (location.is_none() || location == ahead.location(load))
}
