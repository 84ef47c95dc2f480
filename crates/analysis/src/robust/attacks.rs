//! Robustness by attacks, for models with one buffer per thread. The search explores states, not executions, so loops need not end.
//!
//! The schedule of a successful attack is replayed under the model and must have a cycle, like any other
//! witness.

use super::witness::witness;
use super::{By, Decision, Gap, unconfirmed};
use raddle_engine::{Engine, Limits, Model, Options, Stopped};
use raddle_ir::Verified;
use raddle_reach::{Robust, Unknown};

pub(super) fn decide(program: &Verified, model: Model, limits: &Limits) -> Decision {
    let mut decision = Decision::default();
    if !By::Attacks.has(model) {
        decision.gaps.push(Gap::NoAttacks);
        return decision;
    }
    let options = Options { limits: limits.clone(), ..Options::new(model) };
    match raddle_reach::robust(program, &options).verdict {
        Robust::Robust => {}
        Robust::Unknown(unknown) => decision.gaps.push(gap(&unknown)),
        Robust::Attacked(attack) => {
            let budget = limits.budget.for_report();
            decision.witness = witness(program, Engine::Reach, model, &budget, attack.schedule);
            decision.violated = decision.witness.is_some();
            if !decision.violated {
                decision.gaps.push(unconfirmed(&budget));
            }
        }
    }
    decision
}

fn gap(unknown: &Unknown) -> Gap {
    match unknown {
        Unknown::Spent(spent) => Gap::Stopped((*spent).into()),
        Unknown::States => Gap::Stopped(Stopped::Memory),
        Unknown::Delayed(_) => Gap::Stopped(Stopped::Delays),
        Unknown::LocalSteps(_) | Unknown::Waiting(_) => Gap::Bounds,
        Unknown::Inputs => Gap::Inputs,
        Unknown::Lost => Gap::Unconfirmed,
        Unknown::Unsupported(..) => Gap::Unsupported,
    }
}
