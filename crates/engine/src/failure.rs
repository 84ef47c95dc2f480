//! What can go wrong.

use crate::names::Cast;
use crate::need::Stuck;
use crate::schedule::Step;
use crate::story::Wants;
use raddle_ir::LocId;
use raddle_machine::{Fault, FaultKind};
use std::fmt;
use std::ops::Deref;

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
    pub const ALL: [FailureKind; 11] = [
        FailureKind::Assertion,
        FailureKind::Deadlock,
        FailureKind::Memory,
        FailureKind::LockMisuse,
        FailureKind::DivisionByZero,
        FailureKind::Unreachable,
        FailureKind::ThreadMisuse,
        FailureKind::Uninitialised,
        FailureKind::Abort,
        FailureKind::Race,
        FailureKind::Unsupported,
    ];

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
    /// The thread that failed first, as the user knows it; for a deadlock, all that wait.
    pub thread: String,
    pub loc: LocId,
    /// For a race, which is told at its later access: where the earlier one is.
    pub against: LocId,
    pub message: String,
    /// For a deadlock: who waits for what, in which file and line.
    pub waiters: Vec<(Waiter, Option<(u32, u32)>)>,
}

impl FailureSite {
    /// A failure of one thread.
    pub fn new(kind: FailureKind, thread: &str, loc: LocId, message: String) -> FailureSite {
        let (thread, against, waiters) = (thread.to_owned(), LocId::NONE, Vec::new());
        FailureSite { kind, thread, loc, against, message, waiters }
    }

    /// The program asks for more than the machine has before its first instruction.
    pub fn before_start(fault: Fault) -> FailureSite {
        FailureSite::new(fault.kind.into(), "", LocId::NONE, fault.message)
    }

    /// Of all threads that wait for ever, where the first of them does.
    pub fn deadlock(cast: &impl Cast, stuck: &[Stuck]) -> FailureSite {
        let program = cast.program();
        let waiters: Vec<(Waiter, LocId)> =
            stuck.iter().map(|stuck| (stuck.waiter(cast), stuck.at)).collect();
        let names: Vec<&str> = waiters.iter().map(|(waiter, _)| waiter.thread.as_str()).collect();
        let words: Vec<String> = waiters
            .iter()
            .map(|(waiter, loc)| match program.place(*loc) {
                Some(place) => format!("{waiter} at {place}"),
                None => waiter.to_string(),
            })
            .collect();
        let loc = waiters.first().map_or(LocId::NONE, |(_, loc)| *loc);
        let site =
            FailureSite::new(FailureKind::Deadlock, &names.join(", "), loc, words.join("; "));
        let line = |loc: LocId| program.loc(loc).map(|loc| (loc.file, loc.line));
        let waiters = waiters.into_iter().map(|(waiter, loc)| (waiter, line(loc))).collect();
        FailureSite { waiters, ..site }
    }

    /// The failure, with how many executions show it and how to get there.
    pub fn shown_by(self, count: u64, schedule: Vec<Step>) -> Failure {
        Failure { site: self, count, schedule }
    }

    /// Whether two failures are one error to a user: the same kind at the same place, whichever thread
    /// it was; for a race, the same two places, whichever came first; for a deadlock, the same threads
    /// that wait for the same. Of failures without a place nothing is known but the message.
    pub fn is_same_error(&self, other: &FailureSite) -> bool {
        let has_place = self.loc != LocId::NONE
            && (self.kind != FailureKind::Race || self.against != LocId::NONE);
        let (here, there) = ((self.loc, self.against), (other.loc, other.against));
        self.kind == other.kind
            && (here == there || here == (there.1, there.0))
            && self.waiters == other.waiters
            && (has_place || self.message == other.message)
    }
}

/// A thread that waits or spins for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiter {
    pub thread: String,
    pub awaits: Awaits,
}

/// What it would take for a thread to go on. Threads and globals are given by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Awaits {
    /// A lock, and its holder.
    Lock(Option<String>),
    Signal,
    /// A value, and the global that would have it.
    Value(Option<String>),
    /// The end of a thread.
    End(Option<String>),
    /// That its store buffer is empty, while another thread has the sole right to write memory.
    Drain,
    /// To write memory, which another thread has the sole right to.
    Memory,
    /// Other values than those that it reads in every round of a loop.
    Change,
}

impl fmt::Display for Waiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = &self.thread;
        match &self.awaits {
            Awaits::Change => return write!(f, "{thread} spins for ever"),
            _ => write!(f, "{thread} waits for ")?,
        }
        match &self.awaits {
            Awaits::Lock(Some(holder)) if holder == thread => {
                f.write_str("a lock that it holds itself")
            }
            Awaits::Lock(Some(holder)) => write!(f, "a lock that {holder} holds"),
            Awaits::Lock(None) => f.write_str("a lock"),
            Awaits::Signal => Wants::Signal(None).fmt(f),
            Awaits::Value(Some(global)) => write!(f, "a value of {global}"),
            Awaits::Value(None) => Wants::Value(None).fmt(f),
            Awaits::End(Some(other)) => write!(f, "{other} to end"),
            Awaits::End(None) => Wants::End(None).fmt(f),
            Awaits::Drain => Wants::Drain.fmt(f),
            Awaits::Memory => Wants::Memory.fmt(f),
            Awaits::Change => Ok(()),
        }
    }
}

/// A distinct error: failures of one kind at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// As the first execution shows it.
    pub site: FailureSite,
    /// How many executions show it.
    pub count: u64,
    /// A schedule that leads to it: the engine that found it replays it.
    pub schedule: Vec<Step>,
}

impl Deref for Failure {
    type Target = FailureSite;

    fn deref(&self) -> &FailureSite {
        &self.site
    }
}
