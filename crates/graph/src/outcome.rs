//! How executions end.

use crate::ahead::{Ahead, ClockId, EventId, Failed};
use crate::bits::Bits;
use crate::graph::Graph;
use crate::queue::is_representative;
use crate::state::last_value;
use crate::stuck::{Left, deadlock, left, waiting};
use raddle_engine::{BoundKind, End, FailureSite};
use raddle_ir::Observed;
use raddle_machine::{Status, layout};

/// How an execution in which nothing more can be committed has ended. Faults come first, then bounds,
/// which leave the rest unknown. `None` if a load waits for a store that does not come: another run covers
/// this one.
pub(crate) fn end_of<const W: usize>(threads: &mut Ahead<'_>, graph: &Graph<W>) -> Option<End> {
    let ahead = &*threads;
    let arrived = |t: &u32| ahead.has_arrived(*t);
    let with = |status| {
        (0..ahead.thread_count()).filter(arrived).filter(move |t| ahead.status(*t) == status)
    };
    let waiting = waiting(ahead, graph)?;
    if !is_representative(graph) {
        return None;
    }
    let mut failures: Vec<Failed> =
        ahead.failures().filter(|failed| arrived(&failed.thread)).cloned().collect();
    failures.extend(after_the_end(ahead, graph));
    if !failures.is_empty() {
        let failures = failures.iter().map(|failed| {
            let (thread, message) =
                (ahead.thread_name(failed.thread), failed.fault.message.clone());
            FailureSite::new(failed.fault.kind.into(), thread, failed.at, message)
        });
        return Some(End::Failed(failures.collect()));
    }
    for (status, bound) in BoundKind::STOPS {
        if let Some(thread) = with(status).next() {
            return Some(End::Cut(bound, ahead.place(thread)));
        }
    }
    if with(Status::Blocked).next().is_some() {
        return Some(End::Blocked);
    }
    // Whoever waits when the program has ended need not go on.
    if with(Status::Halted).next().is_some() {
        return Some(End::Complete);
    }
    let Some(Left { stuck, going_on }) = left(threads, graph, &waiting) else {
        return Some(End::Blocked);
    };
    Some(match going_on.first() {
        _ if !stuck.is_empty() => End::Failed(vec![deadlock(threads, &stuck)]),
        Some(first) => End::Endless(threads.place(*first)),
        None => End::Complete,
    })
}

/// Accesses to objects that another thread ended, without being ordered before that: they could as well
/// have come later.
fn after_the_end<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>) -> Vec<Failed> {
    let mut late = Vec::new();
    if !ahead.has_ended_objects() {
        return late;
    }
    for row in &graph.rows {
        let Some(end) = ahead.end_of_object(row.location) else { continue };
        if end.thread == row.thread || is_before(ahead, graph, row.event, end.clock) {
            continue;
        }
        let event = ahead.event(row.event);
        let fault = ahead.gone(event);
        late.push(Failed { thread: row.thread, at: event.at, fault });
    }
    late
}

/// Whether an event happens before one that a clock tells of, or is one of those.
fn is_before<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    event: EventId,
    clock: ClockId,
) -> bool {
    let Some(number) = ahead.committed(event) else { return true };
    let after = graph.rows[number].hb.after.or(&Bits::just(number));
    after.iter().any(|n| graph.rows[n].po < ahead.clocks.of(clock, graph.rows[n].thread))
}

/// Adds the final values of the program's observables.
pub(crate) fn final_state<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    values: &mut Vec<u64>,
) {
    for observable in ahead.program.observables.values() {
        let value = match observable.what {
            Observed::Mem { global, offset, ty } => {
                let addr = layout::global_address(global) + offset;
                let first = ahead.initial_at(addr, ty.bytes()).unwrap_or(0);
                memory(ahead, graph, addr, ty.bytes(), first)
            }
            register => ahead.observe_register(register).unwrap_or(0),
        };
        values.push(value);
    }
}

/// Bytes of memory after all stores; the bytes of an observable may be of several locations.
fn memory<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    addr: u64,
    bytes: u32,
    first: u128,
) -> u64 {
    let mut value = first;
    if let Some(location) = ahead.location_at(addr, bytes) {
        return last_value(ahead, graph, location).unwrap_or(0) as u64;
    }
    for location in ahead.locations_within(addr, bytes) {
        let (at, len) = ahead.extent_of(location);
        let Some(written) =
            graph.coherence(location).last().and_then(|store| graph.written(ahead, *store))
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
