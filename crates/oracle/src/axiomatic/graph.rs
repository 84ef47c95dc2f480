//! A candidate as a graph: its memory events and the relations that are independent of coherence.

use super::candidates::{Access, Candidate, Item, ItemRef, Source};
use crate::barriers::Barrier;
use crate::layout::Extent;
use crate::outcome::{Model, Trouble};
use crate::relation::{EventId, Relation};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
struct Event {
    thread: usize,
    access: Access,
    /// The write that the event reads; `None` for the initial value, or if the event does not read.
    source: Option<EventId>,
    /// The number of full barriers of the thread before this event.
    full: usize,
    /// The number of barriers of either kind of the thread before this event.
    any: usize,
}

impl Event {
    fn reads(&self) -> bool {
        self.access.read.is_some()
    }

    fn writes(&self) -> bool {
        self.access.written.is_some()
    }
}

#[derive(Debug)]
pub(super) struct Graph {
    /// Thread by thread, in program order.
    events: Vec<Event>,
}

impl Graph {
    pub(super) fn new(candidate: &Candidate) -> Result<Graph, Trouble> {
        let mut ids = BTreeMap::new();
        let mut events = Vec::new();
        for (thread, items) in candidate.items().enumerate() {
            let (mut full, mut any) = (0, 0);
            for (index, item) in items.iter().enumerate() {
                match item {
                    Item::Choice(_) => {}
                    Item::Barrier(barrier) => {
                        any += 1;
                        full += usize::from(*barrier == Barrier::Full);
                    }
                    Item::Access(access) => {
                        ids.insert(ItemRef { thread, index }, EventId(events.len()));
                        events.push(Event { thread, access: *access, source: None, full, any });
                    }
                }
            }
        }
        if events.len() > Relation::MAX_EVENTS {
            return Trouble::unsupported("more than 64 memory events");
        }
        for event in &mut events {
            if let Some(Source::Write(write)) = event.access.read {
                event.source = Some(ids[&write]);
            }
        }
        Ok(Graph { events })
    }

    fn ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len()).map(EventId)
    }

    /// Pairs in program order.
    fn program_order(&self) -> impl Iterator<Item = (EventId, EventId)> {
        let later = |a: EventId| (a.0 + 1..self.events.len()).map(move |b| (a, EventId(b)));
        let same_thread =
            |(a, b): &(EventId, EventId)| self.events[a.0].thread == self.events[b.0].thread;
        self.ids().flat_map(later).filter(same_thread)
    }

    pub(super) fn places(&self) -> BTreeSet<Extent> {
        self.events.iter().map(|e| e.access.place).collect()
    }

    pub(super) fn writes(&self, place: Extent) -> Vec<EventId> {
        let is_write = |id: &EventId| {
            let event = &self.events[id.0];
            event.writes() && event.access.place == place
        };
        self.ids().filter(is_write).collect()
    }

    pub(super) fn written(&self, write: EventId) -> Option<u128> {
        self.events[write.0].access.written
    }

    /// The part of program order that the model preserves, and the part of rf that the model orders by.
    pub(super) fn preserved(&self, model: Model) -> Relation {
        let mut order = Relation::empty(self.events.len());
        for (a, b) in self.program_order() {
            if self.keeps(model, &self.events[a.0], &self.events[b.0]) {
                order.add(a, b);
            }
        }
        for read in self.ids() {
            let event = &self.events[read.0];
            if let Some(write) = event.source {
                let external = self.events[write.0].thread != event.thread;
                if external || model == Model::Sc {
                    order.add(write, read);
                }
            }
        }
        order
    }

    /// Whether the model preserves the order of `a` and `b`; `b` follows `a` in the same thread.
    fn keeps(&self, model: Model, a: &Event, b: &Event) -> bool {
        let fenced = a.full != b.full || a.access.locked || b.access.locked;
        let store_to_load = !a.reads() && !b.writes();
        let store_barrier = a.writes() && b.writes() && a.any != b.any;
        match model {
            Model::Sc => true,
            Model::Tso => fenced || !store_to_load,
            Model::Pso => fenced || a.reads() || store_barrier,
        }
    }

    /// po-loc and rf of one place.
    pub(super) fn program_order_and_reads_from(&self, place: Extent) -> Relation {
        let mut relation = Relation::empty(self.events.len());
        let here = |id: EventId| self.events[id.0].access.place == place;
        for (a, b) in self.program_order().filter(|(a, b)| here(*a) && here(*b)) {
            relation.add(a, b);
        }
        for read in self.ids().filter(|id| here(*id)) {
            if let Some(write) = self.events[read.0].source {
                relation.add(write, read);
            }
        }
        relation
    }

    /// co, and the fr that follows from it, for the writes of one place, first to last.
    pub(super) fn coherence_and_from_reads(&self, writes: &[EventId]) -> Relation {
        let mut relation = Relation::empty(self.events.len());
        for (i, a) in writes.iter().enumerate() {
            for b in &writes[i + 1..] {
                relation.add(*a, *b);
            }
        }
        let Some(first) = writes.first() else { return relation };
        let place = self.events[first.0].access.place;
        for read in self.ids() {
            let event = &self.events[read.0];
            if !event.reads() || event.access.place != place {
                continue;
            }
            let from = event.source.and_then(|s| writes.iter().position(|w| *w == s));
            let later = &writes[from.map_or(0, |i| i + 1)..];
            for write in later.iter().filter(|w| **w != read) {
                relation.add(read, *write);
            }
        }
        relation
    }

    /// Whether every read-modify-write directly follows the write that it reads.
    pub(super) fn is_atomic(&self, writes: &[EventId]) -> bool {
        writes.iter().enumerate().all(|(i, write)| {
            let event = &self.events[write.0];
            let before = i.checked_sub(1).map(|i| writes[i]);
            !event.reads() || event.source == before
        })
    }
}
