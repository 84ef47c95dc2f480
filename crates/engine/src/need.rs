//! The needs of threads that are stuck. The failure and the story of a deadlock are both made from them.

use crate::names::{Cast, Names};
use crate::story::{Deed, ReplayEvent, Wants};
use raddle_ir::{GlobalId, LocId};
use raddle_machine::visible::LOCK_BYTES;
use raddle_machine::{ThreadId, layout};

/// A thread that waits or spins for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    pub thread: ThreadId,
    pub at: LocId,
    pub need: Need,
}

/// The condition under which a thread could go on. Memory is given by address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    Lock {
        lock: u64,
        holder: Option<ThreadId>,
    },
    /// A signal on a condition variable, if it is known which.
    Signal(Option<u64>),
    Value(Option<u64>),
    /// The end of a thread.
    End(Option<ThreadId>),
    /// That its store buffer is empty, while another thread has the sole right to write memory.
    Drain,
    /// To write memory, which another thread has the sole right to.
    Memory,
    /// Other values than those that it reads in every round of a loop.
    Change,
}

impl Stuck {
    /// Who waits for what, in words. By names of threads and globals only, which are cheap to find: searches
    /// meet many deadlocks.
    pub fn sentence(&self, cast: &impl Cast) -> String {
        let name = |thread: ThreadId| cast.thread_name(thread);
        let global_at = |addr: u64| {
            let (object, _) = layout::split_address(addr)?;
            let global = cast.program().globals.get(GlobalId::from_u32(object.0))?;
            Some(global.name.as_str())
        };
        let wanted = match self.need {
            Need::Change => return format!("{} spins for ever", name(self.thread)),
            Need::Lock { holder: Some(holder), .. } if holder == self.thread => {
                "a lock that it holds itself".to_owned()
            }
            Need::Lock { holder: Some(holder), .. } => {
                format!("a lock that {} holds", name(holder))
            }
            Need::Lock { holder: None, .. } => "a lock".to_owned(),
            Need::Signal(_) => Wants::Signal(None).to_string(),
            Need::Value(addr) => match addr.and_then(global_at) {
                Some(global) => format!("a value of {global}"),
                None => Wants::Value(None).to_string(),
            },
            Need::End(target) => Wants::End(target.map(|target| cast.other(target))).to_string(),
            Need::Drain => Wants::Drain.to_string(),
            Need::Memory => Wants::Memory.to_string(),
        };
        format!("{} waits for {wanted}", name(self.thread))
    }

    /// For a story.
    pub fn event(&self, cast: &impl Cast, names: &Names) -> ReplayEvent {
        let at = |addr| names.bytes(cast, addr, LOCK_BYTES);
        let other = |thread| cast.other(thread);
        let wants = match self.need {
            Need::Lock { lock, holder } => {
                Some(Wants::Lock { at: at(lock), holder: holder.map(other) })
            }
            Need::Signal(cond) => Some(Wants::Signal(cond.map(at))),
            Need::Value(place) => Some(Wants::Value(place.map(|addr| names.bytes(cast, addr, 0)))),
            Need::End(target) => Some(Wants::End(target.map(other))),
            Need::Drain => Some(Wants::Drain),
            Need::Memory => Some(Wants::Memory),
            Need::Change => None,
        };
        let deed = wants.map_or(Deed::Spin, Deed::Stuck);
        ReplayEvent::new(cast, self.thread, self.at, deed)
    }
}
