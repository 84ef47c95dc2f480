//! One depth-first search by several workers, with the result of one: see [`raddle_engine::Sharing`].
//!
//! A worker that has nothing to do gets a leaf of a wakeup tree of another worker. Behind a leaf everything is explored, and
//! nothing is ever inserted below it. So the search of its subtree depends only on the way to it and on the actions that
//! sleep there: those that were explored, or are planned, before it. All of them are known, since branches are only
//! appended. The subtree is the same whenever it is explored, and whoever explores it.
//!
//! The search of the subtree also finds races with events above it, and plans their reversals: in the wakeup trees of the
//! states above, which belong to other segments and may not be complete yet. Whether a sleeper covers a reversal is
//! known at once; whether a branch does is known when the segments are put together, in the order of the search. Until then
//! the reversal is kept ([`Reversal`]). A branch that is known to come behind the subtree covers a reversal in any case: it
//! will still be there, and leaves stay leaves. (One that another reversal of the same segment would add does not count: it
//! might itself be covered by then.)
//!
//! So the wakeup trees grow as in a search by one worker, and executions, events and findings are the same, in the same
//! order.

use crate::event::{Action, Turn};
use crate::observe::{Notes, Visitors};
use crate::outcome::Outcomes;
use crate::record::Needed;
use crate::search::Search;
use crate::strategy::Plan;
use crate::system::{System, Watched};
use crate::wakeup::{Branch, Forest, Item, List};
use raddle_engine::{
    Explored, Found, Frontier, Hire, Moment, Options, Reached, Reporter, Saving, Slot, Stopped,
    Subtrees, save as save_frontier,
};
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

pub(crate) type Offer = Slot<Task, Results, Rest>;
pub(crate) type Sharing = raddle_engine::Sharing<Task, Results, Rest>;
type FrontierItem = raddle_engine::Item<Task, Results, Rest>;

/// A subtree to explore: that of a leaf.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// The way to the state with the leaf, or to the state at which the search goes on.
    turns: Vec<Turn>,
    /// The actions that sleep on the way and in that state because they come before, each with the number of events
    /// before its state. Those that are inherited from an earlier state are left out.
    earlier: Vec<(u32, Earlier)>,
    /// The branches behind the subtree that are known, with the number of events before their state.
    later: Vec<(u32, Forest)>,
    entry: Entry,
}

/// Where in a subtree its search goes on.
#[derive(Debug, Serialize, Deserialize)]
enum Entry {
    /// Nothing was explored: at this leaf.
    Leaf(Turn),
    /// In the middle.
    Middle {
        /// The number of states above the segment.
        floor: u32,
        /// The branches from each of its states.
        branches: Vec<Forest>,
        outcomes: Box<Outcomes>,
        reversals: Reversals,
    },
}

/// A branch that comes before the subtree.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Earlier {
    Explored(Action),
    Planned(Turn),
}

/// A segment that has come to its end.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Results {
    /// The event at the root, unless it could not be performed.
    root: Option<Action>,
    pub outcomes: Outcomes,
    reversals: Reversals,
}

/// The part of a segment that is left at an offered leaf.
#[derive(Debug)]
pub(crate) struct Rest {
    /// The number of states above the segment.
    floor: usize,
    /// The branches from each of its states, down to that with the leaf.
    branches: Vec<Forest>,
    pub outcomes: Outcomes,
    reversals: Reversals,
    segment: Option<Offer>,
}

/// A sequence to insert into the wakeup tree of a state above the segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Reversal {
    /// The number of events before that state.
    at: u32,
    sequence: Vec<Action>,
    /// For each element the earlier elements that happen before it; those that follow from others are left out.
    after: Vec<SmallVec<[u32; 2]>>,
}

/// The reversals that a segment has found for states above it, in order, each once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reversals {
    list: Vec<Reversal>,
    /// Sequences that need not be inserted, with the number of events before their state.
    #[serde(skip)]
    dropped: Vec<(u32, Vec<Action>)>,
    #[serde(skip)]
    by_hash: FxHashMap<u64, SmallVec<[Known; 1]>>,
    /// The number of elements of all sequences.
    #[serde(skip)]
    length: usize,
}

/// A sequence that was seen before: its number in one of the lists.
#[derive(Clone, Copy, Debug)]
enum Known {
    Kept(u32),
    Dropped(u32),
}

/// A segment with longer reversals than this waits until it is the first: it needs to keep none then. Small in tests, so that it happens.
const LONGEST: usize = if cfg!(test) { 12 } else { 1 << 20 };
const MOST_DROPPED: usize = 1 << 14;
/// The time that a node of a wakeup tree takes to be left to another worker.
const COST_OF_NODE: Duration = Duration::from_nanos(60);
/// The most branches behind a subtree that a task has from each state. A reversal that another one covers is dropped later.
const MOST_LATER: usize = 32;

impl Reversals {
    fn knows(&self, at: u32, sequence: &[Item]) -> bool {
        let same = |known: &Known| {
            let (there, known) = match *known {
                Known::Kept(n) => (self.list[n as usize].at, &self.list[n as usize].sequence),
                Known::Dropped(n) => (self.dropped[n as usize].0, &self.dropped[n as usize].1),
            };
            there == at && known.iter().eq(sequence.iter().map(|item| &item.action))
        };
        let hash = hash_of(at, sequence.iter().map(|item| &item.action));
        self.by_hash.get(&hash).is_some_and(|numbers| numbers.iter().any(same))
    }

    fn add(&mut self, reversal: Reversal) {
        let hash = hash_of(reversal.at, reversal.sequence.iter());
        self.by_hash.entry(hash).or_default().push(Known::Kept(self.list.len() as u32));
        self.length += reversal.sequence.len();
        self.list.push(reversal);
    }

    /// Remembers a sequence that is covered. Where there are too many of them, it is looked at again when it comes again.
    fn drop(&mut self, at: u32, sequence: Vec<Action>) {
        if self.dropped.len() < MOST_DROPPED {
            let hash = hash_of(at, sequence.iter());
            self.by_hash.entry(hash).or_default().push(Known::Dropped(self.dropped.len() as u32));
            self.dropped.push((at, sequence));
        }
    }

    /// The same with the tables that are not written.
    fn restored(self) -> Reversals {
        let mut restored = Reversals::default();
        self.list.into_iter().for_each(|reversal| restored.add(reversal));
        restored
    }

    pub(crate) fn are_too_long(&self) -> bool {
        self.length > LONGEST
    }
}

fn hash_of<'a>(at: u32, sequence: impl Iterator<Item = &'a Action>) -> u64 {
    let mut hasher = FxHasher::default();
    at.hash(&mut hasher);
    for action in sequence {
        let Turn { thread, choice, update, addr } = action.turn();
        (thread.0, choice, update, addr, action.forwarded, action.class as u8).hash(&mut hasher);
    }
    hasher.finish()
}

impl raddle_engine::Task for Task {
    fn is_untouched(&self) -> bool {
        matches!(self.entry, Entry::Leaf(_))
    }

    fn depth(&self) -> usize {
        match &self.entry {
            Entry::Leaf(_) => self.turns.len(),
            Entry::Middle { floor, .. } => *floor as usize,
        }
    }
}

impl Subtrees<Task, Results, Rest> for Task {
    fn each(&self, visit: &mut dyn FnMut(&Offer)) {
        let Entry::Middle { branches, .. } = &self.entry else { return };
        branches.iter().rev().flatten().filter_map(|(_, _, offer)| offer.as_ref()).for_each(visit);
    }
}

impl Task {
    /// The whole tree of a search.
    fn root(nothing: &Outcomes) -> Task {
        let outcomes = Box::new(nothing.clone());
        let reversals = Reversals::default();
        let entry = Entry::Middle { floor: 0, branches: vec![Forest::new()], outcomes, reversals };
        Task { turns: Vec::new(), earlier: Vec::new(), later: Vec::new(), entry }
    }
}

/// The outcomes of all parts of a frontier.
fn outcomes_of(items: &[FrontierItem], nothing: &Outcomes) -> Outcomes {
    let mut all = nothing.clone();
    for item in items {
        item.slot.walk(&mut |_, found| {
            let outcomes = match found {
                Found::Task(Task { entry: Entry::Middle { outcomes, .. }, .. }) => &**outcomes,
                Found::Done(results) => &results.outcomes,
                Found::Task(_) | Found::Away(_) => return,
            };
            if !all.is_decided() {
                all.absorb(outcomes.clone());
            }
        });
    }
    all
}

pub(crate) type Crew<'a> = raddle_engine::Crew<'a, Task, Results, Rest, Ended>;

/// A segment that nobody goes on with.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The number of states above it; 0 for the first segment.
    floor: usize,
    /// Whether it is the rest of the search up to its end, or up to the error that ends it.
    is_whole: bool,
    outcomes: Outcomes,
}

/// Visits the executions of a system with several workers, or of a search that is kept.
pub(crate) fn visit<P: Plan>(
    system: System<'_>,
    options: &Options,
    visitors: Option<Visitors<'_>>,
) -> Outcomes {
    let (program, keeper) = (system.machine.program, &options.limits.keeper);
    let nothing = Outcomes::new(program, options);
    if !keeper.keeps() {
        let ended = run::<P>(system, options, visitors, None, 0);
        return put_together(ended, nothing);
    }
    let items = match Frontier::start(keeper, || Task::root(&nothing)) {
        Ok(frontier) => frontier.items,
        Err(why) => {
            keeper.refuse(why);
            return nothing.lost();
        }
    };
    let before = outcomes_of(&items, &nothing);
    let explored = before.tally.explored();
    Reporter::new(&options.limits.progress).finish(&before.tally.summary);
    keeper.begin(&before.tally.summary);
    let saved = Mutex::new((before, false));
    let save = |items: &[FrontierItem], moment: Moment| {
        let outcomes = outcomes_of(items, &nothing);
        save_frontier(items, keeper, moment, || outcomes.clone().finish(options.strategy));
        let is_over = moment == Moment::End;
        *saved.lock().unwrap_or_else(PoisonError::into_inner) = (outcomes, is_over);
    };
    let saving = Saving { items: items.clone(), keeper, save: &save };
    let ended = run::<P>(system, options, visitors, Some(saving), explored);
    let (mut outcomes, is_over) = saved.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(first) = ended.first() {
        // Executions were cut anywhere, so the numbers are those of the last frontier. What was found is not lost.
        outcomes.stopped = first.outcomes.stopped;
        ended.iter().for_each(|part| outcomes.tally.remember(&part.outcomes.tally));
    } else if is_over {
        outcomes.stopped = keeper.stopped().filter(|_| !items.iter().all(FrontierItem::is_done));
    } else {
        outcomes = outcomes_of(&items, &nothing);
        save_frontier(&items, keeper, Moment::Over, || outcomes.clone().finish(options.strategy));
    }
    outcomes
}

/// Runs the workers of a search. `explored` counts the executions before.
fn run<P: Plan>(
    system: System<'_>,
    options: &Options,
    visitors: Option<Visitors<'_>>,
    saving: Option<Saving<'_, Task, Results, Rest>>,
    explored: u64,
) -> Vec<Ended> {
    let program = system.machine.program;
    let visitor = || visitors.map(|visitors| visitors());
    // A limit on executions is about those that come first in the order of the search.
    let workers = match options.limits.executions {
        None => options.limits.workers.max(1),
        Some(_) => 1,
    };
    let first = |crew: &Crew<'_>, hire: Hire<'_>| {
        crew.enter();
        let mut search = Search::<P>::new(system, options, visitor(), Some(crew));
        search.hire = Some(hire).filter(|_| workers > 1);
        search.watch.count(explored);
        if crew.saving().is_none() {
            search.enter(List::EMPTY, 0);
            search.search_segments(crew);
        }
        search.work(crew);
    };
    let other = |crew: &Crew<'_>| {
        let watched = match visitors {
            None => Watched::Search,
            Some(_) => Watched::Notes(Notes::new(false)),
        };
        // Without a system there is one worker less.
        if let Ok(system) = System::for_search(program, options, watched) {
            crew.enter();
            Search::<P>::new(system, options, visitor(), Some(crew)).work(crew);
        }
    };
    Crew::run(workers, cfg!(test), saving, first, other)
}

/// The outcomes of a search that was not kept.
fn put_together(mut ended: Vec<Ended>, nothing: Outcomes) -> Outcomes {
    ended.sort_by_key(|ended| ended.floor);
    let mut ended = ended.into_iter();
    let Some(Ended { mut outcomes, is_whole, .. }) = ended.next() else {
        return nothing.lost();
    };
    // Where the first error ends the search, what comes after it does not count.
    if !outcomes.is_decided() {
        ended.for_each(|later| outcomes.absorb(later.outcomes));
    }
    if !is_whole {
        outcomes.stopped.get_or_insert(Stopped::Lost);
    }
    outcomes
}

impl<P: Plan> Search<'_, '_, P> {
    /// Explores subtrees of other workers until the search is over.
    fn work(&mut self, crew: &Crew<'_>) {
        while let Some((task, offer)) = self.next.take().or_else(|| crew.take()) {
            #[cfg(test)]
            tests::BEGUN.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            self.reset();
            match self.begin(task, offer) {
                true => self.search_segments(crew),
                false => self.abandon(crew),
            }
        }
    }

    /// Searches until another worker goes on, or nobody does.
    fn search_segments(&mut self, crew: &Crew<'_>) {
        self.run();
        if self.has_left {
            return;
        }
        if crew.saving().is_some() {
            return self.end_kept_segment(crew);
        }
        while self.go_on_above() {}
        self.watch.finish(&self.outcomes.tally.summary);
        let stopped = self.watch.stopped();
        let mut outcomes = std::mem::replace(&mut self.outcomes, self.nothing.clone());
        outcomes.stopped = stopped;
        if stopped.is_some() {
            self.trees.take_offers().for_each(|offer| keep_results(crew, Some(offer), stopped));
        }
        let is_whole = self.levels.is_empty() || outcomes.is_decided();
        crew.keep(Ended { floor: self.floor, is_whole, outcomes });
        if self.floor == 0 || stopped.is_some() {
            crew.sharing.end();
        }
    }

    /// A search that is kept: a segment has come to its end, or the search was stopped.
    fn end_kept_segment(&mut self, crew: &Crew<'_>) {
        self.watch.finish(&self.outcomes.tally.summary);
        if crew.sharing.is_over() {
            return;
        }
        if self.watch.is_spent() {
            return self.abandon(crew);
        }
        while self.go_on_above() {}
        if self.ended.take().is_some_and(|slot| crew.is_done(&slot)) {
            crew.sharing.end();
        }
    }

    /// Saves the frontier together with the other workers. False if the search ends with that.
    #[cold]
    fn save(&mut self, crew: &Crew<'_>) -> bool {
        let Some(keeper) = crew.saving().map(|saving| saving.keeper) else { return true };
        if keeper.ends() {
            for _ in 0..keeper.parts() {
                self.offer(&crew.sharing);
            }
        }
        let mut noted = None;
        crew.rest(|| {
            self.take_over_early();
            noted = self.segment.clone();
            if let Some(slot) = &noted {
                slot.set_copy(Some(self.task()));
            }
        });
        if let Some(slot) = noted {
            slot.set_copy(None);
        }
        !crew.sharing.is_over()
    }

    /// What is left of the segment, between two executions.
    fn task(&self) -> Task {
        let newest = self.levels.len() - 1;
        let turns = self.system.events[..newest].iter().map(|event| event.action.turn()).collect();
        let explored = |at| self.explored_at(at).map(move |action| (at as u32, *action));
        let explored = (0..=newest).flat_map(explored);
        let earlier = explored.map(|(at, action)| (at, Earlier::Explored(action))).collect();
        let mut later = Vec::new();
        for at in 0..self.floor {
            self.add_later(at, self.levels[at].branches, &mut later);
        }
        let levels = self.levels[self.floor..].iter();
        let entry = Entry::Middle {
            floor: self.floor as u32,
            branches: levels.map(|level| self.trees.export(level.branches)).collect(),
            outcomes: Box::new(self.outcomes.clone()),
            reversals: self.reversals.clone(),
        };
        Task { turns, earlier, later, entry }
    }

    /// The limit on executions was met: the frontier of a search that is kept is saved.
    #[cold]
    pub(crate) fn save_at_limit(&mut self) {
        let Some(crew) = self.crew else { return };
        if let (Some(saving), Some(stopped)) = (crew.saving(), self.watch.stopped())
            && !self.watch.is_spent()
        {
            saving.keeper.end(stopped);
            self.save(crew);
        }
    }

    /// The search has come to a subtree that another process explores: puts what is left back.
    #[cold]
    fn put_back(&mut self) {
        self.watch.finish(&self.outcomes.tally.summary);
        self.has_left = true;
        while let Some(slot) = self.segment.clone() {
            match slot.put_back(self.task()) {
                Ok(()) => return,
                Err(rest) => self.take_over(rest),
            }
        }
    }

    /// Between two executions: takes over what was left to this worker, and gives idle workers something to do. False
    /// if the search is over.
    #[inline]
    pub(crate) fn cooperate(&mut self, crew: &Crew<'_>) -> bool {
        self.take_over_early();
        if let Some(hire) = &mut self.hire
            && crew.is_time_to_hire(hire)
        {
            self.hire = None;
        }
        if crew.is_to_save() && !self.save(crew) {
            return false;
        }
        if crew.sharing.is_time(&mut self.offers) {
            self.offer(&crew.sharing);
        }
        // The segment before this one may be in another process, and a worker that waits here does not rest. So searches that are
        // kept do not wait; their limit is that of memory.
        let waits = crew.saving().is_none();
        while waits
            && self.reversals.are_too_long()
            && !crew.sharing.is_over()
            && !self.watch.is_spent()
        {
            self.take_over_early();
            thread::sleep(Duration::from_micros(200));
        }
        !crew.sharing.is_over()
    }

    /// Puts a sequence, which no sleeper covers, into the wakeup tree of the state before the event `at`.
    pub(crate) fn plan_at(&mut self, at: u32, sequence: &mut Vec<Item>, needs: Needed) {
        if (at as usize) < self.floor {
            return self.plan_above(at, sequence, needs);
        }
        let system = &self.system;
        let happens_before = |a: u32, b: u32| system.precedes(a, b, needs);
        let branches = &mut self.levels[at as usize].branches;
        P::insert(&mut self.trees, branches, sequence, &happens_before, system.budget());
    }

    /// [`Search::plan_at`] for a state above this segment.
    #[cold]
    fn plan_above(&mut self, at: u32, sequence: &[Item], needs: Needed) {
        if self.is_on_its_way || self.reversals.knows(at, sequence) {
            return;
        }
        let system = &self.system;
        let happens_before = |a: u32, b: u32| system.precedes(a, b, needs);
        let actions: Vec<Action> = sequence.iter().map(|item| item.action).collect();
        let branches = self.levels[at as usize].branches;
        let (mut rest, budget) = (sequence.to_vec(), system.budget());
        if P::covers(&self.trees, branches, &mut rest, &happens_before, budget) {
            return self.reversals.drop(at, actions);
        }
        let after = (0..sequence.len()).map(|n| needed_by(n, sequence, &happens_before)).collect();
        self.reversals.add(Reversal { at, sequence: actions, after });
    }

    /// Inserts the reversals of a segment that comes next in the order of the search.
    fn plan_all(&mut self, reversals: Reversals) {
        for reversal in reversals.list {
            if (reversal.at as usize) < self.floor {
                self.reversals.add(reversal);
                continue;
            }
            let Reversal { at, sequence, after } = reversal;
            let items = sequence.iter().enumerate();
            let mut sequence: Vec<Item> =
                items.map(|(n, action)| Item { action: *action, position: n as u32 }).collect();
            let happens_before = |a: u32, b: u32| after[b as usize].contains(&a);
            let branches = &mut self.levels[at as usize].branches;
            let budget = self.system.budget();
            P::insert(&mut self.trees, branches, &mut sequence, &happens_before, budget);
        }
    }

    /// Offers a subtree to idle workers: that of the first leaf nearest to the root.
    #[cold]
    pub(crate) fn offer(&mut self, sharing: &Sharing) {
        let newest = self.levels.len() - 1;
        let found = (self.floor..=newest).find_map(|at| {
            let branches = self.levels[at].branches;
            // The last leaf of the newest state is what this worker explores next.
            if branches.is_empty() || at == newest && self.trees.is_single_leaf(branches) {
                return None;
            }
            Some((at, self.trees.unoffered_leaf(branches)?))
        });
        let Some((at, way)) = found else { return };
        let mut turns: Vec<Turn> =
            self.system.events[..at].iter().map(|event| event.action.turn()).collect();
        let mut earlier = Vec::new();
        let mut later = Vec::new();
        for above in 0..=at {
            let explored = self.explored_at(above);
            earlier.extend(explored.map(|action| (above as u32, Earlier::Explored(*action))));
            if above < at {
                self.add_later(above, self.levels[above].branches, &mut later);
            }
        }
        // The branch that is being explored now, too.
        if let Some(now) = self.system.events.get(at) {
            earlier.push((at as u32, Earlier::Explored(now.action)));
        }
        let Some((_, leaf)) = way.last() else { return };
        let leaf = *leaf;
        for (before, branch) in way {
            let depth = turns.len();
            earlier.extend(before.into_iter().map(|turn| (depth as u32, Earlier::Planned(turn))));
            self.add_later(depth, self.trees.behind(branch), &mut later);
            turns.push(self.trees.action(branch).turn());
        }
        let Some(leaf_turn) = turns.pop() else { return };
        let entry = Entry::Leaf(leaf_turn);
        let offer = sharing.offer(Task { turns, earlier, later, entry });
        self.trees.set_offer(leaf, offer);
    }

    /// Adds branches that come behind an offered subtree.
    fn add_later(&self, at: usize, branches: List, later: &mut Vec<(u32, Forest)>) {
        let forest = self.trees.first_leaves(branches, MOST_LATER);
        if !forest.is_empty() {
            later.push((at as u32, forest));
        }
    }

    /// The sleepers of a state that were explored from it.
    fn explored_at(&self, at: usize) -> impl Iterator<Item = &Action> {
        let asleep = self.asleep_before(at as u32);
        let inherited = match at.checked_sub(1) {
            None => 0,
            Some(before) => {
                let event = &self.system.events[before].action;
                let stays = |sleeper: &&Action| Self::stays_asleep(sleeper, event);
                self.asleep_before(before as u32).iter().filter(stays).count()
            }
        };
        asleep[inherited..].iter()
    }

    /// The budget was spent on the way to a subtree. What was left to this worker is not lost.
    #[cold]
    fn abandon(&mut self, crew: &Crew<'_>) {
        let stopped = self.watch.stopped();
        if crew.saving().is_some() {
            let mut outcomes = std::mem::replace(&mut self.outcomes, self.nothing.clone());
            outcomes.stopped = stopped.or(Some(Stopped::Lost));
            crew.keep(Ended { floor: self.floor, is_whole: false, outcomes });
            crew.sharing.end();
            return;
        }
        let mut segment = self.segment.take();
        while let Some(offer) = segment.take() {
            let outcomes = self.nothing.clone();
            let results = Results { root: None, outcomes, reversals: Reversals::default() };
            if let Explored::GoesOn(rest) = offer.end(|| results) {
                let Rest { floor, branches, mut outcomes, .. } = rest;
                for (_, _, offer) in branches.into_iter().flatten() {
                    keep_results(crew, offer, stopped);
                }
                outcomes.stopped = stopped;
                crew.keep(Ended { floor, is_whole: false, outcomes });
                segment = rest.segment;
            }
        }
        let mut outcomes = self.nothing.clone();
        outcomes.stopped = stopped;
        crew.keep(Ended { floor: usize::MAX, is_whole: false, outcomes });
        crew.sharing.end();
    }

    /// Goes to the root of a subtree and performs its first event, if that is possible. False if the budget is spent
    /// before.
    pub(crate) fn begin(&mut self, task: Task, offer: Offer) -> bool {
        self.segment = Some(offer);
        self.is_on_its_way = true;
        self.floor = usize::MAX;
        self.enter(List::EMPTY, 0);
        let mut earlier = task.earlier.into_iter().peekable();
        for (depth, turn) in task.turns.iter().map(Some).chain([None]).enumerate() {
            while let Some((_, branch)) = earlier.next_if(|(at, _)| *at as usize == depth) {
                // With a spent budget, threads stop anywhere.
                if self.watch.is_spent() {
                    return false;
                }
                let action = match branch {
                    Earlier::Explored(action) => Some(action),
                    Earlier::Planned(turn) => self.try_out(depth, turn),
                };
                self.put_to_sleep(depth, action);
            }
            if self.watch.is_spent() {
                return false;
            }
            if let Some(turn) = turn {
                // A way that was read might be of another program, or another version.
                if self.crew.is_some_and(|crew| crew.saving().is_some()) && !self.can_take(turn) {
                    return false;
                }
                self.explore(depth, *turn, List::EMPTY);
            }
        }
        for (at, forest) in task.later {
            self.levels[at as usize].branches = self.trees.import(forest);
        }
        self.outcomes.tally.summary.events = 0;
        self.is_on_its_way = false;
        match task.entry {
            Entry::Middle { floor, branches, outcomes, reversals } => {
                self.floor = floor as usize;
                for (level, forest) in self.levels[self.floor..].iter_mut().zip(branches) {
                    level.branches = self.trees.import(forest);
                }
                self.watch.include(&outcomes.tally.summary);
                self.outcomes.absorb(*outcomes);
                self.reversals = reversals.restored();
            }
            Entry::Leaf(leaf) => {
                self.floor = self.levels.len();
                let depth = self.floor - 1;
                match self.planned(depth, leaf) {
                    Some(turn) => self.explore(depth, turn, List::EMPTY),
                    None => self.outcomes.tally.summary.redundant += 1,
                }
            }
        }
        true
    }

    /// Whether a turn of a way can be taken now.
    fn can_take(&self, turn: &Turn) -> bool {
        let machine = &self.system.machine;
        machine.thread_ids().any(|id| id == turn.thread) && self.system.is_enabled(turn)
    }

    fn put_to_sleep(&mut self, depth: usize, action: Option<Action>) {
        if let Some(action) = action.filter(|_| P::REVERSES) {
            self.sleepers.push(action);
            self.levels[depth].sleep_end += 1;
        }
    }

    /// The event that a planned branch of the newest state becomes. `None` if it cannot be performed.
    fn try_out(&mut self, depth: usize, turn: Turn) -> Option<Action> {
        let turn = self.planned(depth, turn)?;
        let moment = self.system.moment();
        self.races.clear();
        self.system.perform(turn, &mut self.races);
        let action = self.system.events.last().map(|event| event.action);
        self.system.go_back(moment);
        action
    }

    /// The segment has come to its end at the states above it. True if it goes on there with the rest of another one.
    #[cold]
    pub(crate) fn go_on_above(&mut self) -> bool {
        let Some(segment) = self.segment.take() else { return false };
        let root = self.floor.checked_sub(1).and_then(|at| self.system.events.get(at));
        let root = root.map(|event| event.action);
        self.watch.finish(&self.outcomes.tally.summary);
        if let Some(crew) = self.crew {
            crew.sharing.explored(self.outcomes.tally.explored());
        }
        let explored = segment.end(|| Results {
            root,
            outcomes: std::mem::replace(&mut self.outcomes, self.nothing.clone()),
            reversals: std::mem::take(&mut self.reversals),
        });
        match explored {
            Explored::Kept | Explored::Closed => {
                self.ended = Some(segment);
                false
            }
            Explored::GoesOn(rest) => {
                self.take_over(rest);
                true
            }
        }
    }

    /// Takes over the rest that the segment before this one has left, if it has come to its end.
    #[inline]
    pub(crate) fn take_over_early(&mut self) {
        while let Some(rest) = self.segment.as_ref().and_then(Slot::taken_over) {
            self.take_over(rest);
        }
    }

    /// Puts the rest of the segment before this one behind this one.
    fn take_over(&mut self, rest: Rest) {
        let Rest { floor, branches, outcomes, reversals, segment } = rest;
        self.segment = segment;
        self.floor = floor;
        for (n, forest) in branches.into_iter().enumerate() {
            self.levels[floor + n].branches = self.trees.import(forest);
        }
        let own = std::mem::replace(&mut self.reversals, reversals);
        self.plan_all(own);
        self.watch.include(&outcomes.tally.summary);
        let own = std::mem::replace(&mut self.outcomes, outcomes);
        self.outcomes.absorb(own);
    }

    /// Reaches a leaf that was offered. True if it is still to be explored.
    #[cold]
    pub(crate) fn reach(&mut self, depth: usize, leaf: Branch) -> bool {
        let Some(offer) = self.trees.offer_of(leaf) else { return true };
        self.watch.finish(&self.outcomes.tally.summary);
        offer.wait(COST_OF_NODE * self.trees.size());
        let levels = &self.levels[self.floor..=depth];
        let reached = offer.reach(|| Rest {
            floor: self.floor,
            branches: levels.iter().map(|level| self.trees.export(level.branches)).collect(),
            outcomes: std::mem::replace(&mut self.outcomes, self.nothing.clone()),
            reversals: std::mem::take(&mut self.reversals),
            segment: self.segment.take(),
        });
        match reached {
            Reached::Open => {
                self.trees.take_offer(leaf);
                return true;
            }
            Reached::Left => self.has_left = true,
            Reached::Begun(task) => {
                self.has_left = true;
                self.next = Some((task, offer));
            }
            Reached::Away => {
                self.trees.put_back(&mut self.levels[depth].branches, leaf);
                self.put_back();
            }
            Reached::Done(Results { root, outcomes, reversals }) => {
                self.trees.take_offer(leaf);
                self.watch.include(&outcomes.tally.summary);
                self.outcomes.absorb(outcomes);
                self.plan_all(reversals);
                self.put_to_sleep(depth, root);
            }
        }
        false
    }

    /// Forgets the segment, to be ready for another one.
    pub(crate) fn reset(&mut self) {
        if let Some(first) = self.levels.first() {
            let moment = first.moment;
            self.system.go_back(moment);
        }
        self.levels.clear();
        self.sleepers.clear();
        self.trees.clear();
        self.plan = P::default();
        self.reversals = Reversals::default();
        self.outcomes = self.nothing.clone();
        self.watch.begin();
        self.has_left = false;
    }
}

/// Keeps the results of a subtree whose owner stops before it reaches it.
fn keep_results(crew: &Crew<'_>, offer: Option<Offer>, stopped: Option<Stopped>) {
    if let Some(results) = offer.and_then(|offer| offer.close()) {
        let mut outcomes = results.outcomes;
        outcomes.stopped = stopped;
        crew.keep(Ended { floor: usize::MAX, is_whole: false, outcomes });
    }
}

/// The elements before the `n`-th that have to happen before it.
fn needed_by(
    n: usize,
    sequence: &[Item],
    happens_before: &impl Fn(u32, u32) -> bool,
) -> SmallVec<[u32; 2]> {
    let mut needed: SmallVec<[u32; 2]> = SmallVec::new();
    let precedes = |a: usize, b: usize| happens_before(sequence[a].position, sequence[b].position);
    for earlier in (0..n).rev() {
        if precedes(earlier, n) && !needed.iter().any(|later| precedes(earlier, *later as usize)) {
            needed.push(earlier as u32);
        }
    }
    needed
}

#[cfg(test)]
pub(crate) mod tests {
    /// Subtrees that were explored by a worker to whom they were offered.
    pub(crate) static BEGUN: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
}
