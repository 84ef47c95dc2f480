//! By cycles: the model is explored, and a trace whose program and conflict order have a cycle is no
//! trace under SC (Shasha and Snir, 1988).
//!
//! A buffered store is one node: its place in program order is where it was stored, its place among
//! the writes of its bytes is where it left the buffer. A load that its own thread's buffer served
//! comes before what overwrites the store.

use super::witness::witness;
use super::{Finding, Gap, gaps, options, unconfirmed};
use raddle_interleave::{Budget, Happening, Limits, Model, What, observe};
use raddle_ir::Program;
use raddle_monitor::{Address, Cells};
use std::ops::ControlFlow;

pub(super) fn decide(program: &Program, model: Model, limits: &Limits) -> Finding {
    let (mut found, mut gap) = (None, None);
    let mut graph = Graph { cells: Cells::within(&limits.budget), ..Graph::default() };
    let options = options(model, limits);
    let summary = observe(program, &options, false, &mut |execution| {
        if !graph.is_cyclic(execution.happened, &limits.budget) {
            return ControlFlow::Continue(());
        }
        let budget = limits.budget.for_report();
        found = witness(program, model, &budget, execution.schedule());
        if found.is_some() {
            return ControlFlow::Break(());
        }
        gap = Some(unconfirmed(&budget));
        ControlFlow::Continue(())
    });
    let mut gaps = gaps(&summary);
    gaps.extend(gap.filter(|gap| *gap == Gap::Unconfirmed));
    let violated = found.is_some();
    Finding { witness: found, violated, gaps, searches: vec![(model, summary)] }
}

type Node = u32;

/// What is known of a cell on the way.
#[derive(Clone, Debug, Default)]
struct Place {
    write: Option<Node>,
    /// Loads since.
    reads: Vec<Node>,
}

/// A store in a buffer.
#[derive(Clone, Debug)]
struct Stored {
    node: Node,
    store: u32,
    addr: u64,
    bytes: u32,
    /// Loads that it served, with their bytes.
    readers: Vec<(Node, u64, u32)>,
}

#[derive(Clone, Debug, Default)]
struct Local {
    /// The last node in program order.
    last: Option<Node>,
    buffer: Vec<Stored>,
}

/// The order of a trace; what it holds is used again for the next.
#[derive(Clone, Debug, Default)]
struct Graph {
    cells: Cells,
    places: Vec<Place>,
    threads: Vec<Local>,
    edges: Vec<(Node, Node)>,
    nodes: Node,
    /// Edges into each node that are not done, and where its edges begin.
    degrees: Vec<u32>,
    starts: Vec<u32>,
    targets: Vec<Node>,
    ready: Vec<Node>,
}

impl Graph {
    /// False if the budget is spent on the way.
    fn is_cyclic(&mut self, happened: &[Happening], budget: &Budget) -> bool {
        self.restart();
        for happening in happened {
            if budget.is_spent() {
                return false;
            }
            self.cells.add(happening.addr, happening.bytes, true);
        }
        self.places.resize(self.cells.len(), Place::default());
        for happening in happened {
            if budget.is_spent() {
                return false;
            }
            self.add(happening);
        }
        self.flush();
        self.has_cycle()
    }

    fn restart(&mut self) {
        for place in &mut self.places {
            place.write = None;
            place.reads.clear();
        }
        self.threads.clear();
        self.edges.clear();
        self.nodes = 0;
    }

    fn local(&mut self, thread: u32) -> &mut Local {
        let at = thread as usize;
        if at >= self.threads.len() {
            self.threads.resize(at + 1, Local::default());
        }
        &mut self.threads[at]
    }

    /// The thread's next node in program order.
    fn node(&mut self, thread: u32) -> Node {
        let node = self.nodes;
        self.nodes += 1;
        if let Some(last) = self.local(thread).last.replace(node) {
            self.edges.push((last, node));
        }
        node
    }

    fn add(&mut self, happening: &Happening) {
        let Happening { thread, what, addr, bytes, .. } = *happening;
        match what {
            What::Read => {
                let node = self.node(thread);
                self.read(thread, node, addr, bytes);
            }
            What::Write(_) | What::Locked { writes: true } => {
                let node = self.node(thread);
                self.write(node, addr, bytes, &[]);
            }
            What::Locked { writes: false } => {
                let node = self.node(thread);
                self.read(thread, node, addr, bytes);
            }
            What::Buffer { store, .. } => {
                let node = self.node(thread);
                let readers = Vec::new();
                self.local(thread).buffer.push(Stored { node, store, addr, bytes, readers });
            }
            What::Update { store } => {
                let buffer = &mut self.local(thread).buffer;
                if let Some(at) = buffer.iter().position(|stored| stored.store == store) {
                    let stored = buffer.remove(at);
                    self.write(stored.node, addr, bytes, &stored.readers);
                }
            }
            What::Spawn(child) => {
                let node = self.node(thread);
                self.local(child).last = Some(node);
            }
            What::Join(other) | What::Woken(other) => {
                let node = self.node(thread);
                if let Some(last) = self.local(other).last {
                    self.edges.push((last, node));
                }
            }
            What::Choice | What::Fence(_) => {}
        }
    }

    fn cells_of(&mut self, addr: u64, bytes: u32) -> smallvec::SmallVec<[Address; 2]> {
        self.cells.of(addr, bytes).into()
    }

    fn read(&mut self, thread: u32, node: Node, addr: u64, bytes: u32) {
        let end = addr.saturating_add(bytes.into());
        let mut buffer = self.local(thread).buffer.iter_mut().rev();
        let overlaps = |stored: &&mut Stored| {
            stored.addr < end && addr < stored.addr.saturating_add(stored.bytes.into())
        };
        if let Some(stored) = buffer.find(overlaps) {
            return stored.readers.push((node, addr, bytes));
        }
        for cell in self.cells_of(addr, bytes) {
            let place = &mut self.places[cell.0 as usize];
            self.edges.extend(place.write.map(|write| (write, node)));
            place.reads.push(node);
        }
    }

    fn write(&mut self, node: Node, addr: u64, bytes: u32, readers: &[(Node, u64, u32)]) {
        let own = self.cells_of(addr, bytes);
        for cell in &own {
            let place = &mut self.places[cell.0 as usize];
            let earlier = place.write.iter().chain(&place.reads);
            self.edges.extend(earlier.filter(|n| **n != node).map(|earlier| (*earlier, node)));
            place.write = Some(node);
            place.reads.clear();
        }
        for (reader, from, bytes) in readers {
            for cell in self.cells_of(*from, *bytes).into_iter().filter(|cell| own.contains(cell)) {
                self.places[cell.0 as usize].reads.push(*reader);
            }
        }
    }

    /// Stores that never left come after all that is in memory.
    fn flush(&mut self) {
        let left: Vec<Stored> = self.threads.iter_mut().flat_map(|t| t.buffer.drain(..)).collect();
        for stored in left {
            for cell in self.cells_of(stored.addr, stored.bytes) {
                let place = &self.places[cell.0 as usize];
                let earlier = place.write.iter().chain(&place.reads);
                self.edges.extend(earlier.map(|earlier| (*earlier, stored.node)));
            }
        }
    }

    /// Takes away nodes that nothing comes before, for as long as there are any.
    fn has_cycle(&mut self) -> bool {
        let nodes = self.nodes as usize;
        self.sort_edges(nodes);
        self.ready.clear();
        self.ready.extend((0..self.nodes).filter(|node| self.degrees[*node as usize] == 0));
        let mut done = 0;
        while let Some(node) = self.ready.pop() {
            done += 1;
            let [start, end] = [node, node + 1].map(|n| self.starts[n as usize] as usize);
            for target in &self.targets[start..end] {
                let degree = &mut self.degrees[*target as usize];
                *degree -= 1;
                if *degree == 0 {
                    self.ready.push(*target);
                }
            }
        }
        done < nodes
    }

    /// The edges by where they begin, and how many end where.
    fn sort_edges(&mut self, nodes: usize) {
        self.degrees.clear();
        self.degrees.resize(nodes, 0);
        self.starts.clear();
        self.starts.resize(nodes + 1, 0);
        for (from, to) in &self.edges {
            self.starts[*from as usize] += 1;
            self.degrees[*to as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.targets.clear();
        self.targets.resize(self.edges.len(), 0);
        for (from, to) in &self.edges {
            let at = &mut self.starts[*from as usize];
            *at -= 1;
            self.targets[*at as usize] = *to;
        }
    }
}
