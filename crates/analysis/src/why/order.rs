//! The order of a story's accesses: program order and who read, overwrote and missed whom.
//!
//! Shasha and Snir, *Efficient and correct execution of parallel programs that share memory*
//! (TOPLAS 1988): an execution is sequentially consistent iff program order and conflict order have
//! no cycle together. Here a node is an event of the story that accesses memory or orders threads; a
//! buffered store is one node, which has its place in program order where it was stored and its
//! place in memory order where it left. Everything is by bytes, so that sizes may be mixed; only a
//! load that its own buffer serves in part counts as served in full.
//!
//! What happens before a failure and bears on it, its *past*, is what program order, reads-from,
//! spawns, joins and wake-ups lead from. The past alone is an execution of the program; so if it is
//! sequentially consistent, the failure is not due to the memory model.

use raddle_engine::{Bytes, Deed, ReplayEvent};
use std::collections::{BTreeMap, HashMap};

/// Position of an event in the story.
pub type Node = usize;

/// An object is not looked at beyond so many bytes; accesses have at most 16.
const MOST_BYTES: u32 = 64;

/// A load found something else in memory than a store that was buffered at that moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missed {
    pub read: Node,
    pub store: Node,
    /// A later store of the same thread that had left before.
    pub overtaken_by: Option<Node>,
}

/// Accesses to the same bytes in the order of memory.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub writes: Vec<Node>,
    /// Loads, each with how many of the writes came before.
    pub reads: Vec<(Node, usize)>,
}

/// The order of the events up to a moment.
#[derive(Debug, Default)]
pub struct Order {
    /// Conflict and program order.
    next: Vec<Vec<Node>>,
    /// What an event follows from: program order, reads-from, spawn, join, wake-up.
    follows: Vec<Vec<Node>>,
    /// For a load, the write it read its first byte from.
    pub source: HashMap<Node, Node>,
    pub missed: Vec<Missed>,
    /// Of two stores of one thread to different places, the later one left first.
    pub overtaken: Vec<(Node, Node)>,
    /// A load came before an earlier store of its own thread to another place had left.
    pub delayed: Vec<(Node, Node)>,
    /// By address.
    pub histories: BTreeMap<u64, History>,
    /// The last event of each thread.
    pub last: HashMap<u32, Node>,
    bytes: BTreeMap<u64, Byte>,
}

#[derive(Clone, Debug, Default)]
struct Byte {
    write: Option<Node>,
    /// Loads since.
    reads: Vec<Node>,
}

/// A store in a buffer.
#[derive(Clone, Debug)]
struct Buffered {
    node: Node,
    store: u32,
    at: Bytes,
    value: u128,
    /// Loads that got their value from it, with their bytes.
    readers: Vec<(Node, Bytes)>,
}

/// What is needed on the way.
#[derive(Debug, Default)]
struct Walk {
    buffers: BTreeMap<u32, Vec<Buffered>>,
    /// For each thread, its stores that have left.
    left: HashMap<u32, Vec<Node>>,
    /// What the first event of a thread follows from.
    spawned: HashMap<u32, Node>,
    /// Who waits for which condition variable, and whose signal woke a thread.
    waiting: HashMap<u32, u64>,
    woken: HashMap<u32, Node>,
}

impl Order {
    /// The order of all events of a story.
    pub fn of(events: &[ReplayEvent]) -> Order {
        let mut order = Order {
            next: vec![Vec::new(); events.len()],
            follows: vec![Vec::new(); events.len()],
            ..Order::default()
        };
        let mut walk = Walk::default();
        for (node, event) in events.iter().enumerate() {
            order.add(&mut walk, node, event);
        }
        order.flush(walk);
        order
    }

    fn add(&mut self, walk: &mut Walk, node: Node, event: &ReplayEvent) {
        let thread = event.number;
        if let Deed::Update { store, .. } = event.deed {
            return self.leave(walk, thread, store);
        }
        if let Some(before) = self.last.insert(thread, node) {
            self.sync(before, node);
        } else if let Some(parent) = walk.spawned.remove(&thread) {
            self.sync(parent, node);
        }
        match &event.deed {
            Deed::Read { cell, .. } => {
                self.look_around(walk, thread, node, &cell.at, cell.value.bits);
                self.read(walk, thread, node, &cell.at);
            }
            Deed::Mismatch { cell, .. } => self.read(walk, thread, node, &cell.at),
            Deed::FindsLocked(at) | Deed::Touch(at) => self.read(walk, thread, node, at),
            Deed::Write { cell, .. } => {
                self.read_from(node, &cell.at);
                self.write(node, &cell.at, &[]);
            }
            Deed::Buffer { cell, store, .. } => {
                let (at, value) = (cell.at.clone(), cell.value.bits);
                let stored = Buffered { node, store: *store, at, value, readers: Vec::new() };
                walk.buffers.entry(thread).or_default().push(stored);
            }
            Deed::Lock { at, woken } => {
                if let Some(signal) = walk.woken.remove(&thread).filter(|_| *woken) {
                    self.sync(signal, node);
                }
                self.read_from(node, at);
                self.write(node, at, &[]);
            }
            Deed::Unlock(at) | Deed::Free { at, .. } => self.write(node, at, &[]),
            Deed::StartWaiting(at) => {
                walk.waiting.insert(thread, at.addr);
                self.read(walk, thread, node, at);
            }
            Deed::StopWaiting(at) => {
                walk.waiting.remove(&thread);
                self.write(node, at, &[]);
            }
            Deed::Signal { at, woken } => {
                if let Some(woken) = woken {
                    walk.waiting.remove(&woken.number);
                    walk.woken.insert(woken.number, node);
                }
                self.write(node, at, &[]);
            }
            Deed::Broadcast(at) => {
                let all = walk.waiting.extract_if(|_, cond| *cond == at.addr);
                let all: Vec<u32> = all.map(|(thread, _)| thread).collect();
                walk.woken.extend(all.into_iter().map(|thread| (thread, node)));
                self.write(node, at, &[]);
            }
            Deed::Spawn(child) => {
                walk.spawned.insert(child.number, node);
            }
            Deed::Join(Some(child)) => {
                if let Some(end) = self.last.get(&child.number).copied() {
                    self.sync(end, node);
                }
            }
            _ => {}
        }
    }

    fn sync(&mut self, before: Node, after: Node) {
        self.next[before].push(after);
        self.follows[after].push(before);
    }

    /// Stores that a load misses, and stores of its own that it does not wait for.
    fn look_around(&mut self, walk: &Walk, thread: u32, node: Node, at: &Bytes, value: u128) {
        for (owner, buffer) in &walk.buffers {
            if *owner == thread {
                let passed = buffer.iter().filter(|stored| !overlap(&stored.at, at));
                self.delayed.extend(passed.map(|stored| (stored.node, node)));
                continue;
            }
            let newest = buffer.iter().rev().find(|stored| overlap(&stored.at, at));
            let Some(stored) = newest else { continue };
            if same(&stored.at, at) && stored.value == value {
                continue;
            }
            let left = walk.left.get(owner);
            let overtaken_by =
                left.and_then(|left| left.iter().rev().find(|later| **later > stored.node));
            self.missed.push(Missed {
                read: node,
                store: stored.node,
                overtaken_by: overtaken_by.copied(),
            });
        }
    }

    fn read(&mut self, walk: &mut Walk, thread: u32, node: Node, at: &Bytes) {
        let own = walk.buffers.entry(thread).or_default();
        let newest = own.iter_mut().rev().find(|stored| overlap(&stored.at, at));
        match newest {
            // What is later in memory than the store is later than the load, too.
            Some(stored) => stored.readers.push((node, at.clone())),
            None => {
                self.read_from(node, at);
                for byte in range(at) {
                    self.bytes.entry(byte).or_default().reads.push(node);
                }
                let history = self.histories.entry(at.addr).or_default();
                history.reads.push((node, history.writes.len()));
            }
        }
    }

    fn read_from(&mut self, node: Node, at: &Bytes) {
        for byte in range(at) {
            let Some(write) = self.bytes.get(&byte).and_then(|byte| byte.write) else { continue };
            self.source.entry(node).or_insert(write);
            if self.follows[node].last() != Some(&write) {
                self.sync(write, node);
            }
        }
    }

    fn write(&mut self, node: Node, at: &Bytes, readers: &[(Node, Bytes)]) {
        for byte in range(at) {
            let here = readers.iter().filter(|(_, at)| range(at).contains(&byte));
            let fresh = Byte { write: Some(node), reads: here.map(|(read, _)| *read).collect() };
            let before = std::mem::replace(self.bytes.entry(byte).or_default(), fresh);
            let earlier = before.write.into_iter().chain(before.reads);
            for earlier in earlier.filter(|earlier| *earlier != node) {
                if self.next[earlier].last() != Some(&node) {
                    self.next[earlier].push(node);
                }
            }
        }
        self.histories.entry(at.addr).or_default().writes.push(node);
    }

    /// A store reaches memory.
    fn leave(&mut self, walk: &mut Walk, thread: u32, store: u32) {
        let buffer = walk.buffers.entry(thread).or_default();
        let Some(place) = buffer.iter().position(|stored| stored.store == store) else { return };
        let stored = buffer.remove(place);
        let behind = buffer[..place].iter().filter(|earlier| !overlap(&earlier.at, &stored.at));
        self.overtaken.extend(behind.map(|earlier| (earlier.node, stored.node)));
        walk.left.entry(thread).or_default().push(stored.node);
        self.write(stored.node, &stored.at, &stored.readers);
    }

    /// Stores that never left come after all that is in memory; among themselves nothing is known.
    fn flush(&mut self, walk: Walk) {
        for stored in walk.buffers.into_values().flatten() {
            for byte in range(&stored.at) {
                let Some(byte) = self.bytes.get(&byte) else { continue };
                for earlier in byte.write.iter().chain(&byte.reads) {
                    self.next[*earlier].push(stored.node);
                }
            }
        }
    }

    /// For each event, those that program or conflict order puts after it.
    pub fn next(&self) -> &[Vec<Node>] {
        &self.next
    }

    /// The write that is at an address in the end.
    pub fn newest_write(&self, addr: u64) -> Option<Node> {
        self.bytes.get(&addr)?.write
    }

    /// Which events are the past of some.
    pub fn past(&self, of: impl IntoIterator<Item = Node>) -> Vec<bool> {
        let mut past = vec![false; self.next.len()];
        let mut work: Vec<Node> = of.into_iter().collect();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut past[node], true) {
                work.extend(&self.follows[node]);
            }
        }
        past
    }

    /// For each event of a part of the story, the name of the cycles it is on: two events of the
    /// same name lie on a common one.
    pub fn cycles(&self, part: &[bool]) -> Vec<Node> {
        super::components::components(&self.next, part)
    }
}

fn range(at: &Bytes) -> std::ops::Range<u64> {
    at.addr..at.addr.saturating_add(at.bytes.min(MOST_BYTES).into())
}

fn overlap(a: &Bytes, b: &Bytes) -> bool {
    let end = |at: &Bytes| at.addr.saturating_add(at.bytes.into());
    a.addr < end(b) && b.addr < end(a)
}

fn same(a: &Bytes, b: &Bytes) -> bool {
    (a.addr, a.bytes) == (b.addr, b.bytes)
}
