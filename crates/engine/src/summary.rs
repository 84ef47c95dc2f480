//! The result of a search.

use crate::failure::{Failure, FailureSite};
use crate::limits::Limits;
use crate::schedule::Step;
use raddle_budget::Spent;
use raddle_ir::LocId;
use raddle_machine::{Fault, Status};

/// How many stores into a buffer, fences, spawns and joins a thread may perform in a row without an
/// event.
pub const MAX_SILENT: u32 = 100_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoundKind {
    /// [`crate::Limits::events`]
    Events,
    /// [`crate::Limits::local_steps`]
    LocalSteps,
    /// [`MAX_SILENT`]
    Operations,
    /// [`crate::Limits::unroll`]
    Iterations,
    /// How much store buffers hold. It cuts nothing: it leaves out executions.
    Buffer,
    /// A thread goes round a loop without a way out, and every further round would be as the last. What is cut
    /// are those rounds: what could happen in them happens in other executions.
    Endless,
    /// The values that were tried of an input. It leaves out executions, too.
    Inputs,
}

impl BoundKind {
    /// What a thread that a bound has stopped is doing, and the bound; who met several is told of the first.
    pub const STOPS: [(Status, BoundKind); 4] = [
        (Status::OutOfEvents, BoundKind::Events),
        (Status::OutOfSteps, BoundKind::LocalSteps),
        (Status::OutOfOperations, BoundKind::Operations),
        (Status::Unrolled, BoundKind::Iterations),
    ];

    /// Whether executions are missing that could show something that the others do not.
    pub const fn hides(self) -> bool {
        !matches!(self, BoundKind::Endless)
    }

    pub const fn name(self) -> &'static str {
        match self {
            BoundKind::Events => "events",
            BoundKind::LocalSteps => "local-steps",
            BoundKind::Operations => "operations",
            BoundKind::Iterations => "iterations",
            BoundKind::Buffer => "buffer",
            BoundKind::Endless => "endless",
            BoundKind::Inputs => "inputs",
        }
    }
}

/// A bound that cut executions short, or kept some from being explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundMet {
    pub kind: BoundKind,
    /// Where the thread was.
    pub loc: LocId,
    /// How many executions met it.
    pub count: u64,
}

/// Why the search ended before it was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    Executions,
    Time,
    Memory,
    /// A signal asked for it.
    Interrupted,
    /// At the first failure.
    Failure,
    /// Whoever looked on had seen enough.
    Enough,
    /// The strategy samples; it never claims completeness.
    Sampling,
    /// Whether a thread waits for ever in a loop was not found out.
    Waiting,
    /// A thread may have to delay more stores than the reachability engine lets it.
    Delays,
    /// There is no schedule for what was found: a defect of raddle.
    Lost,
}

impl Stopped {
    /// For programs.
    pub const fn name(self) -> &'static str {
        match self {
            Stopped::Executions => "executions",
            Stopped::Time => "time",
            Stopped::Memory => "memory",
            Stopped::Interrupted => "interrupted",
            Stopped::Failure => "failure",
            Stopped::Enough => "enough",
            Stopped::Sampling => "sampling",
            Stopped::Waiting => "waiting",
            Stopped::Delays => "delays",
            Stopped::Lost => "defect",
        }
    }

    /// For people.
    pub const fn phrase(self) -> &'static str {
        match self {
            Stopped::Executions => "the limit on executions was reached",
            Stopped::Time => "time ran out",
            Stopped::Memory => "the limit on memory was reached",
            Stopped::Interrupted => "the search was interrupted",
            Stopped::Failure => "the search ends at the first failure",
            Stopped::Enough => "enough was seen",
            Stopped::Sampling => "random schedules are a sample, not a search",
            Stopped::Waiting => "whether a thread waits for ever in a loop was not found out",
            Stopped::Delays => "a thread may have to delay too many stores at the same time",
            Stopped::Lost => "a defect of raddle: a way that was found cannot be gone again",
        }
    }
}

impl From<Spent> for Stopped {
    fn from(spent: Spent) -> Stopped {
        match spent {
            Spent::Time => Stopped::Time,
            Spent::Memory => Stopped::Memory,
            Spent::Interrupted => Stopped::Interrupted,
        }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Executions in which every thread ran to its end or goes on for ever without a change, or that failed.
    pub executions: u64,
    /// Executions in which a thread was stopped by `assume`, none waiting or failing otherwise.
    pub blocked: u64,
    /// Executions begun and given up because another one covers them.
    pub redundant: u64,
    /// Executions cut by a bound.
    pub cut: u64,
    /// Distinct traces, complete and blocked, when they were asked for.
    pub traces: Option<u64>,
    /// The final values of the program's observables, with how many executions end so; in order
    /// of the values.
    pub states: Vec<(Vec<u64>, u64)>,
    /// For each of [`Summary::states`], a schedule that ends so: the engine replays it.
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

impl Summary {
    /// The program asks for more than the engine has, or than the budget allows, before its first
    /// instruction.
    pub fn cannot_start(fault: Fault, limits: &Limits) -> Summary {
        if let Some(spent) = limits.budget.spent() {
            return Summary { stopped: Some(spent.into()), ..Summary::default() };
        }
        let failure = FailureSite::before_start(fault).shown_by(1, Vec::new());
        Summary { failures: vec![failure], stopped: Some(Stopped::Failure), ..Summary::default() }
    }
}
