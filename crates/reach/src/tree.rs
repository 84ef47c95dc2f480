//! A binary tree of pairs over a row of numbers, with a pair as its root.
//!
//! All nodes of a tree are in one array, level by level from the leaves up. So after a change of one or
//! two leaves, only the paths from them to the top are computed again. The last level has at most two
//! nodes. These two are the root; the root itself gets a number only if the caller asks for it.

use crate::roots::{Pair, pair, unpair};
use crate::tables::{Number, Pairs};

/// The nodes of one tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Number>,
    /// The number of nodes of each level, from the leaves up. The last level has at most two.
    widths: Vec<usize>,
}

/// A placeholder for a missing node of a root. A node may have the same number; the number of leaves
/// tells them apart.
const NOTHING: Number = 0;

impl Tree {
    /// Allocates the levels of a tree with this number of leaves.
    fn shape(&mut self, leaves: usize) {
        if self.widths.first() == Some(&leaves) {
            return;
        }
        // Every level has half the nodes of the one below, rounded up.
        self.widths.clear();
        let mut width = leaves;
        while width > 2 {
            self.widths.push(width);
            width = width.div_ceil(2);
        }
        self.widths.push(width);
        self.nodes.clear();
        self.nodes.resize(self.widths.iter().sum(), NOTHING);
    }

    /// Builds the tree over these leaves, bottom up.
    pub(crate) fn fold(&mut self, leaves: &[Number], pairs: &Pairs) {
        let mut number = |a, b| pairs.number(a, b);
        self.shape(leaves.len());
        self.nodes[..leaves.len()].copy_from_slice(leaves);
        let mut first = 0;
        for level in 1..self.widths.len() {
            for node in 0..self.widths[level] {
                self.make(first, level, node, &mut number);
            }
            first += self.widths[level - 1];
        }
    }

    /// Restores the tree with this root and number of leaves, top down.
    pub(crate) fn unfold(&mut self, root: Pair, leaves: usize, pairs: &Pairs) {
        self.shape(leaves);
        // `above` is the index of the first node of the level already known.
        let mut above = self.nodes.len() - leaves.min(self.widths[self.widths.len() - 1]);
        let (left, right) = unpair(root);
        for (node, number) in self.nodes[above..].iter_mut().zip([left, right]) {
            *node = number;
        }
        for width in self.widths.iter().rev().skip(1) {
            let first = above - width;
            for pair in 0..width / 2 {
                let (a, b) = pairs.get(self.nodes[above + pair]);
                (self.nodes[first + 2 * pair], self.nodes[first + 2 * pair + 1]) = (a, b);
            }
            // The last node of an odd level has no partner: it is its own parent (see `make`).
            if width % 2 == 1 {
                self.nodes[first + width - 1] = self.nodes[above + width / 2];
            }
            above = first;
        }
    }

    /// Changes two leaves, which may be the same one (then `b` wins).
    pub(crate) fn change(
        &mut self,
        a: (usize, Number),
        b: (usize, Number),
        number: &mut impl FnMut(Number, Number) -> Number,
    ) {
        self.nodes[a.0] = a.1;
        self.nodes[b.0] = b.1;
        let (mut a, mut b, mut first) = (a.0, b.0, 0);
        for level in 1..self.widths.len() {
            (a, b) = (a / 2, b / 2);
            self.make(first, level, a, number);
            // Once the two paths have met they stay together.
            if a != b {
                self.make(first, level, b, number);
            }
            first += self.widths[level - 1];
        }
    }

    /// Computes a node of a level from its children in the level below, which begins at index `first`. A
    /// node without a partner is its own parent.
    fn make(
        &mut self,
        first: usize,
        level: usize,
        node: usize,
        number: &mut impl FnMut(Number, Number) -> Number,
    ) {
        let width = self.widths[level - 1];
        let left = self.nodes[first + 2 * node];
        self.nodes[first + width + node] = match 2 * node + 1 < width {
            true => number(left, self.nodes[first + 2 * node + 1]),
            false => left,
        };
    }

    /// Copies another tree into this one, without a new allocation if the shapes match.
    pub(crate) fn copy(&mut self, other: &Tree) {
        self.nodes.clone_from(&other.nodes);
        self.widths.clone_from(&other.widths);
    }

    pub(crate) fn leaves(&self) -> &[Number] {
        &self.nodes[..self.widths.first().copied().unwrap_or(0)]
    }

    pub(crate) fn root(&self) -> Pair {
        match self.nodes[..] {
            [.., left, right] if self.widths.last() == Some(&2) => pair(left, right),
            [.., only] => pair(only, NOTHING),
            [] => pair(NOTHING, NOTHING),
        }
    }

    /// The number of the root.
    pub(crate) fn number(&self, pairs: &Pairs) -> Number {
        let (left, right) = unpair(self.root());
        match self.leaves().len() {
            0 | 1 => left,
            _ => pairs.number(left, right),
        }
    }

    /// Restores the tree with this number and number of leaves.
    pub(crate) fn unfold_number(&mut self, number: Number, leaves: usize, pairs: &Pairs) {
        let (left, right) = if leaves < 2 { (number, NOTHING) } else { pairs.get(number) };
        self.unfold(pair(left, right), leaves, pairs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_come_back_and_change() {
        let pairs = Pairs::default();
        for width in 0..13 {
            let mut number = |a, b| pairs.number(a, b);
            let leaves: Vec<Number> = (0..width).map(|n| n * n + 3).collect();
            let [mut tree, mut again, mut other]: [Tree; 3] = Default::default();
            tree.fold(&leaves, &pairs);
            again.unfold(tree.root(), width as usize, &pairs);
            assert_eq!((again.leaves(), again.root()), (leaves.as_slice(), tree.root()));
            other.unfold_number(tree.number(&pairs), width as usize, &pairs);
            assert_eq!((other.leaves(), other.root()), (leaves.as_slice(), tree.root()));
            for (a, b) in (0..width as usize).flat_map(|a| [(a, a), (a, a / 3), (0, a)]) {
                let mut changed = leaves.clone();
                (changed[a], changed[b]) = (70, 80);
                other.fold(&changed, &pairs);
                again.copy(&tree);
                again.change((a, changed[a]), (b, changed[b]), &mut number);
                assert_eq!((again.leaves(), again.root()), (other.leaves(), other.root()));
            }
        }
    }
}
