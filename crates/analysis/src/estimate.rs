//! How many executions a search is going to visit.
//!
//! The estimate is made by random probes of the graph engine ([`raddle_graph::probe`]), whichever engine searches: all of
//! them visit each trace once, and only the graph engine's tree can be probed. The probes run in a thread of their
//! own beside the search, which they do not touch; they stop when they know enough or the search ends. So a search
//! on one core of several takes no longer.
//!
//! There is no estimate if the number of executions is not that of traces (samples, interleavings without
//! reduction), if store buffers are bounded, for searches of states, and if the graph engine cannot run the program
//! ([docs/progress.md](../../../docs/progress.md)).

use crate::search::explore;
use raddle_engine::{
    Budget, Checks, Coverage, Estimate, Limits, Options, Phase, Probing, Progress, Sample, Stopped,
    Strategy, Summary,
};
use raddle_ir::Verified;
use std::sync::atomic::Ordering;
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

/// A shorter search needs no estimate.
const PATIENCE: Duration = Duration::from_millis(50);
/// The probes are seeded, so that the same number of them gives the same estimate.
const SEED: u64 = 0;
/// Probes end after this part of the time that has passed since they became useful, and so take less and less of a
/// machine that may have something else to do.
const LONGEST: Duration = Duration::from_secs(20);
/// The time between two estimates that are made known.
const PAUSE: Duration = Duration::from_millis(50);

/// Searches, and estimates the size of the search beside it if somebody wants to know.
pub(crate) fn beside<T>(program: &Verified, options: &Options, search: impl FnOnce() -> T) -> T {
    let progress = &options.limits.progress;
    if !progress.is_watched() || !is_estimable(options) {
        return search();
    }
    progress.estimate(None);
    let budget = Budget::new(None, options.limits.budget.memory());
    let ended = budget.interruption();
    let prober = prober(options, budget);
    thread::scope(|scope| {
        let probing = Builder::new().name("estimate".to_owned()).spawn_scoped(scope, || {
            // Ends early if the search does.
            thread::park_timeout(PATIENCE);
            probe(program, &prober, progress);
        });
        let found = search();
        ended.store(true, Ordering::Relaxed);
        // Without a thread there is no estimate.
        if let Ok(probing) = probing {
            probing.thread().unpark();
        }
        found
    })
}

/// Whether the executions that a search visits are the traces of the program.
pub fn is_estimable(options: &Options) -> bool {
    options.strategy.coverage() == Coverage::Traces && options.buffer_bound.is_none()
}

/// The options of the probes.
fn prober(options: &Options, budget: Budget) -> Options {
    let limits = Limits { budget, progress: Progress::NONE, ..options.limits.clone() };
    let checks = Checks { races: false, ..options.checks };
    Options { limits, checks, ..options.clone() }.by(Strategy::Graph)
}

/// Makes probes until the estimate is precise or the budget is spent, and makes it known from time to time.
fn probe(program: &Verified, options: &Options, progress: &Progress) {
    let budget = &options.limits.budget;
    if budget.is_spent() {
        return;
    }
    let (mut sample, start) = (Sample::default(), Instant::now());
    let mut shown = start;
    let ended = raddle_graph::probe(program, options, SEED, |probing| {
        let Probing::Ended(probe) = probing else {
            sample = Sample::default();
            return true;
        };
        sample.add(probe.counted());
        let now = Instant::now();
        if now - shown >= PAUSE {
            shown = now;
            progress.estimate(sample.estimate());
        }
        !sample.is_precise() && now - start < LONGEST
    });
    if ended.is_ok() {
        progress.estimate(sample.estimate());
    }
}

/// What is known of a search after some seconds of it.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// What the seconds sufficed for.
    pub summary: Summary,
    /// How long it took.
    pub elapsed: Duration,
    /// The size of the whole search: exact if [`Forecast::is_complete`], `None` if it cannot be estimated.
    pub estimate: Option<Estimate>,
}

/// Searches for this long at most, and estimates the size of the whole search meanwhile.
pub fn forecast(program: &Verified, options: &Options, time: Duration) -> Forecast {
    let limits = &options.limits;
    let time = limits.budget.time_left().map_or(time, |left| left.min(time));
    let budget = limits.budget.at_most(time);
    let progress =
        if limits.progress.is_watched() { limits.progress.clone() } else { Progress::new() };
    // The probes have a core of their own, where there are several.
    let workers = limits.workers.saturating_sub(1).max(1);
    let limits = Limits { budget, workers, progress: progress.clone(), ..limits.clone() };
    // An error on the way is no reason to stop: the size of the whole search is asked for.
    let options = Options { limits, keep_going: true, ..options.clone() };
    let start = Instant::now();
    let summary = explore(program, &options);
    let elapsed = start.elapsed();
    let mut forecast = Forecast { summary, elapsed, estimate: None };
    let searched = forecast.counted();
    forecast.estimate = progress.snapshot().estimate.map(|estimate| estimate.at_least(searched));
    progress.enter(Phase::Replaying);
    if forecast.is_complete() {
        let executions = forecast.counted() as f64;
        let (low, high) = (executions, executions);
        forecast.estimate = Some(Estimate { executions, low, high, probes: 0 });
    }
    forecast
}

impl Forecast {
    /// Whether the search was over before the time was.
    pub fn is_complete(&self) -> bool {
        self.summary.stopped.is_none() || self.summary.stopped == Some(Stopped::Sampling)
    }

    /// The number of executions that count in an estimate.
    pub fn counted(&self) -> u64 {
        let Summary { executions, blocked, cut, .. } = &self.summary;
        executions + blocked + cut
    }

    /// Executions in a second.
    pub fn rate(&self) -> f64 {
        self.counted() as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }

    /// The time that the whole search takes at this rate, with the range of the estimate.
    pub fn time(&self) -> Option<[f64; 3]> {
        if self.is_complete() {
            return Some([self.elapsed.as_secs_f64(); 3]);
        }
        let Estimate { executions, low, high, .. } = self.estimate?;
        (self.counted() > 0).then(|| [low, executions, high].map(|number| number / self.rate()))
    }
}
