//! Robustness by the monitor: SC is explored, and every access of every trace is judged on its causal past.
//!
//! Each finding of the monitor is run under the model, with the store delayed, and must show a cycle there.
//! This can fail only for an access that waits for a value, if the value does not come while the store is
//! delayed. Then it is not a violation, and the search continues. The accesses at which threads wait when an
//! execution ends are judged too: with a store delayed, they may not have to wait. Executions in which no
//! thread overtakes a store of its own, or in which no other thread can observe it, are skipped
//! ([`Overtaking`]): the monitor would find nothing in them.

use super::witness::{Witnesses, witness};
use super::{Decision, Gap, gaps, options};
use crate::estimate::beside;
use raddle_engine::{Buffering, Engine, Limits, Model};
use raddle_interleave::{
    Barrier, Delay, Execution, Happening, Rules, Undelayed, Visitor, What, delayed, observe_by_all,
};
use raddle_ir::Verified;
use raddle_monitor::{Access, Buffers, Causal, Delayed, Kind, Op, Overtaking, Thread};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub(super) fn decide(program: &Verified, model: Model, limits: &Limits) -> Decision {
    let Some(rules) = Rules::of(model, None) else {
        return Decision { gaps: vec![Gap::Unsupported], ..Decision::default() };
    };
    let seen = Seen::default();
    let options = options(Model::Sc, limits);
    let visitors = || -> Visitor<'_> {
        let mut watch = Watch::new(program, model, rules, limits, &seen);
        Box::new(move |execution| watch.visit(execution))
    };
    let (summary, found) =
        beside(program, &options, || observe_by_all(program, &options, &visitors));
    let mut gaps = gaps(&summary);
    if seen.undecided.load(Relaxed) {
        // The findings of the monitor may then be false.
        gaps.push(Gap::Mixed);
    } else if seen.unconfirmed.load(Relaxed) {
        gaps.push(Gap::Unconfirmed);
    }
    let witness = found.and_then(|number| seen.found.take(number));
    let violated = witness.is_some();
    Decision { witness, violated, gaps, searches: vec![(Model::Sc, summary)] }
}

/// The kind of buffers of a model.
pub const fn buffers(model: Model) -> Buffers {
    match model.buffering() {
        Some(Buffering::PerLocation) => Buffers::PerAddress,
        _ => Buffers::PerThread,
    }
}

/// The effect of a read-modify-write on the buffered stores of its thread under PSO.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Interlocked {
    /// All of them leave before it: the machine of this project.
    #[default]
    Drains,
    /// Those to its own address leave before it: paper 001, figure 3.
    OwnAddress,
}

/// Converts an event under SC to operations of the monitor under a model.
#[inline]
pub(crate) fn operations(
    rules: Rules,
    interlocked: Interlocked,
    happening: &Happening,
    mut out: impl FnMut(Access),
) {
    let Happening { thread, what, addr, bytes, .. } = *happening;
    let thread = Thread(thread);
    let mut add = |op| {
        let bytes = if matches!(op, Op::Access(_)) { bytes } else { 0 };
        out(Access { thread, op, addr, bytes });
    };
    let barrier = |barrier| match barrier {
        Barrier::Nothing => None,
        Barrier::StoreStore => Some(Op::StoreFence),
        Barrier::Drain => Some(Op::Fence),
    };
    match what {
        What::Read => add(Op::Access(Kind::Read)),
        What::Write(order) => {
            let (before, after) = rules.store(order);
            barrier(before).into_iter().for_each(&mut add);
            add(Op::Access(Kind::Write));
            barrier(after).into_iter().for_each(&mut add);
        }
        What::Locked { writes } => {
            // An operation that writes drains the buffer itself, except under the paper's PSO.
            let drains = match rules.buffering {
                Buffering::PerLocation => interlocked == Interlocked::Drains,
                Buffering::None | Buffering::Fifo => !writes,
            };
            if drains {
                add(Op::Fence);
            }
            add(Op::Access(if writes { Kind::Interlocked } else { Kind::Read }));
        }
        What::Fence(kind) => barrier(rules.fence(kind)).into_iter().for_each(&mut add),
        What::Spawn(child) => add(Op::Spawn(Thread(child))),
        What::Join(child) => add(Op::Join(Thread(child))),
        What::Woken(by) => add(Op::Woken(Thread(by))),
        // A step that no other thread can observe. It still counts as an event.
        What::Choice => add(Op::Access(Kind::Read)),
        What::Buffer { .. } | What::Update { .. } => {}
    }
}

/// The access that a thread waits to make.
fn next(rules: Rules, waiting: &Happening) -> Option<Access> {
    let mut last = None;
    operations(rules, Interlocked::Drains, waiting, |access| last = Some(access));
    last
}

struct Watch<'p> {
    program: &'p Verified,
    model: Model,
    rules: Rules,
    limits: &'p Limits,
    overtaking: Overtaking,
    /// The events as operations of the monitor.
    operations: Vec<Access>,
    /// For each event, the number of operations before it.
    starts: Vec<u32>,
    /// The number of events that are still unchanged.
    same: usize,
    causal: Causal,
    /// The number of operations that the monitor has seen.
    seen: usize,
    results: &'p Seen,
}

/// The results of all workers.
#[derive(Default)]
struct Seen {
    found: Witnesses,
    unconfirmed: AtomicBool,
    /// Whether the findings of the monitor may be false, since an access conflicts with another in a part of its bytes.
    undecided: AtomicBool,
}

impl<'p> Watch<'p> {
    fn new(
        program: &'p Verified,
        model: Model,
        rules: Rules,
        limits: &'p Limits,
        results: &'p Seen,
    ) -> Watch<'p> {
        Watch {
            program,
            model,
            rules,
            limits,
            overtaking: Overtaking::new(buffers(model), program.threads.len() as u32),
            operations: Vec::new(),
            starts: Vec::new(),
            same: 0,
            causal: Causal::new(buffers(model)).within(&limits.budget),
            seen: 0,
            results,
        }
    }

    fn visit(&mut self, execution: &Execution<'_, '_>) -> ControlFlow<usize> {
        self.follow(execution.happened, execution.same);
        if self.limits.budget.is_spent() {
            return ControlFlow::Continue(());
        }
        if !self.overtaking.is_exposed()
            || !self.overtaking.is_found()
                && !execution.waiting().iter().any(|next| self.would(next))
        {
            return ControlFlow::Continue(());
        }
        self.judge(execution.happened)?;
        if self.causal.is_mixed() {
            self.results.undecided.store(true, Relaxed);
        }
        for waiting in execution.waiting() {
            let found = next(self.rules, &waiting).and_then(|access| self.causal.would(&access));
            if let Some(found) = found {
                self.confirm(execution.happened, usize::MAX, &waiting, found)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Looks for threads that overtake their stores, in the events after the first `same` ones.
    fn follow(&mut self, happened: &[Happening], same: usize) {
        self.same = self.same.min(same);
        self.overtaking.truncate(same);
        for happening in &happened[same..] {
            if self.limits.budget.is_spent() {
                return;
            }
            self.overtaking.step();
            operations(self.rules, Interlocked::Drains, happening, |access| {
                self.overtaking.push(&access);
            });
        }
    }

    /// Whether the access at which a thread waits needs to be judged.
    fn would(&mut self, waiting: &Happening) -> bool {
        next(self.rules, waiting).is_some_and(|access| self.overtaking.would(&access))
    }

    /// Converts the events to operations, and gives the monitor those that it has not seen.
    fn judge(&mut self, happened: &[Happening]) -> ControlFlow<usize> {
        if let Some(kept) = self.starts.get(self.same).map(|start| *start as usize) {
            self.starts.truncate(self.same);
            self.operations.truncate(kept);
            self.seen = self.seen.min(kept);
        }
        for happening in &happened[self.same..] {
            self.starts.push(self.operations.len() as u32);
            operations(self.rules, Interlocked::Drains, happening, |access| {
                self.operations.push(access);
            });
        }
        self.same = happened.len();
        self.causal.truncate(self.seen);
        if !self.causal.prepare(&self.operations[self.seen..]) {
            self.seen = 0;
            self.causal.prepare(&self.operations);
        }
        let first = self.seen;
        for n in first..self.operations.len() {
            if self.limits.budget.is_spent() {
                return ControlFlow::Continue(());
            }
            if let Some(found) = self.causal.judge(n - first) {
                let origin = self.origin(n);
                self.confirm(happened, origin, &happened[origin], found)?;
            }
            self.causal.push(n - first);
            self.seen = n + 1;
        }
        ControlFlow::Continue(())
    }

    /// The event that an operation belongs to.
    fn origin(&self, operation: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= operation) - 1
    }

    /// Runs the past of an access under the model, with a store delayed past the access.
    #[cold]
    fn confirm(
        &mut self,
        happened: &[Happening],
        origin: usize,
        access: &Happening,
        found: Delayed,
    ) -> ControlFlow<usize> {
        let mut past = self.causal.past(Thread(access.thread), found.through);
        past.iter_mut().for_each(|operation| *operation = self.origin(*operation));
        past.dedup();
        past.retain(|n| *n != origin);
        let past: Vec<Happening> = past.into_iter().map(|n| happened[n]).collect();
        let Delayed { thread: Thread(thread), index: store, .. } = found;
        let delay = Delay { past: &past, thread, store, access };
        let budget = self.limits.budget.for_report();
        let limits = Limits { budget: budget.clone(), ..self.limits.clone() };
        let shown = match delayed(self.program, self.model, &limits, &delay) {
            _ if budget.is_spent() => return ControlFlow::Continue(()),
            Ok(schedule) => {
                witness(self.program, Engine::Interleave, self.model, &budget, schedule)
            }
            Err(Undelayed::Waits) => return ControlFlow::Continue(()),
            Err(Undelayed::Stuck) => None,
        };
        match (shown, found.through) {
            (Some(witness), _) => {
                return ControlFlow::Break(self.results.found.add(witness));
            }
            (None, _) if budget.is_spent() => {}
            // An access that conflicts in part of its bytes may be judged to miss a store although it
            // does not.
            (None, Some(_)) => self.results.undecided.store(true, Relaxed),
            (None, None) => self.results.unconfirmed.store(true, Relaxed),
        }
        ControlFlow::Continue(())
    }
}
