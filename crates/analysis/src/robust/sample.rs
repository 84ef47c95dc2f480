//! The monitors of paper 001 on random runs under SC, as in the paper's section 5.

use super::monitor::{Interlocked, buffers, operations};
use super::options;
use raddle_engine::{
    Engine, FailureKind, Limits, Model, Options, Sampling, Spent, Stopped, Strategy, Summary,
};
use raddle_interleave::{Rules, observe};
use raddle_ir::{LocId, Verified};
use raddle_monitor::{Cells, Found, Monitor, Site, Violation};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The result of the monitor for a sample of runs.
#[derive(Clone, Debug)]
pub struct Sample {
    pub model: Model,
    pub runs: u64,
    /// The number of events of all runs: accesses, fences, starts and ends of threads.
    pub events: u64,
    /// The number of runs with a violation.
    pub violating: u64,
    /// The distinct violations by the instructions of store, *prev* and access, each with its number of
    /// occurrences.
    pub violations: Vec<(Pattern, u64)>,
    /// The number of violations that are not in the list because it was full.
    pub others: u64,
    /// The time of the monitor alone, and of everything.
    pub monitoring: Duration,
    pub elapsed: Duration,
    pub summary: Summary,
}

impl Sample {
    /// The answer for a program that was not run, with the reason.
    pub fn unsearched(model: Model, spent: Spent) -> Sample {
        Sample::of(model, Summary { stopped: Some(spent.into()), ..Summary::default() })
    }

    /// Why fewer runs were made than requested.
    pub fn stopped(&self) -> Option<Stopped> {
        self.summary.stopped.filter(|stopped| *stopped != Stopped::Sampling)
    }

    /// The number of runs that reached an unsupported operation.
    pub fn unsupported(&self) -> u64 {
        let failures = self.summary.failures.iter();
        let unsupported = failures.filter(|failure| failure.kind == FailureKind::Unsupported);
        unsupported.map(|failure| failure.count).sum()
    }

    fn of(model: Model, summary: Summary) -> Sample {
        let (monitoring, elapsed) = (Duration::ZERO, Duration::ZERO);
        let (runs, events, violating, violations, others) = (0, 0, 0, Vec::new(), 0);
        Sample { model, runs, events, violating, violations, others, monitoring, elapsed, summary }
    }
}

/// A violation by its instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    pub store: LocId,
    pub prev: LocId,
    pub access: LocId,
}

/// Which runs to make.
#[derive(Clone, Debug)]
pub struct Runs {
    pub sampling: Sampling,
    pub interlocked: Interlocked,
    pub limits: Limits,
}

/// Runs random schedules, which are the same for the same seed, and the monitor of a model on each.
pub fn sample(program: &Verified, model: Model, runs: &Runs) -> Sample {
    let start = Instant::now();
    let Some(rules) = Rules::of(model, None) else {
        let lacking = Engine::Interleave.lacks(model);
        let summary = lacking.map(|fault| Summary::cannot_start(fault, &runs.limits));
        return Sample::of(model, summary.unwrap_or_default());
    };
    let Runs { sampling, interlocked, ref limits } = *runs;
    let budget = &limits.budget;
    let options = Options { sampling, ..options(Model::Sc, limits).by(Strategy::Random) };
    let (mut cells, mut monitor) =
        (Cells::within(budget), Monitor::new(buffers(model)).within(budget));
    let (mut found, mut accesses) = (Found::default(), Vec::new());
    let mut sample = Sample::of(model, Summary::default());
    sample.summary = observe(program, &options, true, &mut |execution| {
        let begun = Instant::now();
        for happening in execution.happened {
            if budget.is_spent() {
                return ControlFlow::Continue(());
            }
            cells.add(happening.addr, happening.bytes, true);
        }
        monitor.restart();
        let mut violated = false;
        for happening in execution.happened {
            if budget.is_spent() {
                return ControlFlow::Continue(());
            }
            accesses.clear();
            operations(rules, interlocked, happening, |access| accesses.push(access));
            let site = site(happening.loc);
            for access in &accesses {
                let touched = cells.of(access.addr, access.bytes);
                monitor.step(access.thread, access.op, touched, site, |violation| {
                    violated = true;
                    found.add(violation);
                });
            }
            sample.events += 1;
        }
        sample.runs += 1;
        sample.violating += u64::from(violated);
        sample.monitoring += begun.elapsed();
        ControlFlow::Continue(())
    });
    let violations = found.violations.iter().map(|(found, count)| (pattern(found), *count));
    sample.violations = violations.collect();
    sample.others = found.others;
    sample.elapsed = start.elapsed();
    sample
}

/// The site of a position. [`LocId::NONE`] and [`Site::NONE`] have the same number.
fn site(loc: LocId) -> Site {
    Site(loc.0)
}

fn pattern(violation: &Violation) -> Pattern {
    let [store, prev, access] = violation.sites().map(|site| LocId(site.0));
    Pattern { store, prev, access }
}
