//! Program order and conflict order of an execution, built from its accesses in the order in which they
//! happen.
//!
//! A buffered store is one event. Its place in program order is the point where the thread executed it; its
//! place among the writes to its bytes is the point where it left the buffer. A load that reads from its own
//! thread's buffer comes before the writes that overwrite the store. A load that the buffer serves in part
//! counts as served in full.
//!
//! All accesses are declared first, so that memory can be divided into cells ([`Cells`]) and each access
//! touches whole cells. Then the time and the number of edges are linear in the number of accesses: a write
//! comes after the loads since the previous write, and each load is in one such list.

use super::graph::Graph;
use super::{Edge, Node};
use raddle_engine::Budget;
use raddle_monitor::{Address, Cells};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// An address and a number of bytes.
pub(crate) type Bytes = (u64, u32);

/// The edges of an execution; the tables can be reused for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conflicts {
    pub graph: Graph,
    cells: Cells,
    contents: Vec<Content>,
    threads: Vec<Thread>,
}

/// The state of a cell of memory.
#[derive(Clone, Debug, Default)]
struct Content {
    write: Option<Node>,
    /// The loads since the last write.
    reads: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    /// The last event in program order; before the first event, the one that started the thread.
    last: Option<(Node, Edge)>,
    buffer: VecDeque<Stored>,
    /// For each cell, the newest store in the buffer. Stores to a cell leave the buffer in order.
    newest: FxHashMap<Address, u32>,
}

/// A store in a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub node: Node,
    /// Its index among the stores of its thread.
    store: u32,
    pub bytes: Bytes,
    /// The loads that read from it, with their bytes.
    readers: Vec<(Node, Bytes)>,
}

/// The source of a load's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The newest store to these bytes in the thread's own buffer.
    OwnBuffer(Node),
    /// The newest write in memory, if any.
    Memory(Option<Node>),
}

impl Conflicts {
    /// No events yet; the tables grow within a budget.
    pub(crate) fn within(budget: &Budget) -> Conflicts {
        Conflicts { cells: Cells::within(budget), ..Conflicts::default() }
    }

    /// Removes all events. Cells stay.
    pub(crate) fn clear(&mut self) {
        self.graph.clear();
        for content in &mut self.contents {
            content.write = None;
            content.reads.clear();
        }
        for thread in &mut self.threads {
            thread.last = None;
            thread.buffer.clear();
            thread.newest.clear();
        }
    }

    /// Declares an access to these bytes. All accesses are declared before the first event is added.
    pub(crate) fn declare(&mut self, (addr, bytes): Bytes) {
        self.cells.add(addr, bytes, true);
        self.contents.resize(self.cells.len(), Content::default());
    }

    fn thread(&mut self, thread: u32) -> &mut Thread {
        let at = thread as usize;
        if at >= self.threads.len() {
            self.threads.resize(at + 1, Thread::default());
        }
        &mut self.threads[at]
    }

    fn cells_of(&mut self, (addr, bytes): Bytes) -> SmallVec<[Address; 2]> {
        self.cells.of(addr, bytes).into()
    }

    /// Adds the next event of a thread in program order.
    pub(crate) fn step(&mut self, thread: u32, node: Node) {
        if let Some((last, edge)) = self.thread(thread).last.replace((node, Edge::Program)) {
            self.graph.add(last, node, edge);
        }
    }

    /// Records that the event starts a thread.
    pub(crate) fn spawn(&mut self, node: Node, child: u32) {
        self.thread(child).last = Some((node, Edge::Sync));
    }

    /// Adds an edge from the last event of another thread to this event.
    pub(crate) fn follow(&mut self, node: Node, other: u32) {
        if let Some((last, _)) = self.thread(other).last {
            self.graph.add(last, node, Edge::Sync);
        }
    }

    pub(crate) fn read(&mut self, thread: u32, node: Node, bytes: Bytes) -> Source {
        if let Some(at) = self.newest_buffered(thread, bytes) {
            let stored = &mut self.threads[thread as usize].buffer[at];
            stored.readers.push((node, bytes));
            return Source::OwnBuffer(stored.node);
        }
        let mut source = None;
        for cell in self.cells_of(bytes) {
            let content = &mut self.contents[cell.0 as usize];
            if let Some(write) = content.write {
                self.graph.add(write, node, Edge::ReadsFrom);
                source = source.or(Some(write));
            }
            content.reads.push(node);
        }
        Source::Memory(source)
    }

    /// Records a write to memory.
    pub(crate) fn write(&mut self, node: Node, bytes: Bytes) {
        self.overwrite(node, bytes, &[]);
    }

    /// Records a write to memory that also reads the previous writes.
    pub(crate) fn read_and_write(&mut self, node: Node, bytes: Bytes) -> Option<Node> {
        let cells = self.cells_of(bytes);
        let found: SmallVec<[Node; 2]> =
            cells.iter().filter_map(|cell| self.contents[cell.0 as usize].write).collect();
        self.overwrite(node, bytes, &[]);
        // Added after the coherence edges, because a path prefers edges that were added first.
        found.iter().for_each(|write| self.graph.add(*write, node, Edge::ReadsFrom));
        found.first().copied()
    }

    fn overwrite(&mut self, node: Node, bytes: Bytes, readers: &[(Node, Bytes)]) {
        let own = self.cells_of(bytes);
        for cell in &own {
            let Content { write, reads } = &mut self.contents[cell.0 as usize];
            if let Some(write) = write.replace(node) {
                self.graph.add(write, node, Edge::Coherence);
            }
            for read in reads.drain(..).filter(|read| *read != node) {
                self.graph.add(read, node, Edge::FromRead);
            }
        }
        for (reader, bytes) in readers {
            for cell in self.cells_of(*bytes).into_iter().filter(|cell| own.contains(cell)) {
                self.contents[cell.0 as usize].reads.push(*reader);
            }
        }
    }

    /// Puts a store into its thread's buffer; `store` is its index among the thread's stores.
    pub(crate) fn buffer(&mut self, thread: u32, node: Node, store: u32, bytes: Bytes) {
        let cells = self.cells_of(bytes);
        let Thread { buffer, newest, .. } = self.thread(thread);
        buffer.push_back(Stored { node, store, bytes, readers: Vec::new() });
        newest.extend(cells.into_iter().map(|cell| (cell, store)));
    }

    /// Removes a store from its thread's buffer. Returns the store and its position in the buffer.
    pub(crate) fn leave(&mut self, thread: u32, store: u32) -> Option<(Stored, usize)> {
        let at = self.thread(thread).position(store)?;
        let stored = self.threads[thread as usize].buffer.remove(at)?;
        for cell in self.cells_of(stored.bytes) {
            let newest = &mut self.threads[thread as usize].newest;
            if newest.get(&cell) == Some(&store) {
                newest.remove(&cell);
            }
        }
        self.overwrite(stored.node, stored.bytes, &stored.readers);
        Some((stored, at))
    }

    /// An upper bound on the number of threads.
    pub(crate) fn threads(&self) -> u32 {
        self.threads.len() as u32
    }

    /// The stores in a thread's buffer, in program order.
    pub(crate) fn buffered(&self, thread: u32) -> &VecDeque<Stored> {
        &self.threads[thread as usize].buffer
    }

    /// The position in a thread's buffer of the newest store that overlaps some bytes.
    pub(crate) fn newest_buffered(&mut self, thread: u32, bytes: Bytes) -> Option<usize> {
        if self.thread(thread).buffer.is_empty() {
            return None;
        }
        let cells = self.cells_of(bytes);
        let thread = &self.threads[thread as usize];
        let store = cells.iter().filter_map(|cell| thread.newest.get(cell)).max()?;
        thread.position(*store)
    }

    /// Ends the execution: stores that never left the buffer come after everything in memory, and are
    /// unordered among themselves. No event may be added after this.
    pub(crate) fn finish(&mut self, nodes: usize) {
        for thread in 0..self.threads.len() {
            for stored in std::mem::take(&mut self.threads[thread].buffer) {
                for cell in self.cells_of(stored.bytes) {
                    let Content { write, reads } = &self.contents[cell.0 as usize];
                    if let Some(write) = write {
                        self.graph.add(*write, stored.node, Edge::Coherence);
                    }
                    reads
                        .iter()
                        .for_each(|read| self.graph.add(*read, stored.node, Edge::FromRead));
                }
            }
        }
        self.graph.index(nodes);
    }

    /// The last write to an address.
    pub(crate) fn newest_write(&self, addr: u64) -> Option<Node> {
        let cell = *self.cells.touched(addr, 1).first()?;
        self.contents[cell.0 as usize].write
    }
}

impl Thread {
    /// The position of a store in the buffer, which is in program order.
    fn position(&self, store: u32) -> Option<usize> {
        self.buffer.binary_search_by_key(&store, |stored| stored.store).ok()
    }
}
