//! Why it went wrong, in words.
//!
//! A witness says what happened; this says which of it made the difference:
//!
//! | module | finds |
//! |---|---|
//! | [`relaxed`] | a load that missed a buffered store, stores that overtook one another |
//! | [`between`] | without those: the write that came between |
//! | [`waits`] | for a deadlock: who waits for what, held by whom since where |
//! | [`object`] | for a bad access: where its object was allocated and freed |
//! | [`graph`], [`cycle`] | for executions that are graphs: a cycle of relations, and its words |
//!
//! The order behind them, and the search for cycles in it, is [`crate::cycle`].
//!
//! Nothing is said rather than something that may be wrong: a load is blamed only if it lies on a
//! cycle that sequential consistency forbids, within what the failure follows from.

mod between;
mod cycle;
pub(crate) mod graph;
mod object;
mod relaxed;
mod waits;

use crate::check::Offence;
use crate::cycle::Node;
use crate::cycle::story::Order;
use raddle_engine::{Cell, Deed, FailureKind, ReplayEvent};
use raddle_ir::Program;

/// Something that made the difference. Numbers are positions in the witness's events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A load read an old value while a store was in another thread's buffer.
    StaleRead { read: Node, store: Node, overtaken_by: Option<Node> },
    /// A store reached memory before an earlier one of its thread.
    Overtaken { earlier: Node, later: Node },
    /// A load came before an earlier store of its own thread had reached memory.
    Delayed { store: Node, read: Node },
    /// Another thread's write came between a load and what its thread did next there.
    Between { read: Node, write: Node, by: Node },
    /// What the failing thread read last, and where that came from.
    Source { read: Node, write: Node },
    /// A thread waits or spins for ever; if for a lock, where that was taken.
    Waits { waiter: Node, taken: Option<Node> },
    /// Part of a cycle of relations that sequential consistency forbids.
    InCycle { event: Node },
    /// The object of a bad access.
    Object { allocated: Option<Node>, freed: Option<Node> },
}

/// Why an offence came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    pub words: String,
    pub causes: Vec<Cause>,
}

/// What made the difference in a replayed offence, if that can be said.
pub fn why(program: &Program, events: &[ReplayEvent], offence: &Offence) -> Option<Why> {
    // A race says itself which two accesses it is about.
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

/// The events up to the offence's own failure, that included: what comes later does not bear on it.
/// All of them if it is no failure of one thread.
pub fn upto_failure<'e>(events: &'e [ReplayEvent], offence: &Offence) -> &'e [ReplayEvent] {
    let Offence::Failed(failure) = offence else { return events };
    let failed = events.iter().position(|event| match &event.deed {
        Deed::Fail { kind, .. } => {
            *kind == failure.kind && event.loc == failure.loc && event.thread == failure.thread
        }
        _ => false,
    });
    failed.map_or(events, |last| &events[..=last])
}

/// A story up to its end, with the words for its parts.
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

    /// The failure that ends the story.
    fn failure(&self) -> Option<(Node, &ReplayEvent)> {
        let last = self.events.len().checked_sub(1)?;
        Some((last, &self.events[last]))
    }

    /// What the failure follows from: its thread's own past and, if it is about an address, the
    /// last write there (which may be what ended the object).
    fn past(&self, order: &Order) -> Vec<bool> {
        let Some((last, event)) = self.failure() else { return Vec::new() };
        let touched = match &event.deed {
            Deed::Fail { at: Some(at), .. } => order.conflicts.newest_write(at.addr),
            _ => None,
        };
        order.conflicts.graph.past(touched.into_iter().chain([last]))
    }

    fn thread(&self, node: Node) -> &str {
        &self.events[node].thread
    }

    fn same_thread(&self, a: Node, b: Node) -> bool {
        self.events[a].number == self.events[b].number
    }

    /// ` at f.c:3`, or nothing. Folders would only make sentences long.
    fn at(&self, node: Node) -> String {
        let place = self.program.place(self.events[node].loc);
        place.map_or(String::new(), |place| {
            let short = place.rsplit(['/', '\\']).next().unwrap_or(&place);
            format!(" at {short}")
        })
    }

    /// What was read or written: `x = 1`.
    fn cell(&self, node: Node) -> Option<&Cell> {
        match &self.events[node].deed {
            Deed::Read { cell, .. }
            | Deed::Write { cell, .. }
            | Deed::Mismatch { cell, .. }
            | Deed::Buffer { cell, .. } => Some(cell),
            _ => None,
        }
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
