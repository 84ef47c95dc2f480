//! Breadth-first search over the states of a [`System`], on several workers.
//!
//! Level by level: the states of a level are shared out among the workers, each with a machine of
//! its own; what they find new is the next level. So the first thing found is found on a shortest
//! way. Programs that name threads or objects as they go are searched by one worker: numbers behind
//! names are given on first use, and two machines would give different ones.

use crate::judge::judge;
use crate::memoizable::names_as_it_goes;
use crate::moves::Move;
use crate::perform::Made;
use crate::rules::Rules;
use crate::space::{Row, Scratch, Space, StateId};
use crate::system::System;
use crate::worker::Worker;
use raddle_engine::{Budget, Spent};
use raddle_ir::{LocId, Verified};
use raddle_machine::code::Pc;
use raddle_machine::{Bounds, Fault, ThreadId};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// States of a level that a worker takes at a time.
const SHARE: usize = 256;
/// A level of fewer states is not worth a second worker.
const WORTH_SHARING: usize = 1024;

/// Why a search ended before all states were seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Spent(Spent),
    /// States have 32-bit numbers.
    States,
}

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// One of the program's goals.
    Goal,
    Failed {
        thread: ThreadId,
        fault: Fault,
        loc: LocId,
    },
    Deadlock,
    Attack {
        thread: ThreadId,
        store: Pc,
        load: Pc,
    },
    /// Threads wait for ever under SC, one of them with this store while another has the sole right to
    /// write memory.
    ShutOut {
        store: Pc,
    },
    /// Every thread has ended, with these values of the observables.
    Final(Vec<u64>),
}

/// Something found, and how to get there: a state, and a move from it.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub what: Found,
    pub from: StateId,
    /// `None`: the state itself is it.
    pub by: Option<Move>,
}

/// What counts as found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// What the rules look for: goals or attacks.
    Rules,
    /// Anything that fails.
    Failures,
    /// Final states.
    Finals,
}

#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub found: Vec<Finding>,
    pub states: u64,
    pub bytes: u64,
    pub ended: Option<Ended>,
    /// Reached and cannot be run.
    pub unsupported: Option<(Fault, LocId)>,
    /// Where a thread ran for too long without a visible operation.
    pub cut: Option<LocId>,
    /// A thread of which it is not known whether it waits for ever.
    pub undecided: Option<LocId>,
    /// Whether a store was not delayed for want of room.
    pub capped: bool,
    pub elapsed: Duration,
}

#[derive(Debug)]
pub(crate) struct Search<'p> {
    /// In its first state until the search is run.
    system: System<'p>,
    pub space: Space,
    target: Target,
    /// Whether to stop at the end of the level of the first finding.
    stop_at_first: bool,
    budget: Budget,
    workers: usize,
    start: Instant,
}

/// What the workers share while they go through a level.
#[derive(Debug)]
struct Level<'l> {
    states: &'l [StateId],
    next: AtomicUsize,
    stop: AtomicBool,
    found: Mutex<Vec<Finding>>,
}

impl<'p> Search<'p> {
    pub fn new(
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
        Ok(Search { system, space, target, stop_at_first: true, budget, workers, start })
    }

    /// Goes on to the end and finds every distinct thing.
    pub fn find_all(mut self) -> Search<'p> {
        self.stop_at_first = false;
        self
    }

    /// A system that knows every name, in whatever state.
    pub fn system(&self) -> &System<'p> {
        &self.system
    }

    pub fn run(&mut self) -> Outcome {
        let mut outcome = Outcome::default();
        let workers =
            if names_as_it_goes(self.system.machine.program) { 1 } else { self.workers.max(1) };
        // Threads may have run for long, so the first state can be large. Each worker has a copy of it, and
        // so have its string and the space.
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
        let mut level = vec![root];
        while !level.is_empty() && (!self.stop_at_first || outcome.found.is_empty()) {
            outcome.ended = self.over_budget();
            if outcome.ended.is_some() {
                break;
            }
            level = self.expand(&level, &mut crew, &mut outcome);
        }
        let remembered: usize = crew.iter().map(Worker::bytes).sum();
        for worker in crew {
            outcome.unsupported = outcome.unsupported.or(worker.unsupported);
            outcome.cut = outcome.cut.or(worker.cut);
            outcome.undecided = outcome.undecided.or(worker.undecided);
            outcome.capped |= worker.system.capped;
            // It has named what there is to be named.
            self.system = worker.system;
        }
        outcome.states = self.space.len();
        outcome.bytes = self.space.bytes() + remembered as u64;
        outcome.elapsed = self.start.elapsed();
        outcome
    }

    /// What the first state is by itself.
    fn judge_state(&mut self, root: StateId, outcome: &mut Outcome) -> Option<Finding> {
        let made = Made::default();
        outcome.cut = self.system.cut;
        let (what, unsupported) = judge(&self.system, self.target, made);
        outcome.unsupported = unsupported;
        let what = what.or_else(|| self.system.is_goal().then_some(Found::Goal));
        what.map(|what| Finding { what, from: root, by: None })
    }

    fn over_budget(&self) -> Option<Ended> {
        let full = self.space.is_full().then_some(Ended::States);
        self.budget.spent().map(Ended::Spent).or(full)
    }

    /// Goes through a level and gives the next.
    fn expand(
        &self,
        states: &[StateId],
        crew: &mut [Worker<'p>],
        outcome: &mut Outcome,
    ) -> Vec<StateId> {
        let level = Level {
            states,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            found: Mutex::new(Vec::new()),
        };
        let used = if states.len() < WORTH_SHARING { 1 } else { crew.len() };
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
        for finding in found {
            if !outcome.found.iter().any(|known| known.what == finding.what) {
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

    fn work(&self, worker: &mut Worker<'p>, level: &Level<'_>) {
        loop {
            let from = level.next.fetch_add(SHARE, Ordering::Relaxed);
            if from >= level.states.len() || level.stop.load(Ordering::Relaxed) {
                return;
            }
            let share = &level.states[from..level.states.len().min(from + SHARE)];
            for state in share {
                let found = worker.expand(*state, &self.space);
                // A thread may have been cut short anywhere: what that led to does not count.
                if self.budget.is_spent() {
                    return level.stop.store(true, Ordering::Relaxed);
                }
                if !found.is_empty() {
                    let mut all = level.found.lock().unwrap_or_else(PoisonError::into_inner);
                    all.extend(found);
                }
            }
            worker.settle(&self.space);
            // Levels can be large; limits are not to wait for their end.
            if self.over_budget().is_some() {
                level.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}
