//! Breadth-first search over the states of a [`System`], on several workers.
//!
//! The search goes level by level. The workers, each with its own machine, share the states of a level;
//! the new states they find are the next level. So the first finding is on a shortest path.
//!
//! The result does not depend on the number of workers, nor on which of them is faster. Which moves are made from a
//! state is a function of the state ([`Worker::expand`]), so the levels are the same sets. A level has an order, that of
//! the first edge to each state from the level before ([`crate::roots`]); findings are reported in this order, and paths consist of
//! first edges. Threads and objects that the program creates get their numbers in the same order: a small level
//! is expanded by one worker, which gives numbers on first use. In a large level the workers set aside the states
//! that need new numbers. One worker then expands some of these, which creates the numbers, and all go on with
//! the others. One worker alone does the same, so the numbers are the same.

use crate::api::Unknown;
use crate::judge::judge;
use crate::memoizable::numbers_on_first_use;
use crate::moves::Move;
use crate::perform::Made;
use crate::roots::Edge;
use crate::rules::Rules;
use crate::space::{Row, Scratch, Space, StateId};
use crate::system::System;
use crate::worker::{Notes, Worker};
use raddle_engine::{Budget, Failed, Progress};
use raddle_ir::{LocId, Verified};
use raddle_machine::code::Pc;
use raddle_machine::{Bounds, Fault, ThreadId};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How levels are divided among workers. The numbers of threads and objects depend on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// A level with fewer states is expanded by one worker.
    pub large: usize,
    /// The number of states that a worker takes at a time.
    pub chunk: usize,
}

const SHARING: Sharing = Sharing { large: 1024, chunk: 256 };

/// The kind of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// One of the program's goals.
    Goal,
    Failed(Failed),
    Deadlock,
    Attack {
        thread: ThreadId,
        store: Pc,
        load: Pc,
    },
    /// Threads wait forever under SC, one of them at this store because another thread holds the memory
    /// lock.
    ShutOut {
        store: Pc,
    },
    /// Every thread has ended, with these values of the observables.
    Final(Vec<u64>),
}

/// A finding and its origin: a state, and a move from it.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub kind: Found,
    pub from: StateId,
    /// `None` if the state itself is the finding.
    pub by: Option<Move>,
}

/// Which kinds of findings the search reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// Goals or attacks, as the rules say.
    Rules,
    /// Failures and deadlocks, and attacks if the rules look for them.
    Failures,
    /// Final states.
    Finals,
}

#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub found: Vec<Finding>,
    pub states: u64,
    pub bytes: u64,
    /// Why the search ended before it had visited all states.
    pub ended: Option<Unknown>,
    /// An operation that was reached and that raddle cannot run.
    pub unsupported: Option<(Fault, LocId)>,
    /// Where a thread ran for too long without a visible operation.
    pub cut: Option<LocId>,
    /// The location of a thread for which it was not decided whether it waits forever.
    pub undecided: Option<LocId>,
    /// Whether a store was not delayed because its thread had delayed [`Rules::cap`] stores.
    pub capped: bool,
    pub elapsed: Duration,
}

#[derive(Debug)]
pub(crate) struct Search<'p> {
    /// In its initial state until `run`; then the system of a worker, in any state.
    system: System<'p>,
    pub space: Space,
    target: Target,
    /// Whether to stop at the end of the level of the first finding.
    stop_at_first: bool,
    budget: Budget,
    workers: usize,
    pub sharing: Sharing,
    progress: Progress,
    start: Instant,
}

/// The data that the workers share while they expand a level, or a part of it.
#[derive(Debug)]
struct Level<'l> {
    states: &'l [StateId],
    /// The positions of the states to expand, in ascending order; all if there is no list.
    part: Option<Vec<usize>>,
    /// Whether edges are found in another order than that of the level.
    ranked: bool,
    /// The number of moves from the initial state.
    number: u64,
    next: AtomicUsize,
    stop: AtomicBool,
}

impl Level<'_> {
    /// The number of states to expand.
    fn len(&self) -> usize {
        self.part.as_ref().map_or(self.states.len(), Vec::len)
    }

    fn position(&self, n: usize) -> usize {
        self.part.as_ref().map_or(n, |part| part[n])
    }
}

impl<'p> Search<'p> {
    pub(crate) fn new(
        program: &'p Verified,
        bounds: Bounds,
        rules: Rules,
        target: Target,
        workers: usize,
    ) -> Result<Search<'p>, Fault> {
        let start = Instant::now();
        let budget = bounds.budget.clone();
        let system = System::new(program, bounds, rules)?;
        let threads = system.is_memoizable().then(|| system.machine.thread_count() as usize);
        let space = Space::new(threads);
        Ok(Search {
            system,
            space,
            target,
            stop_at_first: true,
            budget,
            workers,
            sharing: SHARING,
            progress: Progress::NONE,
            start,
        })
    }

    /// Makes the search report how far it is.
    pub(crate) fn reporting_to(self, progress: &Progress) -> Search<'p> {
        Search { progress: progress.clone(), ..self }
    }

    /// Makes the search visit all states and report every distinct finding.
    pub(crate) fn find_all(mut self) -> Search<'p> {
        self.stop_at_first = false;
        self
    }

    /// A system, in an arbitrary state, that knows the numbers of all threads and objects of the search.
    pub(crate) fn system(&self) -> &System<'p> {
        &self.system
    }

    pub(crate) fn run(&mut self) -> Outcome {
        let mut outcome = Outcome::default();
        let workers = self.workers.max(1);
        // Threads may have run for long, so the initial state can be large. Each worker holds a copy of
        // it, and so do its encoding and the space.
        let copies = workers as u64 + 2;
        if !self.budget.affords(copies * self.system.machine.trail.bytes())
            || self.budget.is_spent()
        {
            outcome.ended = self.over_budget();
            return outcome;
        }
        let (mut row, mut scratch) = (Row::default(), Scratch::default());
        self.system.encode(&mut row);
        let root = self.space.id(&row, &mut scratch);
        self.space.add_first(root);
        let found = self.judge_state(root, &mut outcome);
        outcome.found.extend(found);
        let mut crew: Vec<Worker<'p>> =
            (0..workers).map(|_| Worker::new(self.system.clone(), self.target, root)).collect();
        self.progress.search_states();
        let (mut level, mut number) = (vec![root], 0);
        while !level.is_empty() && (!self.stop_at_first || outcome.found.is_empty()) {
            outcome.ended = self.over_budget();
            if outcome.ended.is_some() {
                break;
            }
            number += 1;
            level = self.expand(&level, number, &mut crew, &mut outcome);
        }
        self.progress.visit(self.space.len(), level.len() as u64, number);
        let remembered: usize = crew.iter().map(Worker::bytes).sum();
        for worker in &crew {
            outcome.capped |= worker.system.capped;
        }
        // The first worker gives the numbers of threads and objects, so it knows all of them.
        if let Some(first) = crew.into_iter().next() {
            self.system = first.system;
        }
        outcome.states = self.space.len();
        outcome.bytes = self.space.bytes() + remembered as u64;
        outcome.elapsed = self.start.elapsed();
        outcome
    }

    /// The finding that the initial state itself is, if any.
    fn judge_state(&mut self, root: StateId, outcome: &mut Outcome) -> Option<Finding> {
        let made = Made::default();
        outcome.cut = self.system.cut;
        let (kind, unsupported) = judge(&self.system, self.target, made);
        outcome.unsupported = unsupported;
        let kind = kind.or_else(|| self.system.is_goal().then_some(Found::Goal));
        kind.map(|kind| Finding { kind, from: root, by: None })
    }

    fn over_budget(&self) -> Option<Unknown> {
        let full = self.space.is_full().then_some(Unknown::States);
        self.budget.spent().map(Unknown::Spent).or(full)
    }

    /// Expands the states of a level and returns the next level.
    fn expand(
        &self,
        states: &[StateId],
        number: u64,
        crew: &mut [Worker<'p>],
        outcome: &mut Outcome,
    ) -> Vec<StateId> {
        let may_name = numbers_on_first_use(self.system.machine.program);
        let mut level = Level {
            states,
            part: None,
            ranked: states.len() >= self.sharing.large && (crew.len() > 1 || may_name),
            number,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        };
        if !level.ranked {
            self.work(&mut crew[0], &level);
        }
        while level.ranked {
            if level.len() < self.sharing.large {
                self.work(&mut crew[0], &level);
                break;
            }
            let mut left = self.work_together(crew, &level);
            if left.is_empty() || level.stop.load(Ordering::Relaxed) {
                break;
            }
            let rest = left.split_off(left.len().min(self.sharing.chunk));
            (level.part, level.next) = (Some(left), AtomicUsize::new(0));
            self.work(&mut crew[0], &level);
            (level.part, level.next) = (Some(rest), AtomicUsize::new(0));
        }
        let edges = self.settle(crew, &level);
        collect(crew, outcome);
        if level.stop.into_inner() {
            outcome.ended = self.over_budget();
        }
        edges.iter().map(StateId::of).collect()
    }

    /// Expands a level with all workers, with the numbers of threads and objects that exist. Returns the positions
    /// of states that need others.
    fn work_together(&self, crew: &mut [Worker<'p>], level: &Level<'_>) -> Vec<usize> {
        let (first, others) = crew.split_at_mut(1);
        others.iter_mut().for_each(|worker| worker.system.adopt_names(&first[0].system));
        crew.iter_mut().for_each(|worker| worker.system.machine.fix_names(true));
        on_each(crew, |worker| self.work(worker, level));
        let mut left = Vec::new();
        for worker in crew {
            worker.system.machine.fix_names(false);
            left.append(&mut worker.nameless);
        }
        left.sort_unstable();
        left
    }

    /// The edges to the new states that a level has led to, in order.
    fn settle(&self, crew: &mut [Worker<'p>], level: &Level<'_>) -> Vec<Edge> {
        if level.ranked {
            on_each(crew, |worker| {
                self.space.settle(&mut worker.fresh, level.states);
                worker.fresh.sort_unstable_by_key(|edge| edge.rank);
            });
        }
        let mut edges = std::mem::take(&mut crew[0].fresh);
        for worker in &mut crew[1..] {
            edges.append(&mut worker.fresh);
        }
        if level.ranked {
            // This sort finds the sorted runs, and merges them.
            edges.sort_by_key(|edge| edge.rank);
        }
        edges
    }

    /// Expands chunks of a level until none is left or the search has to stop.
    fn work(&self, worker: &mut Worker<'p>, level: &Level<'_>) {
        let chunk = self.sharing.chunk;
        loop {
            // Relaxed is enough: the counter only hands out disjoint chunks, and the end of the scope
            // orders the results of the workers before the next level.
            let from = level.next.fetch_add(chunk, Ordering::Relaxed);
            if from >= level.len() || level.stop.load(Ordering::Relaxed) {
                return;
            }
            for n in from..level.len().min(from + chunk) {
                let (position, known) = (level.position(n), worker.found.len());
                worker.expand(level.states[position], position, &self.space);
                // Once the budget is spent, the machine stops threads anywhere, so these findings are not
                // valid.
                if self.budget.is_spent() {
                    worker.found.truncate(known);
                    return level.stop.store(true, Ordering::Relaxed);
                }
            }
            // Before the next chunk: all new states of a level must be in `fresh` when it ends.
            let start = worker.fresh.len();
            worker.add_pending(&self.space, level.states, level.ranked);
            if !level.ranked {
                worker.fresh[start..].sort_unstable_by_key(|edge| edge.rank);
            }
            if self.progress.is_watched() {
                let frontier = level.states.len() as u64;
                self.progress.visit(self.space.len(), frontier, level.number);
            }
            // Levels can be large, so limits are checked within a level too.
            if self.over_budget().is_some() {
                level.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Runs every worker in a thread of its own.
fn on_each<'p>(crew: &mut [Worker<'p>], work: impl Fn(&mut Worker<'p>) + Sync) {
    let work = &work;
    if let [worker] = crew {
        return work(worker);
    }
    std::thread::scope(|scope| {
        for worker in crew {
            scope.spawn(move || work(worker));
        }
    });
}

/// Adds what the workers have found in a level to the outcome, in the order of its states.
fn collect(crew: &mut [Worker<'_>], outcome: &mut Outcome) {
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let Notes { mut unsupported, mut cut, mut undecided } = Notes::default();
    for worker in crew {
        found.append(&mut worker.found);
        let notes = std::mem::take(&mut worker.notes);
        unsupported = first(unsupported, notes.unsupported);
        cut = first(cut, notes.cut);
        undecided = first(undecided, notes.undecided);
    }
    // Workers report a finding once at best, and several of them the same one.
    found.sort_by_key(|(position, _)| *position);
    for (_, finding) in found {
        if !outcome.found.iter().any(|known| known.kind == finding.kind) {
            outcome.found.push(finding);
        }
    }
    outcome.unsupported = outcome.unsupported.take().or(unsupported.map(|(_, fault)| fault));
    outcome.cut = outcome.cut.or(cut.map(|(_, loc)| loc));
    outcome.undecided = outcome.undecided.or(undecided.map(|(_, loc)| loc));
}

/// What was noted at the smaller position.
fn first<T>(a: Option<(usize, T)>, b: Option<(usize, T)>) -> Option<(usize, T)> {
    [a, b].into_iter().flatten().min_by_key(|(position, _)| *position)
}
