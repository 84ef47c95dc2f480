//! Schedules: translates the events of a search to steps that mean the same on a fresh system, and back.
//!
//! A search numbers a spawned thread when some execution first spawns it, and keeps the number. A fresh
//! system that follows one schedule numbers threads in the order in which that schedule spawns them. Steps
//! use the latter numbers, so a schedule does not depend on the search that found it.

use crate::event::{ANY, Action, Class, Event, ONLY, Turn};
use crate::system::{System, Watched, field};
use raddle_engine::{Checks, Options, Step};
use raddle_machine::{Status, ThreadId, Visible};

/// The schedule of `events`, a prefix of the current execution.
pub(crate) fn schedule(system: &System<'_>, events: &[Event]) -> Vec<Step> {
    let initial = system.machine.program.threads.len();
    if system.machine.thread_count() as usize == initial {
        return events.iter().map(step).collect();
    }
    renumbered(system, events)
}

/// An event as a step, with the thread numbers of the search.
fn step(event: &Event) -> Step {
    let Action { thread, update, class, choice, .. } = event.action;
    match class {
        _ if update => Step::Update { thread, store: event.nth },
        _ if choice >= ONLY => Step::Run(thread),
        // Of the operations that have alternatives, only a signal touches memory.
        Class::Local => Step::Choose { thread, choice: choice.into() },
        Class::Read | Class::Write => Step::Signal { thread, woken: woken(choice) },
    }
}

/// The schedule with the thread numbers of a fresh system, which follows the events. If it cannot follow, the
/// rest is left out, and the schedule will not replay.
fn renumbered(system: &System<'_>, events: &[Event]) -> Vec<Step> {
    let mut steps = Vec::with_capacity(events.len());
    // A finding gets some more time, even if the search has none left.
    let options = system.options.clone().within(system.options.limits.budget.for_report());
    let options = Options { checks: Checks::default(), ..options };
    let Ok(mut fresh) = System::new(system.machine.program, &options, Watched::Search) else {
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
    let numbers = system.machine.threads_in(&fresh.machine);
    let number = |old: ThreadId| numbers.get(old.0 as usize).copied().flatten();
    let own = number(step.thread())?;
    Some(match step {
        Step::Run(_) => Step::Run(own),
        Step::Choose { choice, .. } => Step::Choose { thread: own, choice },
        Step::Signal { woken: Some(woken), .. } => {
            Step::Signal { thread: own, woken: Some(number(woken)?) }
        }
        Step::Signal { woken: None, .. } => Step::Signal { thread: own, woken: None },
        Step::Update { store, .. } => Step::Update { thread: own, store },
        Step::CommitLoad { .. } | Step::CommitStore { .. } => return None,
    })
}

/// The thread that an alternative of a signal wakes: see `Machine::nth_choice`.
pub(crate) fn woken(choice: u32) -> Option<ThreadId> {
    choice.checked_sub(1).map(ThreadId)
}

/// The next operation of a ready thread. A thread that waits for its buffer to become empty is not at an
/// operation yet.
pub(crate) fn visible(system: &System<'_>, thread: ThreadId) -> Option<Visible> {
    let ready =
        system.machine.status(thread) == Status::Ready && system.get(thread, field::DRAINING) == 0;
    ready.then(|| system.machine.visible(thread))
}

/// The turn of a step, if it is enabled.
pub(crate) fn action(system: &System<'_>, step: &Step) -> Option<Turn> {
    let thread = step.thread();
    if thread.0 >= system.machine.thread_count() {
        return None;
    }
    if let Step::Update { store, .. } = step {
        let buffer = &system.process(thread).buffer;
        let mut leaving = buffer.leaving(&system.machine.trail, system.rules.buffering);
        let (_, addr) = leaving.find(|(index, _)| index == store)?;
        return Some(Turn::update(thread, addr));
    }
    let turn = system.enabled_step(thread)?;
    match (step, system.machine.visible(thread)) {
        (Step::Run(_), _) if turn.choice != ANY => Some(turn),
        (Step::Choose { choice, .. }, Visible::Choose { .. }) => {
            let choice = u32::try_from(*choice).ok()?;
            (choice < system.machine.choice_count(thread)).then_some(Turn { choice, ..turn })
        }
        (Step::Signal { woken: wakes, .. }, Visible::Signal { .. }) => {
            let mut choices = (0..system.machine.choice_count(thread))
                .map(|n| system.machine.nth_choice(thread, n));
            let choice = choices.find(|choice| woken(*choice) == *wakes)?;
            Some(Turn { choice, ..turn })
        }
        _ => None,
    }
}
