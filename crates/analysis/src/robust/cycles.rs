//! Robustness by cycles: the model is explored. A trace whose program and conflict order have a cycle is not
//! a trace under SC ([`crate::cycle`]).

use super::witness::witness;
use super::{Finding, Gap, gaps, options, unconfirmed};
use crate::cycle::Node;
use crate::cycle::conflicts::Conflicts;
use crate::estimate::beside;
use raddle_engine::{Budget, Engine, Limits, Model};
use raddle_interleave::{Execution, Happening, What, observe};
use raddle_ir::Verified;
use std::ops::ControlFlow;

pub(super) fn decide(program: &Verified, model: Model, limits: &Limits) -> Finding {
    let (mut found, mut gap) = (None, None);
    let mut conflicts = Conflicts::within(&limits.budget);
    let options = options(model, limits);
    let mut visit = |execution: &Execution<'_, '_>| {
        if !is_cyclic(&mut conflicts, execution.happened, &limits.budget) {
            return ControlFlow::Continue(());
        }
        let budget = limits.budget.for_report();
        found = witness(program, Engine::Interleave, model, &budget, execution.schedule());
        if found.is_some() {
            return ControlFlow::Break(());
        }
        gap = Some(unconfirmed(&budget));
        ControlFlow::Continue(())
    };
    let summary = beside(program, &options, || observe(program, &options, false, &mut visit));
    let mut gaps = gaps(&summary);
    gaps.extend(gap.filter(|gap| *gap == Gap::Unconfirmed));
    let violated = found.is_some();
    Finding { witness: found, violated, gaps, searches: vec![(model, summary)] }
}

/// Whether the order of the events has a cycle. False if the budget runs out.
fn is_cyclic(conflicts: &mut Conflicts, happened: &[Happening], budget: &Budget) -> bool {
    conflicts.clear();
    for happening in happened {
        if budget.is_spent() {
            return false;
        }
        conflicts.declare((happening.addr, happening.bytes));
    }
    let mut nodes = 0;
    for happening in happened {
        if budget.is_spent() {
            return false;
        }
        add(conflicts, &mut nodes, happening);
    }
    conflicts.finish(nodes);
    conflicts.graph.is_cyclic()
}

fn add(conflicts: &mut Conflicts, nodes: &mut Node, happening: &Happening) {
    let Happening { thread, what, addr, bytes, .. } = *happening;
    let bytes = (addr, bytes);
    match what {
        What::Choice | What::Fence(_) => return,
        What::Update { store } => {
            conflicts.leave(thread, store);
            return;
        }
        _ => {}
    }
    let node = *nodes;
    *nodes += 1;
    conflicts.step(thread, node);
    match what {
        What::Read | What::Locked { writes: false } => {
            conflicts.read(thread, node, bytes);
        }
        What::Write(_) | What::Locked { writes: true } => conflicts.write(node, bytes),
        What::Buffer { store, .. } => conflicts.buffer(thread, node, store, bytes),
        What::Spawn(child) => conflicts.spawn(node, child),
        What::Join(other) | What::Woken(other) => conflicts.follow(node, other),
        What::Choice | What::Fence(_) | What::Update { .. } => {}
    }
}
