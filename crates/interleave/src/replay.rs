//! Running a schedule again, on a fresh system, and telling what happens.

use crate::api::{FailureKind, Model, Step};
use crate::event::{ANY, Class};
use crate::outcome::{End, end_of};
use crate::system::System;
use raddle_ir::{LocId, Program, Type};
use raddle_machine::{ThreadId, Visible};

/// How a replayed execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayEnd {
    Complete,
    Blocked,
    Cut,
    Failed {
        kind: FailureKind,
        thread: String,
        loc: LocId,
        message: String,
    },
    /// The schedule does not fit the program: this step of it cannot happen.
    Stuck(usize),
    /// The schedule ends before the execution does.
    Short,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayEvent {
    pub thread: String,
    /// What happens, in words: `reads 1 from x`.
    pub what: String,
    pub loc: LocId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    pub end: ReplayEnd,
    pub events: Vec<ReplayEvent>,
}

/// Runs a program along a schedule.
pub fn replay(program: &Program, model: Model, schedule: &[Step]) -> Replayed {
    let mut events = Vec::new();
    let end = run(program, model, schedule, &mut events);
    Replayed { end, events }
}

fn run(
    program: &Program,
    model: Model,
    schedule: &[Step],
    events: &mut Vec<ReplayEvent>,
) -> ReplayEnd {
    let step_limit = crate::api::Limits::default().local_steps;
    let mut system = match System::new(program, model, step_limit) {
        Ok(system) => system,
        Err(fault) => {
            let (kind, message) = (fault.kind.into(), fault.message);
            return ReplayEnd::Failed { kind, thread: String::new(), loc: LocId::NONE, message };
        }
    };
    let mut races = Vec::new();
    for (n, step) in schedule.iter().enumerate() {
        let thread = ThreadId(step.thread);
        if step.thread >= system.machine.thread_count() {
            return ReplayEnd::Stuck(n);
        }
        let action = match step.update {
            None => system.enabled_step(thread),
            Some(addr) => system.enabled_updates(thread).find(|action| action.addr == addr),
        };
        let Some(mut action) = action else { return ReplayEnd::Stuck(n) };
        if action.choice == ANY {
            action.choice = step.choice;
        }
        let (loc, visible) = match step.update {
            None => (system.machine.loc(thread), Some(system.machine.visible(thread))),
            Some(_) => (LocId::NONE, None),
        };
        system.perform(&action, &mut races);
        let name = system.machine.thread_name(thread).to_owned();
        let what = describe(&system, n, visible);
        events.push(ReplayEvent { thread: name, what, loc });
    }
    match end_of(&system) {
        End::Complete => ReplayEnd::Complete,
        End::Blocked => ReplayEnd::Blocked,
        End::Cut(_) => ReplayEnd::Cut,
        End::Failed(failures) => match failures.into_iter().next() {
            Some((kind, thread, loc, message)) => {
                let more = system.machine.thread_ids().any(|id| {
                    system.enabled_step(id).is_some() || system.enabled_updates(id).next().is_some()
                });
                if more && kind == FailureKind::Deadlock {
                    return ReplayEnd::Short;
                }
                ReplayEnd::Failed { kind, thread, loc, message }
            }
            None => ReplayEnd::Complete,
        },
    }
}

/// What the event at a position did, in words.
fn describe(system: &System<'_>, position: usize, visible: Option<Visible>) -> String {
    let event = &system.events[position];
    let action = &event.action;
    let at = name_of(system.machine.program, action.addr);
    let now = || {
        let value = system.in_memory(action.addr, action.bytes.min(16)).unwrap_or(0);
        signed(value, action.bytes)
    };
    let Some(visible) = visible else {
        return format!("{at} = {} reaches memory from the store buffer", now());
    };
    match visible {
        Visible::Load { ty, .. } | Visible::Await { ty, .. } => {
            let value = system.value_seen(action.thread, action.addr, ty.bytes()).unwrap_or(0);
            let from = if action.forwarded > 0 { " (from its own store buffer)" } else { "" };
            format!("reads {at} = {}{from}", signed(value, action.bytes))
        }
        Visible::Store { .. } => format!("writes {at} = {}", now()),
        Visible::Rmw { .. } => {
            format!("updates {at} from {} to {} atomically", signed(event.old, action.bytes), now())
        }
        Visible::CmpXchg { expected, ty, .. } => {
            let expected = signed(expected, ty.bytes());
            let old = signed(event.old, action.bytes);
            match action.class {
                Class::Write => format!("exchanges {at} from {old} to {}", now()),
                _ => format!("finds {at} = {old}, not {expected}, and does not exchange it"),
            }
        }
        Visible::StoreCond { .. } => match action.class {
            Class::Write => format!("writes {at} = {} conditionally", now()),
            _ => format!("fails to write {at}: its reservation is lost"),
        },
        Visible::Lock { .. } => format!("locks {at}"),
        Visible::Relock { .. } => format!("wakes up and locks {at}"),
        Visible::TryLock { .. } => match action.class {
            Class::Write => format!("locks {at}"),
            _ => format!("finds {at} locked"),
        },
        Visible::Unlock { .. } => format!("unlocks {at}"),
        Visible::CondEnqueue { .. } => format!("starts to wait for {at}"),
        Visible::Signal { .. } => match action.choice {
            0 => format!("signals {at}; nobody waits"),
            waiter => {
                let waiter = system.machine.thread_name(ThreadId(waiter as u32 - 1));
                format!("signals {at} and wakes {waiter}")
            }
        },
        Visible::Broadcast { .. } => format!("wakes all that wait for {at}"),
        Visible::Free { .. } => format!("ends the object {at}"),
        Visible::Choose { .. } => format!("chooses alternative {}", action.choice),
        Visible::Fence { .. } | Visible::Spawn | Visible::Join { .. } => format!("{visible:?}"),
    }
}

/// A value as people write it: signed.
fn signed(value: u128, bytes: u32) -> i128 {
    let ty = Type::Int((bytes.clamp(1, 16) * 8) as u8);
    let shift = 128 - ty.bits();
    ((value << shift) as i128) >> shift
}

/// How the program calls an address.
fn name_of(program: &Program, addr: u64) -> String {
    use raddle_machine::layout;
    if let Some((object, offset)) = layout::split_address(addr)
        && let Some((_, global)) = program.globals.iter().nth(object.0 as usize)
    {
        return match offset {
            0 => global.name.clone(),
            _ => format!("{}+{offset}", global.name),
        };
    }
    match layout::split_address(addr) {
        Some((object, offset)) => format!("object {}+{offset}", object.0),
        None => format!("{addr:#x}"),
    }
}
