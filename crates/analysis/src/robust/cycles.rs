//! Robustness by cycles: the model is explored. A trace whose program and conflict order have a cycle is not
//! a trace under SC ([`crate::cycle`]).

use super::witness::{Witnesses, witness};
use super::{Decision, Gap, gaps, options};
use crate::cycle::Node;
use crate::cycle::conflicts::Conflicts;
use crate::estimate::beside;
use raddle_engine::{Budget, Engine, Limits, Model};
use raddle_interleave::{Happening, Visitor, What, observe_by_all};
use raddle_ir::Verified;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

pub(super) fn decide(program: &Verified, model: Model, limits: &Limits) -> Decision {
    let (found, unconfirmed) = (Witnesses::default(), Mutex::new(None));
    let options = options(model, limits);
    let visitors = || -> Visitor<'_> {
        let mut conflicts = Conflicts::within(&limits.budget);
        let (found, unconfirmed) = (&found, &unconfirmed);
        Box::new(move |execution| {
            if !is_cyclic(&mut conflicts, execution.happened, &limits.budget) {
                return ControlFlow::Continue(());
            }
            let budget = limits.budget.for_report();
            let schedule = execution.schedule();
            match witness(program, Engine::Interleave, model, &budget, schedule) {
                Some(witness) => ControlFlow::Break(found.add(witness)),
                None => {
                    let mut gap = unconfirmed.lock().unwrap_or_else(PoisonError::into_inner);
                    *gap = Some(super::unconfirmed(&budget));
                    ControlFlow::Continue(())
                }
            }
        })
    };
    let (summary, first) =
        beside(program, &options, || observe_by_all(program, &options, &visitors));
    let mut gaps = gaps(&summary);
    let gap = *unconfirmed.lock().unwrap_or_else(PoisonError::into_inner);
    gaps.extend(gap.filter(|gap| *gap == Gap::Unconfirmed));
    let witness = first.and_then(|number| found.take(number));
    let violated = witness.is_some();
    Decision { witness, violated, gaps, searches: vec![(model, summary)] }
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
