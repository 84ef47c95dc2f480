//! What can go wrong.

use crate::schedule::Step;
use raddle_ir::LocId;
use raddle_machine::{Fault, FaultKind};

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
    /// Two accesses to common bytes that nothing orders, if [`crate::Checks::races`] asks for those.
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

impl From<FaultKind> for FailureKind {
    fn from(kind: FaultKind) -> FailureKind {
        match kind {
            FaultKind::Assertion => FailureKind::Assertion,
            FaultKind::Memory => FailureKind::Memory,
            FaultKind::LockMisuse => FailureKind::LockMisuse,
            FaultKind::DivisionByZero => FailureKind::DivisionByZero,
            FaultKind::Unreachable => FailureKind::Unreachable,
            FaultKind::ThreadMisuse => FailureKind::ThreadMisuse,
            FaultKind::Uninitialised => FailureKind::Uninitialised,
            FaultKind::Abort => FailureKind::Abort,
            FaultKind::Unsupported => FailureKind::Unsupported,
        }
    }
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
    /// The program asks for more than the machine has before its first instruction.
    pub fn before_start(fault: Fault) -> FailureSite {
        let (kind, message) = (fault.kind.into(), fault.message);
        let (thread, loc, against) = (String::new(), LocId::NONE, LocId::NONE);
        FailureSite { kind, thread, loc, against, message }
    }

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
    /// A schedule that leads to it: the engine that found it replays it.
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
