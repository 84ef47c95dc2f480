//! Threads that spin when an execution is at its end: for ever, or only in this execution.
//!
//! The machine stops a thread at the head of a loop that has just gone round for nothing
//! (`raddle_machine::spin`). If it would go round for nothing again with all that has happened
//! since, and nobody else can go on, it spins for ever: that is a deadlock. Otherwise the execution
//! is one that another covers, in which the thread reads later: it counts as blocked.

use crate::system::System;
use raddle_machine::visible::{LOCK_BYTES, UNLOCKED};
use raddle_machine::{Status, Stop, ThreadId, Visible, rmw_result};

/// Operations of one iteration that are tried.
const MOST: u32 = 10_000;

impl System<'_> {
    /// Whether every thread that spins would do so for ever, nothing else happening any more.
    pub fn all_spin_for_ever(&mut self) -> bool {
        let spinning = self.spinning();
        spinning.into_iter().all(|thread| self.spins_for_ever(thread))
    }

    /// The threads that were stopped because they spin.
    pub fn spinning(&self) -> Vec<ThreadId> {
        let machine = &self.machine;
        machine.thread_ids().filter(|id| machine.status(*id) == Status::Spinning).collect()
    }

    fn spins_for_ever(&mut self, thread: ThreadId) -> bool {
        let moment = self.moment();
        let spins = self.goes_round(thread);
        self.go_back(moment);
        spins
    }

    /// Whether the thread comes back to where it was with nothing changed. It may come to the head of
    /// another loop on the way that looks as at its last visit, which was before something changed
    /// that it has read since: it gets another turn there, too.
    fn goes_round(&mut self, thread: ThreadId) -> bool {
        let mut heads = vec![self.machine.pc(thread)];
        self.machine.resume(thread);
        for _ in 0..MOST {
            match self.machine.run(thread) {
                Stop::Spinning if heads.contains(&self.machine.pc(thread)) => return true,
                Stop::Spinning => {
                    heads.push(self.machine.pc(thread));
                    self.machine.resume(thread);
                }
                Stop::Visible if self.passes(thread) => {}
                _ => {
                    self.machine.take_fault();
                    return false;
                }
            }
        }
        false
    }

    /// Carries out the operation that the thread is at if that changes nothing.
    fn passes(&mut self, thread: ThreadId) -> bool {
        let visible = self.machine.visible(thread);
        let (value, ok) = match visible {
            Visible::Load { addr, ty, .. } => match self.value_seen(thread, addr, ty.bytes()) {
                Some(value) => (value, true),
                None => return false,
            },
            Visible::Rmw { addr, ty, op, operand, when: None } => {
                match self.in_memory(addr, ty.bytes()) {
                    Some(old) if rmw_result(op, ty, old, operand) == old => (old, true),
                    _ => return false,
                }
            }
            Visible::CmpXchg { addr, ty, expected, new } => {
                match self.in_memory(addr, ty.bytes()) {
                    Some(old) if old & ty.mask() != expected => (old, false),
                    Some(old) if new == expected => (old, true),
                    _ => return false,
                }
            }
            Visible::TryLock { addr } => match self.in_memory(addr, LOCK_BYTES) {
                Some(holder) if holder != UNLOCKED => (0, false),
                _ => return false,
            },
            Visible::Fence { .. } => (0, true),
            _ => return false,
        };
        self.machine.complete(thread, value, ok);
        true
    }
}
