//! Runs a schedule again on a fresh system, and narrates it.
//!
//! Without backtracking, reduction or sleep sets: the schedule determines every step and the end. If actions
//! are still enabled after the last step, the execution has not reached its end, unless a thread has failed.

use crate::datarace::site;
use crate::event::{Class, Turn};
use crate::narrate::Narrator;
use crate::outcome::{end_of, final_state};
use crate::schedule::action;
use crate::system::{System, Watched};
use raddle_engine::{End, FailureSite, Limits, Options, ReplayEnd, Replayed, Step};
use raddle_ir::{GlobalId, Verified};
use raddle_machine::code::Pc;
use raddle_machine::layout::global_address;
use raddle_machine::visible::{LOCK_BYTES, UNLOCKED, held_by};
use raddle_machine::{Status, ThreadId, Watch};
use std::borrow::Cow;

/// Runs a program along a schedule. Of the limits only the budget applies.
pub fn replay(program: &Verified, options: &Options, schedule: &[Step]) -> Replayed {
    match System::new(program, &unbounded(options), Watched::Story) {
        Ok(system) => run(system, None, schedule).0,
        Err(fault) => Replayed::cannot_start(fault),
    }
}

/// [`replay`] for a schedule of the reachability engine, which does not stop spinning threads. If goals are
/// checked, threads pause at the places of goals. Also returns whether a goal is reached.
///
/// The lock for the sole right to write memory is an ordinary lock here, and a step that writes while another
/// thread holds it does not fit. A search cannot run such programs, because its races do not cover this lock.
/// A replay can, because it needs no races.
pub fn replay_reach(program: &Verified, options: &Options, schedule: &[Step]) -> (Replayed, bool) {
    let sole_right = program.memory_lock;
    let program = match sole_right {
        Some(_) => Cow::Owned(program.without_memory_lock()),
        None => Cow::Borrowed(program),
    };
    match System::new(&program, &unbounded(options), Watched::Story) {
        Ok(mut system) => {
            system.machine.watch(Watch::Silent);
            run(system, sole_right, schedule)
        }
        Err(fault) => (Replayed::cannot_start(fault), false),
    }
}

/// The options without bounds: a schedule may go beyond a bound of the search.
fn unbounded(options: &Options) -> Options {
    let budget = options.limits.budget.clone();
    Options { limits: Limits { budget, ..Limits::default() }, ..options.clone() }
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
            return (
                Replayed {
                    end: ReplayEnd::Spent(spent),
                    events: narrator.events,
                    origins: narrator.origins,
                },
                false,
            );
        }
        let fitting = action(&system, step);
        let Some(action) = fitting.filter(|turn| is_allowed(&system, sole_right, turn)) else {
            return (
                Replayed {
                    end: ReplayEnd::Stuck(n),
                    events: narrator.events,
                    origins: narrator.origins,
                },
                false,
            );
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
    if end.is_deadlock() {
        narrator.deadlock(&mut system);
    }
    let end = system.budget().spent().map_or(end, ReplayEnd::Spent);
    (Replayed { end, events: narrator.events, origins: narrator.origins }, at_goal)
}

/// Whether a turn does not write memory, or no other thread has the sole right to write it.
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
    // A failure is an end, even if other threads could continue.
    if goes_on && system.failures.is_empty() {
        return if sites.is_empty() { ReplayEnd::Short } else { ReplayEnd::Failed(sites) };
    }
    match end_of(system) {
        End::Failed(failures) => {
            sites.extend(failures);
            ReplayEnd::Failed(sites)
        }
        _ if !sites.is_empty() => ReplayEnd::Failed(sites),
        end => ReplayEnd::of(end, |state| final_state(system, state)),
    }
}
