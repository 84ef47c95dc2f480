//! The partial trace: committed events and the relations between them.
//!
//! Paper 003, section 2. Events are numbered in the order in which they were committed. Relations are
//! rows of bits, one row per event with its successors. Relations that must be acyclic are kept
//! transitively closed in both directions, so that a new edge is refused if it closes a cycle and
//! costs nothing if it is implied already. The search keeps a copy per level instead of an undo log: a
//! graph is one flat array, and all of its rows may change at once.
//!
//! Initial values are not events: nothing comes before them, so they cannot be on a cycle.

use crate::bits::Bits;
use crate::fetch::{Event, EventId, Kind, Location, Threads, When};
use crate::table::{Table, impl_id};
use raddle_machine::ThreadId;

/// A committed event: its row in the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RowId(pub u32);

impl_id!(RowId);

/// The store that a load reads from, or that a store follows: none for the initial value.
pub(crate) type Source = Option<RowId>;

/// A row of a relation that must be acyclic and is kept transitively closed. Invariant: `b` is in `after` of
/// `a` if and only if `a` is in `before` of `b`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closed<const W: usize> {
    pub after: Bits<W>,
    pub before: Bits<W>,
}

impl<const W: usize> Closed<W> {
    const EMPTY: Closed<W> = Closed { after: Bits::EMPTY, before: Bits::EMPTY };
}

/// A committed event and its rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<const W: usize> {
    pub event: EventId,
    pub thread: ThreadId,
    pub po: u32,
    pub location: Location,
    pub is_store: bool,
    /// For a load, the store that it reads from.
    pub source: Source,
    /// For the store of a read-modify-write, its load.
    pub pair: Option<RowId>,
    /// Program order within one location.
    pub po_loc: Bits<W>,
    /// Address and data dependencies.
    pub dd: Bits<W>,
    /// Control dependencies, and address dependencies followed by program order.
    pub cc: Bits<W>,
    /// Control dependencies with an `isync` or `isb` in between.
    pub ci: Bits<W>,
    /// Full fences, and the order of starting and joining threads.
    pub full: Bits<W>,
    /// The other barriers that order accesses.
    pub light: Bits<W>,
    /// All later events of its thread.
    pub po_after: Bits<W>,
    /// Events without which it would not exist: a part of commit-before that is cheap to keep.
    pub past: Bits<W>,
    pub rf: Bits<W>,
    pub co: Bits<W>,
    pub fr: Bits<W>,
    /// Happens-before, or the one order of SC, TSO and PSO.
    pub hb: Closed<W>,
    /// Coherence and propagation.
    pub cp: Closed<W>,
}

/// Which of the closed relations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Which {
    HappensBefore,
    Propagation,
}

impl<const W: usize> Row<W> {
    #[inline(always)]
    fn closed(&mut self, which: Which) -> &mut Closed<W> {
        match which {
            Which::HappensBefore => &mut self.hb,
            Which::Propagation => &mut self.cp,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph<const W: usize> {
    pub rows: Table<RowId, Row<W>>,
    pub stores: Bits<W>,
    pub loads: Bits<W>,
    /// Events that coherence does not order among each other: see [`queue`](crate::queue). Empty unless the model
    /// commits in program order, as is `woken`.
    pub queue: Bits<W>,
    /// Loads that find their thread woken. They come after the signal that woke it, and before nothing.
    pub woken: Bits<W>,
    of_thread: Table<ThreadId, Bits<W>>,
    /// The stores and the loads of each location.
    at: Table<Location, [Bits<W>; 2]>,
    pub has_full: bool,
    pub has_fences: bool,
    has_pairs: bool,
    /// Not part of the graph.
    pub scratch: Scratch<W>,
}

/// For each committed event, those that a relation puts after it.
pub(crate) type Relation<const W: usize> = Table<RowId, Bits<W>>;

/// Memory for the relations that a model computes anew for each event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<const W: usize> {
    pub base: Relation<W>,
    pub strong: Relation<W>,
    pub prop: Relation<W>,
}

impl<const W: usize> Graph<W> {
    /// Copies another graph into this one's memory.
    pub(crate) fn copy_from(&mut self, other: &Graph<W>) {
        self.rows.clone_from(&other.rows);
        self.of_thread.clone_from(&other.of_thread);
        self.at.clone_from(&other.at);
        (self.stores, self.loads) = (other.stores, other.loads);
        (self.queue, self.woken) = (other.queue, other.woken);
        self.has_full = other.has_full;
        self.has_fences = other.has_fences;
        self.has_pairs = other.has_pairs;
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of events that a graph can hold.
    pub(crate) const CAPACITY: u32 = 64 * W as u32;

    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= Self::CAPACITY as usize
    }

    #[inline]
    pub(crate) fn of_thread(&self, thread: ThreadId) -> Bits<W> {
        self.of_thread.get(thread).copied().unwrap_or(Bits::EMPTY)
    }

    #[inline]
    pub(crate) fn stores_at(&self, location: Location) -> Bits<W> {
        self.at.get(location).map_or(Bits::EMPTY, |[stores, _]| *stores)
    }

    #[inline]
    pub(crate) fn loads_at(&self, location: Location) -> Bits<W> {
        self.at.get(location).map_or(Bits::EMPTY, |[_, loads]| *loads)
    }

    /// The stores of a location in coherence order.
    pub(crate) fn coherence(&self, location: Location) -> Vec<RowId> {
        let mut stores: Vec<RowId> = self.stores_at(location).iter().collect();
        stores.sort_unstable_by_key(|store| std::cmp::Reverse(self.rows[*store].co.count()));
        stores
    }

    /// Whether a store comes at or after another in coherence order.
    #[inline]
    fn not_before(&self, store: Source, other: Source) -> bool {
        match (store, other) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(store), Some(other)) => store == other || self.rows[other].co.contains(store),
        }
    }

    /// The store that an access is, or reads from.
    fn touches(&self, number: RowId) -> Source {
        if self.rows[number].is_store { Some(number) } else { self.rows[number].source }
    }

    /// Adds an event without its place in `rf` and `co`.
    pub(crate) fn add(&mut self, threads: &Threads<'_>, id: EventId, location: Location) -> RowId {
        let event = threads.event(id);
        let is_store = event.is_store();
        let past = self.past_in_order(threads, event);
        let row = self.rows.push(Row {
            event: id,
            thread: event.thread,
            po: event.po,
            location,
            is_store,
            source: None,
            pair: None,
            po_loc: Bits::EMPTY,
            dd: Bits::EMPTY,
            cc: Bits::EMPTY,
            ci: Bits::EMPTY,
            full: Bits::EMPTY,
            light: Bits::EMPTY,
            po_after: Bits::EMPTY,
            past,
            rf: Bits::EMPTY,
            co: Bits::EMPTY,
            fr: Bits::EMPTY,
            hb: Closed::EMPTY,
            cp: Closed::EMPTY,
        });
        for other in self.of_thread(event.thread).iter() {
            if self.rows[other].po < event.po {
                self.relate(threads, other, row, event);
            } else {
                let later = threads.event(self.rows[other].event);
                self.relate(threads, row, other, later);
            }
        }
        self.fence_across(threads, row, event);
        self.register(row, event, location);
        if threads.rules.commits_in_program_order {
            if threads.queues(event) {
                self.queue.insert(row);
            }
            if event.load().is_some_and(|load| matches!(load.when, Some(When::Woken(_)))) {
                self.woken.insert(row);
            }
        }
        row
    }

    /// The events without which an event would not exist, whatever it reads from.
    pub(crate) fn past_in_order(&self, threads: &Threads<'_>, event: &Event) -> Bits<W> {
        let mut past = Bits::EMPTY;
        let mut add = |other: RowId| {
            past.insert(other);
            past.add(&self.rows[other].past);
        };
        let in_order = threads.rules.commits_in_program_order;
        for other in self.of_thread(event.thread).iter() {
            let po = self.rows[other].po;
            if po < event.po && (in_order || threads.deps.contains(event.before, po)) {
                add(other);
            }
        }
        for (thread, count) in threads.clocks.entries(event.full) {
            for other in self.of_thread(thread).iter() {
                if self.rows[other].po < count {
                    add(other);
                }
            }
        }
        past
    }

    fn register(&mut self, row: RowId, event: &Event, location: Location) {
        self.of_thread.reach(event.thread, Bits::EMPTY);
        self.of_thread[event.thread].insert(row);
        self.at.reach(location, [Bits::EMPTY; 2]);
        self.at[location][usize::from(!event.is_store())].insert(row);
        if event.is_store() { &mut self.stores } else { &mut self.loads }.insert(row);
    }

    /// Adds the relations between two events of one thread; `event` is the later one.
    fn relate(&mut self, threads: &Threads<'_>, earlier: RowId, later: RowId, event: &Event) {
        let location = self.rows[later].location;
        let from = &mut self.rows[earlier];
        let po = from.po;
        from.po_after.insert(later);
        if from.location == location {
            from.po_loc.insert(later);
        }
        if !from.is_store {
            if threads.deps.contains(event.dd, po) {
                from.dd.insert(later);
            }
            if threads.deps.contains(event.cc, po) {
                from.cc.insert(later);
            }
            if threads.deps.contains(event.ci, po) {
                from.ci.insert(later);
            }
        }
        let of_stores = po < event.stores && from.is_store && event.is_store();
        let full = po < threads.clocks.of(event.full, event.thread)
            || of_stores && threads.rules.store_fence_is_full;
        let light = po < event.light && (!from.is_store || event.is_store()) || of_stores;
        if full {
            from.full.insert(later);
        } else if light {
            from.light.insert(later);
        }
        self.has_full |= full;
        self.has_fences |= full || light;
    }

    /// Adds the order that starting and joining threads impose on an event, as full fences.
    fn fence_across(&mut self, threads: &Threads<'_>, row: RowId, event: &Event) {
        for (thread, count) in threads.clocks.entries(event.full) {
            if thread == event.thread || count == 0 {
                continue;
            }
            for other in self.of_thread(thread).iter() {
                if self.rows[other].po < count {
                    self.rows[other].full.insert(row);
                    (self.has_full, self.has_fences) = (true, true);
                }
            }
        }
    }

    /// Whether a location stays coherent if a load that is not yet in the graph reads from a store: that is checked
    /// here, and not by the models, for all accesses of the load's thread to the location.
    pub(crate) fn may_read(&self, load: &Event, location: Location, source: Source) -> bool {
        let own = self.of_thread(load.thread).and(&self.at_location(location));
        own.iter().all(|other| match self.rows[other].po.cmp(&load.po) {
            std::cmp::Ordering::Less => self.not_before(source, self.touches(other)),
            std::cmp::Ordering::Equal => true,
            // A later store must come after the store that is read from.
            std::cmp::Ordering::Greater if self.rows[other].is_store => {
                source != Some(other) && self.not_before(Some(other), source)
            }
            std::cmp::Ordering::Greater => self.not_before(self.touches(other), source),
        })
    }

    /// Lets a load read from a store that it [may](Graph::may_read) read from.
    pub(crate) fn read_from(&mut self, load: RowId, source: Source) {
        let location = self.rows[load].location;
        self.rows[load].source = source;
        if let Some(store) = source {
            let further = self.rows[store].past;
            self.rows[load].past.insert(store);
            self.rows[load].past.add(&further);
        }
        self.rows[load].fr = match source {
            None => self.stores_at(location),
            Some(store) => {
                self.rows[store].rf.insert(load);
                self.rows[store].co
            }
        };
    }

    fn at_location(&self, location: Location) -> Bits<W> {
        self.stores_at(location).or(&self.loads_at(location))
    }

    /// Whether a location stays coherent if a store that is not yet in the graph comes right after another in
    /// coherence order, or first.
    pub(crate) fn may_place(&self, store: &Event, location: Location, previous: Source) -> bool {
        let after = match previous {
            Some(previous) => self.rows[previous].co,
            None => self.stores_at(location),
        };
        let own = self.of_thread(store.thread).and(&self.at_location(location));
        own.iter().all(|other| match self.rows[other].po.cmp(&store.po) {
            std::cmp::Ordering::Less => self.touches(other).is_none_or(|it| !after.contains(it)),
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Greater => self.touches(other).is_some_and(|it| after.contains(it)),
        })
    }

    /// Puts a store right after another in coherence order, or first, where it [may](Graph::may_place) be.
    pub(crate) fn place_after(&mut self, store: RowId, previous: Source) {
        let location = self.rows[store].location;
        let mut before = Bits::EMPTY;
        let mut after = self.stores_at(location).minus(&Bits::just(store));
        if let Some(previous) = previous {
            after = self.rows[previous].co;
            before = self.stores_at(location).minus(&after).minus(&Bits::just(store));
        }
        self.rows[store].co = after;
        for other in before.iter() {
            self.rows[other].co.insert(store);
        }
        for load in self.loads_at(location).iter() {
            let source = self.rows[load].source;
            if source.is_none_or(|source| before.contains(source)) {
                self.rows[load].fr.insert(store);
            }
        }
    }

    /// Makes a store the second half of a read-modify-write.
    pub(crate) fn pair(&mut self, store: RowId, load: RowId) {
        self.rows[store].pair = Some(load);
        self.has_pairs = true;
    }

    /// Whether no other thread's store comes between the halves of a read-modify-write at a location.
    pub(crate) fn is_atomic(&self, location: Location) -> bool {
        if !self.has_pairs {
            return true;
        }
        let stores = self.stores_at(location);
        stores.iter().all(|store| {
            let Some(load) = self.rows[store].pair else { return true };
            let others = stores.minus(&self.of_thread(self.rows[store].thread));
            let mut between = self.rows[load].fr.and(&others).iter();
            !between.any(|other| self.rows[other].co.contains(store))
        })
    }

    /// Adds an edge to a closed relation; false if that closes a cycle.
    ///
    /// Everything at or before `from` then comes before everything at or after `to`. Those two products are all
    /// new pairs, so the relation stays closed without a fixed point.
    pub(crate) fn order(&mut self, which: Which, from: RowId, to: RowId) -> bool {
        let rows = &mut self.rows;
        if from == to || rows[to].closed(which).after.contains(from) {
            return false;
        }
        if rows[from].closed(which).after.contains(to) {
            return true;
        }
        let before = rows[from].closed(which).before.or(&Bits::just(from));
        let after = rows[to].closed(which).after.or(&Bits::just(to));
        for n in before.iter() {
            rows[n].closed(which).after.add(&after);
        }
        for n in after.iter() {
            rows[n].closed(which).before.add(&before);
        }
        true
    }

    /// Adds the edges from an event to each of a set.
    pub(crate) fn order_all(&mut self, which: Which, from: RowId, to: Bits<W>) -> bool {
        let known = self.rows[from].closed(which).after;
        to.minus(&known).iter().all(|to| self.order(which, from, to))
    }

    /// The value that a committed load read.
    pub(crate) fn found(&self, threads: &Threads<'_>, load: RowId) -> Option<u128> {
        let row = &self.rows[load];
        self.value_of(threads, row.source, row.location)
    }

    /// The value that a store wrote to a location, or the initial one.
    pub(crate) fn value_of(
        &self,
        threads: &Threads<'_>,
        source: Source,
        location: Location,
    ) -> Option<u128> {
        source.map_or_else(|| threads.initial(location), |store| self.written(threads, store))
    }

    /// The value that a committed store wrote.
    pub(crate) fn written(&self, threads: &Threads<'_>, store: RowId) -> Option<u128> {
        let event = threads.event(self.rows[store].event);
        match event.kind {
            Kind::Store(store) => threads.value(store.value).map(|bits| bits & event.ty.mask()),
            Kind::Load(_) => None,
        }
    }
}
