//! Live registers: those whose value may still be read before it is overwritten.
//!
//! The usual backward dataflow analysis, per function. Computed on demand: only loops that seem to spin need
//! it.

use fixedbitset::FixedBitSet;
use raddle_ir::flow::Flow;
use raddle_ir::{Block, BlockId, Function, InstKind, Operand, Reg};

/// A set of registers of one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegSet(FixedBitSet);

impl RegSet {
    fn new(regs: usize) -> RegSet {
        RegSet(FixedBitSet::with_capacity(regs))
    }

    pub fn contains(&self, reg: Reg) -> bool {
        self.0.contains(reg.as_u32() as usize)
    }

    fn insert(&mut self, reg: Reg) {
        self.0.insert(reg.as_u32() as usize);
    }

    fn remove(&mut self, reg: Reg) {
        self.0.remove(reg.as_u32() as usize);
    }
}

/// The registers that are live at the start of each block.
pub fn live_at_starts(func: &Function) -> Vec<RegSet> {
    let mut live = vec![RegSet::new(func.regs.len()); func.blocks.len()];
    let flow = Flow::of(func);
    let mut work: Vec<BlockId> = func.blocks.keys().collect();
    while let Some(id) = work.pop() {
        let block = &func.blocks[id];
        let start = before(block, live_at_end(func, block, &live));
        if live[id.as_u32() as usize] != start {
            live[id.as_u32() as usize] = start;
            work.extend(flow.predecessors(id));
        }
    }
    live
}

fn live_at_end(func: &Function, block: &Block, starts: &[RegSet]) -> RegSet {
    let mut live = RegSet::new(func.regs.len());
    for to in block.term.kind.successors() {
        live.0.union_with(&starts[to.as_u32() as usize].0);
    }
    live
}

/// The registers that are live before a block, from those live after it.
fn before(block: &Block, mut live: RegSet) -> RegSet {
    if let Some(Operand::Reg(reg)) = block.term.kind.operand() {
        live.insert(reg);
    }
    for inst in block.insts.iter().rev() {
        step_back(&mut live, &inst.kind);
    }
    live
}

fn step_back(live: &mut RegSet, inst: &InstKind) {
    for reg in inst.defs().into_iter().flatten() {
        live.remove(reg);
    }
    inst.for_each_operand(|operand| {
        if let Operand::Reg(reg) = operand {
            live.insert(reg);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::text;

    #[test]
    fn a_register_lives_from_its_definition_to_its_last_use() {
        let source = "global @x: i32
func @f(%n: i32) {
    reg %i: i32, %r: i32, %c: i1
  entry:
    %i = move i32 0
    jump head
  head:
    %r = load i32 @x
    %i = add i32 %i, 1
    %c = cmp slt i32 %i, %n
    br %c, head, out
  out:
    store i32 @x, %r
    ret
}
";
        let program = text::parse("t.rir", source).expect("the program parses");
        let func = program.funcs.values().next().expect("one function");
        let live = live_at_starts(func);
        let names = |block: usize| -> Vec<&str> {
            let regs = func.regs.iter().filter(|(reg, _)| live[block].contains(*reg));
            regs.filter_map(|(_, info)| info.name.as_deref()).collect()
        };
        assert_eq!(names(0), ["n"]);
        assert_eq!(names(1), ["n", "i"]);
        assert_eq!(names(2), ["r"]);
    }
}
