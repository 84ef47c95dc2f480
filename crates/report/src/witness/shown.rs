//! Selects the events that are useful for a reader of the source.
//!
//! These are left out: creation and destruction of stack objects; internal events of a library, outside of
//! any call from the source or on the way to the called operation; accesses to heap and stack objects that
//! only one thread touches.

use crate::Run;
use raddle_engine::{Deed, Engine, FailureKind, Need, ReplayEvent, Writing};
use raddle_ir::{LocId, Program};
use raddle_machine::layout::{ObjectId, split_address};
use std::collections::BTreeMap;
use std::ops::Range;

/// For each event, whether it is shown.
pub(crate) fn shown(run: &Run<'_>, events: &[ReplayEvent]) -> Vec<bool> {
    let passed = on_the_way(run.options.strategy.engine() == Engine::Graph, events);
    let owners = Owners::of(run.program, events);
    let keep = |(event, passed): (&ReplayEvent, bool)| {
        !passed && !owners.has(event) && is_told(run, event)
    };
    events.iter().zip(passed).map(keep).collect()
}

/// Whether an event is of interest by itself.
fn is_told(run: &Run<'_>, event: &ReplayEvent) -> bool {
    let ends = matches!(event.deed, Deed::Fail { .. } | Deed::Stuck(_));
    let foreign = event.loc == LocId::NONE && !run.program.locs.is_empty();
    ends || !event.deed.is_routine() && !foreign && !is_internal(event)
}

/// Whether an event is a plain access to an object of a library's own, such as the table of thread-specific data or the
/// state of a thread of C++, or its allocation. Such objects have reserved names.
fn is_internal(event: &ReplayEvent) -> bool {
    let at = match &event.deed {
        Deed::Read { cell, .. } | Deed::Buffer { cell, .. } | Deed::Update { cell, .. } => &cell.at,
        Deed::Write { cell, how: Writing::Store, .. } => &cell.at,
        Deed::Allocate { at, .. } => at,
        _ => return false,
    };
    if at.name.starts_with("raddle.") {
        return true;
    }
    let name = at.name.strip_prefix('_');
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'))
        && at.name.contains('#')
}

/// The heap and stack objects that only one thread touches. No other thread can observe accesses to them.
struct Owners {
    globals: u32,
    /// By object: the thread that touches it; `None` if several threads do.
    of: BTreeMap<ObjectId, Option<u32>>,
}

impl Owners {
    fn of(program: &Program, events: &[ReplayEvent]) -> Owners {
        let globals = u32::try_from(program.globals.len()).unwrap_or(u32::MAX);
        let mut owners = Owners { globals, of: BTreeMap::new() };
        for event in events {
            if let Some(object) = owners.touched(&event.deed) {
                let owner = owners.of.entry(object).or_insert(Some(event.number));
                *owner = owner.filter(|owner| *owner == event.number);
            }
        }
        owners
    }

    /// The object that an event touches, unless it is a global.
    fn touched(&self, deed: &Deed) -> Option<ObjectId> {
        let at = match deed {
            Deed::Read { cell, .. }
            | Deed::Write { cell, .. }
            | Deed::Mismatch { cell, .. }
            | Deed::Buffer { cell, .. }
            | Deed::Update { cell, .. } => &cell.at,
            Deed::Lock { at, .. }
            | Deed::FindsLocked(at)
            | Deed::Unlock(at)
            | Deed::StartWaiting(at)
            | Deed::Signal { at, .. }
            | Deed::Broadcast(at)
            | Deed::Free { at, .. }
            | Deed::Touch(at)
            | Deed::Fail { at: Some(at), .. } => at,
            _ => return None,
        };
        let (object, _) = split_address(at.addr)?;
        (object.0 >= self.globals).then_some(object)
    }

    /// Whether an event is a plain access to an object that only its thread touches.
    fn has(&self, event: &ReplayEvent) -> bool {
        let plain = matches!(
            event.deed,
            Deed::Read { .. } | Deed::Write { .. } | Deed::Buffer { .. } | Deed::Update { .. }
        );
        let object = self.touched(&event.deed).filter(|_| plain);
        object.is_some_and(|object| self.of.get(&object).is_some_and(Option::is_some))
    }
}

/// The maximal size of a lock, a condition variable or a similar object.
const SYNC_BYTES: u64 = 64;

/// The loads that belong to the next event of their thread at the same source position: the load of a
/// read-modify-write that is recorded as two events, and the loads of a library from a lock before it
/// takes it.
fn on_the_way(graph: bool, events: &[ReplayEvent]) -> Vec<bool> {
    // For each thread: the position of its next event, and the bytes that loads on the way to it read.
    let mut next: BTreeMap<u32, (LocId, Range<u64>)> = BTreeMap::new();
    let mut passed = vec![false; events.len()];
    let thread_does = |event: &&ReplayEvent| !matches!(event.deed, Deed::Update { .. });
    for (n, event) in events.iter().enumerate().rev().filter(|(_, event)| thread_does(event)) {
        if let Deed::Read { cell, .. } = &event.deed {
            passed[n] = next
                .get(&event.number)
                .is_some_and(|(loc, bytes)| *loc == event.loc && bytes.contains(&cell.at.addr));
        }
        // The access of a failure and the failure are about the same lock.
        let fails = match &event.deed {
            Deed::Touch(at) => next
                .get(&event.number)
                .is_some_and(|(loc, bytes)| *loc == event.loc && bytes.contains(&at.addr)),
            _ => false,
        };
        if !passed[n] && !fails {
            next.insert(event.number, (event.loc, prepared(graph, &event.deed)));
        }
    }
    passed
}

/// The bytes that loads on the way to an event may read.
fn prepared(graph: bool, deed: &Deed) -> Range<u64> {
    match deed {
        Deed::Write { cell, how: Writing::Rmw | Writing::Exchange, .. } if graph => {
            cell.at.addr..cell.at.addr.saturating_add(1)
        }
        Deed::Lock { at, .. }
        | Deed::FindsLocked(at)
        | Deed::Unlock(at)
        | Deed::StartWaiting(at)
        | Deed::StopWaiting(at)
        | Deed::Signal { at, .. }
        | Deed::Broadcast(at)
        | Deed::Fail { kind: FailureKind::LockMisuse, at: Some(at), .. }
        | Deed::Stuck(Need::Lock { lock: at, .. }) => at.addr..at.addr.saturating_add(SYNC_BYTES),
        _ => 0..0,
    }
}
