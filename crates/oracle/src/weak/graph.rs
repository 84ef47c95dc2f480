//! One trace for each thread as a graph: events, and the relations that do not depend on reads-from and
//! coherence.

use super::trace::{Access, Direction, Trace};
use crate::deps::Deps;
use crate::layout::Extent;
use crate::outcome::Trouble;
use crate::relation::{EventId, Events, Relation};
use std::collections::BTreeSet;

pub(super) struct Graph<'t> {
    /// The events of each thread in program order, thread by thread, with the number of the thread.
    events: Vec<(usize, &'t Access)>,
    pub reads: Events,
    pub writes: Events,
    pub all: Events,
    pub po: Relation,
    pub po_loc: Relation,
    /// Pairs of different threads.
    pub external: Relation,
    pub internal: Relation,
    pub addr: Relation,
    pub data: Relation,
    pub ctrl: Relation,
    /// Control dependencies with an instruction barrier after the branch.
    pub ctrl_fenced: Relation,
    /// Pairs on the two sides of a barrier, by kind of barrier.
    pub full: Relation,
    pub light: Relation,
    pub stores: Relation,
    /// The load and the store of a read-modify-write.
    pub rmw: Relation,
}

impl<'t> Graph<'t> {
    pub(super) fn new(traces: &[&'t Trace]) -> Result<Graph<'t>, Trouble> {
        let of_thread = |(thread, trace): (usize, &&'t Trace)| {
            trace.accesses.iter().map(move |access| (thread, access)).collect::<Vec<_>>()
        };
        let events: Vec<_> = traces.iter().enumerate().flat_map(of_thread).collect();
        if events.len() > Relation::MAX_EVENTS {
            return Trouble::unsupported("more than 64 memory events");
        }
        let none = || Relation::empty(events.len());
        let mut graph = Graph {
            reads: Events::default(),
            writes: Events::default(),
            all: Events::default(),
            po: none(),
            po_loc: none(),
            external: none(),
            internal: none(),
            addr: none(),
            data: none(),
            ctrl: none(),
            ctrl_fenced: none(),
            full: none(),
            light: none(),
            stores: none(),
            rmw: none(),
            events,
        };
        graph.fill();
        Ok(graph)
    }

    fn fill(&mut self) {
        let (mut first, mut thread) = (0, 0);
        for b in 0..self.events.len() {
            let (of, access) = self.events[b];
            if of != thread {
                (first, thread) = (b, of);
            }
            self.all.insert(EventId(b));
            match access.direction {
                Direction::Read => self.reads.insert(EventId(b)),
                Direction::Write => self.writes.insert(EventId(b)),
            }
            for a in 0..b {
                let (a, b) = (EventId(a), EventId(b));
                let same = a.0 >= first;
                let side = if same { &mut self.internal } else { &mut self.external };
                side.add(a, b);
                side.add(b, a);
                if same {
                    self.in_thread(a, b, a.0 - first);
                }
            }
        }
    }

    /// Relates two events of a thread; `index` is the number of the first one in the thread.
    fn in_thread(&mut self, a: EventId, b: EventId, index: usize) {
        let (before, after) = (self.access(a), self.access(b));
        let mut add = |relation: fn(&mut Self) -> &mut Relation, holds: bool| {
            if holds {
                relation(self).add(a, b);
            }
        };
        let on = |deps: Deps| deps.has(index);
        add(|g| &mut g.po, true);
        add(|g| &mut g.po_loc, before.place == after.place);
        add(|g| &mut g.addr, on(after.addr));
        add(|g| &mut g.data, on(after.data));
        add(|g| &mut g.ctrl, on(after.control));
        add(|g| &mut g.ctrl_fenced, on(after.control_fenced));
        add(|g| &mut g.full, before.barriers.full != after.barriers.full);
        add(|g| &mut g.light, before.barriers.light != after.barriers.light);
        add(|g| &mut g.stores, before.barriers.stores != after.barriers.stores);
        add(|g| &mut g.rmw, after.pair == Some(index));
    }

    pub(super) fn access(&self, event: EventId) -> &'t Access {
        self.events[event.0].1
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    pub(super) fn places(&self) -> BTreeSet<Extent> {
        self.events.iter().map(|(_, access)| access.place).collect()
    }

    pub(super) fn at(&self, place: Extent, direction: Direction) -> Vec<EventId> {
        let here = |e: &EventId| {
            let access = self.access(*e);
            access.place == place && access.direction == direction
        };
        (0..self.len()).map(EventId).filter(here).collect()
    }
}
