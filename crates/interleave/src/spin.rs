//! Threads that spin when an execution is at its end: for ever, or only in this execution.
//!
//! The machine stops a thread at the head of a loop that has just gone round for nothing
//! (`raddle_machine::spin`). If it would go round for nothing again with all that has happened
//! since, and nobody else can go on, it does so for ever. If some value could let it leave the loop, it waits for
//! ever: that is a deadlock. Otherwise the execution is one that another covers, in which the thread
//! reads later: it counts as blocked.

use crate::system::System;
use raddle_machine::{Rounds, Spin, Status, Stop, ThreadId, Visible, Watch};

/// Operations of a thread that is alone that are tried.
const MOST: u32 = 10_000;

/// The threads that will not end where nothing happens any more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Left {
    /// They wait for ever: for an operation to become possible, or in a loop.
    pub stuck: Vec<ThreadId>,
    /// They go round loops without a way out.
    pub going_on: Vec<ThreadId>,
}

impl System<'_> {
    /// Who is left where nothing can happen but rounds of loops; `None` if a thread that spins would leave its
    /// loop if it took another turn.
    pub fn left(&mut self) -> Option<Left> {
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

    /// Stops threads that could go on at the heads of loops that they go round for nothing, if all of them do and
    /// no store is in a buffer. For a schedule of a search that stops nobody who spins.
    pub fn stop_spinning(&mut self) {
        let moment = self.moment();
        for thread in self.machine.thread_ids() {
            let buffered = self.enabled_updates(thread).next().is_some();
            let goes_on = self.enabled_step(thread).is_some();
            if buffered || goes_on && self.go_alone(thread, Rounds::default()) == Spin::Leaves {
                return self.go_back(moment);
            }
        }
    }

    /// Lets a thread go on while nothing else happens and nothing changes, up to where it is known what becomes of it.
    /// It may come to the head of another loop on the way that looks as at an earlier visit, which was before
    /// something changed that it has read since: it gets another turn there, too.
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

    /// Carries out the operation that the thread is at if that changes nothing.
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

    /// Formats text, if nothing in memory changes by that. What is printed is not kept: this is not a turn that
    /// the program takes.
    fn prints(&mut self, thread: ThreadId) -> bool {
        let formatted = self.machine.formatted(thread, &|addr| self.machine.peek(addr));
        let Ok(made) = formatted else { return false };
        self.is_drained(thread) && self.machine.pass_format(thread, made)
    }
}
