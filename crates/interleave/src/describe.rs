//! The effects of the events of threads (as opposed to updates), for stories.

use crate::event::{Class, Condition, Event};
use crate::system::System;
use raddle_engine::{Cast, Cell, Datum, Deed, Names, Writing};
use raddle_machine::{ThreadId, Visible};

/// Tells of the newest event, from the operation it was; `seen` is what a load found.
pub(crate) fn describe(
    system: &System<'_>,
    names: &Names,
    event: &Event,
    visible: Visible,
    seen: Option<u128>,
) -> Deed {
    let action = &event.action;
    let at = names.bytes(&system.machine, action.addr, action.bytes);
    if matches!(system.detail(event).condition, Condition::Unless(_)) {
        return Deed::Touch(match visible {
            Visible::Free { .. } => names.bytes(&system.machine, action.addr, 0),
            _ => at,
        });
    }
    let datum = |bits: u128| names.datum(&system.machine, action.addr, action.bytes, bits);
    let cell = |value: Datum| Cell { at: at.clone(), value };
    let now = || datum(system.machine.in_memory(action.addr, action.bytes.min(16)).unwrap_or(0));
    let writes = |how| Deed::Write { cell: cell(now()), old: datum(system.detail(event).old), how };
    let happens = action.class == Class::Write;
    match visible {
        Visible::Load { .. } | Visible::Await { .. } => {
            let value = datum(seen.unwrap_or(0));
            Deed::Read { cell: cell(value), forwarded: action.forwarded > 0 }
        }
        Visible::Store { .. } => writes(Writing::Store),
        Visible::Rmw { .. } => writes(Writing::Rmw),
        Visible::CmpXchg { .. } if happens => writes(Writing::Exchange),
        Visible::CmpXchg { expected, .. } => {
            Deed::Mismatch { cell: cell(now()), expected: datum(expected) }
        }
        Visible::StoreCond { .. } if happens => writes(Writing::Conditional),
        Visible::StoreCond { .. } => Deed::LostReservation(at),
        Visible::Lock { .. } => Deed::Lock { at, woken: false },
        Visible::Relock { .. } => Deed::Lock { at, woken: true },
        Visible::TryLock { .. } if happens => Deed::Lock { at, woken: false },
        Visible::TryLock { .. } => Deed::FindsLocked(at),
        Visible::Unlock { .. } => Deed::Unlock(at),
        Visible::CondEnqueue { .. } => Deed::StartWaiting(at),
        Visible::CondLeave { .. } => Deed::StopWaiting(at),
        Visible::Signal { .. } => {
            let woken = action.choice.checked_sub(1).map(|n| system.machine.other(ThreadId(n)));
            Deed::Signal { at, woken }
        }
        Visible::Broadcast { .. } => Deed::Broadcast(at),
        Visible::Free { by, .. } => {
            let at = names.whole(&system.machine, action.addr, action.bytes);
            Deed::Free { at, by }
        }
        Visible::Choose { .. } => Deed::Choose(action.choice.into()),
        Visible::Fence { .. } | Visible::Spawn | Visible::Join { .. } | Visible::Format => {
            unreachable!("{visible:?} is not an event")
        }
    }
}
