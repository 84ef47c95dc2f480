//! The interfering write, if the memory model is not the cause: a thread reads a location and continues as
//! if no other thread wrote there.

use super::{Cause, Told, Why};
use crate::cycle::Node;
use crate::cycle::story::{History, Order};
use raddle_engine::Deed;
use std::collections::HashMap;

/// The write of another thread between a load and the next access of the load's thread to the same
/// location, nearest to the failure: an access that overwrites the write, or else a load that reads it.
pub(super) fn between(told: &Told<'_>, order: &Order, past: &[bool]) -> Option<Why> {
    let loads: Vec<Loads> =
        order.histories.values().map(|history| by_thread(told, history)).collect();
    let histories = || order.histories.values().zip(&loads);
    let lost = histories().flat_map(|(history, loads)| lost_writes(told, history, loads));
    let lost = lost.filter(|(read, write, _)| past[*read] && past[*write]);
    if let Some((read, write, by)) = lost.max_by_key(|(_, write, _)| *write) {
        return overwritten(told, read, write, by);
    }
    let seen = histories().flat_map(|(history, loads)| changes_seen(told, history, loads));
    let seen = seen.filter(|(read, again, _)| past[*read] && past[*again]);
    let (read, again, by) = seen.max_by_key(|(_, again, _)| *again)?;
    changed(told, read, again, by)
}

/// The loads of a history by thread, in the order of the execution, each with the number of writes before it.
type Loads = HashMap<u32, Vec<(Node, usize)>>;

fn by_thread(told: &Told<'_>, history: &History) -> Loads {
    let mut loads = Loads::new();
    for (read, seen) in &history.reads {
        loads.entry(told.events[*read].number).or_default().push((*read, *seen));
    }
    loads
}

/// Triples of a load, the next write of its thread, and the newest write of another thread between them.
fn lost_writes<'a>(
    told: &'a Told<'_>,
    history: &'a History,
    loads: &'a Loads,
) -> impl Iterator<Item = (Node, Node, Node)> + 'a {
    history.writes.iter().enumerate().filter_map(|(place, write)| {
        told.data(*write)?;
        let (read, seen) = newest_read(told, loads, *write)?;
        told.data(read)?;
        let since = history.writes.get(seen..place)?;
        // After a write of its own, the thread no longer relies on the value it had read. The newest writes
        // come first, so that each is looked at once for each thread.
        if since.iter().rev().any(|own| told.same_thread(*own, *write)) {
            return None;
        }
        let by = since.last()?;
        told.data(*by)?;
        Some((read, *write, *by))
    })
}

/// The newest load before a node by the same thread, with the number of writes before that load.
fn newest_read(told: &Told<'_>, loads: &Loads, node: Node) -> Option<(Node, usize)> {
    let own = loads.get(&told.events[node].number)?;
    let before = own.partition_point(|(read, _)| *read < node);
    own[..before].last().copied()
}

/// Triples of two consecutive loads of one thread with different values, and the write between them.
fn changes_seen<'a>(
    told: &'a Told<'_>,
    history: &'a History,
    loads: &'a Loads,
) -> impl Iterator<Item = (Node, Node, Node)> + 'a {
    history.reads.iter().filter_map(|(again, seen)| {
        let (read, before) = newest_read(told, loads, *again)?;
        let value = |node: Node| told.data(node).map(|cell| cell.value.bits);
        if value(read)? == value(*again)? {
            return None;
        }
        let others = history.writes.get(before..*seen)?.iter();
        let by = others.rev().find(|by| !told.same_thread(**by, *again))?;
        told.data(*by)?;
        Some((read, *again, *by))
    })
}

fn overwritten(told: &Told<'_>, read: Node, write: Node, by: Node) -> Option<Why> {
    let words = format!(
        "{}'s write {}{} came between {}'s read {}{} and its write {}{}, which overwrites it",
        told.thread(by),
        told.cell(by)?,
        told.at(by),
        told.thread(read),
        told.cell(read)?,
        told.at(read),
        told.cell(write)?,
        told.at(write)
    );
    Some(Why { words, causes: vec![Cause::Between { read, write, by }] })
}

fn changed(told: &Told<'_>, read: Node, again: Node, by: Node) -> Option<Why> {
    let words = format!(
        "{} and {}{}: {} wrote {}{} in between",
        told.read(read)?,
        told.cell(again)?,
        told.at(again),
        told.thread(by),
        told.cell(by)?,
        told.at(by)
    );
    Some(Why { words, causes: vec![Cause::Between { read, write: again, by }] })
}

/// The last load of the failing thread, if another thread wrote the value.
pub(super) fn source(told: &Told<'_>, order: &Order) -> Option<Why> {
    let (last, _) = told.failure()?;
    let own = (0..last).rev().filter(|node| told.same_thread(*node, last));
    let mut reads = own.filter(|node| {
        let reads = matches!(told.events[*node].deed, Deed::Read { .. } | Deed::Mismatch { .. });
        reads && told.data(*node).is_some()
    });
    let read = reads.next()?;
    let write = *order.source.get(&read)?;
    if told.same_thread(read, write) {
        return None;
    }
    told.cell(write)?;
    let (read_words, writer) = (told.read(read)?, told.thread(write));
    let words = format!("{read_words}, which {writer} wrote{}", told.at(write));
    Some(Why { words, causes: vec![Cause::Source { read, write }] })
}
