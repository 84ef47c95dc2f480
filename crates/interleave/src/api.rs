//! What the engine is asked and what it answers.

use raddle_ir::LocId;
use raddle_machine::Bounds;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The memory models of this engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Model {
    Sc,
    Tso,
    Pso,
}

impl Model {
    pub const ALL: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

    pub const fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(s: &str) -> Result<Model, String> {
        let found = Model::ALL.into_iter().find(|m| m.name() == s);
        found.ok_or_else(|| format!("unknown model '{s}'; expected sc, tso or pso"))
    }
}

/// How the executions are searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// Optimal-DPOR: exactly one execution per trace, none abandoned.
    #[default]
    Optimal,
    /// Source-DPOR: one execution per trace, some more started and abandoned.
    Source,
    /// Every interleaving, no reduction: the oracle.
    Exhaustive,
    /// Seeded random schedules.
    Random { seed: u64, runs: u64 },
}

impl Strategy {
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::Optimal => "optimal",
            Strategy::Source => "source",
            Strategy::Exhaustive => "exhaustive",
            Strategy::Random { .. } => "random",
        }
    }
}

/// Where to stop. Every limit that is met is reported in [`Summary::bounds`] or [`Summary::stopped`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Executions (of any kind) explored before giving up.
    pub executions: Option<u64>,
    pub time: Option<Duration>,
    /// Bytes that the engine may hold.
    pub memory: Option<u64>,
    /// Visible events of one thread in one execution; the thread is stopped there.
    pub events: u32,
    /// Instructions that a thread may run between two visible events; a longer run is cut.
    pub local_steps: u64,
    /// How often a loop may go back, each time it is entered; a thread that would do it once more is
    /// stopped there.
    pub unroll: Option<u32>,
    /// Whether a thread is stopped when its loop has gone round for nothing. Nothing is lost by that,
    /// and loops that wait for another thread need no bound.
    pub spin: bool,
}

impl Limits {
    /// What the machine has to know of them.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { steps: self.local_steps, unroll: self.unroll, spin: self.spin }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            executions: None,
            time: None,
            memory: None,
            events: 100_000,
            local_steps: 10_000_000,
            unroll: None,
            spin: true,
        }
    }
}

/// What is looked for beside what executions show by themselves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Checks {
    /// Data races, as C11 has them.
    pub races: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub model: Model,
    pub strategy: Strategy,
    pub limits: Limits,
    pub checks: Checks,
    /// Go on after the first failure and report every distinct one.
    pub keep_going: bool,
    /// Count distinct traces even if the strategy may visit one more than once; costs memory.
    pub count_traces: bool,
}

impl Options {
    pub fn new(model: Model) -> Options {
        Options {
            model,
            strategy: Strategy::Optimal,
            limits: Limits::default(),
            checks: Checks::default(),
            keep_going: false,
            count_traces: false,
        }
    }
}

/// What can go wrong in a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FailureKind {
    Assertion,
    Deadlock,
    /// Null, wild, out of bounds, freed.
    Memory,
    /// Unlock of a lock that is not held, and the like.
    LockMisuse,
    DivisionByZero,
    Unreachable,
    /// Joining something that is not a thread.
    ThreadMisuse,
    /// A value was used that was never written or assigned.
    Uninitialised,
    /// The program gave up by itself.
    Abort,
    /// Two accesses to common bytes that nothing orders, if [`Checks::races`] asks for those.
    Race,
    /// The program reached something that raddle cannot run.
    Unsupported,
}

impl FailureKind {
    pub const fn name(self) -> &'static str {
        match self {
            FailureKind::Assertion => "assertion",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Memory => "memory",
            FailureKind::LockMisuse => "lock-misuse",
            FailureKind::DivisionByZero => "division-by-zero",
            FailureKind::Unreachable => "unreachable",
            FailureKind::ThreadMisuse => "thread-misuse",
            FailureKind::Uninitialised => "uninitialised",
            FailureKind::Abort => "abort",
            FailureKind::Race => "race",
            FailureKind::Unsupported => "unsupported",
        }
    }
}

/// One step of a schedule: a thread's next visible event, or an update from its store buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// Number of the thread: initial threads first, in order, then in the order in which the
    /// schedule spawns them.
    pub thread: u32,
    /// For an update, which of the thread's stores leaves the buffer, counted from 0.
    pub update: Option<u32>,
    /// Which alternative was taken, where the event has several (`choose`, `signal`).
    pub choice: u64,
}

/// What failed, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailureSite {
    pub kind: FailureKind,
    /// As in [`Failure::thread`].
    pub thread: String,
    pub loc: LocId,
    /// As in [`Failure::against`].
    pub against: LocId,
    pub message: String,
}

impl FailureSite {
    /// The failure, with how many executions show it and how to get there.
    pub fn shown_by(self, count: u64, schedule: Vec<Step>) -> Failure {
        let FailureSite { kind, thread, loc, against, message } = self;
        Failure { kind, thread, loc, against, message, count, schedule }
    }
}

/// A distinct error: failures of one kind at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub kind: FailureKind,
    /// The thread that failed first, as the user knows it; for a deadlock, all that wait.
    pub thread: String,
    pub loc: LocId,
    /// For a race, which is told at its later access: where the earlier one is.
    pub against: LocId,
    pub message: String,
    /// How many executions show it.
    pub count: u64,
    /// A schedule that leads to it: replay it with [`crate::replay`].
    pub schedule: Vec<Step>,
}

impl Failure {
    /// What failed, and where, without how often and how to get there.
    pub fn site(&self) -> FailureSite {
        FailureSite {
            kind: self.kind,
            thread: self.thread.clone(),
            loc: self.loc,
            against: self.against,
            message: self.message.clone(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoundKind {
    /// [`Limits::events`]
    Events,
    /// [`Limits::local_steps`]
    LocalSteps,
    /// [`Limits::unroll`]
    Iterations,
}

impl BoundKind {
    pub const fn name(self) -> &'static str {
        match self {
            BoundKind::Events => "events",
            BoundKind::LocalSteps => "local-steps",
            BoundKind::Iterations => "iterations",
        }
    }
}

/// A bound that cut executions short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundMet {
    pub kind: BoundKind,
    /// Where the thread was.
    pub loc: LocId,
    /// How many executions it cut.
    pub count: u64,
}

/// Why the search ended before it was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    Executions,
    Time,
    Memory,
    /// At the first failure.
    Failure,
    /// The strategy samples; it never claims completeness.
    Sampling,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Executions in which every thread ran to its end, or that failed.
    pub executions: u64,
    /// Executions in which a thread was stopped by `assume`, none waiting or failing otherwise.
    pub blocked: u64,
    /// Executions begun and given up because another one covers them.
    pub redundant: u64,
    /// Executions cut by a bound.
    pub cut: u64,
    /// Distinct traces, complete and blocked, when [`Options::count_traces`] asked for them.
    pub traces: Option<u64>,
    /// The final values of the program's observables, with how many executions end so; in order
    /// of the values.
    pub states: Vec<(Vec<u64>, u64)>,
    /// For each of [`Summary::states`], a schedule that ends so: replay it with [`crate::replay`].
    /// Kept for programs whose final condition can be violated; empty for others.
    pub witnesses: Vec<Vec<Step>>,
    pub failures: Vec<Failure>,
    pub bounds: Vec<BoundMet>,
    pub stopped: Option<Stopped>,
    /// Visible events performed in all, the measure of work.
    pub events: u64,
    /// Visible events of the longest execution.
    pub longest: u32,
}
