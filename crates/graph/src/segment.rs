//! One search by several workers, with the result of one: see [`raddle_engine::Sharing`].
//!
//! The decisions divide the complete traces, and the acts of a decision are known when it is made. So the subtree of an act
//! depends only on the acts that lead to it, and a worker that has nothing to do gets an act that another worker has not come to.
//! It makes the same decisions on the way, and takes the acts that were recorded.
//!
//! A subtree has one effect on the states above it: a load there is known to race, which decides whether its deferral, the
//! last act of its decision, is tried ([`Node::race_seen`]). So such a deferral is not offered, and the races are part of the
//! results of a subtree.

use crate::fetch::Threads;
use crate::graph::Graph;
use crate::search::{Node, Search, TooSmall};
use crate::state::Act;
use raddle_engine::{
    Explored, Found, Frontier, Hire, Moment, Options, Reached, Reporter, Saving, Slot, Stopped,
    Subtrees, Summary, Tally, save as save_frontier,
};
use raddle_ir::Verified;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

pub(crate) type Offer = Slot<Task, Results, Rest>;
type FrontierItem = raddle_engine::Item<Task, Results, Rest>;
pub(crate) type Crew<'a> = raddle_engine::Crew<'a, Task, Results, Rest, Ended>;

/// A subtree to explore: that of the last act of a way.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    way: Vec<Taken>,
    /// Where its search goes on; `None` if nothing was explored.
    middle: Option<Middle>,
}

/// The middle of a segment: the way leads to its newest decision.
#[derive(Debug, Serialize, Deserialize)]
struct Middle {
    /// The number of decisions above the segment.
    floor: u32,
    /// What is left of the decisions of the segment. For a search that has not begun: none.
    open: Vec<Open>,
    /// For each decision above the segment, whether its load races.
    races: Vec<bool>,
    root_explored: bool,
    tally: Tally,
}

/// An act on the way to the current state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Taken {
    /// Its number in its decision.
    act: u64,
    /// Whether the decision is still open: the search may come back to it.
    pub is_open: bool,
}

impl Taken {
    pub(crate) fn new(act: u64, is_open: bool) -> Taken {
        Taken { act, is_open }
    }
}

/// A segment that has come to its end.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Results {
    /// Whether the act at the root could be carried out.
    explored: bool,
    /// For each decision above, whether its load races with a store of the segment.
    races: Vec<bool>,
    tally: Tally,
}

/// The part of a segment that is left at an act that was offered.
#[derive(Debug)]
pub(crate) struct Rest {
    /// The number of decisions above the segment.
    floor: usize,
    /// The decisions of the segment, down to that of the act.
    open: Vec<Open>,
    /// For each decision above the segment, whether its load races.
    races: Vec<bool>,
    root_explored: bool,
    tally: Tally,
    segment: Option<Offer>,
}

/// What is left of a decision.
#[derive(Debug, Serialize, Deserialize)]
struct Open {
    next: u64,
    explored: bool,
    race_seen: bool,
    offers: Vec<(u64, Offer)>,
}

/// A segment that nobody goes on with.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The number of decisions above it; 0 for the first segment.
    floor: usize,
    /// Whether it is the rest of the search up to its end, or up to the error that ends it.
    is_whole: bool,
    tally: Tally,
    stopped: Option<Stopped>,
    is_too_small: bool,
}

impl raddle_engine::Task for Task {
    fn is_untouched(&self) -> bool {
        self.middle.is_none()
    }

    fn depth(&self) -> usize {
        self.middle.as_ref().map_or(self.way.len(), |middle| middle.floor as usize)
    }
}

impl Subtrees<Task, Results, Rest> for Task {
    fn each(&self, visit: &mut dyn FnMut(&Offer)) {
        let open = self.middle.iter().flat_map(|middle| middle.open.iter().rev());
        for Open { offers, .. } in open {
            let mut offers: Vec<&(u64, Offer)> = offers.iter().collect();
            offers.sort_by_key(|(act, _)| *act);
            offers.into_iter().for_each(|(_, offer)| visit(offer));
        }
    }
}

impl Task {
    /// The whole tree of a search.
    fn root(nothing: &Tally) -> Task {
        let (open, races, tally) = (Vec::new(), Vec::new(), nothing.clone());
        let middle = Middle { floor: 0, open, races, root_explored: false, tally };
        Task { way: Vec::new(), middle: Some(middle) }
    }
}

/// The numbers of all parts of a frontier.
fn tally_of(items: &[FrontierItem], nothing: &Tally) -> Tally {
    let mut all = nothing.clone();
    for item in items {
        item.slot.walk(&mut |_, found| {
            let tally = match found {
                Found::Task(Task { middle: Some(middle), .. }) => &middle.tally,
                Found::Done(results) => &results.tally,
                Found::Task(_) | Found::Away(_) => return,
            };
            if !all.is_decided() {
                all.absorb(tally.clone());
            }
        });
    }
    all
}

/// Searches with several workers, or searches that are kept.
pub(crate) fn explore<const W: usize>(
    program: &Verified,
    threads: Threads<'_>,
    options: &Options,
) -> Result<Summary, TooSmall> {
    let keeper = &options.limits.keeper;
    let nothing = Tally::new(program, options);
    if !keeper.keeps() {
        return put_together(run::<W>(program, threads, options, None, 0));
    }
    let items = match Frontier::start(keeper, || Task::root(&nothing)) {
        Ok(frontier) => frontier.items,
        Err(why) => {
            keeper.refuse(why);
            return Ok(nothing.finish(Some(Stopped::Lost)));
        }
    };
    let before = tally_of(&items, &nothing);
    let explored = before.explored();
    Reporter::new(&options.limits.progress).finish(&before.summary);
    keeper.begin(&before.summary);
    let saved = Mutex::new((before, false));
    let save = |items: &[FrontierItem], moment: Moment| {
        let tally = tally_of(items, &nothing);
        save_frontier(items, keeper, moment, || tally.clone().finish(None));
        let is_over = moment == Moment::End;
        *saved.lock().unwrap_or_else(PoisonError::into_inner) = (tally, is_over);
    };
    let saving = Saving { items: items.clone(), keeper, save: &save };
    let ended = run::<W>(program, threads, options, Some(saving), explored);
    if ended.iter().any(|ended| ended.is_too_small) {
        return Err(TooSmall);
    }
    let (mut tally, is_over) = saved.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut stopped = None;
    if let Some(first) = ended.first() {
        // Executions were cut anywhere, so the numbers are those of the last frontier. What was found is not lost.
        stopped = first.stopped.or(Some(Stopped::Lost));
        ended.iter().for_each(|part| tally.remember(&part.tally));
    } else if is_over {
        stopped = keeper.stopped().filter(|_| !items.iter().all(FrontierItem::is_done));
    } else {
        tally = tally_of(&items, &nothing);
        save_frontier(&items, keeper, Moment::Over, || tally.clone().finish(None));
    }
    Ok(tally.finish(stopped))
}

/// Runs the workers of a search. `explored` counts the executions before.
fn run<const W: usize>(
    program: &Verified,
    threads: Threads<'_>,
    options: &Options,
    saving: Option<Saving<'_, Task, Results, Rest>>,
    explored: u64,
) -> Vec<Ended> {
    // A limit on executions is about those that come first in the order of the search.
    let workers = match options.limits.executions {
        None => options.limits.workers.max(1),
        Some(_) => 1,
    };
    let first = |crew: &Crew<'_>, hire: Hire<'_>| {
        crew.enter();
        let mut search = Search::<W>::new(threads, options, Some(crew));
        search.hire = Some(hire).filter(|_| workers > 1);
        search.reporter.count(explored);
        if crew.saving().is_none() {
            search.search_segments(crew, true);
        }
        search.work(crew);
    };
    let other = |crew: &Crew<'_>| {
        // Without threads of the program there is one worker less.
        if let Ok(threads) = Threads::new(program, options, Graph::<W>::CAPACITY) {
            crew.enter();
            Search::<W>::new(threads, options, Some(crew)).work(crew);
        }
    };
    Crew::run(workers, cfg!(test), saving, first, other)
}

/// The results of a search that was not kept.
fn put_together(mut ended: Vec<Ended>) -> Result<Summary, TooSmall> {
    if ended.iter().any(|ended| ended.is_too_small) {
        return Err(TooSmall);
    }
    ended.sort_by_key(|ended| ended.floor);
    let mut ended = ended.into_iter();
    let Some(Ended { mut tally, mut stopped, is_whole, .. }) = ended.next() else {
        return Ok(Summary { stopped: Some(Stopped::Lost), ..Summary::default() });
    };
    // Where the first error ends the search, what comes after it does not count.
    if !tally.is_decided() {
        for later in ended {
            stopped = stopped.or(later.stopped);
            tally.absorb(later.tally);
        }
    }
    if !is_whole {
        stopped.get_or_insert(Stopped::Lost);
    }
    Ok(tally.finish(stopped))
}

impl<const W: usize> Search<'_, W> {
    /// Explores subtrees of other workers until the search is over.
    fn work(&mut self, crew: &Crew<'_>) {
        while let Some((task, offer)) = self.next.take().or_else(|| crew.take()) {
            #[cfg(test)]
            tests::BEGUN.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            self.threads.trail.backtrack(self.start);
            self.nodes.clear();
            self.way.clear();
            self.steps.clear();
            self.level = 0;
            self.graphs[0] = Graph::default();
            self.tally = self.nothing.clone();
            self.reporter.begin();
            self.has_left = false;
            match self.begin(task, offer) {
                Ok(Some(decides)) => self.search_segments(crew, decides),
                Ok(None) => self.abandon(crew),
                Err(TooSmall) => self.start_over(crew),
            }
        }
    }

    /// Searches until another worker goes on, or nobody does: from the next decision on, or else from the next act of the
    /// newest one.
    fn search_segments(&mut self, crew: &Crew<'_>, decides: bool) {
        let Ok(stopped) = self.run(decides) else { return self.start_over(crew) };
        if self.has_left {
            return;
        }
        if crew.saving().is_some() {
            return self.end_kept_segment(crew, stopped);
        }
        while self.go_on_above() {}
        self.reporter.finish(&self.tally.summary);
        // What other workers have found is not lost where the search ends early.
        if stopped.is_some() {
            let offers = self.nodes.iter_mut().flat_map(|node| std::mem::take(&mut node.offers));
            offers.for_each(|(_, offer)| keep_results(crew, &offer, stopped));
        }
        let (floor, nothing) = (self.floor, self.nothing.clone());
        let tally = std::mem::replace(&mut self.tally, nothing);
        let is_whole = self.nodes.is_empty() || tally.is_decided();
        crew.keep(Ended { floor, is_whole, tally, stopped, is_too_small: false });
        if floor == 0 || stopped.is_some() {
            crew.sharing.end();
        }
    }

    /// A search that is kept: a segment has come to its end, or the search was stopped.
    fn end_kept_segment(&mut self, crew: &Crew<'_>, stopped: Option<Stopped>) {
        self.reporter.finish(&self.tally.summary);
        if crew.sharing.is_over() {
            return;
        }
        if stopped.is_some() {
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
                self.offer(crew);
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
        let way = self.nodes.last().map_or(&[][..], |newest| &self.way[..newest.way]).to_vec();
        let open = self.nodes[self.floor..].iter().map(Open::copy_of).collect();
        Task {
            way,
            middle: Some(Middle {
                floor: self.floor as u32,
                open,
                races: races(&self.nodes[..self.floor]),
                root_explored: self.root_explored,
                tally: self.tally.clone(),
            }),
        }
    }

    /// A limit was met. The frontier of a search that is kept is saved, as soon as there is a decision to go on with.
    #[cold]
    pub(crate) fn save_at_limit(&mut self, stopped: Stopped) -> ControlFlow<Option<Stopped>> {
        let is_spent = self.options.limits.budget.is_spent();
        let Some(crew) = self.crew.filter(|_| !is_spent) else {
            return ControlFlow::Break(Some(stopped));
        };
        let Some(saving) = crew.saving() else { return ControlFlow::Break(Some(stopped)) };
        saving.keeper.end(stopped);
        if self.nodes.len() == self.floor {
            return ControlFlow::Continue(());
        }
        self.save(crew);
        ControlFlow::Break(None)
    }

    /// The search has come to a subtree that another process explores: puts what is left back.
    #[cold]
    fn put_back(&mut self) {
        self.reporter.finish(&self.tally.summary);
        self.has_left = true;
        while let Some(slot) = self.segment.clone() {
            match slot.put_back(self.task()) {
                Ok(()) => return,
                Err(rest) => self.take_over(rest),
            }
        }
    }

    /// The graph is too small: the search begins again with a larger one, and its numbers at 0.
    #[cold]
    fn start_over(&mut self, crew: &Crew<'_>) {
        self.options.limits.progress.report(&Summary::default());
        let (floor, tally, stopped) = (usize::MAX, self.nothing.clone(), None);
        crew.keep(Ended { floor, is_whole: false, tally, stopped, is_too_small: true });
        crew.sharing.end();
    }

    /// Between two executions: takes over what was left to this worker, and gives idle workers something to do. False
    /// if the search is over.
    pub(crate) fn cooperate(&mut self, crew: &Crew<'_>) -> bool {
        self.take_over_early();
        if let Some(hire) = &mut self.hire
            && crew.is_time_to_hire(hire)
        {
            self.hire = None;
        }
        // Where no decision is left, the segment ends before another execution.
        if crew.is_to_save() && self.nodes.len() > self.floor && !self.save(crew) {
            return false;
        }
        if crew.sharing.is_time(&mut self.offers) {
            self.offer(crew);
        }
        !crew.sharing.is_over()
    }

    /// Takes over the rest that the segment before this one has left, if it has come to its end.
    fn take_over_early(&mut self) {
        while let Some(rest) = self.segment.as_ref().and_then(Slot::taken_over) {
            self.take_over(rest);
        }
    }

    /// Offers a subtree to idle workers: that of the first act of the decision nearest to the root.
    #[cold]
    fn offer(&mut self, crew: &Crew<'_>) {
        let newest = self.nodes.len();
        for at in self.floor..newest {
            let node = &self.nodes[at];
            let is_offered = |act: u64| node.offers.iter().any(|(offered, _)| *offered == act);
            let waits = node.needs_race && !node.race_seen;
            let can_be = |act: &u64| match node.acts.get(*act) {
                Some(Act::Defer(_)) if waits => false,
                Some(_) => !is_offered(*act),
                None => false,
            };
            // This worker goes on with the next act of the newest decision.
            let start = node.next + u64::from(at + 1 == newest);
            let Some(act) = (start..node.acts.len()).find(can_be) else { continue };
            let mut way = self.way[..node.way].to_vec();
            way.push(Taken::new(act, true));
            let offer = crew.sharing.offer(Task { way, middle: None });
            self.nodes[at].offers.push((act, offer));
            return;
        }
    }

    /// The budget was spent on the way to a subtree. What was left to this worker is not lost.
    #[cold]
    fn abandon(&mut self, crew: &Crew<'_>) {
        let stopped = self.options.limits.budget.spent().map(Stopped::from);
        let is_too_small = false;
        if crew.saving().is_some() {
            let tally = std::mem::replace(&mut self.tally, self.nothing.clone());
            crew.keep(Ended { floor: self.floor, is_whole: false, tally, stopped, is_too_small });
            crew.sharing.end();
            return;
        }
        let mut segment = self.segment.take();
        while let Some(offer) = segment.take() {
            let tally = self.nothing.clone();
            let results = Results { explored: false, races: Vec::new(), tally };
            if let Explored::GoesOn(rest) = offer.end(|| results) {
                let Rest { floor, open, tally, .. } = rest;
                for (_, offer) in open.into_iter().flat_map(|open| open.offers) {
                    keep_results(crew, &offer, stopped);
                }
                crew.keep(Ended { floor, is_whole: false, tally, stopped, is_too_small });
                segment = rest.segment;
            }
        }
        let tally = self.nothing.clone();
        crew.keep(Ended { floor: usize::MAX, is_whole: false, tally, stopped, is_too_small });
        crew.sharing.end();
    }

    /// Goes to the root of a subtree and takes its act, if the model allows that: whether it does. `None` if the budget is
    /// spent before.
    fn begin(&mut self, task: Task, offer: Offer) -> Result<Option<bool>, TooSmall> {
        self.segment = Some(offer);
        self.floor = usize::MAX;
        let mut is_taken = true;
        for taken in task.way {
            // With a spent budget, threads stop anywhere.
            if self.options.limits.budget.is_spent() {
                return Ok(None);
            }
            if self.threads.exceeds_capacity() {
                return Err(TooSmall);
            }
            // The decisions are those of the worker that recorded the way.
            let Some(mut node) = self.decide() else { return Ok(None) };
            let Some(act) = node.acts.get(taken.act) else { return Ok(None) };
            node.next = taken.act + 1;
            self.nodes.push(node);
            self.way.push(taken);
            // Only the last act counts.
            self.tally.summary.events = 0;
            is_taken = self.apply(act, !taken.is_open)?;
            if !taken.is_open {
                self.nodes.pop();
            }
        }
        let Some(middle) = task.middle else {
            self.floor = self.nodes.len();
            self.root_explored = is_taken;
            return Ok(Some(is_taken));
        };
        let Middle { floor, open, races, root_explored, tally } = middle;
        self.tally.summary.events = 0;
        self.reporter.include(&tally.summary);
        self.tally.absorb(tally);
        self.root_explored = root_explored;
        self.floor = floor as usize;
        // A search that has not begun has no decision.
        if open.is_empty() {
            return Ok(Some(true));
        }
        let Some(newest) = self.decide() else { return Ok(None) };
        self.nodes.push(newest);
        for (node, raced) in self.nodes.iter_mut().zip(races) {
            node.race_seen |= raced;
        }
        if self.nodes.len() != self.floor + open.len() {
            return Ok(None);
        }
        for (node, open) in self.nodes[floor as usize..].iter_mut().zip(open) {
            open.restore(node);
        }
        Ok(Some(false))
    }

    /// The segment has come to its end at the decisions above it. True if it goes on there with the rest of another one.
    #[cold]
    pub(crate) fn go_on_above(&mut self) -> bool {
        let Some(segment) = self.segment.take() else { return false };
        self.reporter.finish(&self.tally.summary);
        if let Some(crew) = self.crew {
            crew.sharing.explored(self.tally.explored());
        }
        let explored = segment.end(|| Results {
            explored: self.root_explored,
            races: races(&self.nodes[..self.floor]),
            tally: std::mem::replace(&mut self.tally, self.nothing.clone()),
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

    /// Puts the rest of the segment before this one behind this one.
    fn take_over(&mut self, rest: Rest) {
        let Rest { floor, open, races, root_explored, tally, segment } = rest;
        let root = self.floor - 1;
        for (node, open) in self.nodes[floor..=root].iter_mut().zip(open) {
            open.restore(node);
        }
        self.nodes[root].explored |= self.root_explored;
        for (node, raced) in self.nodes[..floor].iter_mut().zip(races) {
            node.race_seen |= raced;
        }
        self.segment = segment;
        self.floor = floor;
        self.root_explored = root_explored;
        self.reporter.include(&tally.summary);
        let own = std::mem::replace(&mut self.tally, tally);
        self.tally.absorb(own);
    }

    /// Reaches an act that was offered. True if it is still to be explored.
    #[cold]
    pub(crate) fn reach(&mut self, act: u64, offer: Offer) -> bool {
        self.reporter.finish(&self.tally.summary);
        let floor = self.floor;
        let reached = offer.reach(|| Rest {
            floor,
            open: self.nodes[floor..].iter_mut().map(Open::of).collect(),
            races: races(&self.nodes[..floor]),
            root_explored: self.root_explored,
            tally: std::mem::replace(&mut self.tally, self.nothing.clone()),
            segment: self.segment.take(),
        });
        match reached {
            Reached::Open => return true,
            Reached::Left => self.has_left = true,
            Reached::Begun(task) => {
                self.has_left = true;
                self.next = Some((task, offer));
            }
            Reached::Away => {
                if let Some(node) = self.nodes.last_mut() {
                    node.next = act;
                    node.offers.push((act, offer));
                }
                self.put_back();
            }
            Reached::Done(Results { explored, races, tally }) => {
                for (node, raced) in self.nodes.iter_mut().zip(races) {
                    node.race_seen |= raced;
                }
                if let Some(node) = self.nodes.last_mut() {
                    node.explored |= explored;
                }
                self.reporter.include(&tally.summary);
                self.tally.absorb(tally);
            }
        }
        false
    }
}

/// Keeps the results of a subtree whose owner stops before it reaches it.
fn keep_results(crew: &Crew<'_>, offer: &Offer, stopped: Option<Stopped>) {
    if let Some(Results { tally, .. }) = offer.close() {
        crew.keep(Ended {
            floor: usize::MAX,
            is_whole: false,
            tally,
            stopped,
            is_too_small: false,
        });
    }
}

impl Open {
    fn of(node: &mut Node) -> Open {
        let offers = std::mem::take(&mut node.offers);
        Open { next: node.next, explored: node.explored, race_seen: node.race_seen, offers }
    }

    fn copy_of(node: &Node) -> Open {
        let offers = node.offers.clone();
        Open { next: node.next, explored: node.explored, race_seen: node.race_seen, offers }
    }

    fn restore(self, node: &mut Node) {
        node.next = self.next;
        node.explored = self.explored;
        node.race_seen |= self.race_seen;
        node.offers = self.offers;
    }
}

fn races(nodes: &[Node]) -> Vec<bool> {
    nodes.iter().map(|node| node.race_seen).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    /// Subtrees that were explored by a worker to whom they were offered.
    pub(crate) static BEGUN: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
}
