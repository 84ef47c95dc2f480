//! Robustness by attacks, for models with one buffer per thread. The search explores states, not executions, so loops need not end.
//!
//! The schedule of a successful attack is replayed under the model and must have a cycle, like any other
//! witness.

use super::witness::witness;
use super::{By, Finding, Gap, unconfirmed};
use raddle_engine::{Engine, Limits, Model, Options, Stopped};
use raddle_ir::Verified;
use raddle_reach::{Robust, Unknown};

pub(super) fn decide(program: &Verified, model: Model, limits: &Limits) -> Finding {
    let mut finding = Finding::default();
    if !By::Attacks.has(model) {
        finding.gaps.push(Gap::NoAttacks);
        return finding;
    }
    let options = Options { limits: limits.clone(), ..Options::new(model) };
    match raddle_reach::robust(program, &options).verdict {
        Robust::Robust => {}
        Robust::Unknown(unknown) => finding.gaps.push(gap(&unknown)),
        Robust::Attacked(attack) => {
            let budget = limits.budget.for_report();
            finding.witness = witness(program, Engine::Reach, model, &budget, attack.schedule);
            finding.violated = finding.witness.is_some();
            if !finding.violated {
                finding.gaps.push(unconfirmed(&budget));
            }
        }
    }
    finding
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
