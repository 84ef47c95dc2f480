//! Judges the result of a move, and states without moves: findings, dead ends, unsupported operations.

use crate::attack::Attack;
use crate::moves::{Kind, Move};
use crate::perform::Made;
use crate::search::{Found, Target};
use crate::system::System;
use raddle_ir::LocId;
use raddle_machine::{FailureKind, Fault, Status};

/// The finding that a move led to, or the operation that raddle could not run. Goals are not checked here,
/// because they depend on several threads.
pub(crate) fn judge(
    system: &System<'_>,
    target: Target,
    made: Made,
) -> (Option<Found>, Option<(Fault, LocId)>) {
    if let Some(failed) = &system.failed {
        if failed.fault.kind == FailureKind::Unsupported {
            return (None, Some((failed.fault.clone(), failed.loc)));
        }
        if target == Target::Failures && system.extra.attack == Attack::None {
            return (Some(Found::Failed(failed.clone())), None);
        }
    }
    if made.completes
        && let Some(chain) = system.extra.attack.chain()
    {
        let (thread, store, load) = (chain.delay.thread, chain.delay.store, chain.load);
        return (Some(Found::Attack { thread, store, load }), None);
    }
    (None, None)
}

/// Whether the state after a move is not worth exploring. It is not if the move only stopped its thread:
/// the other threads could do the same before it. In a chain this does not hold, because the move is an
/// event after which others may happen. It is not either if the attacker is in its window and no load is
/// reachable any more.
pub(crate) fn leads_nowhere(system: &System<'_>, by: Move, made: Made) -> bool {
    if system.extra.attack.window_of(by.thread).is_some() && !system.rules.whole_windows {
        return system.machine.status(by.thread) != Status::Ready
            || !system.loads_ahead.is_ahead(system.machine.pc(by.thread));
    }
    by.kind != Kind::Close
        && made.is_local
        && system.extra.attack.chain().is_none()
        && matches!(system.machine.status(by.thread), Status::Blocked)
}

/// The finding that a state without moves is, if any.
pub(crate) fn judge_end(system: &System<'_>, target: Target) -> Option<Found> {
    match target {
        // The rules of an attack stop threads, so this is not an end of the program.
        _ if system.extra.attack != Attack::None => None,
        Target::Failures => system.is_deadlock(&[]).then(|| deadlock(system)),
        Target::Finals => final_values(system).map(Found::Final),
        Target::Rules => None,
    }
}

/// The finding for a state in which threads wait forever. Under TSO a thread does not wait at a store for the
/// memory lock: it buffers the store and goes on. So such a state is a deadlock under SC only.
pub(crate) fn deadlock(system: &System<'_>) -> Found {
    system.shut_out_store().map_or(Found::Deadlock, |store| Found::ShutOut { store })
}

/// The values of the observables if every thread has ended, or one has ended the program: then the others need
/// not go on.
fn final_values(system: &System<'_>) -> Option<Vec<u64>> {
    let machine = &system.machine;
    let is_one = |status| machine.thread_ids().any(|id| machine.status(id) == status);
    let has_ended = |id| matches!(machine.status(id), Status::Finished | Status::Absent);
    let is_final = match is_one(Status::Halted) {
        true => !is_one(Status::Blocked),
        false => machine.thread_ids().all(has_ended),
    };
    let observables = machine.program.observables.values();
    is_final.then(|| observables.map(|observable| machine.observe(observable.what)).collect())
}
