//! The order of the accesses of a replayed execution: program order, reads-from, coherence and from-reads.
//!
//! A node is an event of the replay. Pairs of accesses that took effect out of program order are recorded as
//! well. Such a pair matters only if both accesses are on a common cycle.

use super::conflicts::{Bytes, Conflicts, Source};
use super::{Edge, Node};
use raddle_engine::{self as engine, Cell, Deed, ReplayEvent};
use std::collections::{BTreeMap, HashMap};

/// A load that read memory while a store to the same bytes was in the buffer of another thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Missed {
    pub read: Node,
    pub store: Node,
    /// A later store of the same thread that had left the buffer before.
    pub overtaken_by: Option<Node>,
}

/// Accesses to the same bytes in the order of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub writes: Vec<Node>,
    /// The loads, each with the number of writes before it.
    pub reads: Vec<(Node, usize)>,
}

/// The order of the events.
#[derive(Debug, Default)]
pub(crate) struct Order {
    pub conflicts: Conflicts,
    /// For a load: the write from which it read its first byte.
    pub source: HashMap<Node, Node>,
    /// Stores, each with a load of its own thread that read from it while it was in the buffer.
    pub forwarded: Vec<(Node, Node)>,
    pub missed: Vec<Missed>,
    /// Pairs of stores of one thread to different locations of which the later one left the buffer first.
    pub overtaken: Vec<(Node, Node)>,
    /// Pairs of a store and a later load of the same thread from another location that was executed
    /// before the store left the buffer.
    pub delayed: Vec<(Node, Node)>,
    /// By address.
    pub histories: BTreeMap<u64, History>,
}

/// The state while the events are processed.
#[derive(Debug)]
struct Walk<'e> {
    events: &'e [ReplayEvent],
    /// For each thread, its stores that have left the buffer.
    left: HashMap<u32, Left>,
    /// The condition variable for which each thread waits, and the signal that woke each thread.
    waiting: HashMap<u32, u64>,
    woken: HashMap<u32, Node>,
}

/// Stores that have left a buffer, in the order in which they did, and the last in program order.
#[derive(Debug, Default)]
struct Left {
    stores: Vec<Node>,
    newest: Node,
}

/// The maximal number of pairs of one access and the stores that it overtook. The newest stores are enough: a
/// cycle through an older store and the access also contains the stores between them.
const MOST_OVERTAKEN: usize = 16;

/// The last pairs, in order.
fn newest(
    pairs: impl DoubleEndedIterator<Item = (Node, Node)>,
) -> impl Iterator<Item = (Node, Node)> {
    let last: Vec<(Node, Node)> = pairs.rev().take(MOST_OVERTAKEN).collect();
    last.into_iter().rev()
}

impl Order {
    /// Computes the order of all events of a replay.
    pub(crate) fn of(events: &[ReplayEvent]) -> Order {
        let mut order = Order::default();
        for at in events.iter().filter_map(|event| accessed(&event.deed)) {
            order.conflicts.declare(bytes(at));
        }
        let (left, waiting, woken) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut walk = Walk { events, left, waiting, woken };
        for node in 0..events.len() {
            order.add(&mut walk, node);
        }
        order.conflicts.finish(events.len());
        order
    }

    fn add(&mut self, walk: &mut Walk<'_>, node: Node) {
        let ReplayEvent { number: thread, deed, .. } = &walk.events[node];
        let thread = *thread;
        if let Deed::Update { store, .. } = deed {
            return self.leave(walk, thread, *store);
        }
        self.conflicts.step(thread, node);
        match deed {
            Deed::Read { cell, .. } => {
                self.look_around(walk, thread, node, cell);
                self.read(thread, node, &cell.at);
            }
            Deed::Mismatch { cell: Cell { at, .. }, .. }
            | Deed::FindsLocked(at)
            | Deed::Touch(at) => self.read(thread, node, at),
            Deed::Write { cell, .. } => self.read_and_write(node, &cell.at),
            Deed::Buffer { cell, store, .. } => {
                self.conflicts.buffer(thread, node, *store, bytes(&cell.at));
            }
            Deed::Lock { at, woken } => {
                if let Some(signal) = walk.woken.remove(&thread).filter(|_| *woken) {
                    self.conflicts.graph.add(signal, node, Edge::Sync);
                }
                self.read_and_write(node, at);
            }
            Deed::Unlock(at) | Deed::Free { at, .. } => self.write(node, at),
            Deed::StartWaiting(at) => {
                walk.waiting.insert(thread, at.addr);
                self.read(thread, node, at);
            }
            Deed::StopWaiting(at) => {
                walk.waiting.remove(&thread);
                self.write(node, at);
            }
            Deed::Signal { at, woken } => {
                if let Some(woken) = woken {
                    walk.waiting.remove(&woken.number);
                    walk.woken.insert(woken.number, node);
                }
                self.write(node, at);
            }
            Deed::Broadcast(at) => {
                let all = walk.waiting.extract_if(|_, cond| *cond == at.addr);
                walk.woken.extend(all.map(|(thread, _)| (thread, node)));
                self.write(node, at);
            }
            Deed::Spawn(child) => self.conflicts.spawn(node, child.number),
            Deed::Join(Some(child)) => self.conflicts.follow(node, child.number),
            _ => {}
        }
    }

    /// Records the buffered stores that a load misses, and the stores of its own thread that it
    /// overtakes.
    fn look_around(&mut self, walk: &Walk<'_>, thread: u32, node: Node, read: &Cell) {
        for owner in 0..self.conflicts.threads() {
            if owner == thread {
                let passed = self.conflicts.buffered(owner).iter();
                let passed = passed.filter(|stored| !overlap(stored.bytes, bytes(&read.at)));
                let newest = newest(passed.map(|stored| (stored.node, node)));
                self.delayed.extend(newest);
                continue;
            }
            let newest = self.conflicts.newest_buffered(owner, bytes(&read.at));
            let Some(newest) = newest else { continue };
            let store = self.conflicts.buffered(owner)[newest].node;
            if matches!(&walk.events[store].deed, Deed::Buffer { cell, .. }
                if bytes(&cell.at) == bytes(&read.at) && cell.value.bits == read.value.bits)
            {
                continue;
            }
            // Stores leave mostly in order, so usually the newest one decides.
            let left = walk.left.get(&owner).filter(|left| left.newest > store);
            let overtaken_by =
                left.and_then(|left| left.stores.iter().rev().find(|later| **later > store));
            self.missed.push(Missed { read: node, store, overtaken_by: overtaken_by.copied() });
        }
    }

    fn read(&mut self, thread: u32, node: Node, at: &engine::Bytes) {
        let source = match self.conflicts.read(thread, node, bytes(at)) {
            Source::Memory(source) => source,
            Source::OwnBuffer(store) => return self.forwarded.push((store, node)),
        };
        self.source.extend(source.map(|write| (node, write)));
        let history = self.histories.entry(at.addr).or_default();
        history.reads.push((node, history.writes.len()));
    }

    fn read_and_write(&mut self, node: Node, at: &engine::Bytes) {
        let source = self.conflicts.read_and_write(node, bytes(at));
        self.source.extend(source.map(|write| (node, write)));
        self.histories.entry(at.addr).or_default().writes.push(node);
    }

    fn write(&mut self, node: Node, at: &engine::Bytes) {
        self.conflicts.write(node, bytes(at));
        self.histories.entry(at.addr).or_default().writes.push(node);
    }

    /// Records that a store reaches memory.
    fn leave(&mut self, walk: &mut Walk<'_>, thread: u32, store: u32) {
        let Some((stored, place)) = self.conflicts.leave(thread, store) else { return };
        let behind = self.conflicts.buffered(thread).range(..place);
        let behind = behind.filter(|earlier| !overlap(earlier.bytes, stored.bytes));
        self.overtaken.extend(newest(behind.map(|earlier| (earlier.node, stored.node))));
        let left = walk.left.entry(thread).or_default();
        left.stores.push(stored.node);
        left.newest = left.newest.max(stored.node);
        self.histories.entry(stored.bytes.0).or_default().writes.push(stored.node);
    }
}

/// The bytes that an event touches.
fn accessed(deed: &Deed) -> Option<&engine::Bytes> {
    match deed {
        Deed::Read { cell: Cell { at, .. }, .. }
        | Deed::Mismatch { cell: Cell { at, .. }, .. }
        | Deed::Write { cell: Cell { at, .. }, .. }
        | Deed::Buffer { cell: Cell { at, .. }, .. }
        | Deed::FindsLocked(at)
        | Deed::Touch(at)
        | Deed::Lock { at, .. }
        | Deed::Unlock(at)
        | Deed::Free { at, .. }
        | Deed::StartWaiting(at)
        | Deed::StopWaiting(at)
        | Deed::Signal { at, .. }
        | Deed::Broadcast(at) => Some(at),
        _ => None,
    }
}

fn bytes(at: &engine::Bytes) -> Bytes {
    (at.addr, at.bytes)
}

fn overlap((a, a_bytes): Bytes, (b, b_bytes): Bytes) -> bool {
    a < b.saturating_add(b_bytes.into()) && b < a.saturating_add(a_bytes.into())
}
