//! By the monitor: SC is explored, and every access of every trace is judged on its causal past.
//!
//! What the monitor finds is run under the model, with the store delayed, and must show a cycle there.
//! Only an access that waits for a value can turn out not to find it while the store is delayed; that
//! is no violation, and the search goes on. Accesses that threads still wait to make when an
//! execution ends are judged too: with a store delayed, they may not have to wait.

use super::witness::{Witness, witness};
use super::{Finding, Gap, gaps, options};
use raddle_interleave::{
    Barrier, Delay, Execution, Happening, Limits, Model, Undelayed, What, delayed, observe,
};
use raddle_ir::Program;
use raddle_monitor::{Access, Buffers, Causal, Delayed, Kind, Op, Thread};
use std::ops::ControlFlow;

pub(super) fn decide(program: &Program, model: Model, limits: &Limits) -> Finding {
    let mut watch = Watch::new(program, model, limits);
    let options = options(Model::Sc, limits);
    let summary = observe(program, &options, false, &mut |execution| watch.visit(execution));
    let mut gaps = gaps(&summary);
    if watch.causal.is_mixed() || watch.undecided {
        // What it found may then be nothing.
        gaps.push(Gap::Mixed);
    } else if watch.unconfirmed {
        gaps.push(Gap::Unconfirmed);
    }
    let violated = watch.found.is_some();
    Finding { witness: watch.found, violated, gaps, searches: vec![(Model::Sc, summary)] }
}

/// How a model's buffers are divided.
pub(crate) fn buffers(model: Model) -> Buffers {
    match model {
        Model::Sc | Model::Tso => Buffers::PerThread,
        Model::Pso => Buffers::PerAddress,
    }
}

/// What a read-modify-write does to the stores of its thread that wait under PSO.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Interlocked {
    /// All leave before it: the machine of this project.
    #[default]
    Drains,
    /// Those to its own address leave before it: paper 001, figure 3.
    OwnAddress,
}

/// A happening under SC as the monitor's operations under a model.
pub(crate) fn operations(
    model: Model,
    interlocked: Interlocked,
    happening: &Happening,
    out: &mut Vec<Access>,
) {
    let Happening { thread, what, addr, bytes, .. } = *happening;
    let thread = Thread(thread);
    let mut add = |op| {
        let bytes = if matches!(op, Op::Access(_)) { bytes } else { 0 };
        out.push(Access { thread, op, addr, bytes });
    };
    let barrier = |barrier| match barrier {
        Barrier::Nothing => None,
        Barrier::StoreStore => Some(Op::StoreFence),
        Barrier::Drain => Some(Op::Fence),
    };
    match what {
        What::Read => add(Op::Access(Kind::Read)),
        What::Write(order) => {
            let (before, after) = model.store(order);
            barrier(before).into_iter().for_each(&mut add);
            add(Op::Access(Kind::Write));
            barrier(after).into_iter().for_each(&mut add);
        }
        What::Locked { writes } => {
            // One that writes drains by itself, but for the paper's under PSO.
            let drains = match model {
                Model::Pso => interlocked == Interlocked::Drains,
                Model::Sc | Model::Tso => !writes,
            };
            if drains {
                add(Op::Fence);
            }
            add(Op::Access(if writes { Kind::Interlocked } else { Kind::Read }));
        }
        What::Fence(kind) => barrier(model.fence(kind)).into_iter().for_each(&mut add),
        What::Spawn(child) => add(Op::Spawn(Thread(child))),
        What::Join(child) => add(Op::Join(Thread(child))),
        What::Woken(by) => add(Op::Woken(Thread(by))),
        // A step of the thread that nobody else can tell; it still happens.
        What::Choice => out.push(Access { thread, op: Op::Access(Kind::Read), addr, bytes: 0 }),
        What::Buffer { .. } | What::Update { .. } => {}
    }
}

struct Watch<'p> {
    program: &'p Program,
    model: Model,
    limits: &'p Limits,
    causal: Causal,
    /// For each operation of the monitor, the happening that it is of.
    origins: Vec<u32>,
    operations: Vec<Access>,
    found: Option<Witness>,
    unconfirmed: bool,
    undecided: bool,
}

impl<'p> Watch<'p> {
    fn new(program: &'p Program, model: Model, limits: &'p Limits) -> Watch<'p> {
        Watch {
            program,
            model,
            limits,
            causal: Causal::new(buffers(model)),
            origins: Vec::new(),
            operations: Vec::new(),
            found: None,
            unconfirmed: false,
            undecided: false,
        }
    }

    fn visit(&mut self, execution: &Execution<'_, '_>) -> ControlFlow<()> {
        let happened = execution.happened;
        let same = execution.same as u32;
        let kept = self.origins.partition_point(|origin| *origin < same);
        self.origins.truncate(kept);
        self.causal.truncate(kept);
        self.translate(happened, execution.same);
        if !self.causal.prepare(&self.operations) {
            self.origins.clear();
            self.translate(happened, 0);
            self.causal.prepare(&self.operations);
        }
        for n in 0..self.operations.len() {
            if let Some(found) = self.causal.push(self.operations[n]) {
                self.confirm_last(happened, found)?;
            }
        }
        let mut waits = Vec::new();
        for waiting in execution.waiting() {
            waits.clear();
            operations(self.model, Interlocked::Drains, &waiting, &mut waits);
            let found = waits.last().and_then(|access| self.causal.would(access));
            if let Some(found) = found {
                self.confirm(happened, happened.len(), &waiting, found)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The operations of the happenings from one on.
    fn translate(&mut self, happened: &[Happening], from: usize) {
        self.operations.clear();
        for (n, happening) in happened.iter().enumerate().skip(from) {
            let before = self.operations.len();
            operations(self.model, Interlocked::Drains, happening, &mut self.operations);
            let more = self.operations.len() - before;
            self.origins.extend(std::iter::repeat_n(n as u32, more));
        }
    }

    /// The operation that was pushed last could have missed a store.
    #[cold]
    fn confirm_last(&mut self, happened: &[Happening], found: Delayed) -> ControlFlow<()> {
        let last = self.causal.len() - 1;
        let origin = self.origins[last] as usize;
        self.causal.truncate(last);
        let flow = self.confirm(happened, origin, &happened[origin], found);
        let mut again = Vec::new();
        operations(self.model, Interlocked::Drains, &happened[origin], &mut again);
        if let Some(access) = again.iter().find(|access| matches!(access.op, Op::Access(_))) {
            self.causal.push(*access);
        }
        flow
    }

    /// Runs the past of an access under the model, with a store delayed past the access.
    fn confirm(
        &mut self,
        happened: &[Happening],
        origin: usize,
        access: &Happening,
        found: Delayed,
    ) -> ControlFlow<()> {
        let mut past = self.causal.past(Thread(access.thread), found.through);
        past.iter_mut().for_each(|operation| *operation = self.origins[*operation] as usize);
        past.dedup();
        past.retain(|n| *n != origin);
        let past: Vec<Happening> = past.into_iter().map(|n| happened[n]).collect();
        let Delayed { thread: Thread(thread), index: store, .. } = found;
        let delay = Delay { past: &past, thread, store, access };
        let shown = match delayed(self.program, self.model, self.limits, &delay) {
            Ok(schedule) => witness(self.program, self.model, schedule),
            Err(Undelayed::Waits) => return ControlFlow::Continue(()),
            Err(Undelayed::Stuck) => None,
        };
        match shown {
            Some(witness) => {
                self.found = Some(witness);
                ControlFlow::Break(())
            }
            None => {
                // Through parts of its bytes an access may seem to miss more than it does.
                match found.through {
                    Some(_) => self.undecided = true,
                    None => self.unconfirmed = true,
                }
                ControlFlow::Continue(())
            }
        }
    }
}
