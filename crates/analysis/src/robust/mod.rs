//! Robustness: whether a program has a trace under a model that is not a trace under SC.
//!
//! Traces are those of Shasha and Snir: the program order of each thread, the reads-from relation, and the
//! order of writes to each location. Traces that fail, deadlock or are blocked count like any other. The
//! ways to decide robustness are largely independent of each other:
//!
//! | module | way |
//! |---|---|
//! | [`monitor`] | explores SC only; on each trace, the monitor of paper 001 on causal pasts |
//! | [`cycles`] | explores the model; a trace whose order has a cycle is a witness |
//! | [`count`] | explores both and compares the numbers of traces: those of SC are a subset |
//! | [`mod@sample`] | the monitors of the paper on random runs: fast, but does not decide |
//! | [`attacks`] | searches states under SC together with one delayed store; loops need not end; models with one buffer per thread only |
//! | [`witness`] | the common result: a schedule under the model, replayed, and its cycle |
//!
//! The first is the default: a robust program costs little more than its search under SC. Cases that it
//! cannot judge exactly are left to the second ([`Gap::Mixed`]).
//!
//! Invariant: the answer "not robust" needs a witness that was replayed under the model and has a cycle, or
//! different counts. The answer "robust" needs a complete search. Spinning loops are searched as everywhere
//! (docs/loops.md): an iteration without effect is not repeated, so a trace that differs from those of SC
//! only in such iterations is not considered.

mod attacks;
mod count;
mod cycles;
mod monitor;
mod sample;
pub mod witness;

pub use monitor::{Interlocked, buffers};
use raddle_engine::{
    Budget, Buffering, Engine, FailureKind, Limits, Model, Options, Spent, Stopped, Summary,
};
use raddle_ir::Verified;
pub use sample::{Pattern, Runs, Sample, sample};
use std::time::{Duration, Instant};
pub use witness::CycleWitness;

/// How robustness is decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum By {
    Monitor,
    Cycles,
    Count,
    Attacks,
}

impl By {
    pub const ALL: [By; 4] = [By::Monitor, By::Cycles, By::Count, By::Attacks];

    pub const fn name(self) -> &'static str {
        match self {
            By::Monitor => "monitor",
            By::Cycles => "cycles",
            By::Count => "count",
            By::Attacks => "attacks",
        }
    }

    /// Whether robustness against a model can be decided in this way.
    pub const fn has(self, model: Model) -> bool {
        match self {
            By::Monitor | By::Cycles | By::Count => Engine::Interleave.has(model),
            By::Attacks => matches!(model.buffering(), Some(Buffering::Fifo)),
        }
    }

    /// The models against which robustness can be decided in this way.
    pub fn models(self) -> impl Iterator<Item = Model> {
        Model::ALL.into_iter().filter(move |model| self.has(*model))
    }
}

/// Why robustness was not decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// A search ended early.
    Stopped(Stopped),
    /// A bound cut executions.
    Bounds,
    /// Only some values of the inputs were tried.
    Inputs,
    /// The search reached an operation that raddle cannot run.
    Unsupported,
    /// The monitor cannot judge accesses that overlap in part: under PSO those of one thread.
    Mixed,
    /// Attacks are not defined for the model.
    NoAttacks,
    /// A witness did not replay: a defect of raddle.
    Unconfirmed,
}

impl Gap {
    /// Every gap but [`Gap::Stopped`].
    pub const OTHERS: [Gap; 6] =
        [Gap::Bounds, Gap::Inputs, Gap::Unsupported, Gap::Mixed, Gap::NoAttacks, Gap::Unconfirmed];

    /// The name in machine-readable output.
    pub const fn name(self) -> &'static str {
        match self {
            Gap::Stopped(stopped) => stopped.name(),
            Gap::Bounds => "bounds",
            Gap::Inputs => "inputs",
            Gap::Unsupported => "unsupported",
            Gap::Mixed => "mixed-sizes",
            Gap::NoAttacks => "no-attacks",
            Gap::Unconfirmed => "unconfirmed",
        }
    }
}

/// The result of a robustness query.
#[derive(Clone, Debug)]
pub struct Robustness {
    pub model: Model,
    pub by: By,
    /// `None` if unknown; [`Robustness::gaps`] has the reasons.
    pub robust: Option<bool>,
    pub gaps: Vec<Gap>,
    /// The witness of a program that is not robust; counting gives none.
    pub witness: Option<CycleWitness>,
    /// The searches, in order, each with its model.
    pub searches: Vec<(Model, Summary)>,
    pub elapsed: Duration,
}

impl Robustness {
    /// The answer for a program that was not searched, with the reason.
    pub fn unsearched(model: Model, by: Option<By>, spent: Spent) -> Robustness {
        Robustness {
            model,
            by: by.unwrap_or(By::Monitor),
            robust: None,
            gaps: vec![Gap::Stopped(spent.into())],
            witness: None,
            searches: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// The total number of explored executions, including blocked ones.
    pub fn executions(&self) -> u64 {
        self.searches.iter().map(|(_, summary)| traces(summary)).sum()
    }
}

/// The result of one way to decide robustness.
#[derive(Default)]
struct Decision {
    witness: Option<CycleWitness>,
    /// Whether a witness was found, or must exist.
    violated: bool,
    gaps: Vec<Gap>,
    searches: Vec<(Model, Summary)>,
}

/// Decides whether a program is robust against a model. If `by` is `None`, uses the fastest complete way.
pub fn robust(program: &Verified, model: Model, limits: &Limits, by: Option<By>) -> Robustness {
    let start = Instant::now();
    let mut by_which = by.unwrap_or(By::Monitor);
    let mut decision = decide(program, model, limits, by_which);
    if by.is_none() && !decision.violated && decision.gaps.contains(&Gap::Mixed) {
        by_which = By::Cycles;
        decision = decide(program, model, limits, by_which);
    }
    let Decision { witness, violated, mut gaps, searches } = decision;
    if !violated && !program.partial_inputs().is_empty() {
        gaps.push(Gap::Inputs);
    }
    let robust = match (violated, gaps.is_empty()) {
        (true, _) => Some(false),
        (false, true) => Some(true),
        (false, false) => None,
    };
    Robustness { model, by: by_which, robust, gaps, witness, searches, elapsed: start.elapsed() }
}

fn decide(program: &Verified, model: Model, limits: &Limits, by: By) -> Decision {
    match by {
        By::Monitor => monitor::decide(program, model, limits),
        By::Cycles => cycles::decide(program, model, limits),
        By::Count => count::decide(program, model, limits),
        By::Attacks => attacks::decide(program, model, limits),
    }
}

/// Options for a search of all traces: it continues after failures.
fn options(model: Model, limits: &Limits) -> Options {
    Options { limits: limits.clone(), keep_going: true, ..Options::new(model) }
}

/// The searches that a way to decide robustness against a model makes; none of executions for attacks.
pub fn searches(by: By, model: Model, limits: &Limits) -> Vec<Options> {
    let models = match by {
        By::Monitor => vec![Model::Sc],
        By::Cycles => vec![model],
        By::Count => vec![Model::Sc, model],
        By::Attacks => Vec::new(),
    };
    models.into_iter().map(|model| options(model, limits)).collect()
}

/// The number of traces that a search has seen.
pub fn traces(summary: &Summary) -> u64 {
    summary.executions + summary.blocked + summary.cut
}

/// Why a witness was not confirmed.
fn unconfirmed(budget: &Budget) -> Gap {
    budget.spent().map_or(Gap::Unconfirmed, |spent| Gap::Stopped(spent.into()))
}

/// The reasons why a search is not complete.
fn gaps(summary: &Summary) -> Vec<Gap> {
    let mut gaps = Vec::new();
    if let Some(stopped) = summary.stopped.filter(|stopped| *stopped != Stopped::Enough) {
        gaps.push(Gap::Stopped(stopped));
    }
    if summary.bounds.iter().any(|bound| bound.kind.hides()) {
        gaps.push(Gap::Bounds);
    }
    if summary.failures.iter().any(|failure| failure.kind == FailureKind::Unsupported) {
        gaps.push(Gap::Unsupported);
    }
    gaps
}
