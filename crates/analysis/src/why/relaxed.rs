//! The effects of the memory model: loads that missed a buffered store, and stores that overtook others.
//!
//! Preferred in this order, and of each the one nearest to the failure:
//! 1. a load that missed a store of another thread which was in its buffer at that moment;
//! 2. a store that reached memory before an earlier one of its thread (PSO);
//! 3. a load that came before an earlier store of its own thread had reached memory.
//!
//! Each counts only if both accesses are on a common cycle of program and conflict order. Of pairs of one
//! thread (2 and 3), those are preferred at which the cycle enters the thread at the earlier access and
//! leaves it at the later one. Accesses between them are on the cycle by program order alone, and are not
//! the cause.

use super::{Cause, Told, Why};
use crate::cycle::Node;
use crate::cycle::story::{Missed, Order};

/// The deviation from sequential consistency within a part of the events, if there is one.
pub(super) fn relaxed(told: &Told<'_>, order: &Order, part: &[bool]) -> Option<Why> {
    let graph = &order.conflicts.graph;
    let (cycle, before) = (graph.cycles(part), graph.before());
    let together = |a: Node, b: Node| part[a] && part[b] && cycle[a] == cycle[b];
    let missed = order.missed.iter().filter(|missed| together(missed.read, missed.store));
    if let Some(nearest) = missed.clone().max_by_key(|missed| missed.read) {
        // Store buffering: each of two threads misses the other's store.
        let mutual = missed.filter(|other| {
            told.same_thread(other.read, nearest.store)
                && told.same_thread(other.store, nearest.read)
        });
        return stale(told, nearest, mutual.max_by_key(|missed| missed.read), together);
    }
    let overtaken = order.overtaken.iter().filter(|(a, b)| together(*a, *b));
    let crosses = |a: Node, b: Node| {
        let other = |from: Node, to: Node| together(from, to) && !told.same_thread(from, to);
        graph.next().of(b).iter().any(|(to, _)| other(b, *to as Node))
            && before.of(a).iter().any(|(from, _)| other(*from as Node, a))
    };
    let overtaken = overtaken.max_by_key(|(a, b)| (crosses(*a, *b), *b, *a));
    if let Some((earlier, later)) = overtaken {
        return overtook(told, *earlier, *later);
    }
    let delayed = order.delayed.iter().filter(|(store, read)| together(*store, *read));
    let (store, read) = delayed.max_by_key(|(a, b)| (crosses(*a, *b), *b, *a))?;
    waited_not(told, *store, *read)
}

fn stale(
    told: &Told<'_>,
    missed: &Missed,
    mutual: Option<&Missed>,
    together: impl Fn(Node, Node) -> bool,
) -> Option<Why> {
    let Missed { read, store, overtaken_by } = *missed;
    let overtaken_by = overtaken_by.filter(|later| together(*later, store));
    let mut words = format!(
        "{} because {}'s {} was still in its store buffer",
        told.read(read)?,
        told.thread(store),
        told.store(store)?
    );
    if let Some(later) = overtaken_by {
        let later = told.store(later)?;
        words.push_str(&format!(", although its later {later} had already reached memory"));
    }
    let mut causes = vec![Cause::StaleRead { read, store, overtaken_by }];
    if let Some(other) = mutual {
        let (read, store) = (told.read(other.read)?, told.at(other.store));
        let owner = told.thread(other.store);
        words.push_str(&format!("; likewise {read} while {owner}'s store{store} was in its own"));
        causes.push(Cause::StaleRead { read: other.read, store: other.store, overtaken_by: None });
    }
    Some(Why { words, causes })
}

fn overtook(told: &Told<'_>, earlier: Node, later: Node) -> Option<Why> {
    let words = format!(
        "{}'s {} reached memory before its earlier {}",
        told.thread(later),
        told.store(later)?,
        told.store(earlier)?
    );
    Some(Why { words, causes: vec![Cause::Overtaken { earlier, later }] })
}

fn waited_not(told: &Told<'_>, store: Node, read: Node) -> Option<Why> {
    let words = format!(
        "{} while its own earlier {} was still in its store buffer",
        told.read(read)?,
        told.store(store)?
    );
    Some(Why { words, causes: vec![Cause::Delayed { store, read }] })
}
