//! The loop of the strategies that run a sample of schedules: as many runs as [`Options::sampling`] says, from
//! its seed. They differ in how the next action is drawn.

use crate::event::{ANY, Turn};
use crate::limits::Watch;
use crate::observe::{Observers, Visitor, Watching};
use crate::outcome::Outcomes;
use crate::race::Race;
use crate::system::{Moment, System, Watched};
use fastrand::Rng;
use raddle_engine::Options;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Runs schedules in which `pick` draws each action from those that are enabled: at least one. If it picks
/// [`ANY`] of several alternatives, one of them is drawn with equal probability. The same seed gives the same
/// schedules if `pick` takes its random numbers from the generator that it is given, which is another one for each run.
///
/// Workers take blocks of runs, and the results are put together in the order of the runs. So they do not depend on the number of
/// workers, except that a visitor of all runs, or a limit on them, needs their order: then one worker makes them.
pub(super) fn sample<'o>(
    system: System<'_>,
    options: &'o Options,
    observers: Option<Observers<'o>>,
    pick: impl Fn(&System<'_>, &mut Rng, &[Turn]) -> Turn + Copy + Send + Sync,
) -> Outcomes {
    let (program, runs) = (system.machine.program, options.sampling.runs);
    let visitor = observers.map(|observers| match observers.visitors {
        Watching::All(visitor) => visitor,
        Watching::Each(visitors) => visitors(),
    });
    let is_divided = visitor.is_none() && options.limits.executions.is_none();
    let blocks = Blocks {
        runs,
        length: if is_divided { BLOCK } else { runs.max(1) },
        begun: AtomicU64::new(0),
        decided: AtomicU64::new(u64::MAX),
        merged: Mutex::new(Merged {
            all: Outcomes::new(program, options),
            next: 0,
            waiting: BTreeMap::new(),
        }),
    };
    let start = Instant::now();
    let workers = if is_divided { options.limits.workers } else { 1 };
    thread::scope(|scope| {
        let blocks = &blocks;
        let mut sampler = Sampler::new(system, options, pick);
        sampler.visitor = visitor;
        let mut is_alone = workers > 1;
        while sampler.sample(blocks) {
            if is_alone && start.elapsed() >= PATIENCE {
                is_alone = false;
                for _ in 1..workers {
                    let work = move || {
                        // Without a system there is one worker less.
                        if let Ok(system) = System::for_search(program, options, Watched::Search) {
                            let mut sampler = Sampler::new(system, options, pick);
                            while sampler.sample(blocks) {}
                        }
                    };
                    // The same without a thread.
                    let _ =
                        thread::Builder::new().name("sample".to_owned()).spawn_scoped(scope, work);
                }
            }
        }
    });
    let merged = blocks.merged.into_inner().unwrap_or_else(PoisonError::into_inner);
    merged.finish()
}

/// The number of runs that a worker takes at once.
const BLOCK: u64 = 16;
/// The time before other workers are started.
const PATIENCE: Duration = Duration::from_millis(2);

/// The runs of a sample, in blocks.
struct Blocks {
    runs: u64,
    length: u64,
    /// The number of blocks that were begun.
    begun: AtomicU64,
    /// The first block that has ended the sample.
    decided: AtomicU64,
    merged: Mutex<Merged>,
}

/// The outcomes of the blocks, put together in their order.
struct Merged {
    all: Outcomes,
    /// The block that comes next, and those that have ended before it.
    next: u64,
    waiting: BTreeMap<u64, Outcomes>,
}

impl Merged {
    fn add(&mut self, number: u64, outcomes: Outcomes) {
        self.waiting.insert(number, outcomes);
        while let Some(outcomes) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.absorb(outcomes);
        }
    }

    /// The runs after the one that ends the sample do not count.
    fn absorb(&mut self, outcomes: Outcomes) {
        if !self.all.is_decided() {
            self.all.absorb(outcomes);
        }
    }

    /// All outcomes. Where a limit has ended the sample, some blocks are missing.
    fn finish(mut self) -> Outcomes {
        for outcomes in std::mem::take(&mut self.waiting).into_values() {
            self.absorb(outcomes);
        }
        self.all
    }
}

struct Sampler<'p, 'o, P> {
    system: System<'p>,
    options: &'o Options,
    visitor: Option<Visitor<'o>>,
    pick: P,
    random: Rng,
    start: Moment,
    nothing: Outcomes,
    outcomes: Outcomes,
    watch: Watch,
    /// Scratch buffers, kept to reuse their memory.
    enabled: Vec<Turn>,
    races: Vec<Race>,
}

impl<'p, 'o, P: Fn(&System<'_>, &mut Rng, &[Turn]) -> Turn> Sampler<'p, 'o, P> {
    fn new(system: System<'p>, options: &'o Options, pick: P) -> Sampler<'p, 'o, P> {
        let nothing = Outcomes::new(system.machine.program, options);
        Sampler {
            start: system.moment(),
            system,
            options,
            visitor: None,
            pick,
            random: Rng::with_seed(0),
            outcomes: nothing.clone(),
            nothing,
            watch: Watch::new(&options.limits),
            enabled: Vec::new(),
            races: Vec::new(),
        }
    }

    /// Makes the runs of the next block. False if there is none, or a limit was met.
    fn sample(&mut self, blocks: &Blocks) -> bool {
        let number = blocks.begun.fetch_add(1, Relaxed);
        let first = number.saturating_mul(blocks.length);
        if first >= blocks.runs || number > blocks.decided.load(Relaxed) {
            return false;
        }
        self.watch.begin();
        for run in first..blocks.runs.min(first + blocks.length) {
            self.random = generator(self.options.sampling.seed, run);
            self.run(self.options.limits.events);
            if self.watch.is_spent() {
                break;
            }
            if let Some(visit) = &mut self.visitor
                && let ControlFlow::Break(found) = self.system.visited(visit)
            {
                self.outcomes.find(found);
            }
            self.system.go_back(self.start);
            if self.outcomes.is_decided() || self.watch.is_over(&self.outcomes.tally.summary) {
                break;
            }
        }
        self.watch.finish(&self.outcomes.tally.summary);
        let mut outcomes = std::mem::replace(&mut self.outcomes, self.nothing.clone());
        outcomes.stopped = self.watch.stopped();
        if outcomes.is_decided() {
            blocks.decided.fetch_min(number, Relaxed);
        }
        let goes_on = outcomes.stopped.is_none();
        blocks.merged.lock().unwrap_or_else(PoisonError::into_inner).add(number, outcomes);
        goes_on
    }

    /// Runs one schedule to its end, or until the budget is spent.
    fn run(&mut self, most_events: u32) {
        let system = &mut self.system;
        loop {
            self.enabled.clear();
            for thread in system.machine.thread_ids() {
                self.enabled.extend(system.enabled_updates(thread));
                self.enabled.extend(system.enabled_step(thread));
            }
            if system.budget().is_spent() {
                return;
            }
            if self.enabled.is_empty() {
                self.outcomes.end(system);
                return;
            }
            let mut turn = (self.pick)(system, &mut self.random, &self.enabled);
            if turn.choice == ANY {
                let n = self.random.u32(0..system.machine.choice_count(turn.thread));
                turn.choice = system.machine.nth_choice(turn.thread, n);
            }
            self.races.clear();
            system.perform(turn, &mut self.races);
            self.outcomes.tally.summary.events += 1;
            system.apply_event_bound(most_events);
        }
    }
}

/// The random numbers of a run. Seeds and runs that are close to each other have generators that are not.
fn generator(seed: u64, run: u64) -> Rng {
    let mut of_seed = Rng::with_seed(seed);
    Rng::with_seed(of_seed.u64(..) ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
