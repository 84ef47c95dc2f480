//! Strongly connected components (Tarjan, *Depth-first search and linear graph algorithms*, 1972). The
//! search does not recurse, because executions can be long.

use super::Node;
use super::graph::Neighbours;

/// For each node, the representative of its component in a part of a graph. A node outside of the part is
/// a component of its own. `part` has one entry for each node.
pub(super) fn components(next: &Neighbours, part: &[bool]) -> Vec<Node> {
    let mut walk = Walk {
        next,
        part,
        number: vec![0; next.len()],
        low: vec![0; next.len()],
        open: vec![false; next.len()],
        stack: Vec::new(),
        count: 0,
        of: (0..next.len()).collect(),
    };
    for (node, inside) in part.iter().enumerate() {
        if *inside && walk.number[node] == 0 {
            walk.from(node);
        }
    }
    walk.of
}

struct Walk<'g> {
    next: &'g Neighbours,
    part: &'g [bool],
    /// The order of discovery, from 1; 0 if the node is not discovered yet.
    number: Vec<usize>,
    low: Vec<usize>,
    /// Whether the component of a node is still incomplete.
    open: Vec<bool>,
    stack: Vec<usize>,
    count: usize,
    of: Vec<usize>,
}

impl Walk<'_> {
    fn from(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.discover(root);
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            let Some((to, _)) = self.next.of(node).get(*edge).copied() else {
                path.pop();
                self.close(node);
                if let Some((parent, _)) = path.last() {
                    self.low[*parent] = self.low[*parent].min(self.low[node]);
                }
                continue;
            };
            *edge += 1;
            let to = to as Node;
            if !self.part[to] {
                continue;
            }
            if self.number[to] == 0 {
                self.discover(to);
                path.push((to, 0));
            } else if self.open[to] {
                self.low[node] = self.low[node].min(self.number[to]);
            }
        }
    }

    fn discover(&mut self, node: usize) {
        self.count += 1;
        self.number[node] = self.count;
        self.low[node] = self.count;
        self.open[node] = true;
        self.stack.push(node);
    }

    fn close(&mut self, node: usize) {
        if self.low[node] != self.number[node] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.open[member] = false;
            self.of[member] = node;
            if member == node {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, graph::Graph};
    use super::*;

    fn found(edges: &[(Node, Node)], part: &[bool]) -> Vec<Node> {
        let mut graph = Graph::default();
        edges.iter().for_each(|(from, to)| graph.add(*from, *to, Edge::Program));
        graph.index(part.len());
        components(graph.next(), part)
    }

    #[test]
    fn cycles_are_found_and_kept_apart() {
        let found = found(&[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0)], &[true; 6]);
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert_eq!(found[3], found[4]);
        assert!(found[0] != found[3] && found[5] == 5);
    }

    #[test]
    fn nodes_outside_of_the_part_do_not_count() {
        let found = found(&[(0, 1), (1, 2), (2, 0)], &[true, false, true]);
        assert_eq!(found, [0, 1, 2]);
    }
}
