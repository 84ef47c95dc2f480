//! Control flow of a function: the edges between blocks, and the edges that close loops.

use crate::program::{BlockId, Function};

/// The successors and predecessors of each block, and the back edges.
#[derive(Clone, Debug)]
pub struct Flow {
    next: Lists,
    before: Lists,
    back: Vec<(BlockId, BlockId)>,
}

/// One list of blocks for each block, stored back to back.
#[derive(Clone, Debug)]
struct Lists {
    /// The start of each block's list, and the end of the last list.
    starts: Vec<u32>,
    blocks: Vec<BlockId>,
}

impl Lists {
    /// Groups the edges by their source block.
    fn of(edges: &[(BlockId, BlockId)], blocks: usize) -> Lists {
        let mut starts = vec![0; blocks + 1];
        edges.iter().for_each(|(from, _)| starts[index(*from) + 1] += 1);
        (0..blocks).for_each(|n| starts[n + 1] += starts[n]);
        let mut free = starts.clone();
        let mut lists = Lists { starts, blocks: vec![BlockId::from_u32(0); edges.len()] };
        for (from, to) in edges {
            let place = &mut free[index(*from)];
            lists.blocks[*place as usize] = *to;
            *place += 1;
        }
        lists
    }

    fn get(&self, block: BlockId) -> &[BlockId] {
        let (start, end) = (self.starts[index(block)], self.starts[index(block) + 1]);
        &self.blocks[start as usize..end as usize]
    }
}

fn index(block: BlockId) -> usize {
    block.as_u32() as usize
}

impl Flow {
    pub fn of(func: &Function) -> Flow {
        let edges = func.blocks.iter().flat_map(|(from, block)| {
            block.term.kind.successors().into_iter().map(move |to| (from, to))
        });
        let edges: Vec<(BlockId, BlockId)> = edges.collect();
        let turned: Vec<(BlockId, BlockId)> = edges.iter().map(|(from, to)| (*to, *from)).collect();
        let blocks = func.blocks.len();
        let mut flow = Flow {
            next: Lists::of(&edges, blocks),
            before: Lists::of(&turned, blocks),
            back: Vec::new(),
        };
        flow.back = flow.search(blocks);
        flow
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.next.starts.len() - 1
    }

    /// The blocks that control can reach from the end of a block.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        self.next.get(block)
    }

    /// The blocks whose terminators can lead to a block.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        self.before.get(block)
    }

    /// The edges that a depth-first search from the entry classifies as back edges: they lead to a block that
    /// is still on the search stack. Every cycle of the control flow contains one, even if the flow is
    /// irreducible. The target of such an edge is the *head* of a loop.
    pub fn back_edges(&self) -> &[(BlockId, BlockId)] {
        &self.back
    }

    fn search(&self, blocks: usize) -> Vec<(BlockId, BlockId)> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; blocks];
        let mut edges = Vec::new();
        if blocks == 0 {
            return edges;
        }
        let mut stack = vec![(BlockId::from_u32(0), 0)];
        marks[0] = Mark::Open;
        while let Some((block, at)) = stack.last_mut() {
            let Some(to) = self.successors(*block).get(*at).copied() else {
                marks[index(*block)] = Mark::Done;
                stack.pop();
                continue;
            };
            *at += 1;
            match marks[index(to)] {
                Mark::New => {
                    marks[index(to)] = Mark::Open;
                    stack.push((to, 0));
                }
                Mark::Open => edges.push((*block, to)),
                Mark::Done => {}
            }
        }
        edges
    }
}

/// The edges of a function that close loops: see [`Flow::back_edges`].
pub fn back_edges(func: &Function) -> Vec<(BlockId, BlockId)> {
    Flow::of(func).back
}
