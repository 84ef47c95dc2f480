//! Learned numbers of writes: which threads write to an address, and how often.
//!
//! A load is deferred for a store that comes later. Threads fetch code as they go, so most of these stores are
//! unknown at the time of the decision. Probes therefore remember how many writes each thread makes to each
//! address, and where in its program order the last of them is. The writes that are left when a load is asked tell
//! whether its deferral can lead anywhere, and about which part of the traces is below it: if all orders of the
//! remaining writes are equally likely, the next one is of the load's own thread with the probability that is the
//! thread's part of them. For locks and for atomic increments this is exact.
//!
//! A thread whose own load of the address is deferred does not write there before another thread does. (ARM commits a
//! store before an earlier load of the same address.)

use super::Search;
use crate::completable::fetcher;
use crate::fetch::{Event, EventId, Kind, Location, Threads};
use crate::graph::Graph;
use crate::lock::{is_of_lock, releases_own_lock};
use raddle_machine::ThreadId;
use rustc_hash::FxHashMap;

/// Numbers that are kept at most.
const MOST: usize = 1 << 18;
/// How much a new number counts at least.
const SLOWEST: f64 = 0.1;

/// The writes of a thread to an address, in the probes so far.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Count {
    /// How many stores there are on average.
    average: f64,
    /// How many there could be at most: a read-modify-write counts also where it wrote nothing.
    most: u32,
    /// The last place in program order of one of them; of a read-modify-write the place of its load, with which it is
    /// decided what it is about.
    last: u32,
    /// Both in the current probe.
    stores: u32,
    attempts: u32,
}

#[derive(Debug, Default)]
pub(super) struct Writes {
    /// By address, thread, and whether they are operations on a lock.
    counts: FxHashMap<(u64, ThreadId, bool), Count>,
    probes: u32,
}

/// How many writes to the location of a load are left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Left {
    /// Of the thread of the load.
    pub own: f64,
    /// Of other threads whose next write does not wait for another one.
    pub others: f64,
    /// Whether there is such a thread, as far as earlier probes have shown.
    pub possible: bool,
}

/// Whether an event stands for a write that happens, or could. The load of a read-modify-write stands for its store.
fn may_write(threads: &Threads<'_>, event: &Event) -> bool {
    match event.kind {
        Kind::Store(store) => store.read.is_none_or(|read| !threads.event(read).is_paired()),
        Kind::Load(_) => event.is_paired(),
    }
}

impl Writes {
    /// Learns from the end of a probe. Returns whether a thread wrote somewhere more often than in any probe before.
    pub(super) fn learn<const W: usize>(&mut self, search: &Search<'_, W>) -> bool {
        let (threads, graph) = (&search.threads, &search.graphs[search.level]);
        for row in graph.rows.values() {
            self.note(threads, row.event);
        }
        for thread in threads.ids() {
            for id in threads.uncommitted(thread) {
                self.note(threads, id);
            }
        }
        self.probes += 1;
        let rate = (1.0 / f64::from(self.probes)).max(SLOWEST);
        let mut more = false;
        for count in self.counts.values_mut() {
            count.average += (f64::from(count.stores) - count.average) * rate;
            more |= count.attempts > count.most;
            count.most = count.most.max(count.attempts);
            (count.stores, count.attempts) = (0, 0);
        }
        more
    }

    fn note(&mut self, threads: &Threads<'_>, id: EventId) {
        let event = threads.event(id);
        let (store, attempt) = (event.is_store(), may_write(threads, event));
        let Some(location) = threads.location(id).filter(|_| store || attempt) else { return };
        let key = (threads.extent_of(location).0, event.thread, is_of_lock(threads, id));
        if self.counts.len() < MOST || self.counts.contains_key(&key) {
            let count = self.counts.entry(key).or_default();
            count.stores += u32::from(store);
            count.attempts += u32::from(attempt);
            if attempt {
                count.last = count.last.max(event.po);
            }
        }
    }

    /// How many writes to the location of a load are left.
    pub(super) fn left<const W: usize>(
        &self,
        threads: &Threads<'_>,
        graph: &Graph<W>,
        load: EventId,
    ) -> Left {
        let mut left = Left { own: 0.0, others: 0.0, possible: false };
        let Some(location) = threads.location(load) else { return left };
        let own = threads.event(load).thread;
        let (address, _) = threads.extent_of(location);
        let stores = u64::from(graph.stores_at(location).count());
        // Nobody else takes a lock that the thread holds.
        let held = releases_own_lock(threads, graph, load);
        for thread in threads.ids() {
            let (fetched, waits) = fetched(threads, thread, location, stores);
            let known = |of_lock| self.counts.get(&(address, thread, of_lock)).copied();
            let others = known(false).unwrap_or_default();
            let locks = known(true).filter(|_| !held).unwrap_or_default();
            let goes_on = thread == own || fetcher(threads, thread, own).is_some();
            let comes = goes_on
                && threads.fetched(thread) <= others.last.max(locks.last)
                && others.most + locks.most > attempted(threads, graph, thread, location);
            let stored = graph.stores_at(location).and(&graph.of_thread(thread)).count();
            let unfetched =
                if comes { others.average + locks.average - f64::from(stored) } else { 0.0 };
            let expected = unfetched.max(fetched.into());
            if thread == own {
                left.own = expected;
            } else if !waits && (comes || fetched > 0 && !held) {
                left.possible = true;
                left.others += expected.max(0.1);
            }
        }
        left
    }
}

/// The writes of a thread to a location that are committed, or could have been.
fn attempted<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    thread: ThreadId,
    location: Location,
) -> u32 {
    let at = graph.stores_at(location).or(&graph.loads_at(location));
    let own = at.and(&graph.of_thread(thread));
    own.iter().filter(|row| may_write(threads, threads.event(graph.rows[*row].event))).count()
        as u32
}

/// The writes of a thread that it has fetched and that are, or may be, to a location, and whether they wait: a load before them is deferred until
/// there are more than so many stores.
fn fetched(
    threads: &Threads<'_>,
    thread: ThreadId,
    location: Location,
    stores: u64,
) -> (u32, bool) {
    let (mut count, mut waits) = (0, false);
    let rules = &threads.rules;
    let in_order = rules.commits_in_program_order || rules.keeps_locations;
    for id in threads.uncommitted(thread) {
        let own = threads.location(id);
        if own == Some(location) {
            waits |= in_order && threads.deferred(id).is_some_and(|known| known >= stores);
        }
        // A location that is not known yet may be this one.
        if own.is_none_or(|own| own == location) {
            count += u32::from(may_write(threads, threads.event(id)));
        }
    }
    (count, waits)
}
