//! Control flow of a function: the edges that close loops.

use crate::program::{BlockId, Function};

/// The edges that lead back along a depth-first search: from a block to one that the search is still
/// below. Every cycle of the control flow has one, also where the flow is irreducible; the target of such
/// an edge is the *head* of a loop.
pub fn back_edges(func: &Function) -> Vec<(BlockId, BlockId)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; func.blocks.len()];
    let mut edges = Vec::new();
    let Some(entry) = func.blocks.keys().next() else { return edges };
    let successors = |block: BlockId| func.blocks[block].term.kind.successors();
    let mut stack = vec![(entry, successors(entry), 0)];
    marks[0] = Mark::Open;
    while let Some((block, next, at)) = stack.last_mut() {
        let Some(to) = next.get(*at).copied() else {
            marks[block.as_u32() as usize] = Mark::Done;
            stack.pop();
            continue;
        };
        *at += 1;
        match marks[to.as_u32() as usize] {
            Mark::New => {
                marks[to.as_u32() as usize] = Mark::Open;
                stack.push((to, successors(to), 0));
            }
            Mark::Open => edges.push((*block, to)),
            Mark::Done => {}
        }
    }
    edges
}
