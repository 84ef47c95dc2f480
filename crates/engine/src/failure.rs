//! Failures of programs: where they happen, and when two of them are one error.

use crate::names::Cast;
use crate::need::{Stuck, Waiter};
use crate::schedule::Step;
use raddle_ir::LocId;
use raddle_machine::{FailureKind, Fault, ThreadId};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// A fault of a thread in an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    pub thread: ThreadId,
    pub fault: Fault,
    pub loc: LocId,
}

impl Failed {
    pub fn site(&self, cast: &impl Cast) -> FailureSite {
        let (thread, message) = (cast.thread_name(self.thread), self.fault.message.clone());
        FailureSite::new(self.fault.kind, thread, self.loc, message)
    }
}

/// What failed, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FailureSite {
    pub kind: FailureKind,
    /// The thread that failed first, as the user knows it; for a deadlock, all that wait.
    pub thread: String,
    pub loc: LocId,
    /// Where witnesses show it: elsewhere than `loc` if that is in a header, and the same before a replay.
    pub shown: LocId,
    /// For a race, which is told at its later access: where the earlier one is.
    pub against: LocId,
    pub message: String,
    /// For a deadlock: its threads, each with its file and line.
    pub waiters: Vec<(Waiter, Option<(u32, u32)>)>,
}

impl FailureSite {
    /// A failure of one thread.
    pub fn new(kind: FailureKind, thread: &str, loc: LocId, message: String) -> FailureSite {
        let (thread, against, waiters) = (thread.to_owned(), LocId::NONE, Vec::new());
        FailureSite { kind, thread, loc, shown: loc, against, message, waiters }
    }

    /// The program asks for more than the machine has before its first instruction.
    pub fn before_start(fault: Fault) -> FailureSite {
        FailureSite::new(fault.kind, "", LocId::NONE, fault.message)
    }

    /// Of all threads that wait for ever, where the first of them does.
    pub fn deadlock(cast: &impl Cast, stuck: &[Stuck]) -> FailureSite {
        let program = cast.program();
        let waiters: Vec<Waiter> = stuck.iter().map(|stuck| stuck.waiter(cast)).collect();
        let names: Vec<&str> = waiters.iter().map(|waiter| waiter.thread.as_str()).collect();
        let words: Vec<String> = waiters
            .iter()
            .zip(stuck)
            .map(|(waiter, stuck)| match program.short_place(stuck.at) {
                Some(place) => format!("{waiter} at {place}"),
                None => waiter.to_string(),
            })
            .collect();
        let loc = stuck.first().map_or(LocId::NONE, |stuck| stuck.at);
        let site =
            FailureSite::new(FailureKind::Deadlock, &names.join(", "), loc, words.join("; "));
        let lines = stuck.iter().map(|stuck| program.loc(stuck.at).map(|loc| (loc.file, loc.line)));
        FailureSite { waiters: waiters.into_iter().zip(lines).collect(), ..site }
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

/// A distinct error: failures of one kind at one place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
