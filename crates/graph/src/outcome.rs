//! How executions end.

use crate::bits::Bits;
use crate::fetch::{ClockId, EventId, Threads};
use crate::graph::Graph;
use crate::queue::is_representative;
use crate::state::last_value;
use crate::stuck::{Left, left, waiting};
use raddle_engine::{BoundKind, End, Failed, FailureSite};
use raddle_ir::Observed;
use raddle_machine::{Status, ThreadId, layout};

/// How an execution in which nothing more can be committed has ended. Faults come first, then bounds,
/// which leave the rest unknown. `None` if a load waits for a store that does not come: another run covers
/// this one.
pub(crate) fn end_of<const W: usize>(threads: &mut Threads<'_>, graph: &Graph<W>) -> Option<End> {
    let arrived = |thread: &ThreadId| threads.has_arrived(*thread);
    let first_with =
        |status| threads.ids().filter(arrived).find(|thread| threads.status(*thread) == status);
    let waiting = waiting(threads, graph)?;
    if !is_representative(graph) {
        return None;
    }
    let mut failures: Vec<Failed> =
        threads.failures().filter(|failed| arrived(&failed.thread)).cloned().collect();
    failures.extend(accesses_after_end(threads, graph).map(|(_, failed)| failed));
    if !failures.is_empty() {
        return Some(End::Failed(failures.iter().map(|failed| failed.site(threads)).collect()));
    }
    for (status, bound) in BoundKind::STOPS {
        if let Some(thread) = first_with(status) {
            return Some(End::Cut(bound, threads.place(thread)));
        }
    }
    if first_with(Status::Blocked).is_some() {
        return Some(End::Blocked);
    }
    // A thread that still waits when the program has ended is not a deadlock.
    if first_with(Status::Halted).is_some() {
        return Some(End::Complete);
    }
    let Some(Left { stuck, going_on }) = left(threads, graph, &waiting) else {
        return Some(End::Blocked);
    };
    Some(match going_on.first() {
        _ if !stuck.is_empty() => End::Failed(vec![FailureSite::deadlock(threads, &stuck)]),
        Some(first) => End::Endless(threads.place(*first)),
        None => End::Complete,
    })
}

/// Accesses to objects that another thread ended, without being ordered before that: they could as well
/// have come later.
pub(crate) fn accesses_after_end<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
) -> impl Iterator<Item = (EventId, Failed)> {
    let rows = graph.rows.values().filter(|_| threads.has_ended_objects());
    rows.filter_map(|row| {
        let end = threads.end_of_object(row.location)?;
        if end.thread == row.thread || is_before(threads, graph, row.event, end.clock) {
            return None;
        }
        let event = threads.event(row.event);
        let fault = threads.use_after_end(event);
        Some((row.event, Failed { thread: row.thread, fault, loc: event.at }))
    })
}

/// Whether an event happens before one that a clock tells of, or is one of those.
fn is_before<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    event: EventId,
    clock: ClockId,
) -> bool {
    let Some(number) = threads.committed(event) else { return true };
    let after = graph.rows[number].hb.after.or(&Bits::just(number));
    after.iter().any(|n| graph.rows[n].po < threads.clocks.of(clock, graph.rows[n].thread))
}

/// Adds the final values of the program's observables.
pub(crate) fn final_state<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    values: &mut Vec<u64>,
) {
    for observable in threads.program.observables.values() {
        let value = match observable.what {
            Observed::Mem { global, offset, ty } => {
                let addr = layout::global_address(global) + offset;
                let first = threads.initial_at(addr, ty.bytes()).unwrap_or(0);
                memory(threads, graph, addr, ty.bytes(), first)
            }
            register => threads.observe_register(register).unwrap_or(0),
        };
        values.push(value);
    }
}

/// Bytes of memory after all stores; the bytes of an observable may be of several locations.
fn memory<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    addr: u64,
    bytes: u32,
    first: u128,
) -> u64 {
    let mut value = first;
    if let Some(location) = threads.location_at(addr, bytes) {
        return last_value(threads, graph, location).unwrap_or(0) as u64;
    }
    for location in threads.locations_within(addr, bytes) {
        let (at, len) = threads.extent_of(location);
        let Some(written) =
            graph.coherence(location).last().and_then(|store| graph.written(threads, *store))
        else {
            continue;
        };
        for n in 0..u64::from(len) {
            if let Some(byte) = (at + n).checked_sub(addr).filter(|byte| *byte < bytes.into()) {
                value &= !(0xff << (8 * byte));
                value |= (written >> (8 * n) & 0xff) << (8 * byte);
            }
        }
    }
    value as u64
}
