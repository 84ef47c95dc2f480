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
//! What can be wasted is a deferral for which no store comes, or none that the model lets the load read
//! from: those runs are counted as redundant. They are kept rare:
//! - stores are committed before loads, and loads that no store can come for before others, so that
//!   most loads find all their stores committed;
//! - a deferral is given up as soon as the order of commits alone leaves no way to complete it
//!   ([`hope`](crate::hope)), also if only threads are left that wait for others to end;
//! - a load that gives back a lock is not deferred for what others do with the lock
//!   ([`lock`](crate::lock));
//! - a load that only code not yet fetched could store for is deferred only if such a store was seen
//!   below one of its other decisions, as RSMC's races have it ([`Search::note_race`]). (A run below that
//!   was given up or blocked by the model counts as one, since it may have hidden it.)
//!
//! What remains are plain loads, for the most part: the store that comes is one that the model does not let
//! the load read from (so it is in the litmus corpora), or the code that was seen to store goes another way while
//! the load is deferred (so it is in loops that spin). Neither is known before it happens.

use crate::ahead::{Ahead, EventId, Kind};
use crate::commit_before::is_enabled;
use crate::graph::{Graph, Source};
use crate::hope::{Hope, Left, Prospect};
use crate::lock::{gives_back, may_come};
use crate::outcome::{end_of, final_state};
use crate::state::{Act, Refused, goes_on, perform, step};
use raddle_engine::Options;
use raddle_engine::{BoundKind, Step, Stopped, Summary, Tally};
use raddle_machine::Mark;
use smallvec::SmallVec;

/// The acts of a decision, in the order in which they are tried.
#[derive(Clone, Debug)]
enum Acts {
    List(SmallVec<[Act; 6]>),
    /// All outcomes of an operation.
    Choices {
        thread: u32,
        count: u64,
    },
}

impl Acts {
    fn get(&self, n: u64) -> Option<Act> {
        match self {
            Acts::List(acts) => acts.get(n as usize).copied(),
            Acts::Choices { thread, count } => (n < *count).then_some(Act::Choose(*thread, n)),
        }
    }
}

/// A decision on the way to the current state.
#[derive(Clone, Debug)]
struct Node {
    mark: Mark,
    steps: usize,
    /// Which of the graphs is that of the state before it.
    level: usize,
    acts: Acts,
    next: u64,
    /// Whether one of its acts was carried out.
    went_on: bool,
    /// The load that it is about.
    load: Option<EventId>,
    /// Whether deferring the load is worth a try only if a store was seen below.
    needs_race: bool,
    raced: bool,
}

pub(crate) struct Search<'p, const W: usize> {
    ahead: Ahead<'p>,
    /// The graphs on the way to the current state; the current one is at `level`.
    graphs: Vec<Graph<W>>,
    level: usize,
    nodes: Vec<Node>,
    steps: Vec<Step>,
    hope: Hope,
    tally: Tally,
    options: &'p Options,
}

/// The graph has no room for an execution: search again with a larger one.
pub(crate) struct TooSmall;

impl<'p, const W: usize> Search<'p, W> {
    pub fn new(ahead: Ahead<'p>, options: &'p Options) -> Search<'p, W> {
        let tally = Tally::new(ahead.program, options.keep_going);
        Search {
            ahead,
            graphs: vec![Graph::default()],
            level: 0,
            nodes: Vec::new(),
            steps: Vec::new(),
            hope: Hope::default(),
            tally,
            options,
        }
    }

    pub fn run(mut self) -> Result<Summary, TooSmall> {
        self.ahead.run_all();
        loop {
            if let Some(spent) = self.options.limits.budget.spent() {
                return Ok(self.tally.finish(Some(spent.into())));
            }
            if self.ahead.is_over() {
                return Err(TooSmall);
            }
            match self.decide() {
                Some(node) => self.nodes.push(node),
                None => self.end(),
            }
            if self.tally.is_decided() {
                return Ok(self.tally.finish(None));
            }
            if let Some(stopped) = self.limit() {
                return Ok(self.tally.finish(Some(stopped)));
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => return Ok(self.tally.finish(None)),
                Err(too_small) => return Err(too_small),
            }
        }
    }

    /// Counts an execution in which nothing more can be committed.
    fn end(&mut self) {
        let graph = &self.graphs[self.level];
        let longest = &mut self.tally.summary.longest;
        *longest = (*longest).max(graph.len() as u32);
        let end = end_of(&mut self.ahead, graph);
        // Threads may have been cut short anywhere, and those that spin in their trial.
        if self.options.limits.budget.is_spent() {
            return;
        }
        let ahead = &self.ahead;
        match end {
            Some(end) => {
                let schedule = || self.steps.clone();
                self.tally.count(end, |state| final_state(ahead, graph, state), schedule);
            }
            None => {
                if let Some(thread) = ahead.would_hurry() {
                    self.tally.bound(BoundKind::Iterations, ahead.place(thread));
                }
                self.tally.summary.redundant += 1;
                self.hide();
            }
        }
        self.note_missed();
    }

    fn limit(&mut self) -> Option<Stopped> {
        let limits = &self.options.limits;
        if limits.executions.is_some_and(|most| self.tally.explored() >= most) {
            return Some(Stopped::Executions);
        }
        limits.budget.spent().map(Stopped::from)
    }

    /// Goes to the next act that can be carried out; false if there is none left.
    fn advance(&mut self) -> Result<bool, TooSmall> {
        while let Some(node) = self.nodes.last_mut() {
            if self.options.limits.budget.is_spent() {
                return Ok(true);
            }
            self.ahead.trail.backtrack(node.mark);
            self.steps.truncate(node.steps);
            self.level = node.level;
            let Some(act) = node.acts.get(node.next) else {
                if !node.went_on {
                    self.tally.summary.redundant += 1;
                    self.hide();
                }
                self.nodes.pop();
                continue;
            };
            node.next += 1;
            if matches!(act, Act::Defer(_)) && node.needs_race && !node.raced && node.went_on {
                continue;
            }
            let is_last = node.acts.get(node.next).is_none();
            let in_place = is_last && self.owns_graph();
            if self.go(act, in_place)? {
                match self.nodes.last_mut() {
                    Some(node) if !in_place => node.went_on = true,
                    // Nothing is left to decide there, and its graph is gone.
                    _ => {
                        self.nodes.pop();
                    }
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether no decision before the newest needs the same graph.
    fn owns_graph(&self) -> bool {
        let before = self.nodes.len().checked_sub(2).map(|n| &self.nodes[n]);
        before.is_none_or(|node| node.level < self.level)
    }

    /// Carries out an act. If it changes the graph, then on a copy, unless nobody needs the old one.
    fn go(&mut self, act: Act, in_place: bool) -> Result<bool, TooSmall> {
        let level = match act {
            Act::Choose(..) | Act::Defer(_) => self.level,
            Act::Read(..) | Act::Place(..) => self.level + usize::from(!in_place),
        };
        if level > self.level {
            if self.graphs.len() <= level {
                self.graphs.push(Graph::default());
            }
            let (old, new) = self.graphs.split_at_mut(level);
            new[0].copy_from(&old[level - 1]);
        }
        let taken = step(&self.ahead, &self.graphs[level], act);
        match perform(&mut self.ahead, &mut self.graphs[level], act) {
            Ok(()) => {}
            Err(Refused::Forbidden) => return Ok(false),
            Err(Refused::Full) => return Err(TooSmall),
        }
        self.level = level;
        self.tally.summary.events += 1;
        self.steps.extend(taken);
        if self.ahead.holds_back() {
            self.hide();
        }
        match act {
            Act::Defer(id) => Ok(self.is_worth_deferring(id)),
            Act::Place(id, _) => {
                self.note_race(id);
                Ok(true)
            }
            Act::Read(id, _) => {
                if self.ahead.event(id).is_paired() {
                    self.note_race(id);
                }
                Ok(true)
            }
            Act::Choose(..) => Ok(true),
        }
    }

    /// Whether a load that was just deferred, and those before it, can still be committed.
    fn is_worth_deferring(&mut self, id: EventId) -> bool {
        match self.hope.after_deferring(&self.ahead, &self.graphs[self.level], id) {
            Left::ForAll => true,
            Left::NotForIt => false,
            Left::NotForOthers => {
                self.hide();
                false
            }
        }
    }

    /// What is not explored below the current state may have hidden a store from any load above.
    fn hide(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.raced = true);
    }

    /// Tells the loads above of the stores that could not happen, since an update that they belong to waits.
    /// That of one which may write or not is not even fetched.
    fn note_missed(&mut self) {
        for thread in 0..self.ahead.thread_count() {
            for po in self.ahead.settled(thread)..self.ahead.fetched(thread) {
                let id = self.ahead.event_at(thread, po);
                let event = self.ahead.event(id);
                if (event.is_store() || event.is_paired()) && self.ahead.committed(id).is_none() {
                    self.note_race(id);
                }
            }
        }
    }

    /// Tells the loads above that a store to their location was seen which could have come first: one
    /// that could be without the load. An update may then have read from something else than it did; one
    /// that wrote nothing, as it did not find what it expected or failed, might have written.
    fn note_race(&mut self, id: EventId) {
        let (ahead, graph) = (&self.ahead, &self.graphs[self.level]);
        let location = ahead.location(id);
        let first = match ahead.event(id).kind {
            Kind::Store(store) => ahead.event(store.read.unwrap_or(id)),
            Kind::Load(_) => ahead.event(id),
        };
        let mut past = None;
        for node in &mut self.nodes {
            let Some(load) = node.load.filter(|_| node.needs_race && !node.raced) else { continue };
            if location.is_some() && ahead.location(load) != location {
                continue;
            }
            let reader = ahead.event(load);
            if first.thread == reader.thread && first.po >= reader.po {
                continue;
            }
            if !may_come(ahead, id, load, gives_back(ahead, graph, load)) {
                continue;
            }
            let past = past.get_or_insert_with(|| graph.past_in_order(ahead, first));
            node.raced = ahead.committed(load).is_none_or(|number| !past.contains(number));
        }
    }

    /// The next decision; `None` at the end of an execution.
    fn decide(&mut self) -> Option<Node> {
        if let Some((load, store)) = self.woken() {
            let prospect = self.hope.prospect(&self.ahead, &self.graphs[self.level], load);
            return Some(self.reading(load, [Some(store)].into_iter(), prospect));
        }
        let choosing = (0..self.ahead.thread_count()).find(|t| self.ahead.is_choosing(*t));
        if let Some(thread) = choosing {
            let count = self.ahead.alternatives(thread);
            let node = self.node(std::iter::empty());
            return Some(Node { acts: Acts::Choices { thread, count }, ..node });
        }
        let Some((id, prospect)) = self.next_event() else {
            return if self.ahead.hurry() { self.decide() } else { None };
        };
        match self.ahead.event(id).kind {
            Kind::Store(_) => {
                let sources = self.places(id);
                Some(self.node(sources.into_iter().map(|place| Act::Place(id, place))))
            }
            Kind::Load(_) => {
                let stores = self.graphs[self.level].stores_at(self.ahead.location(id)?);
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
        // Who waits for a value that is not there may wait for ever.
        let goes_on = goes_on(&self.ahead, &self.graphs[self.level], id);
        let defer = (prospect != Prospect::None || !goes_on).then_some(Act::Defer(id));
        let node = self.node(sources.map(|source| Act::Read(id, source)).chain(defer));
        let needs_race = prospect == Prospect::Unfetched && goes_on && !self.ahead.holds_back();
        Node { load: Some(id), needs_race, ..node }
    }

    fn node(&self, acts: impl Iterator<Item = Act>) -> Node {
        Node {
            mark: self.ahead.trail.mark(),
            steps: self.steps.len(),
            level: self.level,
            acts: Acts::List(acts.collect()),
            next: 0,
            went_on: false,
            load: None,
            needs_race: false,
            raced: false,
        }
    }

    /// Where a store may go in coherence order: after each other store, or first. The store of a
    /// read-modify-write follows what its load read. (Between a load that reserves and its
    /// store-conditional the thread may store itself.)
    fn places(&self, id: EventId) -> SmallVec<[Source; 6]> {
        let graph = &self.graphs[self.level];
        if let Kind::Store(store) = self.ahead.event(id).kind
            && let Some(read) = store.read.filter(|read| self.ahead.event(*read).is_paired())
            && let Some(read) = self.ahead.committed(read)
        {
            return SmallVec::from_elem(graph.rows[read].source, 1);
        }
        let Some(location) = self.ahead.location(id) else { return SmallVec::new() };
        std::iter::once(None).chain(graph.stores_at(location).iter().map(Some)).collect()
    }

    /// A deferred load whose location has a store that it was not asked about.
    fn woken(&self) -> Option<(EventId, usize)> {
        let graph = &self.graphs[self.level];
        self.hope.deferred(&self.ahead).find_map(|(id, known)| {
            let stores = graph.stores_at(self.ahead.location(id)?);
            let newest = stores.iter().last()?;
            (u64::from(stores.count()) > known).then_some((id, newest))
        })
    }

    /// The event to commit next: a store if there is one, else a load that nothing can come for, else
    /// any load.
    fn next_event(&mut self) -> Option<(EventId, Prospect)> {
        let mut best: Option<(EventId, Prospect)> = None;
        for thread in 0..self.ahead.thread_count() {
            for po in self.ahead.settled(thread)..self.ahead.fetched(thread) {
                let id = self.ahead.event_at(thread, po);
                if self.ahead.committed(id).is_some()
                    || self.ahead.deferred(id).is_some()
                    || !is_enabled(&self.ahead, id)
                {
                    continue;
                }
                if self.ahead.event(id).is_store() {
                    return Some((id, Prospect::None));
                }
                if best.is_some_and(|(_, prospect)| prospect == Prospect::None) {
                    continue;
                }
                let prospect = self.hope.prospect(&self.ahead, &self.graphs[self.level], id);
                if best.is_none_or(|(_, other)| prospect < other) {
                    best = Some((id, prospect));
                }
            }
        }
        best
    }
}
