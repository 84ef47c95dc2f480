//! The search: every complete trace once.
//!
//! Paper 003's RSMC (figure 7) commits a load with each store that is there already, watches the
//! runs that follow for stores that the load could have read had they come first, and for each of those
//! runs again what they need, then the store, then the load. It needs sets of such continuations,
//! keeps equal ones apart by a normal form, and is exact because the model never blocks.
//!
//! This search asks for the same with a decision instead. A load reads from a store that is committed,
//! or it is *deferred*: it reads from one that is yet to come. A deferred load is not committed; whenever
//! a store to its location is, the next decision is whether the load reads from that one or stays
//! deferred. So the decisions at a state divide the complete traces that extend it: each is found, and
//! is found once, whatever the model allows to complete. Nothing is kept but the way to the current state,
//! and nothing is run again.
//!
//! A deferral is wasted if no store comes, or none that the model lets the load read from. Such runs are
//! counted as redundant. They are kept rare:
//! - stores are committed before loads, and loads that no store can come for before others, so that
//!   most loads find all their stores committed;
//! - a deferral is given up as soon as the order of commits alone leaves no way to complete it
//!   ([`completable`](crate::completable)), also if only threads are left that wait for others to end;
//! - the load of an unlock is not deferred for operations of other threads on the lock
//!   ([`lock`](crate::lock));
//! - a load that only code not yet fetched could store for is deferred only if such a store was seen
//!   below one of its other decisions, as RSMC's races have it ([`Search::note_race`]). (A run below that
//!   was given up or blocked by the model counts as one, since it may have hidden it.)
//!
//! The remaining ones are mostly plain loads: the model does not let the load read from the store that comes (in
//! the litmus corpora), or the code that was seen to store takes another branch while the load is deferred (in loops
//! that spin). Neither is known before it happens.

mod probe;
mod writes;

use crate::commit_before::is_enabled;
use crate::completable::{Completable, Deferral, Prospect};
use crate::fetch::{EventId, Kind, Threads};
use crate::graph::{Graph, RowId, Source};
use crate::lock::{may_write_first, releases_own_lock};
use crate::outcome::{end_of, final_state};
use crate::segment::{Crew, Offer, Taken, Task};
use crate::state::{Act, Refused, accepts_last_value, is_refused_at_once, perform, step};
use raddle_engine::Options;
use raddle_engine::{BoundKind, Hire, Offers, Reporter, Step, Stopped, Summary, Tally};
use raddle_machine::{Mark, ThreadId};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// The acts of a decision, in the order in which they are tried.
#[derive(Clone, Debug)]
pub(crate) enum Acts {
    List(SmallVec<[Act; 6]>),
    /// All outcomes of an operation.
    Choices {
        thread: ThreadId,
        count: u64,
    },
}

impl Acts {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Acts::List(acts) => acts.len() as u64,
            Acts::Choices { count, .. } => *count,
        }
    }

    pub(crate) fn get(&self, n: u64) -> Option<Act> {
        match self {
            Acts::List(acts) => acts.get(n as usize).copied(),
            Acts::Choices { thread, count } => (n < *count).then_some(Act::Choose(*thread, n)),
        }
    }
}

/// A decision on the way to the current state.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    mark: Mark,
    steps: usize,
    /// The number of acts before it.
    pub way: usize,
    /// Which of the graphs is that of the state before it.
    level: usize,
    pub acts: Acts,
    pub next: u64,
    /// Whether one of its acts was carried out.
    pub explored: bool,
    /// The load that it is about.
    load: Option<EventId>,
    /// Whether deferring the load is worth a try only if a store was seen below.
    pub needs_race: bool,
    pub race_seen: bool,
    /// The acts that were offered to other workers.
    pub offers: Vec<(u64, Offer)>,
}

pub(crate) struct Search<'p, const W: usize> {
    pub threads: Threads<'p>,
    /// The state before the first decision.
    pub start: Mark,
    /// The graphs on the way to the current state; the current one is at `level`.
    pub graphs: Vec<Graph<W>>,
    pub level: usize,
    pub nodes: Vec<Node>,
    /// The acts on the way to the current state.
    pub way: Vec<Taken>,
    pub steps: Vec<Step>,
    completable: Completable,
    pub tally: Tally,
    pub reporter: Reporter,
    pub options: &'p Options,
    /// The other workers, if there are some, and what starts them if they are not started yet.
    pub crew: Option<&'p Crew<'p>>,
    pub hire: Option<Hire<'p>>,
    /// The number of decisions above the segment that is being searched, 0 for the first one; its place among the
    /// others; and whether the act at its root could be carried out.
    pub floor: usize,
    pub segment: Option<Offer>,
    /// The place of the last segment that has come to its end.
    pub ended: Option<Offer>,
    pub root_explored: bool,
    /// Whether another worker goes on with the segment.
    pub has_left: bool,
    /// When subtrees are offered.
    pub offers: Offers,
    /// The subtree to which the segment was left, if this worker goes on there.
    pub next: Option<(Task, Offer)>,
    /// A tally without an execution.
    pub nothing: Tally,
    /// The search ends when more executions than this are complete or blocked.
    most: u64,
}

/// An execution exceeds the capacity of the graph: search again with a larger one.
pub(crate) struct TooSmall;

impl<'p, const W: usize> Search<'p, W> {
    pub(crate) fn new(
        mut threads: Threads<'p>,
        options: &'p Options,
        crew: Option<&'p Crew<'p>>,
    ) -> Search<'p, W> {
        let nothing = Tally::new(threads.program, options);
        threads.run_all();
        Search {
            start: threads.trail.mark(),
            threads,
            graphs: vec![Graph::default()],
            level: 0,
            nodes: Vec::new(),
            way: Vec::new(),
            steps: Vec::new(),
            completable: Completable::default(),
            tally: nothing.clone(),
            reporter: Reporter::new(&options.limits.progress),
            options,
            crew,
            hire: None,
            floor: 0,
            segment: None,
            ended: None,
            root_explored: false,
            has_left: false,
            offers: Offers::default(),
            next: None,
            nothing,
            most: u64::MAX,
        }
    }

    /// Ends the search when more executions than this are complete or blocked.
    pub(crate) fn up_to(self, most: u64) -> Search<'p, W> {
        Search { most, ..self }
    }

    /// Searches by one worker.
    pub(crate) fn explore(mut self) -> Result<Summary, TooSmall> {
        match self.run(true) {
            Ok(stopped) => {
                self.reporter.finish(&self.tally.summary);
                Ok(self.tally.finish(stopped))
            }
            Err(too_small) => {
                // The numbers start again with the larger graph.
                self.reporter.finish(&Summary::default());
                Err(too_small)
            }
        }
    }

    /// Searches the current segment, and those that follow it without a gap, up to the end of the search, a limit, or
    /// an act that another worker explores: from the next decision on, or else from the next act of the newest one.
    pub(crate) fn run(&mut self, mut decides: bool) -> Result<Option<Stopped>, TooSmall> {
        loop {
            if decides {
                if let Some(spent) = self.options.limits.budget.spent() {
                    return Ok(Some(spent.into()));
                }
                if self.threads.exceeds_capacity() {
                    return Err(TooSmall);
                }
                match self.decide() {
                    Some(node) => self.nodes.push(node),
                    None => {
                        self.end();
                        let decided = self.tally.is_decided();
                        if !decided && self.crew.is_some_and(|crew| !self.cooperate(crew)) {
                            return Ok(None);
                        }
                    }
                }
                if self.tally.is_decided() {
                    return Ok(None);
                }
                if let Some(stopped) = self.limit()
                    && let ControlFlow::Break(stopped) = self.save_at_limit(stopped)
                {
                    return Ok(stopped);
                }
            }
            decides = true;
            if !self.advance()? {
                return Ok(None);
            }
        }
    }

    /// Counts an execution in which nothing more can be committed.
    fn end(&mut self) {
        let graph = &self.graphs[self.level];
        let longest = &mut self.tally.summary.longest;
        *longest = (*longest).max(graph.len() as u32);
        let end = end_of(&mut self.threads, graph);
        // Threads may have been cut short anywhere, and those that spin in their trial.
        if self.options.limits.budget.is_spent() {
            return;
        }
        let threads = &self.threads;
        match end {
            Some(end) => {
                let schedule = || self.steps.clone();
                self.tally.count(end, |state| final_state(threads, graph, state), schedule);
            }
            None => {
                if let Some(thread) = threads.exhausted_speculation() {
                    self.tally.bound(BoundKind::Iterations, threads.place(thread));
                }
                self.tally.summary.redundant += 1;
                self.assume_races();
            }
        }
        self.note_uncommitted_stores();
    }

    fn limit(&mut self) -> Option<Stopped> {
        let limits = &self.options.limits;
        let explored = self.reporter.explored(self.tally.explored());
        if self.reporter.is_due(explored) {
            self.reporter.report(explored, &self.tally.summary);
        }
        if limits.executions.is_some_and(|most| explored >= most) {
            return Some(Stopped::Executions);
        }
        let Summary { executions, blocked, .. } = self.tally.summary;
        if executions + blocked > self.most {
            return Some(Stopped::Enough);
        }
        limits.budget.spent().map(Stopped::from)
    }

    /// Backtracks to the newest decision with an act that can be carried out, and carries it out; false if there is
    /// none left.
    fn advance(&mut self) -> Result<bool, TooSmall> {
        loop {
            if self.nodes.len() == self.floor && !self.go_on_above() {
                return Ok(false);
            }
            if self.options.limits.budget.is_spent() {
                return Ok(true);
            }
            let Some(node) = self.nodes.last_mut() else { return Ok(false) };
            self.threads.trail.backtrack(node.mark);
            self.steps.truncate(node.steps);
            self.way.truncate(node.way);
            self.level = node.level;
            let Some(act) = node.acts.get(node.next) else {
                if !node.explored {
                    self.tally.summary.redundant += 1;
                    self.assume_races();
                }
                self.nodes.pop();
                continue;
            };
            let number = node.next;
            node.next += 1;
            let offered = node.offers.iter().position(|(act, _)| *act == number);
            if let Some(offered) = offered {
                let (_, offer) = node.offers.swap_remove(offered);
                if !self.reach(number, offer) {
                    if self.has_left || self.tally.is_decided() {
                        return Ok(false);
                    }
                    continue;
                }
            }
            let Some(node) = self.nodes.last() else { return Ok(false) };
            if matches!(act, Act::Defer(_)) && node.needs_race && !node.race_seen && node.explored {
                continue;
            }
            let is_last = node.acts.get(node.next).is_none();
            let in_place = is_last && self.owns_graph();
            if self.apply(act, in_place)? {
                self.way.push(Taken::new(number, !in_place));
                match self.nodes.last_mut() {
                    Some(node) if !in_place => node.explored = true,
                    // The last act of a decision reuses its graph, so the decision cannot be returned to.
                    _ => {
                        self.nodes.pop();
                    }
                }
                return Ok(true);
            }
        }
    }

    /// Whether no decision before the newest one needs the same graph.
    fn owns_graph(&self) -> bool {
        let before = self.nodes.len().checked_sub(2).map(|n| &self.nodes[n]);
        before.is_none_or(|node| node.level < self.level)
    }

    /// Carries out an act; false if the model forbids it, or if a deferral is known to be useless. An act that changes
    /// the graph works on a copy at the next level, or `in_place` where no decision needs the old graph any more.
    pub(crate) fn apply(&mut self, act: Act, in_place: bool) -> Result<bool, TooSmall> {
        let level = match act {
            Act::Choose(..) | Act::Defer(_) => self.level,
            Act::Read(..) | Act::Place(..) => self.level + usize::from(!in_place),
        };
        if level > self.level {
            if is_refused_at_once(&self.threads, &self.graphs[self.level], act) {
                return Ok(false);
            }
            if self.graphs.len() <= level {
                self.graphs.push(Graph::default());
            }
            let (old, new) = self.graphs.split_at_mut(level);
            new[0].copy_from(&old[level - 1]);
        }
        let taken = step(&self.threads, &self.graphs[level], act);
        match perform(&mut self.threads, &mut self.graphs[level], act) {
            Ok(()) => {}
            Err(Refused::Forbidden) => return Ok(false),
            Err(Refused::Full) => return Err(TooSmall),
        }
        self.level = level;
        self.tally.summary.events += 1;
        self.steps.extend(taken);
        if self.threads.waits_at_loop_head() {
            self.assume_races();
        }
        match act {
            Act::Defer(id) => Ok(self.is_worth_deferring(id)),
            Act::Place(id, _) => {
                self.note_race(id);
                Ok(true)
            }
            Act::Read(id, _) => {
                if self.threads.event(id).is_paired() {
                    self.note_race(id);
                }
                Ok(true)
            }
            Act::Choose(..) => Ok(true),
        }
    }

    /// Whether a load that was just deferred, and those before it, can still be committed.
    fn is_worth_deferring(&mut self, id: EventId) -> bool {
        match self.completable.after_deferring(&self.threads, &self.graphs[self.level], id) {
            Deferral::Completable => true,
            Deferral::Impossible => false,
            Deferral::BlocksAnother => {
                self.assume_races();
                false
            }
        }
    }

    /// Marks all loads above as raced: a run that was given up below the current state may have hidden a store that
    /// one of them could read from.
    fn assume_races(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.race_seen = true);
    }

    /// Notes races with stores that were never committed in this execution, since their update waits. The store of a
    /// conditional update is not even fetched, so its load stands for it.
    fn note_uncommitted_stores(&mut self) {
        let open: SmallVec<[EventId; 8]> =
            self.threads.ids().flat_map(|thread| self.threads.uncommitted(thread)).collect();
        for id in open {
            let event = self.threads.event(id);
            if event.is_store() || event.is_paired() {
                self.note_race(id);
            }
        }
    }

    /// Marks the loads above as raced that a store could have come before: a store to the same location that does not
    /// depend on the load. The load of an update stands for its store, since the update would read another value
    /// then: one that wrote nothing in this run might write.
    fn note_race(&mut self, id: EventId) {
        let (threads, graph) = (&self.threads, &self.graphs[self.level]);
        let location = threads.location(id);
        let first = match threads.event(id).kind {
            Kind::Store(store) => threads.event(store.read.unwrap_or(id)),
            Kind::Load(_) => threads.event(id),
        };
        let mut past = None;
        for node in &mut self.nodes {
            let Some(load) = node.load.filter(|_| node.needs_race && !node.race_seen) else {
                continue;
            };
            if location.is_some() && threads.location(load) != location {
                continue;
            }
            let reader = threads.event(load);
            if first.thread == reader.thread && first.po >= reader.po {
                continue;
            }
            if !may_write_first(threads, id, load, releases_own_lock(threads, graph, load)) {
                continue;
            }
            let past = past.get_or_insert_with(|| graph.past_in_order(threads, first));
            node.race_seen = threads.committed(load).is_none_or(|number| !past.contains(number));
        }
    }

    /// The next decision; `None` at the end of an execution.
    pub(crate) fn decide(&mut self) -> Option<Node> {
        if let Some((load, store)) = self.reconsidered_load() {
            let prospect = self.completable.prospect(&self.threads, &self.graphs[self.level], load);
            return Some(self.reading(load, [Some(store)].into_iter(), prospect));
        }
        let choosing = self.threads.ids().find(|t| self.threads.is_choosing(*t));
        if let Some(thread) = choosing {
            let count = self.threads.alternatives(thread);
            let node = self.node(std::iter::empty());
            return Some(Node { acts: Acts::Choices { thread, count }, ..node });
        }
        let Some((id, prospect)) = self.next_event() else {
            return if self.threads.speculate() { self.decide() } else { None };
        };
        match self.threads.event(id).kind {
            Kind::Store(_) => {
                let sources = self.places(id);
                Some(self.node(sources.into_iter().map(|place| Act::Place(id, place))))
            }
            Kind::Load(_) => {
                let stores = self.graphs[self.level].stores_at(self.threads.location(id)?);
                let sources = std::iter::once(None).chain(stores.iter().map(Some));
                Some(self.reading(id, sources, prospect))
            }
        }
    }

    /// Whether a load reads from one of these, or from a store that is yet to come.
    fn reading(
        &self,
        id: EventId,
        sources: impl Iterator<Item = Source>,
        prospect: Prospect,
    ) -> Node {
        // A load that waits for a value which is not there may wait for ever, so it can always be deferred.
        let accepts_last_value = accepts_last_value(&self.threads, &self.graphs[self.level], id);
        let defer = (prospect != Prospect::None || !accepts_last_value).then_some(Act::Defer(id));
        let node = self.node(sources.map(|source| Act::Read(id, source)).chain(defer));
        let needs_race = prospect == Prospect::Unfetched
            && accepts_last_value
            && !self.threads.waits_at_loop_head();
        Node { load: Some(id), needs_race, ..node }
    }

    fn node(&self, acts: impl Iterator<Item = Act>) -> Node {
        Node {
            mark: self.threads.trail.mark(),
            steps: self.steps.len(),
            way: self.way.len(),
            level: self.level,
            acts: Acts::List(acts.collect()),
            next: 0,
            explored: false,
            load: None,
            needs_race: false,
            race_seen: false,
            offers: Vec::new(),
        }
    }

    /// The places of a store in coherence order: after each other store, or first. The store of a read-modify-write
    /// follows the store that its load read from. (A store-conditional need not: its own thread may store in
    /// between.)
    fn places(&self, id: EventId) -> SmallVec<[Source; 6]> {
        let graph = &self.graphs[self.level];
        if let Kind::Store(store) = self.threads.event(id).kind
            && let Some(read) = store.read.filter(|read| self.threads.event(*read).is_paired())
            && let Some(read) = self.threads.committed(read)
        {
            return SmallVec::from_elem(graph.rows[read].source, 1);
        }
        let Some(location) = self.threads.location(id) else { return SmallVec::new() };
        std::iter::once(None).chain(graph.stores_at(location).iter().map(Some)).collect()
    }

    /// A deferred load with a newer store to its location, about which there was no decision yet, and that store. There
    /// is at most one such store: this is asked after every commit.
    fn reconsidered_load(&self) -> Option<(EventId, RowId)> {
        let graph = &self.graphs[self.level];
        self.completable.deferred(&self.threads).find_map(|(id, known)| {
            let stores = graph.stores_at(self.threads.location(id)?);
            let newest = stores.iter().last()?;
            (u64::from(stores.count()) > known).then_some((id, newest))
        })
    }

    /// The event to commit next: a store if there is one, else a load for which no store can come, else any load.
    /// The order does not change the set of traces, only the number of wasted deferrals.
    fn next_event(&mut self) -> Option<(EventId, Prospect)> {
        let mut best: Option<(EventId, Prospect)> = None;
        for thread in self.threads.ids() {
            for id in self.threads.uncommitted(thread) {
                if self.threads.deferred(id).is_some() || !is_enabled(&self.threads, id) {
                    continue;
                }
                if self.threads.event(id).is_store() {
                    return Some((id, Prospect::None));
                }
                if best.is_some_and(|(_, prospect)| prospect == Prospect::None) {
                    continue;
                }
                let prospect =
                    self.completable.prospect(&self.threads, &self.graphs[self.level], id);
                if best.is_none_or(|(_, other)| prospect < other) {
                    best = Some((id, prospect));
                }
            }
        }
        best
    }
}
