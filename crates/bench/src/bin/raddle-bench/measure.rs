//! One measurement.

use raddle_bench::catalogue::Family;
use raddle_budget::{Budget, peak_memory};
use raddle_engine::{Limits, Model, Options, Strategy};
use raddle_interleave::explore;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// A program, and the parameters of its search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub family: Family,
    pub size: u32,
    pub model: Model,
    pub strategy: Strategy,
    /// Seconds.
    pub timeout: u64,
}

impl Job {
    /// The command line that makes a child run this job.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let word = |text: &str| text.to_owned();
        vec![
            word("--child"),
            format!("--model={}", self.model),
            format!("--strategy={}", self.strategy.name()),
            format!("--size={}", self.size),
            format!("--timeout={}", self.timeout),
            word(self.family.name),
        ]
    }
}

/// The result and the cost of a job.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) struct Measurement {
    pub program: String,
    pub model: String,
    pub strategy: String,
    pub executions: u64,
    pub blocked: u64,
    pub redundant: u64,
    pub failures: u64,
    pub events: u64,
    pub seconds: f64,
    pub executions_per_second: f64,
    pub events_per_second: f64,
    /// The peak memory of the process, if the system reports it.
    pub peak_kib: Option<u64>,
    /// Whether the search finished in time.
    pub complete: bool,
}

pub(crate) fn run(job: &Job) -> Measurement {
    let program = (job.family.build)(job.size);
    let limits = Limits {
        budget: Budget::new(Some(Duration::from_secs(job.timeout)), None),
        ..Limits::default()
    };
    let strategy = job.strategy;
    let options = Options { strategy, limits, keep_going: true, ..Options::new(job.model) };
    let start = Instant::now();
    let summary = explore(&program, &options);
    let seconds = start.elapsed().as_secs_f64();
    // The rate of a very short search is not meaningful; this only avoids a division by zero.
    let rate = |count: u64| count as f64 / seconds.max(1e-9);
    Measurement {
        program: program.name.clone(),
        model: job.model.name().to_owned(),
        strategy: job.strategy.name().to_owned(),
        executions: summary.executions,
        blocked: summary.blocked,
        redundant: summary.redundant,
        failures: summary.failures.iter().map(|failure| failure.count).sum(),
        events: summary.events,
        seconds,
        executions_per_second: rate(summary.executions),
        events_per_second: rate(summary.events),
        peak_kib: peak_memory().map(|bytes| bytes / 1024),
        complete: summary.stopped.is_none(),
    }
}
