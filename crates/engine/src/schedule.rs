//! Schedules: the steps that lead to an execution, for replays and witness files.
//!
//! The interleaving and the reachability engine write [`Step::Run`], [`Step::Choose`],
//! [`Step::Signal`] and [`Step::Update`]; the graph engine writes commits and alternatives. An
//! engine refuses a step of another one, and a step that does not fit the operation that its thread
//! is at. The JSON form of a step is in docs/witness.md.

use raddle_machine::ThreadId;
use serde::{Deserialize, Serialize};

/// One step of a schedule. Threads are numbered: initial threads first, in order, then in the order
/// in which the schedule spawns them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A thread performs its next visible operation, which has no alternatives.
    Run(ThreadId),
    /// A thread takes an alternative of the operation that it is at: the value of a `choose`,
    /// counted from its lowest; in the graph engine also the outcome of a store-conditional, 0 for
    /// success and 1 for failure.
    Choose { thread: ThreadId, choice: u64 },
    /// A thread signals a condition variable, and wakes this thread, or none. The graph engine has the step
    /// only where several threads could be woken.
    Signal {
        thread: ThreadId,
        #[serde(deserialize_with = "Option::deserialize")]
        woken: Option<ThreadId>,
    },
    /// A store of the thread, by its number counted from 0, leaves the store buffer.
    Update { thread: ThreadId, store: u32 },
    /// A load is committed that reads from this store, or the initial value.
    CommitLoad {
        event: EventRef,
        #[serde(deserialize_with = "Option::deserialize")]
        from: Option<EventRef>,
    },
    /// A store is committed right after this store in coherence order, or after the initial value.
    CommitStore {
        event: EventRef,
        #[serde(deserialize_with = "Option::deserialize")]
        after: Option<EventRef>,
    },
}

impl Step {
    /// The thread of the step.
    pub fn thread(&self) -> ThreadId {
        match self {
            Step::Run(thread)
            | Step::Choose { thread, .. }
            | Step::Signal { thread, .. }
            | Step::Update { thread, .. } => *thread,
            Step::CommitLoad { event, .. } | Step::CommitStore { event, .. } => event.thread,
        }
    }
}

/// An event of the graph engine: a load or a store by its place in the program order of its thread,
/// counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct EventRef {
    pub thread: ThreadId,
    pub index: u32,
}
