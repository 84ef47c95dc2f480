//! Whether deferred loads can still be committed.
//!
//! A deferred load needs a store to its location that is committed later. The search gives up a deferral as
//! soon as the order of commits leaves no such store. The check is an over-approximation: it ignores the
//! axioms, and it assumes that code which was not fetched may store anywhere.

use crate::commit_before::{is_reached, is_ready};
use crate::fetch::{EventId, Threads};
use crate::graph::Graph;
use crate::lock::{may_write_first, releases_own_lock};
use crate::state::{accepts_last_value, may_read_now};
use crate::table::Table;
use raddle_machine::{Status, ThreadId};

/// Where a later store to the location of a load may come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Prospect {
    None,
    /// Only from code that was not fetched yet.
    Unfetched,
    /// From an event that was fetched.
    Fetched,
}

/// Whether the deferred loads can be committed, after one more was deferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deferral {
    Completable,
    /// No store can come for the load.
    Impossible,
    /// A store can come for it, but none for a load that was deferred earlier.
    BlocksAnother,
}

/// Scratch space of the check.
#[derive(Clone, Debug, Default)]
pub(crate) struct Completable {
    /// By event: whether the order of commits lets it be committed.
    can: Table<EventId, bool>,
    /// Whether loads that wait for a value are asked for a store that has it. The search does without: most programs
    /// have no dead end that this finds earlier. A random probe cannot turn round, so it avoids them.
    pub asks_waiting: bool,
}

impl Completable {
    fn waiting<'a>(threads: &'a Threads<'_>) -> impl Iterator<Item = EventId> + 'a {
        threads.ids().flat_map(move |thread| threads.uncommitted(thread))
    }

    /// The deferred loads, each with the number of stores that it was asked about.
    pub(crate) fn deferred<'a>(
        &self,
        threads: &'a Threads<'_>,
    ) -> impl Iterator<Item = (EventId, u64)> + use<'a, '_> {
        Self::waiting(threads).filter_map(|id| Some((id, threads.deferred(id)?)))
    }

    /// Where a later store to the location of a load may come from.
    pub(crate) fn prospect<const W: usize>(
        &self,
        threads: &Threads<'_>,
        graph: &Graph<W>,
        load: EventId,
    ) -> Prospect {
        let sure = releases_own_lock(threads, graph, load);
        if Self::waiting(threads)
            .any(|id| may_feed(threads, id, load) && may_write_first(threads, id, load, sure))
        {
            return Prospect::Fetched;
        }
        let own = threads.event(load).thread;
        match threads.ids().any(|thread| fetcher(threads, thread, own).is_some()) {
            true => Prospect::Unfetched,
            false => Prospect::None,
        }
    }

    /// Whether every deferred load that has to be committed can be, as far as the order of commits
    /// goes: some store to its location can be committed before it. `newest` was deferred last.
    pub(crate) fn after_deferring<const W: usize>(
        &mut self,
        threads: &Threads<'_>,
        graph: &Graph<W>,
        newest: EventId,
    ) -> Deferral {
        self.can.refill(threads.event_count(), false);
        // The least fixed point: `can` only grows, and each round uses what the rounds before have found.
        let mut more = true;
        while more {
            more = false;
            for id in Self::waiting(threads) {
                if !self.can[id] && self.becomes_possible(threads, graph, id) {
                    self.can[id] = true;
                    more = true;
                }
            }
        }
        // A load that waits for a value which is not there may wait for ever: that is not a loss.
        let is_lost = |id: EventId| accepts_last_value(threads, graph, id) && !self.can[id];
        if is_lost(newest) {
            return Deferral::Impossible;
        }
        match self.deferred(threads).any(|(id, _)| is_lost(id)) {
            true => Deferral::BlocksAnother,
            false => Deferral::Completable,
        }
    }

    fn becomes_possible<const W: usize>(
        &self,
        threads: &Threads<'_>,
        graph: &Graph<W>,
        id: EventId,
    ) -> bool {
        let done = |other: EventId| self.can[other];
        match threads.deferred(id) {
            None if !is_ready(threads, id, done) || !is_reached(threads, id, done) => return false,
            None if !self.asks_waiting || may_read_now(threads, graph, id) => return true,
            None => {}
            Some(known) => {
                // The decision about the newest store is still to be made.
                let location = threads.location(id);
                let stores = location.map_or(0, |location| graph.stores_at(location).count());
                if u64::from(stores) > known {
                    return true;
                }
            }
        }
        let sure = releases_own_lock(threads, graph, id);
        let feeds =
            |store| may_feed(threads, store, id) && may_write_first(threads, store, id, sure);
        if Self::waiting(threads).any(|store| self.can[store] && feeds(store)) {
            return true;
        }
        let own = threads.event(id).thread;
        let mut fetchers = threads.ids().filter_map(|thread| fetcher(threads, thread, own));
        fetchers.any(|thread| self.may_fetch(threads, thread))
    }

    /// Whether a thread that does not wait for another one may fetch more once events in `can` are committed.
    fn may_fetch(&self, threads: &Threads<'_>, thread: ThreadId) -> bool {
        if threads.is_choosing(thread) || threads.may_speculate(thread) {
            return true;
        }
        let mut waits = false;
        for id in threads.uncommitted(thread) {
            if self.can[id] {
                return true;
            }
            waits = true;
        }
        !waits
    }
}

/// The thread that has to fetch next for `thread` to fetch more: the thread itself, or the one at the end of
/// its chain of joins. `None` if it never fetches more, or only after the thread `own` has ended.
pub(crate) fn fetcher(threads: &Threads<'_>, thread: ThreadId, own: ThreadId) -> Option<ThreadId> {
    let mut at = thread;
    // Threads may wait for each other in a circle.
    for _ in threads.ids() {
        if at == own || threads.status(at) != Status::Ready {
            return None;
        }
        match threads.joining(at) {
            Some(target) => at = target,
            None => return Some(at),
        }
    }
    None
}

/// Whether an event is a store that a load may read from.
fn may_feed(threads: &Threads<'_>, store: EventId, load: EventId) -> bool {
    let (event, reader) = (threads.event(store), threads.event(load));
    let later = event.thread == reader.thread && event.po > reader.po;
    let location = threads.location(store);
    event.is_store() && !later && (location.is_none() || location == threads.location(load))
}
