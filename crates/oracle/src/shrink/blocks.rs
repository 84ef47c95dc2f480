//! Reduction of branches and blocks.

use super::Shrinker;
use raddle_ir::{Block, BlockId, FuncId, Function, Program, TerminatorKind};
use std::collections::BTreeSet;

impl Shrinker<'_> {
    /// Tries to turn each branch and switch into a jump to one of its targets.
    pub(super) fn branches(&mut self) {
        let funcs: Vec<FuncId> = self.program.funcs.keys().collect();
        for func in funcs {
            let blocks: Vec<BlockId> = self.program.funcs[func].blocks.keys().collect();
            for block in blocks {
                self.branch(func, block);
            }
        }
    }

    fn branch(&mut self, func: FuncId, block: BlockId) {
        let term = &self.program.funcs[func].blocks[block].term.kind;
        if !matches!(term, TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. }) {
            return;
        }
        for target in term.successors() {
            let mut candidate = self.program.clone().into_program();
            candidate.funcs[func].blocks[block].term.kind = TerminatorKind::Jump(target);
            if self.attempt(candidate) {
                return;
            }
        }
    }

    /// Tries to merge chains of blocks and to drop unreachable blocks.
    pub(super) fn blocks(&mut self) {
        let funcs: Vec<FuncId> = self.program.funcs.keys().collect();
        for func in funcs {
            while let Some(candidate) = merged(&self.program, func) {
                if !self.attempt(candidate) {
                    break;
                }
            }
            let mut candidate = self.program.clone().into_program();
            candidate.funcs[func] = reachable_only(&candidate.funcs[func]);
            self.attempt(candidate);
        }
    }
}

/// The program with one block of a function appended to the only block that jumps to it.
fn merged(program: &Program, func: FuncId) -> Option<Program> {
    let function = &program.funcs[func];
    let entry = function.blocks.keys().next();
    let preds = |to: BlockId| {
        let targets = function.blocks.values().flat_map(|b| b.term.kind.successors());
        targets.filter(|target| *target == to).count()
    };
    let (first, second) = function.blocks.iter().find_map(|(id, block)| match block.term.kind {
        TerminatorKind::Jump(to) if to != id && Some(to) != entry && preds(to) == 1 => {
            Some((id, to))
        }
        _ => None,
    })?;
    let mut candidate = program.clone();
    let blocks = &mut candidate.funcs[func].blocks;
    let tail = blocks[second].clone();
    blocks[first].insts.extend(tail.insts);
    blocks[first].term = tail.term;
    blocks[second].insts.clear();
    blocks[second].term.kind = TerminatorKind::Unreachable;
    Some(candidate)
}

fn reachable_only(function: &Function) -> Function {
    let Some(entry) = function.blocks.keys().next() else { return function.clone() };
    let mut reached = BTreeSet::from([entry]);
    let mut open = vec![entry];
    while let Some(block) = open.pop() {
        let next = function.blocks[block].term.kind.successors();
        open.extend(next.into_iter().filter(|to| reached.insert(*to)));
    }
    let renumbered = |old: BlockId| {
        let index = reached.iter().position(|block| *block == old).unwrap_or_default();
        BlockId::from_u32(index as u32)
    };
    let kept = reached.iter().map(|id| retarget(&function.blocks[*id], renumbered)).collect();
    Function { blocks: kept, ..function.clone() }
}

fn retarget(block: &Block, renumbered: impl Fn(BlockId) -> BlockId) -> Block {
    let mut block = block.clone();
    match &mut block.term.kind {
        TerminatorKind::Jump(to) => *to = renumbered(*to),
        TerminatorKind::Branch { then, els, .. } => {
            (*then, *els) = (renumbered(*then), renumbered(*els));
        }
        TerminatorKind::Switch { cases, default, .. } => {
            *default = renumbered(*default);
            for (_, to) in cases {
                *to = renumbered(*to);
            }
        }
        TerminatorKind::Return(_) | TerminatorKind::Unreachable => {}
    }
    block
}
