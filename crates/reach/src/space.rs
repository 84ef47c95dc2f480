//! The set of visited states, stored exactly and in few bytes each.
//!
//! Tree compression: a state is a row of components (byte strings). Each component gets a number in a
//! table of strings. The numbers are combined to a binary tree of pairs, and each inner pair gets a number
//! in turn. A state is stored as the root of its tree, which is a pair, together with the root of the
//! state it was first reached from. Many states share components and inner pairs, so a state costs little
//! more than these two roots: sixteen bytes, plus the free slots of the table.
//!
//! The components that do not belong to a thread (memory, and the part of the state outside the machine)
//! form a tree of their own. Its number stands for them: the *world*. If the number of threads is known,
//! the world is the last leaf, after the threads. Otherwise the world is the right half of the root, so
//! that it can be read first: its head says how many threads the state has.

use crate::recent::Recent;
use crate::roots::{Edge, Pair, Pending, Rank, Roots, pair, position, unpair};
use crate::tables::{Number, Pairs, Strings};
use crate::tree::Tree;

/// A state, identified by the root of its tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct StateId(Pair);

impl StateId {
    /// Notes that an edge leads to the state, which is added later.
    pub(crate) fn defer(self, rank: Rank, pending: &mut Pending) {
        pending.push(self.0, rank);
    }

    /// The state that an edge leads to.
    pub(crate) fn of(edge: &Edge) -> StateId {
        StateId(edge.key)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Space {
    strings: Strings,
    inner: Pairs,
    roots: Roots,
    /// The number of threads of every state, if it is known and constant.
    threads: Option<usize>,
}

/// The encoding of a state: its components one after the other, with the end of each, and a head that
/// says how many there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub head: Vec<u8>,
    pub bytes: Vec<u8>,
    pub ends: Vec<u32>,
    /// The number of components that are threads; the others are memory.
    pub threads: usize,
}

impl Row {
    pub(crate) fn clear(&mut self) {
        self.head.clear();
        self.bytes.clear();
        self.ends.clear();
        self.threads = 0;
    }

    /// Ends a component: the bytes appended since the last call.
    pub(crate) fn end_component(&mut self) {
        self.ends.push(self.bytes.len() as u32);
    }

    pub(crate) fn component(&self, n: usize) -> &[u8] {
        let start = n.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[n] as usize]
    }

    /// The components of memory.
    pub(crate) fn memory(&self) -> impl Iterator<Item = &[u8]> {
        (self.threads..self.ends.len()).map(|n| self.component(n))
    }
}

/// Buffers of one worker, reused between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    body: Tree,
    memory: Tree,
    /// The world of the state whose head was read last.
    world: Number,
    numbers: Vec<Number>,
    string: Vec<u8>,
}

impl Space {
    /// A space whose states all have this number of threads, if it is known.
    pub(crate) fn new(threads: Option<usize>) -> Space {
        Space { threads, ..Space::default() }
    }

    /// The id of a state, without adding it.
    pub(crate) fn id(&self, row: &Row, scratch: &mut Scratch) -> StateId {
        // `world` uses `scratch.numbers` too, so it comes first.
        let world = self.world(row, scratch);
        let numbers = &mut scratch.numbers;
        numbers.clear();
        numbers.extend((0..row.threads).map(|n| self.strings.number(row.component(n))));
        if self.threads.is_some() {
            numbers.push(world);
        }
        scratch.body.fold(&scratch.numbers, &self.inner);
        StateId(match self.threads {
            Some(_) => scratch.body.root(),
            None => pair(scratch.body.number(&self.inner), world),
        })
    }

    /// Adds the initial state.
    pub(crate) fn add_first(&self, state: StateId) {
        self.roots.insert_first(state.0);
    }

    /// The number of the world of a row.
    pub(crate) fn world(&self, row: &Row, scratch: &mut Scratch) -> Number {
        scratch.numbers.clear();
        scratch.numbers.extend(row.memory().map(|group| self.strings.number(group)));
        scratch.memory.fold(&scratch.numbers, &self.inner);
        let head = self.strings.number(&row.head);
        self.inner.number(head, scratch.memory.number(&self.inner))
    }

    /// Replaces the component of a thread and the world (the last leaf) in `tree`, and returns the id of
    /// that state without adding it. Only if the number of threads is known.
    pub(crate) fn changed(
        &self,
        tree: &mut Tree,
        (thread, own, world): (usize, Number, Number),
        recent: &mut Recent,
    ) -> StateId {
        let last = tree.leaves().len() - 1;
        let mut number = |a, b| recent.number(a, b, &self.inner);
        tree.change((thread, own), (last, world), &mut number);
        StateId(tree.root())
    }

    /// Adds the states that the pending edges from a level's states lead to: see [`Roots::insert_all`].
    pub(crate) fn add_all(
        &self,
        pending: &mut Pending,
        level: &[StateId],
        ranked: bool,
        fresh: &mut Vec<Edge>,
    ) {
        self.roots.insert_all(pending, ranked, |rank| level[position(rank)].0, fresh);
    }

    /// Decides which edges of a level count, when it ends: see [`Roots::settle`].
    pub(crate) fn settle(&self, edges: &mut Vec<Edge>, level: &[StateId]) {
        self.roots.settle(edges, |rank| level[position(rank)].0);
    }

    /// The number of a component.
    pub(crate) fn number(&self, string: &[u8]) -> Number {
        self.strings.number(string)
    }

    /// Makes `tree` the tree of a state, with the world as its last leaf. Only if the number of threads is
    /// known.
    pub(crate) fn open(&self, state: StateId, tree: &mut Tree) {
        tree.unfold(state.0, self.threads.unwrap_or(0) + 1, &self.inner);
    }

    /// Reads the head of a state into `out`. Must precede [`Space::components`] of the same state, which
    /// uses the world and the tree left in `scratch`.
    pub(crate) fn head(&self, state: StateId, scratch: &mut Scratch, out: &mut Vec<u8>) {
        scratch.world = match self.threads {
            None => unpair(state.0).1,
            Some(threads) => {
                self.open(state, &mut scratch.body);
                scratch.body.leaves()[threads]
            }
        };
        self.strings.read(self.inner.get(scratch.world).0, out);
    }

    /// Calls `visit` with each component of the state whose head was read last: first those of its threads,
    /// then the groups of memory, in the given numbers.
    pub(crate) fn components(
        &self,
        state: StateId,
        (threads, groups): (usize, usize),
        scratch: &mut Scratch,
        mut visit: impl FnMut(usize, &[u8]),
    ) {
        let Scratch { body, memory, string, world, .. } = scratch;
        if self.threads.is_none() {
            body.unfold_number(unpair(state.0).0, threads, &self.inner);
        }
        memory.unfold_number(self.inner.get(*world).1, groups, &self.inner);
        let numbers = body.leaves()[..threads].iter().chain(memory.leaves());
        for (n, number) in numbers.enumerate() {
            self.strings.read(*number, string);
            visit(n, string);
        }
    }

    /// The state that this one was first reached from.
    pub(crate) fn parent(&self, state: StateId) -> Option<StateId> {
        self.roots.from(state.0).map(StateId)
    }

    /// The number of states.
    pub(crate) fn len(&self) -> u64 {
        self.roots.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.strings.bytes() + self.inner.bytes() + self.roots.bytes()) as u64
    }

    /// Whether the 32-bit numbers of the parts of states may run out soon.
    pub(crate) fn is_full(&self) -> bool {
        self.inner.is_full() || self.strings.is_full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(length: u8, threads: usize) -> Row {
        let mut row = Row { head: vec![length], threads, ..Row::default() };
        for n in 0..length {
            row.bytes.extend((0..n % 4).map(|m| length ^ n ^ m));
            row.end_component();
        }
        row
    }

    fn comes_back(space: &Space, row: &Row) {
        let mut scratch = Scratch::default();
        let state = space.id(row, &mut scratch);
        assert_eq!(space.id(row, &mut scratch), state);
        let (mut again, mut head, mut seen) = (Scratch::default(), Vec::new(), 0);
        space.head(state, &mut again, &mut head);
        assert_eq!(head, row.head);
        let counts = (row.threads, row.ends.len() - row.threads);
        space.components(state, counts, &mut again, |n, bytes| {
            assert_eq!(bytes, row.component(n));
            seen += 1;
        });
        assert_eq!(seen, row.ends.len());
    }

    #[test]
    fn rows_of_any_length_come_back() {
        let space = Space::new(None);
        (0..12).for_each(|length| comes_back(&space, &row(length, usize::from(length / 2))));
        for threads in 0..6 {
            let space = Space::new(Some(threads));
            (threads..12).for_each(|length| comes_back(&space, &row(length as u8, threads)));
        }
    }
}
