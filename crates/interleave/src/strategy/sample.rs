//! The loop of the strategies that run a sample of schedules: as many runs as [`Options::sampling`] says, from
//! its seed. They differ in how the next action is drawn.

use crate::event::{ANY, Turn};
use crate::limits::Watch;
use crate::observe::{Observers, Visitor, Watching};
use crate::outcome::Outcomes;
use crate::race::Race;
use crate::system::{Moment, System, Watched};
use fastrand::Rng;
use raddle_engine::{FrontierState, Keeper, NOT_MISSING, Options, Part, Reporter, Saved, Stopped};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    let (program, keeper) = (system.machine.program, &options.limits.keeper);
    let visitor = observers.map(|observers| match observers.visitors {
        Watching::All(visitor) => visitor,
        Watching::Each(visitors) => visitors(),
    });
    let nothing = Outcomes::new(program, options);
    let left = match Left::start(keeper, options.sampling.runs, &nothing) {
        Ok(left) => left,
        Err(why) => {
            keeper.refuse(why);
            return nothing.lost();
        }
    };
    let before = left.outcomes();
    Reporter::new(&options.limits.progress).finish(&before.tally.summary);
    keeper.begin(&before.tally.summary);
    let blocks = Blocks {
        options,
        decided: AtomicU64::new(u64::MAX),
        made: Mutex::new(Made { left, begun: BTreeSet::new() }),
    };
    let start = Instant::now();
    let is_divided = visitor.is_none() && options.limits.executions.is_none();
    let workers = if is_divided { options.limits.workers } else { 1 };
    let stopped = thread::scope(|scope| {
        let blocks = &blocks;
        let mut sampler = Sampler::new(system, options, pick);
        sampler.visitor = visitor;
        sampler.watch.count(before.tally.explored());
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
        sampler.watch.stopped()
    });
    blocks.finish(stopped)
}

/// The number of runs that a worker takes at once.
const BLOCK: u64 = 16;
/// The time before other workers are started.
const PATIENCE: Duration = Duration::from_millis(2);

/// What is left of a sample: its runs, in blocks that are numbered, and the outcomes of those that were made, put
/// together in their order.
#[derive(Clone, Serialize, Deserialize)]
struct Left {
    /// The blocks that this is about.
    all: Range<u64>,
    /// Blocks that are still to be made, and blocks that other processes make.
    todo: Vec<Range<u64>>,
    away: Vec<Range<u64>>,
    outcomes: Outcomes,
    /// The block that comes next, and the outcomes of those behind it.
    next: u64,
    waiting: BTreeMap<u64, (u64, Outcomes)>,
}

impl Left {
    fn of(blocks: Range<u64>, nothing: &Outcomes) -> Left {
        let (todo, next) = (vec![blocks.clone()], blocks.start);
        let (away, waiting) = (Vec::new(), BTreeMap::new());
        Left { all: blocks, todo, away, outcomes: nothing.clone(), next, waiting }
    }

    /// What a sample begins with.
    fn start(keeper: &Keeper, runs: u64, nothing: &Outcomes) -> Result<Left, String> {
        let Some(start) = keeper.start() else {
            return Ok(Left::of(0..runs.div_ceil(BLOCK), nothing));
        };
        let mut left = Left::read(&start.frontier, nothing)?;
        for result in &start.results {
            let result = Left::read(result, nothing)?;
            let away = left.away.iter().position(|away| *away == result.all);
            let Some(away) = away else {
                return Err(NOT_MISSING.to_owned());
            };
            left.away.swap_remove(away);
            left.join(result);
        }
        Ok(left)
    }

    fn read(bytes: &[u8], nothing: &Outcomes) -> Result<Left, String> {
        let mut left: Left = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        let read = mem::replace(&mut left.outcomes, nothing.clone());
        left.outcomes.absorb(read);
        Ok(left)
    }

    /// The runs after the one that ends the sample do not count.
    fn is_done(&self) -> bool {
        self.next == self.all.end || self.outcomes.is_decided()
    }

    /// A part comes back.
    fn join(&mut self, part: Left) {
        let is_done = part.is_done();
        let Left { all, todo, away, outcomes, next, waiting } = part;
        let next = if is_done { all.end } else { next };
        if !is_done {
            self.todo.extend(todo);
            self.todo.sort_by_key(|range| range.start);
            self.away.extend(away);
            self.waiting.extend(waiting);
        }
        self.add(all.start..next, outcomes);
    }

    fn add(&mut self, blocks: Range<u64>, outcomes: Outcomes) {
        self.waiting.insert(blocks.start, (blocks.end, outcomes));
        while let Some((end, outcomes)) = self.waiting.remove(&self.next) {
            self.next = end;
            absorb(&mut self.outcomes, outcomes);
        }
    }

    /// All outcomes. Some blocks may be missing.
    fn outcomes(&self) -> Outcomes {
        let mut all = self.outcomes.clone();
        for (_, outcomes) in self.waiting.values() {
            absorb(&mut all, outcomes.clone());
        }
        all
    }

    /// Gives the last blocks away, in equal parts.
    fn split(&mut self, parts: usize, nothing: &Outcomes) -> Vec<Left> {
        let count: u64 = self.todo.iter().map(|range| range.end - range.start).sum();
        let size = count / (parts as u64 + 1);
        let mut given = Vec::new();
        while given.len() < parts && size > 0 {
            let Some(last) = self.todo.last_mut() else { break };
            let from = last.start.max(last.end.saturating_sub(size));
            let part = from..last.end;
            last.end = from;
            if last.is_empty() {
                self.todo.pop();
            }
            self.away.push(part.clone());
            given.push(Left::of(part, nothing));
        }
        given
    }
}

/// The name of a part with these blocks.
fn name(blocks: &Range<u64>) -> u64 {
    blocks.start << 32 | blocks.end
}

fn absorb(all: &mut Outcomes, outcomes: Outcomes) {
    if !all.is_decided() {
        all.absorb(outcomes);
    }
}

/// The blocks of a sample that workers make.
struct Blocks<'o> {
    options: &'o Options,
    /// The first block that has ended the sample.
    decided: AtomicU64,
    made: Mutex<Made>,
}

struct Made {
    left: Left,
    /// The blocks that are being made.
    begun: BTreeSet<u64>,
}

impl Blocks<'_> {
    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next block; `None` if there is none, or the sample is to end. Every sample has at least one.
    fn take(&self, has_begun: bool) -> Option<u64> {
        let mut made = self.made();
        if has_begun && self.options.limits.keeper.is_due() {
            if self.options.limits.keeper.ends() {
                return None;
            }
            made.save(self.options, false, &[]);
        }
        let first = made.left.todo.first_mut()?;
        let block = first.next()?;
        if block > self.decided.load(Relaxed) || made.left.outcomes.is_decided() {
            return None;
        }
        if made.left.todo.first().is_some_and(Range::is_empty) {
            made.left.todo.remove(0);
        }
        made.begun.insert(block);
        Some(block)
    }

    /// Adds the outcomes of a block.
    fn add(&self, block: u64, outcomes: Outcomes) {
        let mut made = self.made();
        made.begun.remove(&block);
        made.left.add(block..block + 1, outcomes);
    }

    /// The outcomes of all blocks. The last worker has stopped for this reason.
    fn finish(self, stopped: Option<Stopped>) -> Outcomes {
        let mut made = self.made.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut outcomes = made.left.outcomes();
        outcomes.stopped = outcomes.stopped.or(stopped);
        let keeper = &self.options.limits.keeper;
        if keeper.keeps() && !self.options.limits.budget.is_spent() {
            if let Some(stopped) = stopped {
                keeper.end(stopped);
            }
            let nothing = outcomes.nothing();
            let parts = if keeper.ends() { keeper.parts() } else { 0 };
            made.put_back();
            let parts = made.left.split(parts, &nothing);
            made.save(self.options, true, &parts);
            if !made.left.is_done() {
                outcomes.stopped = outcomes.stopped.or(keeper.stopped());
            }
        }
        outcomes
    }
}

impl Made {
    /// Blocks that were begun are to be made again.
    fn put_back(&mut self) {
        let begun = mem::take(&mut self.begun);
        self.left.todo.extend(begun.into_iter().map(|block| block..block + 1));
        self.left.todo.sort_by_key(|range| range.start);
    }

    fn save(&self, options: &Options, is_last: bool, parts: &[Left]) {
        let mut now = Made { left: self.left.clone(), begun: self.begun.clone() };
        now.put_back();
        let state = match &now.left {
            left if left.is_done() => FrontierState::Done,
            left if left.todo.is_empty() => FrontierState::Waiting,
            _ => FrontierState::Open,
        };
        let keeper = &options.limits.keeper;
        let part = |left: &Left| {
            postcard::to_stdvec(left).map(|frontier| Part { name: name(&left.all), frontier })
        };
        let parts: Result<Vec<Part>, _> = parts.iter().map(part).collect();
        match parts.and_then(|parts| Ok((parts, postcard::to_stdvec(&now.left)?))) {
            Ok((parts, rest)) => {
                let away = now.left.away.iter().min_by_key(|range| range.start);
                let needs = away.map(name);
                let summary = now.left.outcomes().finish(options.strategy);
                keeper.save(Saved { rest, parts, needs, state, summary, is_last });
            }
            Err(error) => keeper.refuse(error.to_string()),
        }
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
    /// Whether it has made a block.
    has_begun: bool,
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
            has_begun: false,
            enabled: Vec::new(),
            races: Vec::new(),
        }
    }

    /// Makes the runs of the next block. False if there is none, or a limit was met.
    fn sample(&mut self, blocks: &Blocks<'_>) -> bool {
        let Some(number) = blocks.take(self.has_begun) else { return false };
        self.has_begun = true;
        let first = number * BLOCK;
        self.watch.begin();
        for run in first..self.options.sampling.runs.min(first + BLOCK) {
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
        let mut outcomes = mem::replace(&mut self.outcomes, self.nothing.clone());
        let stopped = self.watch.stopped();
        // A sample that is kept makes the whole block again.
        if stopped.is_some() && self.options.limits.keeper.keeps() {
            return false;
        }
        outcomes.stopped = stopped;
        if outcomes.is_decided() {
            blocks.decided.fetch_min(number, Relaxed);
        }
        blocks.add(number, outcomes);
        stopped.is_none()
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
