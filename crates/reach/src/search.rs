//! Breadth-first search over the states of a [`System`], on several workers.
//!
//! The search goes level by level. The workers, each with its own machine, share the states of a level;
//! the new states they find are the next level. So the first finding is on a shortest path. A program
//! that creates threads or objects as it runs is searched by one worker: their numbers are given on first
//! use, and two machines would give different numbers.

use crate::api::Unknown;
use crate::judge::judge;
use crate::memoizable::numbers_on_first_use;
use crate::moves::Move;
use crate::perform::Made;
use crate::rules::Rules;
use crate::space::{Row, Scratch, Space, StateId};
use crate::system::System;
use crate::worker::Worker;
use raddle_engine::{Budget, Failed, Progress};
use raddle_ir::{LocId, Verified};
use raddle_machine::code::Pc;
use raddle_machine::{Bounds, Fault, ThreadId};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of states of a level that a worker takes at a time.
const CHUNK: usize = 256;
/// A level with fewer states is expanded by one worker.
const MIN_PARALLEL: usize = 1024;

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
    progress: Progress,
    start: Instant,
}

/// The data that the workers share while they expand a level.
#[derive(Debug)]
struct Level<'l> {
    states: &'l [StateId],
    /// The number of moves from the initial state.
    number: u64,
    next: AtomicUsize,
    stop: AtomicBool,
    found: Mutex<Vec<Finding>>,
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
        let progress = Progress::NONE;
        let stop_at_first = true;
        Ok(Search { system, space, target, stop_at_first, budget, workers, progress, start })
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
        let workers =
            if numbers_on_first_use(self.system.machine.program) { 1 } else { self.workers.max(1) };
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
        let (root, _) = self.space.insert(&row, None, &mut scratch);
        let found = self.judge_state(root, &mut outcome);
        outcome.found.extend(found);
        let mut crew: Vec<Worker<'p>> =
            (0..workers).map(|_| Worker::new(self.system.clone(), self.target)).collect();
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
        for worker in crew {
            outcome.unsupported = outcome.unsupported.or(worker.unsupported);
            outcome.cut = outcome.cut.or(worker.cut);
            outcome.undecided = outcome.undecided.or(worker.undecided);
            outcome.capped |= worker.system.capped;
            // Either there is one worker, or all workers give the same numbers to threads and objects.
            self.system = worker.system;
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
        let level = Level {
            states,
            number,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            found: Mutex::new(Vec::new()),
        };
        let used = if states.len() < MIN_PARALLEL { 1 } else { crew.len() };
        if used == 1 {
            self.work(&mut crew[0], &level);
        } else {
            std::thread::scope(|scope| {
                for worker in crew.iter_mut() {
                    scope.spawn(|| self.work(worker, &level));
                }
            });
        }
        let found = level.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Workers deduplicate their own findings at best, so equal ones are dropped here.
        for finding in found {
            if !outcome.found.iter().any(|known| known.kind == finding.kind) {
                outcome.found.push(finding);
            }
        }
        if level.stop.into_inner() {
            outcome.ended = self.over_budget();
        }
        let mut next = std::mem::take(&mut crew[0].fresh);
        crew[1..].iter_mut().for_each(|worker| next.append(&mut worker.fresh));
        next
    }

    /// Expands chunks of a level until none is left or the search has to stop.
    fn work(&self, worker: &mut Worker<'p>, level: &Level<'_>) {
        loop {
            // Relaxed is enough: the counter only hands out disjoint chunks, and the end of the scope
            // orders the results of the workers before the next level.
            let from = level.next.fetch_add(CHUNK, Ordering::Relaxed);
            if from >= level.states.len() || level.stop.load(Ordering::Relaxed) {
                return;
            }
            let share = &level.states[from..level.states.len().min(from + CHUNK)];
            for state in share {
                let found = worker.expand(*state, &self.space);
                // Once the budget is spent, the machine stops threads anywhere, so these findings are not
                // valid.
                if self.budget.is_spent() {
                    return level.stop.store(true, Ordering::Relaxed);
                }
                if !found.is_empty() {
                    let mut all = level.found.lock().unwrap_or_else(PoisonError::into_inner);
                    all.extend(found);
                }
            }
            // Before the next chunk: all new states of a level must be in `fresh` when it ends.
            worker.add_pending(&self.space);
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
