//! The partial trace: committed events and the relations between them.
//!
//! Paper 003, section 2. Events are numbered in the order in which they were committed. Relations are
//! rows of bits, one row per event for what comes after it; those that must have no cycle are kept
//! transitively closed in both directions, so that a new edge is refused if it closes a cycle and
//! costs nothing if it is there already. The search keeps a copy per level instead of an undo log: a
//! graph is one flat array, and all of its rows may change at once.
//!
//! Values before all stores are no events: nothing comes before them, so they are on no cycle.

use crate::ahead::{Ahead, Event, EventId, Kind, Location, When};
use crate::bits::Bits;

/// Numbers of committed events, as a load's source: none for the value before all stores.
pub(crate) type Source = Option<usize>;

/// A relation that must have no cycle, closed transitively.
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
    pub thread: u32,
    pub po: u32,
    pub location: Location,
    pub is_store: bool,
    /// For a load, the store that it reads from.
    pub source: Source,
    /// For the store of a read-modify-write, its load.
    pub pair: Option<usize>,
    /// Program order within one location.
    pub po_loc: Bits<W>,
    /// Address and data dependencies.
    pub dd: Bits<W>,
    /// Control dependencies, and address dependencies followed by program order.
    pub cc: Bits<W>,
    /// Control dependencies with an `isync` or `isb` in between.
    pub ci: Bits<W>,
    pub full: Bits<W>,
    pub light: Bits<W>,
    /// All later events of its thread.
    pub po_after: Bits<W>,
    /// What it could not be without: a part of commit-before that is cheap to keep.
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

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph<const W: usize> {
    pub rows: Vec<Row<W>>,
    pub stores: Set<W>,
    pub loads: Set<W>,
    /// Those of which two are not ordered by coherence: see [`queue`](crate::queue).
    pub queue: Set<W>,
    /// Loads that find their thread woken. They come after the signal that did it, and before nothing.
    pub woken: Set<W>,
    of_thread: Vec<Bits<W>>,
    /// The stores and the loads of each location.
    at: Vec<[Bits<W>; 2]>,
    pub has_full: bool,
    pub has_fences: bool,
    has_pairs: bool,
}

/// A set that starts empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set<const W: usize>(pub Bits<W>);

impl<const W: usize> Default for Set<W> {
    fn default() -> Self {
        Set(Bits::EMPTY)
    }
}

impl<const W: usize> Graph<W> {
    /// Copies another graph into this one's memory.
    pub fn copy_from(&mut self, other: &Graph<W>) {
        self.rows.clone_from(&other.rows);
        self.of_thread.clone_from(&other.of_thread);
        self.at.clone_from(&other.at);
        (self.stores, self.loads) = (other.stores, other.loads);
        (self.queue, self.woken) = (other.queue, other.woken);
        self.has_full = other.has_full;
        self.has_fences = other.has_fences;
        self.has_pairs = other.has_pairs;
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// How many events there is room for.
    pub const ROOM: u32 = 64 * W as u32;

    pub fn is_full(&self) -> bool {
        self.rows.len() >= Self::ROOM as usize
    }

    #[inline]
    pub fn of_thread(&self, thread: u32) -> Bits<W> {
        self.of_thread.get(thread as usize).copied().unwrap_or(Bits::EMPTY)
    }

    #[inline]
    pub fn stores_at(&self, location: Location) -> Bits<W> {
        self.at.get(location.0 as usize).map_or(Bits::EMPTY, |[stores, _]| *stores)
    }

    #[inline]
    pub fn loads_at(&self, location: Location) -> Bits<W> {
        self.at.get(location.0 as usize).map_or(Bits::EMPTY, |[_, loads]| *loads)
    }

    /// The stores of a location in coherence order.
    pub fn coherence(&self, location: Location) -> Vec<usize> {
        let mut stores: Vec<usize> = self.stores_at(location).iter().collect();
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

    /// What an access has to do with its location: the store it is, or reads from.
    fn touches(&self, number: usize) -> Source {
        if self.rows[number].is_store { Some(number) } else { self.rows[number].source }
    }

    /// Adds an event without its place in `rf` and `co`; gives its number.
    pub fn add(&mut self, ahead: &Ahead<'_>, id: EventId, location: Location) -> usize {
        let event = ahead.event(id);
        let number = self.rows.len();
        let is_store = event.is_store();
        self.rows.push(Row {
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
            past: self.past_in_order(ahead, event),
            rf: Bits::EMPTY,
            co: Bits::EMPTY,
            fr: Bits::EMPTY,
            hb: Closed::EMPTY,
            cp: Closed::EMPTY,
        });
        for other in self.of_thread(event.thread).iter() {
            if self.rows[other].po < event.po {
                self.relate(ahead, other, number, event);
            } else {
                let later = ahead.event(self.rows[other].event);
                self.relate(ahead, number, other, later);
            }
        }
        self.fence_across(ahead, number, event);
        self.register(number, event, location);
        if ahead.rules.commits_in_program_order {
            if ahead.queues(event) {
                self.queue.0.insert(number);
            }
            if event.load().is_some_and(|load| matches!(load.when, Some(When::Woken(_)))) {
                self.woken.0.insert(number);
            }
        }
        number
    }

    /// What an event could not be without, whatever it reads from.
    pub fn past_in_order(&self, ahead: &Ahead<'_>, event: &Event) -> Bits<W> {
        let mut past = Bits::EMPTY;
        let mut add = |other: usize| {
            past.insert(other);
            past.add(&self.rows[other].past);
        };
        let in_order = ahead.rules.commits_in_program_order;
        for other in self.of_thread(event.thread).iter() {
            let po = self.rows[other].po;
            if po < event.po && (in_order || ahead.deps.contains(event.before, po)) {
                add(other);
            }
        }
        for (thread, count) in ahead.clocks.get(event.full).iter().enumerate() {
            for other in self.of_thread(thread as u32).iter() {
                if self.rows[other].po < *count {
                    add(other);
                }
            }
        }
        past
    }

    fn register(&mut self, number: usize, event: &Event, location: Location) {
        let thread = event.thread as usize;
        if self.of_thread.len() <= thread {
            self.of_thread.resize(thread + 1, Bits::EMPTY);
        }
        self.of_thread[thread].insert(number);
        if self.at.len() <= location.0 as usize {
            self.at.resize(location.0 as usize + 1, [Bits::EMPTY; 2]);
        }
        self.at[location.0 as usize][usize::from(!event.is_store())].insert(number);
        if event.is_store() { &mut self.stores } else { &mut self.loads }.0.insert(number);
    }

    /// What program order makes of two events of one thread; `event` is the later.
    fn relate(&mut self, ahead: &Ahead<'_>, earlier: usize, later: usize, event: &Event) {
        let to = self.rows[later];
        let from = &mut self.rows[earlier];
        let po = from.po;
        from.po_after.insert(later);
        if from.location == to.location {
            from.po_loc.insert(later);
        }
        if !from.is_store {
            if ahead.deps.contains(event.dd, po) {
                from.dd.insert(later);
            }
            if ahead.deps.contains(event.cc, po) {
                from.cc.insert(later);
            }
            if ahead.deps.contains(event.ci, po) {
                from.ci.insert(later);
            }
        }
        let of_stores = po < event.stores && from.is_store && to.is_store;
        let full = po < ahead.clocks.of(event.full, event.thread)
            || of_stores && ahead.rules.store_fence_is_full;
        let light = po < event.light && (!from.is_store || to.is_store) || of_stores;
        if full {
            from.full.insert(later);
        } else if light {
            from.light.insert(later);
        }
        self.has_full |= full;
        self.has_fences |= full || light;
    }

    /// What starting and joining threads put before an event.
    fn fence_across(&mut self, ahead: &Ahead<'_>, number: usize, event: &Event) {
        for (thread, count) in ahead.clocks.get(event.full).iter().enumerate() {
            if thread as u32 == event.thread || *count == 0 {
                continue;
            }
            for other in self.of_thread(thread as u32).iter() {
                if self.rows[other].po < *count {
                    self.rows[other].full.insert(number);
                    (self.has_full, self.has_fences) = (true, true);
                }
            }
        }
    }

    /// Lets a load read from a store. Tells whether its location stays coherent.
    pub fn read_from(&mut self, load: usize, source: Source) -> bool {
        let location = self.rows[load].location;
        let row = self.rows[load];
        for other in self.of_thread(row.thread).and(&self.at_location(location)).iter() {
            let fits = match self.rows[other].po.cmp(&row.po) {
                std::cmp::Ordering::Less => self.not_before(source, self.touches(other)),
                std::cmp::Ordering::Equal => true,
                // A later store must come after what is read.
                std::cmp::Ordering::Greater if self.rows[other].is_store => {
                    source != Some(other) && self.not_before(Some(other), source)
                }
                std::cmp::Ordering::Greater => self.not_before(self.touches(other), source),
            };
            if !fits {
                return false;
            }
        }
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
        true
    }

    fn at_location(&self, location: Location) -> Bits<W> {
        self.stores_at(location).or(&self.loads_at(location))
    }

    /// Puts a store right after another in coherence order, or first. Tells whether its location stays
    /// coherent.
    pub fn place_after(&mut self, store: usize, previous: Source) -> bool {
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
        let row = self.rows[store];
        let own = self.of_thread(row.thread).and(&self.at_location(location));
        own.iter().all(|other| match self.rows[other].po.cmp(&row.po) {
            std::cmp::Ordering::Less => self.touches(other).is_none_or(|it| before.contains(it)),
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Greater => {
                let touched = self.touches(other);
                touched.is_some_and(|it| after.contains(it) || it == store)
            }
        })
    }

    /// Notes that a store is the second half of a read-modify-write.
    pub fn pair(&mut self, store: usize, load: usize) {
        self.rows[store].pair = Some(load);
        self.has_pairs = true;
    }

    /// Whether no other thread's store comes between the halves of a read-modify-write at a location.
    pub fn is_atomic(&self, location: Location) -> bool {
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
    pub fn order(&mut self, which: Which, from: usize, to: usize) -> bool {
        let rows = &mut self.rows;
        let of = |row: &Row<W>| match which {
            Which::HappensBefore => row.hb,
            Which::Propagation => row.cp,
        };
        if from == to || of(&rows[to]).after.contains(from) {
            return false;
        }
        if of(&rows[from]).after.contains(to) {
            return true;
        }
        let before = of(&rows[from]).before.or(&Bits::just(from));
        let after = of(&rows[to]).after.or(&Bits::just(to));
        for n in before.iter() {
            match which {
                Which::HappensBefore => rows[n].hb.after.add(&after),
                Which::Propagation => rows[n].cp.after.add(&after),
            }
        }
        for n in after.iter() {
            match which {
                Which::HappensBefore => rows[n].hb.before.add(&before),
                Which::Propagation => rows[n].cp.before.add(&before),
            }
        }
        true
    }

    /// Adds the edges from an event to each of a set.
    pub fn order_all(&mut self, which: Which, from: usize, to: Bits<W>) -> bool {
        let known = match which {
            Which::HappensBefore => self.rows[from].hb.after,
            Which::Propagation => self.rows[from].cp.after,
        };
        to.minus(&known).iter().all(|to| self.order(which, from, to))
    }

    /// The value that a committed load read.
    pub fn found(&self, ahead: &Ahead<'_>, load: usize) -> Option<u128> {
        let row = &self.rows[load];
        row.source.map_or_else(|| ahead.initial(row.location), |store| self.written(ahead, store))
    }

    /// The value that a committed store wrote.
    pub fn written(&self, ahead: &Ahead<'_>, store: usize) -> Option<u128> {
        let event = ahead.event(self.rows[store].event);
        match event.kind {
            Kind::Store(store) => ahead.value(store.value).map(|bits| bits & event.ty.mask()),
            Kind::Load(_) => None,
        }
    }
}
