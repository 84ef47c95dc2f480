//! A graph of events with typed edges.
//!
//! Edges are added in any order. [`Graph::index`] then sorts them by their source event, and all queries use
//! the sorted edges. Every query takes linear time, except [`Graph::shortest_cycle`], which searches once
//! from each event that is on a cycle.

use super::components::components;
use super::{Edge, Link, Node};
use std::collections::VecDeque;

/// Events and the edges between them; the tables can be reused for another execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    edges: Vec<(u32, u32, Edge)>,
    next: Neighbours,
    /// For [`Graph::is_cyclic`]: the number of remaining edges into each event, and the events without any.
    waits: Vec<u32>,
    ready: Vec<u32>,
}

/// For each event, its edges in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    starts: Vec<u32>,
    targets: Vec<(u32, Edge)>,
}

impl Neighbours {
    fn index(
        &mut self,
        nodes: usize,
        edges: impl DoubleEndedIterator<Item = (u32, u32, Edge)> + Clone,
    ) {
        self.starts.clear();
        self.starts.resize(nodes + 1, 0);
        let mut count = 0;
        for (from, ..) in edges.clone() {
            self.starts[from as usize] += 1;
            count += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.targets.clear();
        self.targets.resize(count, (0, Edge::Program));
        // Backwards, so that the edges of each event keep their order.
        for (from, to, edge) in edges.rev() {
            let at = &mut self.starts[from as usize];
            *at -= 1;
            self.targets[*at as usize] = (to, edge);
        }
    }

    /// The number of events.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn of(&self, node: Node) -> &[(u32, Edge)] {
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

impl Graph {
    /// Removes all edges.
    pub(crate) fn clear(&mut self) {
        self.edges.clear();
    }

    pub(crate) fn add(&mut self, from: Node, to: Node, edge: Edge) {
        self.edges.push((from as u32, to as u32, edge));
    }

    /// Sorts the edges that were added; there are `nodes` events.
    pub(crate) fn index(&mut self, nodes: usize) {
        self.next.index(nodes, self.edges.iter().copied());
    }

    /// The edges out of each event.
    pub(crate) fn next(&self) -> &Neighbours {
        &self.next
    }

    /// The edges into each event.
    pub(crate) fn before(&self) -> Neighbours {
        let mut before = Neighbours::default();
        let reversed = self.edges.iter().map(|(from, to, edge)| (*to, *from, *edge));
        before.index(self.next.len(), reversed);
        before
    }

    /// Marks the events that some events follow from, including these events.
    pub(crate) fn past(&self, of: impl IntoIterator<Item = Node>) -> Vec<bool> {
        let before = self.before();
        let mut past = vec![false; before.len()];
        let mut work: Vec<Node> = of.into_iter().collect();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut past[node], true) {
                let informed_by = before.of(node).iter().filter(|(_, edge)| edge.informs());
                work.extend(informed_by.map(|(earlier, _)| *earlier as Node));
            }
        }
        past
    }

    /// For each event of a part, the number of its component: two events with the same number lie on a
    /// common cycle.
    pub(crate) fn cycles(&self, part: &[bool]) -> Vec<Node> {
        components(&self.next, part)
    }

    /// Repeatedly removes an event without incoming edges; those on cycles remain.
    pub(crate) fn is_cyclic(&mut self) -> bool {
        let Graph { edges, next, waits, ready } = self;
        waits.clear();
        waits.resize(next.len(), 0);
        for (_, to, _) in edges.iter() {
            waits[*to as usize] += 1;
        }
        let free = waits.iter().enumerate().filter(|(_, waits)| **waits == 0);
        ready.clear();
        ready.extend(free.map(|(node, _)| node as u32));
        let mut removed = 0;
        while let Some(node) = ready.pop() {
            removed += 1;
            for (to, _) in next.of(node as Node) {
                let waits = &mut waits[*to as usize];
                *waits -= 1;
                if *waits == 0 {
                    ready.push(*to);
                }
            }
        }
        removed < next.len()
    }

    /// A shortest path from one event to another, each event with its edge to the next; the last link
    /// leads to `to`. From an event to itself: a shortest cycle. Only paths with fewer than `below`
    /// links, within the events for which `inside` holds.
    pub(crate) fn path(
        &self,
        from: Node,
        to: Node,
        below: usize,
        inside: impl Fn(Node) -> bool,
    ) -> Option<Vec<Link>> {
        let mut found: Vec<Option<Link>> = vec![None; self.next.len()];
        let mut work = VecDeque::from([(from, 0)]);
        while let Some((node, length)) = work.pop_front() {
            if length + 1 >= below || found[to].is_some() {
                break;
            }
            for (next, edge) in self.next.of(node) {
                let next = *next as Node;
                if found[next].is_none() && inside(next) {
                    found[next] = Some(Link { event: node, edge: *edge });
                    work.push_back((next, length + 1));
                }
            }
        }
        let mut path = vec![found[to]?];
        while let Some(link) = path.last().filter(|link| link.event != from) {
            path.push(found[link.event]?);
        }
        path.reverse();
        Some(path)
    }

    /// The shortest cycle within a part; of several, the one through the earliest event. Empty if no
    /// cycle exists.
    pub(crate) fn shortest_cycle(&self, part: &[bool]) -> Vec<Link> {
        let cycles = self.cycles(part);
        let mut shortest: Vec<Link> = Vec::new();
        for start in (0..self.next.len()).filter(|node| part[*node]) {
            let below = if shortest.is_empty() { usize::MAX } else { shortest.len() };
            let together = |node: Node| part[node] && cycles[node] == cycles[start];
            if !self.next.of(start).iter().any(|(next, _)| together(*next as Node)) {
                continue;
            }
            shortest = self.path(start, start, below, together).unwrap_or(shortest);
        }
        shortest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, edges: &[(Node, Node)]) -> Graph {
        let mut graph = Graph::default();
        edges.iter().for_each(|(from, to)| graph.add(*from, *to, Edge::Coherence));
        graph.index(nodes);
        graph
    }

    #[test]
    fn the_shortest_cycle_is_within_the_part() {
        let graph = graph(5, &[(0, 1), (1, 2), (2, 0), (1, 3), (3, 1), (4, 0)]);
        let events = |part: &[bool]| -> Vec<Node> {
            graph.shortest_cycle(part).iter().map(|link| link.event).collect()
        };
        assert_eq!(events(&[true; 5]), [1, 3]);
        assert_eq!(events(&[true, true, true, false, true]), [0, 1, 2]);
        assert!(events(&[false, true, true, false, true]).is_empty());
    }

    #[test]
    fn a_graph_is_cyclic_if_some_events_wait_for_each_other() {
        assert!(!graph(4, &[(3, 0), (2, 0), (3, 2)]).is_cyclic());
        assert!(graph(3, &[(0, 1), (1, 0)]).is_cyclic());
    }
}
