//! The rule that registers are assigned before they are read.
//!
//! The analysis runs backwards: a register breaks the rule if some block reads it before writing it, and
//! a backward walk from that block reaches the entry through blocks that do not write it. This needs one
//! walk for each register that some block reads before writing, and memory proportional to the function.
//! The usual forward analysis needs a set of registers for each block.

use super::{At, Checker, Rule};
use crate::flow::Flow;
use crate::inst::Operand;
use crate::program::{Block, BlockId, FuncId, Function, Reg};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use std::collections::{HashMap, HashSet};

/// A read of a register with no write before it in its block.
#[derive(Clone, Copy)]
struct Exposed {
    block: BlockId,
    /// Index of the instruction; the number of instructions for the terminator.
    inst: usize,
}

/// A function, summarised for the walks.
struct Summary {
    flow: Flow,
    writes: PrimaryMap<BlockId, HashSet<Reg>>,
    /// The exposed reads of each register, in ascending order of registers, without parameters.
    exposed: Vec<(Reg, Vec<Exposed>)>,
}

impl Checker<'_> {
    /// Requires that all blocks and registers that the function refers to exist.
    pub(super) fn assignment(&mut self, id: FuncId) {
        let function = &self.program.funcs[id];
        let Some(entry) = function.blocks.keys().next() else {
            return;
        };
        let Summary { flow, writes, exposed } = summarise(function);
        let mut seen = Seen { marks: SecondaryMap::with_default(0), walk: 0 };
        for (reg, reads) in exposed {
            if let Some(read) = unassigned(reg, &reads, entry, (&flow, &writes), &mut seen) {
                self.report_unassigned(id, reg, read);
            }
        }
    }

    fn report_unassigned(&mut self, id: FuncId, reg: Reg, read: Exposed) {
        let block = &self.program.funcs[id].blocks[read.block];
        let loc = block.insts.get(read.inst).map_or(block.term.loc, |inst| inst.loc);
        self.at = At { func: Some(id), block: Some(read.block), inst: Some(read.inst), loc };
        let name = self.reg_name(id, reg);
        self.error(Rule::Assignment, format!("{name} is read but not assigned on every path here"));
    }
}

fn summarise(function: &Function) -> Summary {
    let mut writes = PrimaryMap::with_capacity(function.blocks.len());
    let mut exposed: HashMap<Reg, Vec<Exposed>> = HashMap::new();
    for (id, block) in &function.blocks {
        writes.push(scan(block, |reg, inst| {
            if reg.index() >= function.params.len() {
                exposed.entry(reg).or_default().push(Exposed { block: id, inst });
            }
        }));
    }
    let mut exposed: Vec<_> = exposed.into_iter().collect();
    exposed.sort_unstable_by_key(|(reg, _)| *reg);
    Summary { flow: Flow::of(function), writes, exposed }
}

/// The registers that a block writes. Calls `read` with each register that the block reads before writing
/// it, at its first read.
fn scan(block: &Block, mut read: impl FnMut(Reg, usize)) -> HashSet<Reg> {
    let mut writes = HashSet::new();
    let mut reads = HashSet::new();
    let mut on_read = |writes: &HashSet<Reg>, operand: Operand, inst: usize| {
        if let Operand::Reg(reg) = operand
            && !writes.contains(&reg)
            && reads.insert(reg)
        {
            read(reg, inst);
        }
    };
    for (index, inst) in block.insts.iter().enumerate() {
        inst.kind.for_each_operand(|operand| on_read(&writes, operand, index));
        writes.extend(inst.kind.defs().into_iter().flatten());
    }
    if let Some(operand) = block.term.kind.operand() {
        on_read(&writes, operand, block.insts.len());
    }
    writes
}

/// The blocks that a walk has visited. Each walk has a number, so the marks need not be cleared.
struct Seen {
    marks: SecondaryMap<BlockId, u32>,
    walk: u32,
}

/// A read that the entry reaches without a write, if one exists.
fn unassigned(
    reg: Reg,
    reads: &[Exposed],
    entry: BlockId,
    (flow, writes): (&Flow, &PrimaryMap<BlockId, HashSet<Reg>>),
    seen: &mut Seen,
) -> Option<Exposed> {
    seen.walk += 1;
    // All reads share one set of marks: a walk that meets the walk of an earlier read, which did not reach
    // the entry, cannot reach it from there either.
    reads.iter().copied().find(|read| {
        let mut open = vec![read.block];
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen.marks[block], seen.walk) == seen.walk {
                continue;
            }
            if block == entry {
                return true;
            }
            let silent = |p: &&BlockId| !writes[**p].contains(&reg);
            open.extend(flow.predecessors(block).iter().filter(silent));
        }
        false
    })
}
