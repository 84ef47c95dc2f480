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
use raddle_engine::{Explored, Hire, Options, Reached, Slot, Stopped, Summary, Tally};
use raddle_ir::Verified;

pub(crate) type Offer = Slot<Task, Results, Rest>;
pub(crate) type Crew = raddle_engine::Crew<Task, Results, Rest, Ended>;

/// A subtree to explore: that of the last act of a way.
#[derive(Debug)]
pub(crate) struct Task(Vec<Taken>);

/// An act on the way to the current state.
#[derive(Clone, Copy, Debug)]
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
#[derive(Debug)]
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
#[derive(Debug)]
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

/// Searches with several workers.
pub(crate) fn explore<const W: usize>(
    program: &Verified,
    threads: Threads<'_>,
    options: &Options,
) -> Result<Summary, TooSmall> {
    let first = |crew: &Crew, hire: Hire<'_>| {
        let mut search = Search::<W>::new(threads, options, Some(crew));
        search.hire = Some(hire);
        search.search_segments(crew, true);
        search.work(crew);
    };
    let other = |crew: &Crew| {
        // Without threads of the program there is one worker less.
        if let Ok(threads) = Threads::new(program, options, Graph::<W>::CAPACITY) {
            Search::<W>::new(threads, options, Some(crew)).work(crew);
        }
    };
    let mut ended = Crew::run(options.limits.workers, cfg!(test), first, other);
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
    fn work(&mut self, crew: &Crew) {
        while let Some((task, offer)) = crew.sharing.take() {
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
    fn search_segments(&mut self, crew: &Crew, decides: bool) {
        let Ok(stopped) = self.run(decides) else { return self.start_over(crew) };
        if self.has_left {
            return;
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

    /// The graph is too small: the search begins again with a larger one, and its numbers at 0.
    #[cold]
    fn start_over(&mut self, crew: &Crew) {
        self.options.limits.progress.report(&Summary::default());
        let (floor, tally, stopped) = (usize::MAX, self.nothing.clone(), None);
        crew.keep(Ended { floor, is_whole: false, tally, stopped, is_too_small: true });
        crew.sharing.end();
    }

    /// Between two executions: takes over what was left to this worker, and gives idle workers something to do. False
    /// if the search is over.
    pub(crate) fn cooperate(&mut self, crew: &Crew) -> bool {
        if let Some(rest) = self.segment.as_ref().and_then(Slot::taken_over) {
            self.take_over(rest);
        }
        if let Some(hire) = &mut self.hire
            && crew.is_time_to_hire(hire)
        {
            self.hire = None;
        }
        if crew.sharing.is_wanted() {
            self.offer(crew);
        }
        !crew.sharing.is_over()
    }

    /// Offers a subtree to idle workers: that of the first act of the decision nearest to the root.
    #[cold]
    fn offer(&mut self, crew: &Crew) {
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
            let offer = crew.sharing.offer(Task(way));
            self.nodes[at].offers.push((act, offer));
            return;
        }
    }

    /// The budget was spent on the way to a subtree. What was left to this worker is not lost.
    #[cold]
    fn abandon(&mut self, crew: &Crew) {
        let stopped = self.options.limits.budget.spent().map(Stopped::from);
        let is_too_small = false;
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
        for taken in task.0 {
            // With a spent budget, threads stop anywhere.
            if self.options.limits.budget.is_spent() {
                return Ok(None);
            }
            if self.threads.exceeds_capacity() {
                return Err(TooSmall);
            }
            // The decisions are those of the worker that recorded the way.
            let Some(mut node) = self.decide() else { break };
            let Some(act) = node.acts.get(taken.act) else { break };
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
        self.floor = self.nodes.len();
        self.root_explored = is_taken;
        Ok(Some(is_taken))
    }

    /// The segment has come to its end at the decisions above it. True if it goes on there with the rest of another one.
    #[cold]
    pub(crate) fn go_on_above(&mut self) -> bool {
        let Some(segment) = self.segment.take() else { return false };
        self.reporter.finish(&self.tally.summary);
        let explored = segment.end(|| Results {
            explored: self.root_explored,
            races: races(&self.nodes[..self.floor]),
            tally: std::mem::replace(&mut self.tally, self.nothing.clone()),
        });
        match explored {
            Explored::Kept | Explored::Closed => false,
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
            node.next = open.next;
            node.explored = open.explored;
            node.race_seen |= open.race_seen;
            node.offers = open.offers;
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
    pub(crate) fn reach(&mut self, offer: Offer) -> bool {
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
fn keep_results(crew: &Crew, offer: &Offer, stopped: Option<Stopped>) {
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
}

fn races(nodes: &[Node]) -> Vec<bool> {
    nodes.iter().map(|node| node.race_seen).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    /// Subtrees that were explored by a worker to whom they were offered.
    pub(crate) static BEGUN: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
}
