//! Describes a cycle of program order, reads-from, coherence and from-reads in words, thread by thread.
//!
//! `P0 wrote x = 1 and then read y = 0, missing P1's write y = 1; P1 wrote y = 1 and then read x = 0,
//! missing P0's write x = 1`. Reads-from is not described: the equal values show it.

use super::Told;
use crate::cycle::{Edge, Link, Node};
use raddle_engine::Deed;
use raddle_machine::Ending;
use std::collections::BTreeSet;

/// Rotates a cycle to the start of a stretch of one thread, and drops the events in the middle of
/// stretches. If possible, it starts with a write that another thread missed.
pub(super) fn stretches(mut cycle: Vec<Link>) -> Vec<Link> {
    let into = |n: usize| cycle[(n + cycle.len() - 1) % cycle.len()].edge;
    let starts = |wanted: fn(Edge) -> bool| (0..cycle.len()).find(|n| wanted(into(*n)));
    let start =
        starts(|edge| edge == Edge::FromRead).or_else(|| starts(|edge| edge != Edge::Program));
    cycle.rotate_left(start.unwrap_or(0));
    let mut before = Edge::FromRead;
    cycle.retain(|Link { edge, .. }| {
        let inside = *edge == Edge::Program && before == Edge::Program;
        before = *edge;
        !inside
    });
    cycle
}

/// Describes a cycle of [`stretches`] in words.
pub(super) fn in_words(told: &Told<'_>, cycle: &[Link]) -> String {
    let mut words = "sequential consistency rules this out: ".to_owned();
    let mut opens = true;
    for (n, Link { event: node, edge }) in cycle.iter().enumerate() {
        if opens {
            words.push_str(told.thread(*node));
            words.push(' ');
        }
        words.push_str(&named(told, *node, ["read", "wrote", "locked", "unlocked"]));
        words.push_str(&told.at(*node));
        opens = *edge != Edge::Program;
        let next = cycle[(n + 1) % cycle.len()].event;
        let other = || {
            let noun = named(told, next, ["read of", "write", "lock of", "unlock of"]);
            format!("{}'s {noun}", told.thread(next))
        };
        match edge {
            Edge::Program => words.push_str(" and then "),
            Edge::ReadsFrom | Edge::Sync => words.push_str("; "),
            Edge::Coherence => words.push_str(&format!(", overwritten by {}; ", other())),
            Edge::FromRead => words.push_str(&format!(", missing {}; ", other())),
        }
    }
    words.push_str("accesses of one thread took effect out of order");
    let threads: BTreeSet<u32> = cycle.iter().map(|link| told.events[link.event].number).collect();
    if threads.len() > 2 {
        words.push_str(", or a write reached some threads before others");
    }
    words
}

/// `wrote x = 1`, with the words for a read, a write, a lock and an unlock, or `freed node#1`.
fn named(told: &Told<'_>, node: Node, [read, write, lock, unlock]: [&str; 4]) -> String {
    match &told.events[node].deed {
        Deed::Read { cell, .. } => format!("{read} {cell}"),
        Deed::Write { cell, .. } => format!("{write} {cell}"),
        Deed::Lock { at, .. } => format!("{lock} {at}"),
        Deed::Unlock(at) => format!("{unlock} {at}"),
        Deed::Mismatch { cell, .. } => format!("{read} {cell}"),
        Deed::Spawn(child) => format!("started {child}"),
        Deed::Join(Some(child)) => format!("joined {child}"),
        Deed::Free { at, by: Ending::Free } => format!("freed {at}"),
        Deed::Free { at, .. } => format!("ended {at}"),
        deed => deed.to_string(),
    }
}
