//! The state that is explored: threads with the events that they fetched, and the graph of committed events.
//!
//! [`perform`] is one step of paper 003's execution model: it commits an event with its
//! parameter, if the model allows the resulting trace. The search and replays share it.

use crate::commit_before::is_enabled;
use crate::fetch::{Event, EventId, Kind, Location, Pairing, Threads, When};
use crate::graph::{Graph, RowId, Source};
use crate::queue::{is_woken, wakes};
use raddle_engine::{EventRef, Step};
use raddle_machine::{Fault, ThreadId};

/// A step with its parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    /// Commits a load that reads from a store.
    Read(EventId, Source),
    /// Commits a store right after another in coherence order, or as the first.
    Place(EventId, Source),
    /// Takes an outcome of the operation that a thread is at.
    Choose(ThreadId, u64),
    /// Leaves a load for a store that is yet to come: a decision of the search, not a step of a schedule.
    Defer(EventId),
}

/// Why an act was not carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// The model does not allow it.
    Forbidden,
    /// The graph is at its capacity.
    Full,
}

/// The step of a schedule that an act is.
pub(crate) fn step<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    act: Act,
) -> Option<Step> {
    let reference = |id| {
        let event = threads.event(id);
        EventRef { thread: event.thread, index: event.po }
    };
    let store = |source: Source| source.map(|number| reference(graph.rows[number].event));
    Some(match act {
        Act::Read(id, source) => Step::CommitLoad { event: reference(id), from: store(source) },
        Act::Place(id, source) => Step::CommitStore { event: reference(id), after: store(source) },
        Act::Choose(thread, choice) => {
            let woken = threads.signal_wakes(thread).nth(choice as usize);
            match woken {
                Some(_) => Step::Signal { thread, woken },
                None => Step::Choose { thread, choice },
            }
        }
        Act::Defer(_) => return None,
    })
}

/// The act that a step of a schedule stands for, if it can be carried out.
pub(crate) fn act<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    step: &Step,
) -> Option<Act> {
    let thread = step.thread();
    let is_choosing = || threads.contains(thread) && threads.is_choosing(thread);
    match step {
        Step::Choose { choice, .. } => {
            let fits = is_choosing()
                && threads.signal_wakes(thread).next().is_none()
                && *choice < threads.alternatives(thread);
            fits.then_some(Act::Choose(thread, *choice))
        }
        Step::Signal { woken: Some(woken), .. } if is_choosing() => {
            let choice = threads.signal_wakes(thread).position(|waiter| waiter == *woken)?;
            Some(Act::Choose(thread, choice as u64))
        }
        Step::CommitLoad { event, from } => {
            let (id, source) = commit(threads, graph, *event, *from)?;
            (!threads.event(id).is_store()).then_some(Act::Read(id, source))
        }
        Step::CommitStore { event, after } => {
            let (id, source) = commit(threads, graph, *event, *after)?;
            threads.event(id).is_store().then_some(Act::Place(id, source))
        }
        Step::Signal { .. } | Step::Run(_) | Step::Update { .. } => None,
    }
}

/// An event that may be committed now, and the committed store of its location that it reads from or
/// follows.
fn commit<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    event: EventRef,
    store: Option<EventRef>,
) -> Option<(EventId, Source)> {
    let fetched = |event: EventRef| threads.find_event(event.thread, event.index);
    let id = fetched(event)?;
    if threads.committed(id).is_some() || !is_enabled(threads, id) {
        return None;
    }
    let Some(store) = store else { return Some((id, None)) };
    let store = fetched(store)?;
    let number = threads.committed(store)?;
    let fits = graph.rows[number].is_store && threads.location(store) == threads.location(id);
    fits.then_some((id, Some(number)))
}

/// Carries out an act. If it is refused, the graph is in an undefined state and must be discarded.
pub(crate) fn perform<const W: usize>(
    threads: &mut Threads<'_>,
    graph: &mut Graph<W>,
    act: Act,
) -> Result<(), Refused> {
    match act {
        Act::Choose(thread, outcome) => {
            threads.choose(thread, outcome);
            Ok(())
        }
        Act::Defer(id) => {
            let location = threads.location(id);
            let stores = location.map_or(0, |location| graph.stores_at(location).count());
            threads.defer(id, stores.into());
            Ok(())
        }
        Act::Read(..) | Act::Place(..) if graph.is_full() => Err(Refused::Full),
        Act::Read(id, source) => allowed(read(threads, graph, id, source)),
        Act::Place(id, previous) => allowed(place(threads, graph, id, previous)),
    }
}

fn allowed(yes: Option<()>) -> Result<(), Refused> {
    yes.ok_or(Refused::Forbidden)
}

/// Whether an act is refused by checks that do not change the graph, which is not copied for it then.
pub(crate) fn is_refused_at_once<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    act: Act,
) -> bool {
    match act {
        Act::Read(id, source) => readable(threads, graph, id, source).is_none(),
        Act::Place(id, previous) => threads.location(id).is_none_or(|location| {
            let event = threads.event(id);
            !graph.may_place(event, location, previous)
        }),
        Act::Choose(..) | Act::Defer(_) => false,
    }
}

/// The location of a load and the value that it finds there, if it may read from a store as far as values,
/// coherence and the other read-modify-writes go.
fn readable<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    id: EventId,
    source: Source,
) -> Option<(Location, Option<u128>)> {
    let location = threads.location(id)?;
    let found = graph.value_of(threads, source, location);
    let event = threads.event(id);
    let load = event.load()?;
    let value = found.unwrap_or(0) & event.ty.mask();
    if !threads.accepts(event, value)? {
        return None;
    }
    if let Some(When::Woken(bit)) = load.when
        && !source.is_some_and(|store| wakes(threads, graph, store, bit))
    {
        return None;
    }
    let may = graph.may_read(event, location, source)
        && is_sole_writer(threads, graph, event, location, source, value);
    may.then_some((location, found))
}

/// Whether an event is not a load that waits for a lock or a value which no committed store has left for it.
pub(crate) fn may_read_now<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    id: EventId,
) -> bool {
    let wanted = match threads.event(id).load().and_then(|load| load.when) {
        None | Some(When::Woken(_)) => return true,
        Some(When::Compares(_, wanted)) => threads.value(wanted),
        Some(When::Free) => Some(0),
    };
    let Some(location) = threads.location(id).filter(|_| wanted.is_some()) else { return true };
    let sources = std::iter::once(None).chain(graph.stores_at(location).iter().map(Some));
    sources.into_iter().any(|source| readable(threads, graph, id, source).is_some())
}

fn read<const W: usize>(
    threads: &mut Threads<'_>,
    graph: &mut Graph<W>,
    id: EventId,
    source: Source,
) -> Option<()> {
    let (location, found) = readable(threads, graph, id, source)?;
    let event = *threads.event(id);
    let value = found.unwrap_or(0) & event.ty.mask();
    let number = graph.add(threads, id, location);
    graph.read_from(number, source);
    if event.load()?.reserves && !joins_its_store(threads, graph, number) {
        return None;
    }
    if !threads.rules.allows(graph) {
        return None;
    }
    let fault = match found {
        None if !event.load()?.raw => Some(Fault::never_written(event.ty.bytes())),
        _ => threads.misuse(&event, value),
    };
    threads.commit_load(id, number, value, fault);
    Some(())
}

/// Pairs a load that makes a reservation with its store, if that was committed before it.
fn joins_its_store<const W: usize>(
    threads: &Threads<'_>,
    graph: &mut Graph<W>,
    load: RowId,
) -> bool {
    let row = graph.rows[load];
    let is_its = |other: &RowId| match threads.event(graph.rows[*other].event).kind {
        Kind::Store(store) => store.read == Some(row.event),
        Kind::Load(_) => false,
    };
    let own = graph.of_thread(row.thread).and(&graph.stores);
    let Some(store) = own.iter().find(is_its) else { return true };
    graph.pair(store, load);
    graph.rows[store].location == row.location && graph.is_atomic(row.location)
}

/// Two read-modify-writes cannot read from the same store if both write: the second half of one of
/// them would have to come between the halves of the other. This is known before they write.
fn is_sole_writer<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    event: &Event,
    location: Location,
    source: Source,
    value: u128,
) -> bool {
    if !will_write(threads, event, value) {
        return true;
    }
    let same = |other: &RowId| graph.rows[*other].source == source;
    let mut others = graph.loads_at(location).iter().filter(same);
    !others.any(|other| will_write(threads, threads.event(graph.rows[other].event), value))
}

fn will_write(threads: &Threads<'_>, event: &Event, value: u128) -> bool {
    if threads.misuse(event, value).is_some() {
        return false;
    }
    match event.load().map(|load| load.pairing) {
        Some(Pairing::Always | Pairing::Queue | Pairing::Signal { .. }) => true,
        Some(Pairing::If(expected)) => threads.value(expected) == Some(value),
        Some(Pairing::None) | None => false,
    }
}

fn place<const W: usize>(
    threads: &mut Threads<'_>,
    graph: &mut Graph<W>,
    id: EventId,
    previous: Source,
) -> Option<()> {
    let location = threads.location(id)?;
    if !graph.may_place(threads.event(id), location, previous) {
        return None;
    }
    let number = graph.add(threads, id, location);
    if let Kind::Store(store) = threads.event(id).kind
        && let Some(read) = store.read
    {
        // Under ARM it may be committed before the load.
        if let Some(load) = threads.committed(read) {
            // A reservation of another location does not count.
            if graph.rows[load].location != location {
                return None;
            }
            graph.pair(number, load);
        }
    }
    graph.place_after(number, previous);
    if !graph.is_atomic(location) {
        return None;
    }
    if !threads.rules.allows(graph) {
        return None;
    }
    threads.commit(id, number);
    Some(())
}

/// Whether a load accepts the last value of its location: if nothing else happened, it would be
/// committed in the end. A load that does not may wait for ever.
pub(crate) fn accepts_last_value<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    id: EventId,
) -> bool {
    let event = threads.event(id);
    let (Some(load), Some(location)) = (event.load(), threads.location(id)) else { return false };
    match load.when {
        None => true,
        Some(When::Woken(bit)) => is_woken(threads, graph, id, bit),
        Some(When::Compares(..) | When::Free) => {
            let last = last_value(threads, graph, location).unwrap_or(0) & event.ty.mask();
            threads.accepts(event, last) == Some(true)
        }
    }
}

/// The value of a location after all stores.
pub(crate) fn last_value<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    location: Location,
) -> Option<u128> {
    graph.value_of(threads, graph.coherence(location).last().copied(), location)
}
