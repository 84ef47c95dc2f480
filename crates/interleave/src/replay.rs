//! Running a schedule again, on a fresh system, and telling what happens.
//!
//! No backtracking, no reduction, no sleep sets: the schedule says what comes next, and the end is
//! whatever it leads to. A schedule that leaves something undone has not reached an end, unless
//! something has failed.

use crate::api::BoundedModel;
use crate::datarace::site;
use crate::narrate::Narrator;
use crate::outcome::{End, end_of, final_state};
use crate::schedule::action;
use crate::system::System;
use raddle_engine::{Checks, FailureKind, FailureSite, Limits, ReplayEnd, Replayed, Step};
use raddle_ir::Program;

/// Runs a program along a schedule.
pub fn replay(
    program: &Program,
    model: impl Into<BoundedModel>,
    checks: Checks,
    schedule: &[Step],
) -> Replayed {
    let model = model.into();
    let mut system = match System::printing(program, model, Limits::default().bounds(), checks) {
        Ok(system) => system,
        Err(fault) => {
            let end = ReplayEnd::Failed(vec![FailureSite::before_start(fault)]);
            return Replayed { end, events: Vec::new() };
        }
    };
    let mut narrator = Narrator::new(&system);
    let mut races = Vec::new();
    for (n, step) in schedule.iter().enumerate() {
        let Some(action) = action(&system, step) else {
            return Replayed { end: ReplayEnd::Stuck(n), events: narrator.events };
        };
        let before = narrator.before(&system, step);
        system.perform(action, &mut races);
        narrator.after(&system, &before);
    }
    let end = end(&mut system, &narrator);
    if let ReplayEnd::Failed(sites) = &end
        && sites.iter().any(|site| site.kind == FailureKind::Deadlock)
    {
        narrator.deadlock(&system);
    }
    Replayed { end, events: narrator.events }
}

fn end(system: &mut System<'_>, narrator: &Narrator) -> ReplayEnd {
    let races = system.races_found().iter().map(|race| site(system, narrator.names(), race));
    let mut sites: Vec<FailureSite> = races.collect();
    let goes_on = system
        .machine
        .thread_ids()
        .any(|id| system.enabled_step(id).is_some() || system.enabled_updates(id).next().is_some());
    // What has failed has failed, whatever the others may still do.
    if goes_on && system.failures.is_empty() {
        return if sites.is_empty() { ReplayEnd::Short } else { ReplayEnd::Failed(sites) };
    }
    match end_of(system) {
        End::Failed(failures) => {
            sites.extend(failures);
            ReplayEnd::Failed(sites)
        }
        _ if !sites.is_empty() => ReplayEnd::Failed(sites),
        End::Complete => {
            let mut state = Vec::new();
            final_state(system, &mut state);
            ReplayEnd::Complete { state }
        }
        End::Blocked => ReplayEnd::Blocked,
        End::Cut(..) => ReplayEnd::Cut,
    }
}
