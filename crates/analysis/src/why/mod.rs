//! The cause of a failure, in words.
//!
//! A witness says what happened. This module says which part of it was the cause:
//!
//! | module | finds |
//! |---|---|
//! | [`relaxed`] | a load that missed a buffered store, stores that overtook one another |
//! | [`between`] | otherwise: the write that came between |
//! | [`waits`] | for a deadlock: which thread waits for what, which thread holds it, and since where |
//! | [`object`] | for a bad access: where its object was allocated and freed |
//! | [`graph`], [`cycle`] | for executions that are graphs: a cycle of relations, and its description |
//!
//! [`crate::cycle`] computes the order of events behind them, and searches it for cycles.
//!
//! No cause is better than a wrong one: a load is blamed only if it lies on a cycle that sequential
//! consistency forbids, within the past of the failure.

mod between;
mod cycle;
pub(crate) mod graph;
mod object;
mod relaxed;
mod waits;

use crate::check::Offence;
use crate::cycle::Node;
use crate::cycle::story::Order;
use raddle_engine::{Cell, Deed, FailureKind, FailureSite, ReplayEvent};
use raddle_ir::Program;
use serde::Serialize;

/// A part of the cause. Numbers are positions in the events of the witness, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cause {
    /// A load read an old value while a store was in another thread's buffer.
    StaleRead { read: Node, store: Node, overtaken_by: Option<Node> },
    /// A store reached memory before an earlier one of its thread.
    Overtaken { earlier: Node, later: Node },
    /// A load came before an earlier store of its own thread had reached memory.
    Delayed { store: Node, read: Node },
    /// Another thread's write came between a load and the next access of the load's thread there.
    Between { read: Node, write: Node, by: Node },
    /// The last load of the failing thread, and the write it read from.
    Source { read: Node, write: Node },
    /// A thread waits or spins forever. If it waits for a lock: where the lock was taken.
    Waits { waiter: Node, taken: Option<Node> },
    /// Part of a cycle of relations that sequential consistency forbids.
    InCycle { event: Node },
    /// The object of a bad access.
    Object { allocated: Option<Node>, freed: Option<Node> },
}

impl Cause {
    /// The events that it refers to.
    pub fn events(&self) -> Vec<Node> {
        match *self {
            Cause::StaleRead { read, store, overtaken_by } => {
                [read, store].into_iter().chain(overtaken_by).collect()
            }
            Cause::Overtaken { earlier, later } => vec![earlier, later],
            Cause::Delayed { store, read } => vec![store, read],
            Cause::Between { read, write, by } => vec![read, write, by],
            Cause::Source { read, write } => vec![read, write],
            Cause::Waits { waiter, taken } => [waiter].into_iter().chain(taken).collect(),
            Cause::InCycle { event } => vec![event],
            Cause::Object { allocated, freed } => allocated.into_iter().chain(freed).collect(),
        }
    }
}

/// The cause of an offence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    pub words: String,
    pub causes: Vec<Cause>,
}

/// The cause of a replayed offence, if it can be determined.
pub fn why(program: &Program, events: &[ReplayEvent], offence: &Offence) -> Option<Why> {
    // A race already names its two accesses.
    if kind(offence) == Some(FailureKind::Race) {
        return None;
    }
    let told = Told { program, events: upto_failure(events, offence) };
    let mut reasons = Vec::new();
    match kind(offence) {
        Some(FailureKind::Deadlock) => {
            reasons.extend(waits::waits(&told));
            reasons.extend(relaxed::relaxed(&told, &told.order(), &told.everything()));
        }
        Some(kind) => {
            if matches!(
                kind,
                FailureKind::Memory | FailureKind::LockMisuse | FailureKind::Uninitialised
            ) {
                reasons.extend(object::object(&told));
            }
            let order = told.order();
            let past = told.past(&order);
            let cause = relaxed::relaxed(&told, &order, &past);
            let cause = cause.or_else(|| between::between(&told, &order, &past));
            let cause = cause.or_else(|| match reasons.is_empty() {
                true => between::source(&told, &order),
                false => None,
            });
            reasons.extend(cause);
        }
        None => reasons.extend(relaxed::relaxed(&told, &told.order(), &told.everything())),
    }
    if reasons.is_empty() {
        return None;
    }
    let words: Vec<String> = reasons.iter().map(|reason| reason.words.clone()).collect();
    let causes = reasons.into_iter().flat_map(|reason| reason.causes).collect();
    Some(Why { words: words.join("; "), causes })
}

fn kind(offence: &Offence) -> Option<FailureKind> {
    match offence {
        Offence::Failed(failure) => Some(failure.kind),
        Offence::Condition(_) => None,
    }
}

/// The events up to and including the failure: later ones did not cause it. All events if it is not a
/// failure of one thread.
pub fn upto_failure<'e>(events: &'e [ReplayEvent], offence: &Offence) -> &'e [ReplayEvent] {
    let Offence::Failed(failure) = offence else { return events };
    failing(&failure.site, events).map_or(events, |last| &events[..=last])
}

/// The event that is a failure of one thread.
pub(crate) fn failing(failure: &FailureSite, events: &[ReplayEvent]) -> Option<Node> {
    events.iter().position(|event| match &event.deed {
        Deed::Fail { kind, .. } => {
            *kind == failure.kind && event.loc == failure.loc && event.thread == failure.thread
        }
        _ => false,
    })
}

/// Completes what a replay knows of a failure better than a search: the name of an object that has ended, and the
/// place that witnesses show. The failure and its event get the same message.
pub(crate) fn complete(program: &Program, site: &mut FailureSite, events: &mut [ReplayEvent]) {
    if site.kind == FailureKind::Deadlock {
        return deadlock_places(program, site, events);
    }
    for node in 0..events.len() {
        if let Some(named) = object::named(&Told { program, events: &events[..=node] })
            && let Deed::Fail { message, .. } = &mut events[node].deed
        {
            *message = named;
        }
    }
    let Some(failure) = failing(site, events) else { return };
    site.shown = events[failure].place(program);
    if let Deed::Fail { message, .. } = &events[failure].deed {
        site.message.clone_from(message);
    }
}

/// Names the places of the waiting threads as their events show them.
fn deadlock_places(program: &Program, site: &mut FailureSite, events: &[ReplayEvent]) {
    let stuck = |event: &&ReplayEvent| matches!(event.deed, Deed::Stuck(_));
    let stuck: Vec<&ReplayEvent> = events.iter().filter(stuck).collect();
    if stuck.len() != site.waiters.len() {
        return;
    }
    let words = site.waiters.iter().zip(&stuck).map(|((waiter, _), event)| {
        match program.short_place(event.place(program)) {
            Some(place) => format!("{waiter} at {place}"),
            None => waiter.to_string(),
        }
    });
    site.message = words.collect::<Vec<String>>().join("; ");
    site.shown = stuck.first().map_or(site.loc, |event| event.place(program));
}

/// How the names of the functions of the library begin that synchronise threads, without `raddle.`.
const SYNCHRONISATION: [&str; 16] = [
    "pthread_",
    "sem",
    "mtx_",
    "cnd_",
    "thrd_",
    "tss_",
    "call_once",
    "rwlock.",
    "mutex.",
    "cond.",
    "held.",
    "lock.",
    "keys.",
    "thread",
    "c11.",
    "once",
];

/// The events up to the failure, with methods that describe them.
struct Told<'a> {
    program: &'a Program,
    events: &'a [ReplayEvent],
}

impl Told<'_> {
    fn order(&self) -> Order {
        Order::of(self.events)
    }

    fn everything(&self) -> Vec<bool> {
        vec![true; self.events.len()]
    }

    /// The failure at the end.
    fn failure(&self) -> Option<(Node, &ReplayEvent)> {
        let last = self.events.len().checked_sub(1)?;
        Some((last, &self.events[last]))
    }

    /// The past of the failure: the past of its thread and, if it is about an address, of the last write
    /// there and of the end of the object.
    fn past(&self, order: &Order) -> Vec<bool> {
        let Some((last, event)) = self.failure() else { return Vec::new() };
        let (written, ended) = match &event.deed {
            Deed::Fail { at: Some(at), .. } => {
                (order.conflicts.newest_write(at.addr), object::end_of(self, at))
            }
            _ => (None, None),
        };
        order.conflicts.graph.past([written, ended, Some(last)].into_iter().flatten())
    }

    fn thread(&self, node: Node) -> &str {
        &self.events[node].thread
    }

    fn same_thread(&self, a: Node, b: Node) -> bool {
        self.events[a].number == self.events[b].number
    }

    /// ` at f.c:3`, or an empty string. Only as many folders are named as tell files apart.
    fn at(&self, node: Node) -> String {
        let place = self.program.short_place(self.events[node].place(self.program));
        place.map_or(String::new(), |place| format!(" at {place}"))
    }

    /// The location and value of an access: `x = 1`.
    fn cell(&self, node: Node) -> Option<&Cell> {
        match &self.events[node].deed {
            Deed::Read { cell, .. }
            | Deed::Write { cell, .. }
            | Deed::Mismatch { cell, .. }
            | Deed::Buffer { cell, .. } => Some(cell),
            _ => None,
        }
    }

    /// The same, unless it is the library's: the parts of a lock or the like are not for readers.
    fn data(&self, node: Node) -> Option<&Cell> {
        let inner = self.events[node].calls.first();
        let func = inner.and_then(|frame| self.program.funcs.get(frame.func));
        let is_internal = func.is_some_and(|func| {
            let name = func.name.trim_start_matches("raddle.").trim_start_matches("spurious.");
            func.library && SYNCHRONISATION.iter().any(|prefix| name.starts_with(prefix))
        });
        self.cell(node).filter(|_| !is_internal)
    }

    /// `P0 read x = 1 at f.c:3`
    fn read(&self, node: Node) -> Option<String> {
        Some(format!("{} read {}{}", self.thread(node), self.cell(node)?, self.at(node)))
    }

    /// `store x = 1 at f.c:3`
    fn store(&self, node: Node) -> Option<String> {
        Some(format!("store {}{}", self.cell(node)?, self.at(node)))
    }
}
