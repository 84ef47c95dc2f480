//! Simplification of jumps and blocks.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use raddle_ir::flow::back_edges;
use raddle_ir::{Block, BlockId, Function, Operand, TerminatorKind};

pub(super) fn simplify(function: &mut Function) {
    if function.blocks.is_empty() {
        return;
    }
    for block in function.blocks.values_mut() {
        decide(&mut block.term.kind);
    }
    thread(function);
    merge(function);
    sweep(function);
}

/// Decides a branch whose condition is a constant. A branch with two equal targets stays: later stores
/// still depend on its condition.
fn decide(term: &mut TerminatorKind) {
    let known = match term {
        TerminatorKind::Branch { cond: Operand::Int(bits), then, els } => {
            Some(if *bits == 0 { *els } else { *then })
        }
        TerminatorKind::Switch { value: Operand::Int(bits), cases, default, .. } => {
            let case = cases.iter().find(|(case, _)| case == bits);
            Some(case.map_or(*default, |(_, to)| *to))
        }
        _ => None,
    };
    if let Some(to) = known {
        *term = TerminatorKind::Jump(to);
    }
}

/// Redirects edges past blocks that contain only a jump. A loop of such blocks stays as it is. An empty loop
/// head that jumps to the head of an inner loop stays as well: whether a thread waits is decided for
/// each loop separately, so the two heads must not become one.
fn thread(function: &mut Function) {
    let heads: Vec<BlockId> = back_edges(function).into_iter().map(|(_, head)| head).collect();
    let mut past: SecondaryMap<BlockId, Option<BlockId>> = SecondaryMap::new();
    for (id, block) in &function.blocks {
        if let TerminatorKind::Jump(to) = block.term.kind
            && block.insts.is_empty()
            && to != id
            && !(heads.contains(&id) && heads.contains(&to))
        {
            past[id] = Some(to);
        }
    }
    let limit = function.blocks.len();
    let end = |from: BlockId| {
        let mut at = from;
        for _ in 0..limit {
            match past[at] {
                Some(next) => at = next,
                None => return at,
            }
        }
        from
    };
    let ends: SecondaryMap<BlockId, BlockId> = {
        let mut ends = SecondaryMap::with_default(BlockId::new(0));
        function.blocks.keys().for_each(|id| ends[id] = end(id));
        ends
    };
    for block in function.blocks.values_mut() {
        block.term.kind.for_each_target_mut(|to| *to = ends[*to]);
    }
}

fn predecessors(function: &Function) -> SecondaryMap<BlockId, u32> {
    let mut count = SecondaryMap::new();
    count[BlockId::new(0)] = 1;
    let mut seen: SecondaryMap<BlockId, bool> = SecondaryMap::new();
    let mut left = vec![BlockId::new(0)];
    while let Some(block) = left.pop() {
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        for to in function.blocks[block].term.kind.successors() {
            count[to] += 1;
            left.push(to);
        }
    }
    count
}

/// Appends a block to its predecessor if each is the other's only neighbour on that side.
fn merge(function: &mut Function) {
    let count = predecessors(function);
    let ids: Vec<BlockId> = function.blocks.keys().collect();
    for id in ids {
        if count[id] == 0 {
            continue;
        }
        while let TerminatorKind::Jump(to) = function.blocks[id].term.kind
            && to != id
            && count[to] == 1
            && to.index() != 0
        {
            let unreachable = TerminatorKind::Unreachable;
            let next = &mut function.blocks[to];
            let insts = std::mem::take(&mut next.insts);
            let kind = std::mem::replace(&mut next.term.kind, unreachable);
            let loc = next.term.loc;
            let block = &mut function.blocks[id];
            block.insts.extend(insts);
            block.term.kind = kind;
            block.term.loc = loc;
        }
    }
}

/// Drops unreachable blocks, and renumbers the rest.
fn sweep(function: &mut Function) {
    let count = predecessors(function);
    let old = std::mem::replace(&mut function.blocks, PrimaryMap::new());
    let mut new: SecondaryMap<BlockId, BlockId> = SecondaryMap::with_default(BlockId::new(0));
    let mut kept: PrimaryMap<BlockId, Block> = PrimaryMap::new();
    for (id, block) in old {
        if count[id] > 0 {
            new[id] = kept.push(block);
        }
    }
    for block in kept.values_mut() {
        block.term.kind.for_each_target_mut(|to| *to = new[*to]);
    }
    function.blocks = kept;
}
