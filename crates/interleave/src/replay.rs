//! Running a schedule again, on a fresh system, and telling what happens.
//!
//! No backtracking, no reduction, no sleep sets: the schedule says what comes next, and the end is
//! whatever it leads to. A schedule that leaves something undone has not reached an end, unless
//! something has failed.

use crate::api::{BoundedModel, Model};
use crate::datarace::site;
use crate::narrate::Narrator;
use crate::outcome::{End, end_of, final_state};
use crate::schedule::action;
use crate::system::System;
use raddle_engine::{Checks, FailureKind, FailureSite, Limits, ReplayEnd, Replayed, Step};
use raddle_ir::Program;
use raddle_machine::code::Pc;
use raddle_machine::{Bounds, Fault, Status, ThreadId};

/// Runs a program along a schedule.
pub fn replay(
    program: &Program,
    model: impl Into<BoundedModel>,
    checks: Checks,
    schedule: &[Step],
) -> Replayed {
    match System::printing(program, model, Limits::default().bounds(), checks) {
        Ok(system) => run(system, schedule).0,
        Err(fault) => cannot_start(fault),
    }
}

/// The same for a schedule of the reachability engine, which stops nobody who spins. With `goals`,
/// threads pause where the program's goals ask for them, and it is told whether one is reached.
pub fn replay_reach(
    program: &Program,
    model: Model,
    goals: bool,
    schedule: &[Step],
) -> (Replayed, bool) {
    let bounds = Bounds { spin: false, ..Limits::default().bounds() };
    let system = match goals {
        true => System::pausing(program, model, bounds),
        false => System::printing(program, model, bounds, Checks::default()),
    };
    match system {
        Ok(system) => run(system, schedule),
        Err(fault) => (cannot_start(fault), false),
    }
}

fn cannot_start(fault: Fault) -> Replayed {
    let end = ReplayEnd::Failed(vec![FailureSite::before_start(fault)]);
    Replayed { end, events: Vec::new() }
}

fn run(mut system: System<'_>, schedule: &[Step]) -> (Replayed, bool) {
    let mut narrator = Narrator::new(&system);
    let mut races = Vec::new();
    for (n, step) in schedule.iter().enumerate() {
        let Some(action) = action(&system, step) else {
            return (Replayed { end: ReplayEnd::Stuck(n), events: narrator.events }, false);
        };
        let before = narrator.before(&system, step);
        system.perform(action, &mut races);
        narrator.after(&system, &before);
    }
    let at_goal = is_at_goal(&system);
    let end = end(&mut system, &narrator);
    if let ReplayEnd::Failed(sites) = &end
        && sites.iter().any(|site| site.kind == FailureKind::Deadlock)
    {
        narrator.deadlock(&system);
    }
    (Replayed { end, events: narrator.events }, at_goal)
}

fn is_at_goal(system: &System<'_>) -> bool {
    let machine = &system.machine;
    let at = |(thread, pc): &(ThreadId, Pc)| {
        machine.status(*thread) == Status::Ready && machine.pc(*thread) == *pc
    };
    machine.goals().iter().any(|goal| !goal.is_empty() && goal.iter().all(at))
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
