//! Strongly connected components (Tarjan, *Depth-first search and linear graph algorithms*, 1972),
//! without recursion: stories can be long.

/// For each node of a part of a graph (as long as that), the representative of its component; nodes outside of the
/// part are components of their own.
pub fn components(next: &[Vec<usize>], part: &[bool]) -> Vec<usize> {
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
    next: &'g [Vec<usize>],
    part: &'g [bool],
    /// In the order of discovery, from 1; 0: not yet found.
    number: Vec<usize>,
    low: Vec<usize>,
    /// Nodes whose component is not complete.
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
            let Some(to) = self.next[node].get(*edge).copied() else {
                path.pop();
                self.close(node);
                if let Some((parent, _)) = path.last() {
                    self.low[*parent] = self.low[*parent].min(self.low[node]);
                }
                continue;
            };
            *edge += 1;
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
    use super::*;

    #[test]
    fn cycles_are_found_and_kept_apart() {
        let next = [vec![1], vec![2], vec![0, 3], vec![4], vec![3], vec![0]];
        let found = components(&next, &[true; 6]);
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert_eq!(found[3], found[4]);
        assert!(found[0] != found[3] && found[5] == 5);
    }

    #[test]
    fn what_is_outside_does_not_count() {
        let next = [vec![1], vec![2], vec![0]];
        let found = components(&next, &[true, false, true]);
        assert_eq!(found, [0, 1, 2]);
    }
}
