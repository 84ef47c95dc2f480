//! The result of a search.

use crate::failure::{Failure, FailureSite};
use crate::limits::Limits;
use crate::schedule::Step;
use raddle_budget::Spent;
use raddle_ir::LocId;
use raddle_machine::{Fault, Status};
use serde::{Deserialize, Serialize};

/// The most stores into a buffer, fences, spawns and joins that a thread may perform in a row without an
/// event.
pub const MAX_SILENT: u32 = 100_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BoundKind {
    /// [`crate::Limits::events`]
    Events,
    /// [`crate::Limits::local_steps`]
    LocalSteps,
    /// [`MAX_SILENT`]
    Operations,
    /// [`crate::Limits::unroll`]
    Iterations,
    /// The size of store buffers. It does not cut executions: it leaves some out.
    Buffer,
    /// A thread repeats a loop without a way out, and all further rounds would be the same. Only these rounds
    /// are cut: other executions show everything that could happen in them.
    Endless,
    /// The values that were tried for an input. It leaves out executions, too.
    Inputs,
}

impl BoundKind {
    /// The status of a thread that a bound has stopped, and the bound. If several apply, the first is
    /// reported.
    pub const STOPS: [(Status, BoundKind); 4] = [
        (Status::OutOfEvents, BoundKind::Events),
        (Status::OutOfSteps, BoundKind::LocalSteps),
        (Status::OutOfOperations, BoundKind::Operations),
        (Status::Unrolled, BoundKind::Iterations),
    ];

    /// Whether the missing executions could show something that the others do not.
    pub const fn hides(self) -> bool {
        !matches!(self, BoundKind::Endless)
    }

    /// Every kind with its name in machine-readable output, in the order of their numbers.
    pub const NAMES: [(BoundKind, &'static str); 7] = [
        (BoundKind::Events, "events"),
        (BoundKind::LocalSteps, "local-steps"),
        (BoundKind::Operations, "operations"),
        (BoundKind::Iterations, "iterations"),
        (BoundKind::Buffer, "buffer"),
        (BoundKind::Endless, "endless"),
        (BoundKind::Inputs, "inputs"),
    ];

    pub const fn name(self) -> &'static str {
        BoundKind::NAMES[self as usize].1
    }
}

/// A bound that cut executions, or left some out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoundMet {
    pub kind: BoundKind,
    /// The position of the thread.
    pub loc: LocId,
    /// The number of executions that met the bound.
    pub count: u64,
}

/// The reason why the search ended before it was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Stopped {
    Executions,
    Time,
    Memory,
    /// A signal interrupted it.
    Interrupted,
    /// At the first failure.
    Failure,
    /// The visitor had seen enough.
    Enough,
    /// The strategy samples; it never claims completeness.
    Sampling,
    /// It is not known whether a thread waits for ever in a loop.
    Waiting,
    /// A thread may have to delay more stores than the reachability engine allows.
    Delays,
    /// A finding has no schedule: a defect of raddle.
    Lost,
}

impl Stopped {
    /// Every reason with its name in machine-readable output and the phrase for users, in the order of their numbers.
    const WORDS: [(Stopped, &'static str, &'static str); 10] = [
        (Stopped::Executions, "executions", "the limit on executions was reached"),
        (Stopped::Time, "time", "time ran out"),
        (Stopped::Memory, "memory", "the limit on memory was reached"),
        (Stopped::Interrupted, "interrupted", "the search was interrupted"),
        (Stopped::Failure, "failure", "the search ends at the first failure"),
        (Stopped::Enough, "enough", "enough was seen"),
        (Stopped::Sampling, "sampling", "the schedules are a sample, not a search"),
        (
            Stopped::Waiting,
            "waiting",
            "whether a thread waits for ever in a loop was not found out",
        ),
        (Stopped::Delays, "delays", "a thread may have to delay too many stores at the same time"),
        (
            Stopped::Lost,
            "defect",
            "a defect of raddle: an execution that was found cannot be replayed",
        ),
    ];

    pub fn all() -> impl Iterator<Item = Stopped> {
        Stopped::WORDS.into_iter().map(|(reason, ..)| reason)
    }

    /// The name in machine-readable output.
    pub const fn name(self) -> &'static str {
        Stopped::WORDS[self as usize].1
    }

    /// The phrase for users.
    pub const fn phrase(self) -> &'static str {
        Stopped::WORDS[self as usize].2
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
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Executions that failed, or in which every thread ran to its end or runs for ever without a change.
    pub executions: u64,
    /// Executions in which `assume` stopped a thread, and no thread waits or fails.
    pub blocked: u64,
    /// Executions that were begun and abandoned because another one covers them.
    pub redundant: u64,
    /// Executions cut by a bound.
    pub cut: u64,
    /// Executions, among those that failed, that ended at an error that is not reported and that a real program
    /// survives in some way.
    pub cut_by_ignored: u64,
    /// Distinct traces, complete and blocked, if they are counted.
    pub traces: Option<u64>,
    /// The final values of the program's observables, with the number of executions that end with them; in
    /// order of the values.
    pub states: Vec<(Vec<u64>, u64)>,
    /// For each of [`Summary::states`], a schedule that ends with these values, for replays. Kept for
    /// programs whose final condition can be violated; empty for others.
    pub witnesses: Vec<Vec<Step>>,
    pub failures: Vec<Failure>,
    pub bounds: Vec<BoundMet>,
    pub stopped: Option<Stopped>,
    /// The number of events of all executions: the measure of work.
    pub events: u64,
    /// The number of events of the longest execution.
    pub longest: u32,
}

impl Summary {
    /// The summary of a search that cannot start: the program needs something that the engine does not have,
    /// or more than the budget allows.
    pub fn cannot_start(fault: Fault, limits: &Limits) -> Summary {
        if let Some(spent) = limits.budget.spent() {
            return Summary { stopped: Some(spent.into()), ..Summary::default() };
        }
        let failure = FailureSite::before_start(fault).shown_by(1, Vec::new());
        Summary { failures: vec![failure], stopped: Some(Stopped::Failure), ..Summary::default() }
    }
}
