//! Turns an execution under SC into one in which a store waits in its buffer.
//!
//! Paper 001, proofs of theorems 3 and 4: the events of the execution happen under the model in the same
//! order. All stores reach memory at once, except the stores of one thread from some store on. Then the
//! access happens that misses the delayed store, and then the delayed stores reach memory.

use crate::observe::{Happening, What};
use crate::schedule::{action, visible, woken};
use crate::system::{System, Watched};
use raddle_engine::{Buffering, Limits, Model, Options, Step};
use raddle_ir::Verified;
use raddle_machine::{Status, ThreadId, Visible};

/// A store that is delayed past an access.
#[derive(Clone, Copy, Debug)]
pub struct Delay<'a> {
    /// The earlier happenings of an execution under SC, in order.
    pub past: &'a [Happening],
    /// The thread whose store waits, and the number of the store in its thread, from 0.
    pub thread: u32,
    pub store: u32,
    /// The access that misses the store.
    pub access: &'a Happening,
}

/// The reason why such an execution does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undelayed {
    /// The access waits for a value that it does not find while the store is delayed.
    Waits,
    /// The model cannot follow the execution; the delay does not fit the program.
    Stuck,
}

/// A schedule under the model in which the store is delayed.
pub fn delayed(
    program: &Verified,
    model: Model,
    limits: &Limits,
    delay: &Delay<'_>,
) -> Result<Vec<Step>, Undelayed> {
    let options = Options { limits: limits.clone(), ..Options::new(model) };
    let system = System::new(program, &options, Watched::Search);
    let system = system.map_err(|_| Undelayed::Stuck)?;
    let initial = (0..program.threads.len() as u32).map(ThreadId);
    let threads = initial.map(|thread| Some(Known { thread, stores: 0, children: 0 })).collect();
    let mut run = Run { system, steps: Vec::new(), threads };
    for happening in delay.past {
        if run.system.budget().is_spent() {
            return Err(Undelayed::Stuck);
        }
        run.follow(happening, delay).ok_or(Undelayed::Stuck)?;
    }
    let nothing_more = Delay { thread: u32::MAX, ..*delay };
    run.follow(delay.access, &nothing_more).ok_or(Undelayed::Waits)?;
    run.release(delay.thread).ok_or(Undelayed::Stuck)?;
    Ok(run.steps)
}

/// A thread of the execution, with its number in the fresh system.
#[derive(Clone, Debug)]
struct Known {
    thread: ThreadId,
    stores: u32,
    /// The number of threads that it has spawned.
    children: u32,
}

struct Run<'p> {
    system: System<'p>,
    steps: Vec<Step>,
    /// Indexed by the thread numbers of the execution.
    threads: Vec<Option<Known>>,
}

impl Run<'_> {
    fn known(&mut self, number: u32) -> Option<&mut Known> {
        self.threads.get_mut(number as usize)?.as_mut()
    }

    fn thread(&self, number: u32) -> Option<ThreadId> {
        Some(self.threads.get(number as usize)?.as_ref()?.thread)
    }

    fn follow(&mut self, happening: &Happening, delay: &Delay<'_>) -> Option<()> {
        let known = self.known(happening.thread)?;
        let thread = known.thread;
        match happening.what {
            What::Write(_) => {
                let store = known.stores;
                known.stores += 1;
                let held = happening.thread == delay.thread && store >= delay.store;
                // With several queues, all later stores leave that can; only the store itself waits.
                let queue = self.system.rules.buffering == Buffering::Fifo;
                if held && (queue || store == delay.store) {
                    return Some(());
                }
                match self.perform(Step::Update { thread, store }) {
                    None if held => Some(()),
                    done => done,
                }
            }
            What::Spawn(child) => {
                let nth = known.children as usize;
                known.children += 1;
                let same = *self.system.machine.children(thread).get(nth)?;
                let at = child as usize;
                self.threads.resize(self.threads.len().max(at + 1), None);
                self.threads[at] = Some(Known { thread: same, stores: 0, children: 0 });
                Some(())
            }
            What::Read | What::Locked { .. } | What::Choice => {
                if self.system.machine.status(thread) == Status::Failed {
                    // With buffers, a store that fails is not an event.
                    return Some(());
                }
                let step = self.operation(thread, happening.choice)?;
                self.perform(step)
            }
            // The system performs these without an event.
            What::Buffer { .. }
            | What::Update { .. }
            | What::Fence(_)
            | What::Join(_)
            | What::Woken(_) => Some(()),
        }
    }

    /// The step in which a thread performs its operation, with the alternative that the execution took.
    fn operation(&self, thread: ThreadId, choice: u32) -> Option<Step> {
        Some(match visible(&self.system, thread) {
            Some(Visible::Choose { .. }) => Step::Choose { thread, choice: choice.into() },
            Some(Visible::Signal { .. }) => {
                let woken = match woken(choice) {
                    Some(woken) => Some(self.thread(woken.0)?),
                    None => None,
                };
                Step::Signal { thread, woken }
            }
            _ => Step::Run(thread),
        })
    }

    fn perform(&mut self, step: Step) -> Option<()> {
        let turn = action(&self.system, &step)?;
        self.system.perform(turn, &mut Vec::new());
        self.steps.push(step);
        Some(())
    }

    /// Performs all updates of a thread.
    fn release(&mut self, number: u32) -> Option<()> {
        let thread = self.thread(number)?;
        loop {
            let Some(turn) = self.system.enabled_updates(thread).next() else { return Some(()) };
            let store = self.system.leaving(turn.thread, turn.addr)?.index;
            self.perform(Step::Update { thread, store })?;
        }
    }
}
