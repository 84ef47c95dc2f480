//! What a move, or a state without moves, is.

use crate::attack::Attack;
use crate::moves::{Kind, Move};
use crate::perform::Made;
use crate::search::{Found, Target};
use crate::system::System;
use raddle_ir::LocId;
use raddle_machine::{Fault, FaultKind, Status};

/// What a move led to, and what it could not run. Goals, which are a matter of several threads, are
/// not looked at.
pub(crate) fn judge(
    system: &System<'_>,
    target: Target,
    made: Made,
) -> (Option<Found>, Option<(Fault, LocId)>) {
    if let Some(failed) = &system.failed {
        if failed.fault.kind == FaultKind::Unsupported {
            return (None, Some((failed.fault.clone(), failed.loc)));
        }
        if target == Target::Failures && system.soft.attack == Attack::None {
            let (thread, fault, loc) = (failed.thread, failed.fault.clone(), failed.loc);
            return (Some(Found::Failed { thread, fault, loc }), None);
        }
    }
    if made.completes
        && let Some(chain) = system.soft.attack.chain()
    {
        let (thread, store, load) = (chain.delay.thread, chain.delay.store, chain.load);
        return (Some(Found::Attack { thread, store, load }), None);
    }
    (None, None)
}

/// Whether a move only stopped its thread: whatever the others do now they could have done before.
/// Not so in a chain, where the move itself is an event that others may follow. And whether it left
/// an attacker in its window where there is no load to come.
pub(crate) fn leads_nowhere(system: &System<'_>, by: Move, made: Made) -> bool {
    if system.soft.attack.window_of(by.thread).is_some() && !system.rules.whole_windows {
        return system.machine.status(by.thread) != Status::Ready
            || !system.loads_ahead.is_ahead(system.machine.pc(by.thread));
    }
    by.kind != Kind::Close
        && made.is_local
        && system.soft.attack.chain().is_none()
        && matches!(system.machine.status(by.thread), Status::Blocked)
}

/// What a state without moves is.
pub(crate) fn judge_end(system: &System<'_>, target: Target) -> Option<Found> {
    match target {
        // Under attack, threads stop by its rules.
        _ if system.soft.attack != Attack::None => None,
        Target::Failures => system.is_deadlock(&[]).then(|| deadlock(system)),
        Target::Finals => final_values(system).map(Found::Final),
        Target::Rules => None,
    }
}

/// The finding for a state in which threads wait for ever. Under TSO a thread does not wait with a store because
/// another has the sole right to write memory: it keeps the store to itself, and goes on.
pub(crate) fn deadlock(system: &System<'_>) -> Found {
    system.shut_out_store().map_or(Found::Deadlock, |store| Found::ShutOut { store })
}

/// The values of the observables if every thread has ended.
fn final_values(system: &System<'_>) -> Option<Vec<u64>> {
    let machine = &system.machine;
    let ended =
        |id| matches!(machine.status(id), Status::Finished | Status::Absent | Status::Halted);
    let observables = machine.program.observables.values();
    machine
        .thread_ids()
        .all(ended)
        .then(|| observables.map(|observable| machine.observe(observable.what)).collect())
}
