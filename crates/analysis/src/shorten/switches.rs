//! Orders of steps with few changes of thread.
//!
//! To find the fewest changes is NP-hard. These orders are greedy: a thread goes on while one of its steps is
//! free. What differs is the thread that comes next, and whether the order is made from its start or from its
//! end.

use crate::cycle::Node;
use crate::cycle::graph::{Graph, Neighbours};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The number of steps ahead for which runs of threads are compared.
const AHEAD: usize = 256;

/// The number of times that the thread changes.
pub(crate) fn count(threads: impl Iterator<Item = u32>) -> usize {
    let (mut last, mut changes) = (None, 0);
    for thread in threads {
        changes += usize::from(last.is_some_and(|last| last != thread));
        last = Some(thread);
    }
    changes
}

/// The thread that comes next, when the current one has to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    /// The one with the first step.
    First,
    /// The one that goes on longest.
    Longest,
}

/// Orders of the nodes of a graph, each of which respects all edges. Of the free steps of a thread, those come
/// first that are not `late`. Empty if there is a cycle.
pub(super) fn orders(threads: &[u32], late: &[bool], graph: &Graph) -> Vec<Vec<Node>> {
    let (next, before) = (graph.next(), graph.before());
    let ranks: Vec<Rank> = late.iter().enumerate().map(|(n, late)| (*late, n as u32)).collect();
    let backwards: Vec<Rank> =
        ranks.iter().enumerate().map(|(n, (late, _))| (!late, (ranks.len() - n) as u32)).collect();
    let mut found = Vec::new();
    for rule in [Next::First, Next::Longest] {
        found.extend(order(threads, &ranks, next, rule));
        found.extend(order(threads, &backwards, &before, rule).map(|mut order| {
            order.reverse();
            order
        }));
    }
    found
}

/// An order of all events that respects all edges and changes the thread seldom; `None` if there is a cycle.
pub(crate) fn sorted(threads: &[u32], graph: &Graph) -> Option<Vec<Node>> {
    let late = vec![false; threads.len()];
    orders(threads, &late, graph)
        .into_iter()
        .min_by_key(|order| count(order.iter().map(|n| threads[*n])))
}

/// The place of a step among the free ones of its thread: whether it is late, and its number.
type Rank = (bool, u32);

/// The steps that are free, by thread, and what the others wait for.
struct Free<'a> {
    threads: &'a [u32],
    ranks: &'a [Rank],
    next: &'a Neighbours,
    waits: Vec<u32>,
    ready: BTreeMap<u32, BinaryHeap<Reverse<(Rank, u32)>>>,
}

fn order(threads: &[u32], ranks: &[Rank], next: &Neighbours, rule: Next) -> Option<Vec<Node>> {
    let mut free =
        Free { threads, ranks, next, waits: vec![0; threads.len()], ready: BTreeMap::new() };
    for node in 0..threads.len() {
        for (to, _) in next.of(node) {
            free.waits[*to as usize] += 1;
        }
    }
    for node in 0..threads.len() {
        if free.waits[node] == 0 {
            free.add(node);
        }
    }
    let mut order = Vec::with_capacity(threads.len());
    let mut current = None;
    while let Some(thread) = current.or_else(|| free.choose(rule)) {
        let node = free.ready.get_mut(&thread).and_then(BinaryHeap::pop);
        let Some(Reverse((_, node))) = node else {
            free.ready.remove(&thread);
            current = None;
            continue;
        };
        current = Some(thread);
        order.push(node as Node);
        free.done(node as Node);
    }
    (order.len() == threads.len()).then_some(order)
}

impl Free<'_> {
    fn add(&mut self, node: Node) {
        let ready = self.ready.entry(self.threads[node]).or_default();
        ready.push(Reverse((self.ranks[node], node as u32)));
    }

    fn done(&mut self, node: Node) {
        for (to, _) in self.next.of(node) {
            let to = *to as usize;
            self.waits[to] -= 1;
            if self.waits[to] == 0 {
                self.add(to);
            }
        }
    }

    /// The next thread; `None` if no step is free.
    fn choose(&mut self, rule: Next) -> Option<u32> {
        self.ready.retain(|_, ready| !ready.is_empty());
        let first =
            |ready: &BinaryHeap<_>| ready.peek().map(|Reverse(((_, rank), _))| Reverse(*rank));
        let threads: Vec<(u32, Option<Reverse<u32>>)> =
            self.ready.iter().map(|(thread, ready)| (*thread, first(ready))).collect();
        let best = threads.into_iter().max_by_key(|(thread, first)| {
            let run = if rule == Next::Longest { self.run(*thread) } else { 0 };
            (run, *first)
        });
        best.map(|(thread, _)| thread)
    }

    /// How many steps a thread can make before another thread has to.
    fn run(&mut self, thread: u32) -> usize {
        let mut work: Vec<u32> = match self.ready.get(&thread) {
            Some(ready) => ready.iter().map(|Reverse((_, node))| *node).take(AHEAD).collect(),
            None => return 0,
        };
        let mut steps = 0;
        let mut done = Vec::new();
        while let Some(node) = work.pop() {
            steps += 1;
            if steps >= AHEAD {
                break;
            }
            for (to, _) in self.next.of(node as Node) {
                let waits = &mut self.waits[*to as usize];
                *waits -= 1;
                done.push(*to);
                if *waits == 0 && self.threads[*to as usize] == thread {
                    work.push(*to);
                }
            }
        }
        done.into_iter().for_each(|to| self.waits[to as usize] += 1);
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::Edge;

    fn graph(nodes: usize, edges: &[(Node, Node)]) -> Graph {
        let mut graph = Graph::default();
        edges.iter().for_each(|(from, to)| graph.add(*from, *to, Edge::Sync));
        graph.index(nodes);
        graph
    }

    fn best(threads: &[u32], edges: &[(Node, Node)]) -> Option<Vec<u32>> {
        let order = sorted(threads, &graph(threads.len(), edges))?;
        for (from, to) in edges {
            let place = |node: &Node| order.iter().position(|n| n == node);
            assert!(place(from) < place(to), "{from} before {to} in {order:?}");
        }
        Some(order.into_iter().map(|n| threads[n]).collect())
    }

    #[test]
    fn threads_go_on_while_they_can() {
        let own = [(0, 2), (2, 4), (1, 3), (3, 5)];
        assert_eq!(best(&[0, 1, 0, 1, 0, 1], &own), Some(vec![0, 0, 0, 1, 1, 1]));
        let needs = [own.as_slice(), &[(3, 2)]].concat();
        assert_eq!(best(&[0, 1, 0, 1, 0, 1], &needs), Some(vec![1, 1, 1, 0, 0, 0]));
        assert_eq!(best(&[0, 1], &[(0, 1), (1, 0)]), None);
    }

    #[test]
    fn updates_come_as_early_as_they_may() {
        let late = [true, true, false];
        let found = orders(&[0, 0, 0], &late, &graph(3, &[(0, 1), (0, 2)]));
        assert_eq!(found[0], [0, 2, 1]);
    }

    #[test]
    fn changes_are_counted_between_neighbours() {
        assert_eq!(count([1, 1, 2, 1].into_iter()), 2);
        assert_eq!(count([].into_iter()), 0);
    }
}
