//! Running a schedule again, on a fresh system, and telling what happens.
//!
//! No backtracking, no reduction, no sleep sets: the schedule says what comes next, and the end is
//! whatever it leads to. A schedule that leaves something undone has not reached an end, unless
//! something has failed.

use crate::api::{BoundedModel, Model};
use crate::datarace::site;
use crate::event::{Class, Turn};
use crate::narrate::Narrator;
use crate::outcome::{end_of, final_state};
use crate::schedule::action;
use crate::system::System;
use raddle_engine::{
    Budget, Checks, End, FailureKind, FailureSite, Limits, ReplayEnd, Replayed, Step,
};
use raddle_ir::{GlobalId, Program};
use raddle_machine::code::Pc;
use raddle_machine::layout::global_address;
use raddle_machine::visible::{LOCK_BYTES, UNLOCKED, held_by};
use raddle_machine::{Fault, Status, ThreadId, Watch};
use std::borrow::Cow;

/// Runs a program along a schedule, however long that takes.
pub fn replay(
    program: &Program,
    model: impl Into<BoundedModel>,
    checks: Checks,
    schedule: &[Step],
) -> Replayed {
    replay_within(program, model, checks, &Budget::UNLIMITED, schedule)
}

/// Runs a program along a schedule.
pub fn replay_within(
    program: &Program,
    model: impl Into<BoundedModel>,
    checks: Checks,
    budget: &Budget,
    schedule: &[Step],
) -> Replayed {
    let limits = Limits { budget: budget.clone(), ..Limits::default() };
    match System::printing(program, model, limits.bounds(), checks) {
        Ok(system) => run(system, None, schedule).0,
        Err(fault) => cannot_start(fault),
    }
}

/// The same for a schedule of the reachability engine, which stops nobody who spins. With `goals`,
/// threads pause where the program's goals ask for them, and it is told whether one is reached.
///
/// The sole right to write memory is here a lock as any other, and a step that writes while someone
/// else has it does not fit: a schedule leaves no question of what could have come first, which is
/// all that keeps a search from running such programs.
pub fn replay_reach(
    program: &Program,
    model: Model,
    goals: bool,
    budget: &Budget,
    schedule: &[Step],
) -> (Replayed, bool) {
    let limits = Limits { budget: budget.clone(), ..Limits::default() };
    let bounds = limits.bounds();
    let sole_right = program.memory_lock;
    let program = match sole_right {
        Some(_) => Cow::Owned(Program { memory_lock: None, ..program.clone() }),
        None => Cow::Borrowed(program),
    };
    let system = match goals {
        true => System::pausing(&program, model, bounds),
        false => System::printing(&program, model, bounds, Checks::default()),
    };
    match system {
        Ok(mut system) => {
            system.machine.watch(Watch::Silent);
            run(system, sole_right, schedule)
        }
        Err(fault) => (cannot_start(fault), false),
    }
}

fn cannot_start(fault: Fault) -> Replayed {
    let end = ReplayEnd::Failed(vec![FailureSite::before_start(fault)]);
    Replayed { end, events: Vec::new() }
}

fn run(
    mut system: System<'_>,
    sole_right: Option<GlobalId>,
    schedule: &[Step],
) -> (Replayed, bool) {
    let mut narrator = Narrator::new(&system);
    let mut races = Vec::new();
    for (n, step) in schedule.iter().enumerate() {
        if let Some(spent) = system.budget().spent() {
            return (Replayed { end: ReplayEnd::Spent(spent), events: narrator.events }, false);
        }
        let fitting = action(&system, step);
        let Some(action) = fitting.filter(|turn| is_allowed(&system, sole_right, turn)) else {
            return (Replayed { end: ReplayEnd::Stuck(n), events: narrator.events }, false);
        };
        let before = narrator.before(&system, step);
        system.perform(action, &mut races);
        narrator.after(&system, &before);
    }
    let at_goal = is_at_goal(&system);
    if system.machine.watches(Watch::Silent) {
        system.stop_spinning();
    }
    let end = end(&mut system, sole_right, &narrator);
    if let ReplayEnd::Failed(sites) = &end
        && sites.iter().any(|site| site.kind == FailureKind::Deadlock)
    {
        narrator.deadlock(&mut system);
    }
    let end = system.budget().spent().map_or(end, ReplayEnd::Spent);
    (Replayed { end, events: narrator.events }, at_goal)
}

/// Whether a turn leaves memory as it is, or nobody else has the sole right to write it.
fn is_allowed(system: &System<'_>, sole_right: Option<GlobalId>, turn: &Turn) -> bool {
    let Some(lock) = sole_right else { return true };
    let writes = turn.update || {
        let visible = system.machine.visible(turn.thread);
        system.action(turn.thread, visible).class == Class::Write
    };
    let held = system.machine.in_memory(global_address(lock), LOCK_BYTES);
    !writes || held.is_none_or(|held| held == UNLOCKED || held == held_by(turn.thread))
}

fn is_at_goal(system: &System<'_>) -> bool {
    let machine = &system.machine;
    let at = |(thread, pc): &(ThreadId, Pc)| {
        machine.status(*thread) == Status::Ready && machine.pc(*thread) == *pc
    };
    machine.goals().iter().any(|goal| !goal.is_empty() && goal.iter().all(at))
}

fn end(system: &mut System<'_>, sole_right: Option<GlobalId>, narrator: &Narrator) -> ReplayEnd {
    let races = system.races_found().iter().map(|race| site(system, narrator.names(), race));
    let mut sites: Vec<FailureSite> = races.collect();
    let is_allowed = |turn: Turn| is_allowed(system, sole_right, &turn);
    let goes_on = system.machine.thread_ids().any(|id| {
        system.enabled_step(id).into_iter().chain(system.enabled_updates(id)).any(is_allowed)
    });
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
        End::Cut(..) | End::Endless(_) => ReplayEnd::Cut,
    }
}
