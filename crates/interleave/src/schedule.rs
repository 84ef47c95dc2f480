//! Schedules: from the events of a search to steps that mean the same on a fresh system, and back.
//!
//! A search gives a spawned thread its number when any execution first spawns it, and keeps it. A
//! fresh system that follows one schedule numbers threads in the order in which that schedule spawns
//! them. Steps are in the latter numbers, so that a schedule means something by itself.

use crate::event::{ANY, Action, Event, Turn};
use crate::system::{System, field};
use raddle_engine::{Checks, Step};
use raddle_machine::{Bounds, Status, ThreadId, Visible};

/// The schedule of the current execution, or of as many of its events from the start.
pub(crate) fn schedule(system: &System<'_>, events: &[Event], bounds: &Bounds) -> Vec<Step> {
    let initial = system.machine.program.threads.len();
    if system.machine.thread_count() as usize == initial {
        return events.iter().map(step).collect();
    }
    renumbered(system, events, bounds)
}

/// An event as a step, in the numbers of the search.
fn step(event: &Event) -> Step {
    let Action { thread, update, choice, .. } = event.action;
    Step {
        thread: thread.0,
        update: update.then_some(event.nth),
        choice: if event.action.is_alternative() { choice.into() } else { 0 },
    }
}

/// The schedule in the numbers of a fresh system, found by going along on one. Should that not be
/// able to follow, the rest is left out, and the schedule will not replay.
fn renumbered(system: &System<'_>, events: &[Event], bounds: &Bounds) -> Vec<Step> {
    let mut steps = Vec::with_capacity(events.len());
    let (program, checks) = (system.machine.program, Checks::default());
    // A finding is worth some more time, even if none is left for the search.
    let bounds = Bounds { budget: bounds.budget.for_report(), ..bounds.clone() };
    let Ok(mut fresh) = System::new(program, system.bounded_model, bounds, checks) else {
        return steps;
    };
    let mut races = Vec::new();
    for event in events {
        let Some(step) = renumber(step(event), system, &fresh) else { break };
        let Some(action) = action(&fresh, &step) else { break };
        fresh.perform(action, &mut races);
        steps.push(step);
    }
    steps
}

fn renumber(step: Step, system: &System<'_>, fresh: &System<'_>) -> Option<Step> {
    let numbers = numbers(system, fresh);
    let number = |old: u64| numbers.get(usize::try_from(old).ok()?).copied().flatten();
    let thread = number(step.thread.into())?;
    let choice = match (step.choice.checked_sub(1), visible(fresh, thread)) {
        // Whom it wakes, plus 1.
        (Some(woken), Some(Visible::Signal { .. })) => u64::from(number(woken)?.0) + 1,
        _ => step.choice,
    };
    Some(Step { thread: thread.0, choice, ..step })
}

/// For each thread of a search, the same thread of a fresh system: the same child of the same parent.
fn numbers(system: &System<'_>, fresh: &System<'_>) -> Vec<Option<ThreadId>> {
    let initial = system.machine.program.threads.len() as u32;
    let mut numbers = vec![None; system.machine.thread_count() as usize];
    // A parent has a smaller number than its children.
    for parent in system.machine.thread_ids() {
        if parent.0 < initial {
            numbers[parent.0 as usize] = Some(parent);
        }
        let Some(same) = numbers[parent.0 as usize] else { continue };
        let pairs = system.machine.children(parent).iter().zip(fresh.machine.children(same));
        for (child, same) in pairs {
            numbers[child.0 as usize] = Some(*same);
        }
    }
    numbers
}

/// What a thread is about to do, if it can do anything. One that waits for its buffer to empty is
/// not at an operation yet.
pub(crate) fn visible(system: &System<'_>, thread: ThreadId) -> Option<Visible> {
    let ready =
        system.machine.status(thread) == Status::Ready && system.get(thread, field::DRAINING) == 0;
    ready.then(|| system.machine.visible(thread))
}

/// The action that a step names, if it can happen now.
pub(crate) fn action(system: &System<'_>, step: &Step) -> Option<Turn> {
    let thread = ThreadId(step.thread);
    if step.thread >= system.machine.thread_count() {
        return None;
    }
    let Some(store) = step.update else {
        let action = system.enabled_step(thread)?;
        return if action.choice == ANY {
            alternative(system, action, step.choice)
        } else {
            Some(action)
        };
    };
    let buffer = &system.process(thread).buffer;
    let mut leaving = buffer.leaving(&system.machine.trail, system.buffering);
    let (_, addr) = leaving.find(|(index, _)| *index == store)?;
    Some(Turn::update(thread, addr))
}

/// One alternative of an action that has several, if it is one.
fn alternative(system: &System<'_>, action: Turn, choice: u64) -> Option<Turn> {
    let choice = u32::try_from(choice).ok()?;
    let count = system.machine.choice_count(action.thread);
    let possible = match system.machine.visible(action.thread) {
        Visible::Choose { .. } => choice < count,
        _ => (0..count).any(|n| system.machine.nth_choice(action.thread, n) == choice),
    };
    possible.then_some(Turn { choice, ..action })
}
