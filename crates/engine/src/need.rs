//! The needs of threads that are stuck. The failure and the story of a deadlock are both made from them.

use crate::names::{Cast, Names};
use crate::story::{Deed, ReplayEvent};
use raddle_ir::{GlobalId, LocId};
use raddle_machine::visible::LOCK_BYTES;
use raddle_machine::{ThreadId, layout};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A thread that waits or spins for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    pub thread: ThreadId,
    pub at: LocId,
    pub need: Need,
}

/// The condition under which a thread could go on. `P` identifies memory and `T` a thread: by address and
/// number in a search, by name in a failure, with all that a reader is told in a story.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Need<P = u64, T = ThreadId> {
    Lock {
        lock: P,
        holder: Option<T>,
    },
    /// A signal on a condition variable, if it is known which.
    Signal(Option<P>),
    Value(Option<P>),
    /// The end of a thread.
    End(Option<T>),
    /// That its store buffer is empty, while another thread holds the memory lock.
    Drain,
    /// The memory lock, which another thread holds.
    Memory,
    /// Other values than those that it reads in every round of a loop.
    Change,
}

impl<P, T> Need<P, T> {
    /// The same need with other identifiers.
    fn map<Q, U>(self, place: impl Fn(P) -> Q, thread: impl Fn(T) -> U) -> Need<Q, U> {
        match self {
            Need::Lock { lock, holder } => {
                Need::Lock { lock: place(lock), holder: holder.map(thread) }
            }
            Need::Signal(cond) => Need::Signal(cond.map(place)),
            Need::Value(at) => Need::Value(at.map(place)),
            Need::End(target) => Need::End(target.map(thread)),
            Need::Drain => Need::Drain,
            Need::Memory => Need::Memory,
            Need::Change => Need::Change,
        }
    }
}

impl<P: fmt::Display, T: fmt::Display> fmt::Display for Need<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Lock { lock, holder: Some(holder) } => write!(f, "lock {lock}, held by {holder}"),
            Need::Lock { lock, holder: None } => write!(f, "lock {lock}"),
            Need::Signal(Some(at)) => write!(f, "a signal on {at}"),
            Need::Signal(None) => f.write_str("a signal"),
            Need::Value(Some(at)) => write!(f, "{at} to change"),
            Need::Value(None) => f.write_str("a value"),
            Need::End(Some(target)) => write!(f, "{target} to end"),
            Need::End(None) => f.write_str("a thread to end"),
            Need::Drain => f.write_str("its store buffer to be empty"),
            Need::Memory => f.write_str("the right to write memory, which another thread has"),
            Need::Change => f.write_str("other values"),
        }
    }
}

/// A thread of a deadlock as its failure shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Waiter {
    pub thread: String,
    /// Threads are given by name, and so is the global whose value a thread awaits; locks and condition
    /// variables have no name here.
    pub need: Need<String, String>,
}

impl fmt::Display for Waiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Waiter { thread, need } = self;
        match need {
            Need::Lock { holder: Some(holder), .. } if holder == thread => {
                write!(f, "{thread} waits for a lock that it holds itself")
            }
            Need::Lock { holder: Some(holder), .. } => {
                write!(f, "{thread} waits for a lock that {holder} holds")
            }
            Need::Lock { holder: None, .. } => write!(f, "{thread} waits for a lock"),
            Need::Value(Some(global)) => write!(f, "{thread} waits for a value of {global}"),
            Need::Change => write!(f, "{thread} spins for ever"),
            _ => write!(f, "{thread} waits for {need}"),
        }
    }
}

impl Stuck {
    /// Finds only names of threads and globals, which is cheap: searches meet many deadlocks.
    pub fn waiter(&self, cast: &impl Cast) -> Waiter {
        let name = |thread: ThreadId| cast.thread_name(thread).to_owned();
        let global_at = |addr: u64| {
            let (object, _) = layout::split_address(addr)?;
            let global = cast.program().globals.get(GlobalId::from_u32(object.0))?;
            Some(global.name.clone())
        };
        let need = match self.need {
            Need::Value(addr) => Need::Value(addr.and_then(global_at)),
            Need::Signal(_) => Need::Signal(None),
            need => need.map(|_| String::new(), name),
        };
        Waiter { thread: name(self.thread), need }
    }

    /// For a story.
    pub fn event(&self, cast: &impl Cast, names: &Names) -> ReplayEvent {
        let len = if matches!(self.need, Need::Value(_)) { 0 } else { LOCK_BYTES };
        let need = self.need.map(|at| names.bytes(cast, at, len), |thread| cast.other(thread));
        ReplayEvent::new(cast, self.thread, (self.at, cast.calls(self.thread)), Deed::Stuck(need))
    }
}
