//! Threads that spin when an execution ends: for ever, or only in this execution.
//!
//! The machine stops a thread at the head of a loop after a round without effect (`raddle_machine::spin`). At
//! the end of an execution, no other thread can continue. If the next round of the spinning thread would have
//! no effect either, the thread spins for ever. If some value would let it leave the loop, it waits for ever:
//! that is a deadlock. If the next round would leave the loop, another execution covers this one, in which
//! the thread reads later: this execution counts as blocked.

use crate::system::System;
use raddle_machine::{Rounds, Spin, Status, Stop, ThreadId, Visible, Watch};

/// The most operations that are tried for a thread that runs alone.
const MOST: u32 = 10_000;

/// The threads that will never end, in a state without enabled actions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Left {
    /// Threads that wait for ever: for an operation to become enabled, or in a loop.
    pub stuck: Vec<ThreadId>,
    /// Threads in loops that no value lets them leave.
    pub going_on: Vec<ThreadId>,
}

impl System<'_> {
    /// The threads that are left when only rounds of loops can happen; `None` if a spinning thread would
    /// leave its loop in another round.
    pub(crate) fn left(&mut self) -> Option<Left> {
        let (mut stuck, mut going_on) = (Vec::new(), Vec::new());
        for thread in self.spinning() {
            match self.spin_of(thread) {
                Spin::Leaves => return None,
                Spin::Waits => stuck.push(thread),
                Spin::GoesOn => going_on.push(thread),
            }
        }
        let machine = &self.machine;
        let ready = machine.thread_ids().filter(|id| machine.status(*id) == Status::Ready);
        let mut waiting = machine.stuck(ready.collect(), &going_on);
        waiting.extend(stuck);
        Some(Left { stuck: waiting, going_on })
    }

    /// The threads that were stopped because they spin.
    fn spinning(&self) -> Vec<ThreadId> {
        let machine = &self.machine;
        machine.thread_ids().filter(|id| machine.status(*id) == Status::Spinning).collect()
    }

    fn spin_of(&mut self, thread: ThreadId) -> Spin {
        let moment = self.moment();
        let mut rounds = Rounds::default();
        let spin = match self.machine.goes_round(thread, &mut rounds) {
            Some(spin) => spin,
            None => self.go_alone(thread, rounds),
        };
        self.go_back(moment);
        spin
    }

    /// Stops the enabled threads at the heads of loops that they repeat without effect, if all of them do so
    /// and no store is in a buffer. For schedules of a search that does not stop spinning threads.
    pub(crate) fn stop_spinning(&mut self) {
        let moment = self.moment();
        for thread in self.machine.thread_ids() {
            let buffered = self.enabled_updates(thread).next().is_some();
            let goes_on = self.enabled_step(thread).is_some();
            if buffered || goes_on && self.go_alone(thread, Rounds::default()) == Spin::Leaves {
                return self.go_back(moment);
            }
        }
    }

    /// Runs a thread alone, while it changes nothing, until its fate is known. On the way it may reach the
    /// head of another loop in the same state as at an earlier visit, although a value that it reads has
    /// changed since that visit. It gets another round there, too.
    fn go_alone(&mut self, thread: ThreadId, mut rounds: Rounds) -> Spin {
        let watch = self.machine.watch(Watch::Alone);
        let mut spin = Spin::Leaves;
        for _ in 0..MOST {
            match self.machine.run(thread) {
                Stop::Spinning => {
                    if let Some(found) = self.machine.goes_round(thread, &mut rounds) {
                        spin = found;
                        break;
                    }
                }
                Stop::Visible if self.passes(thread) => {}
                _ => {
                    self.machine.take_fault();
                    break;
                }
            }
        }
        self.machine.watch(watch);
        spin
    }

    /// Performs the operation of the thread if that changes nothing.
    fn passes(&mut self, thread: ThreadId) -> bool {
        let visible = self.machine.visible(thread);
        let (value, ok) = match visible {
            Visible::Load { addr, ty, .. } => match self.value_seen(thread, addr, ty.bytes()) {
                Some(value) => (value, true),
                None => return false,
            },
            Visible::Fence { .. } => (0, true),
            Visible::Format => return self.prints(thread),
            _ => match self.machine.idle(thread, &visible) {
                Some(idle) => (idle.result, idle.happens),
                None => return false,
            },
        };
        self.machine.complete(thread, value, ok);
        true
    }

    /// Formats text, if that changes nothing in memory. The output is not kept: this round is not part of the
    /// execution.
    fn prints(&mut self, thread: ThreadId) -> bool {
        let formatted = self.machine.formatted(thread, &|addr| self.machine.peek(addr));
        let Ok(made) = formatted else { return false };
        self.is_drained(thread) && self.machine.pass_format(thread, made)
    }
}
