//! Live registers: those whose value may still be read before it is overwritten.
//!
//! The usual backward dataflow analysis, per function. Computed on demand: only loops that seem to spin need
//! it.

use fixedbitset::FixedBitSet;
use raddle_ir::flow::Flow;
use raddle_ir::{BlockId, Function, Operand};

/// A set of registers of one function, by their numbers.
pub type RegSet = FixedBitSet;

/// The registers that are live at the start of each block.
pub fn live_at_starts(func: &Function) -> Vec<RegSet> {
    let mut live = vec![RegSet::with_capacity(func.regs.len()); func.blocks.len()];
    let flow = Flow::of(func);
    let mut work: Vec<BlockId> = func.blocks.keys().collect();
    while let Some(id) = work.pop() {
        let start = live_at_start(func, id, &live);
        if live[id.as_u32() as usize] != start {
            live[id.as_u32() as usize] = start;
            work.extend(flow.predecessors(id));
        }
    }
    live
}

/// The registers that are live before a block, from those before its successors.
fn live_at_start(func: &Function, id: BlockId, starts: &[RegSet]) -> RegSet {
    let block = &func.blocks[id];
    let mut live = RegSet::with_capacity(func.regs.len());
    for to in block.term.kind.successors() {
        live.union_with(&starts[to.as_u32() as usize]);
    }
    let read = |live: &mut RegSet, operand: Operand| {
        if let Operand::Reg(reg) = operand {
            live.insert(reg.as_u32() as usize);
        }
    };
    block.term.kind.operand().into_iter().for_each(|operand| read(&mut live, operand));
    for inst in block.insts.iter().rev() {
        for reg in inst.kind.defs().into_iter().flatten() {
            live.remove(reg.as_u32() as usize);
        }
        inst.kind.for_each_operand(|operand| read(&mut live, operand));
    }
    live
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
            let regs =
                func.regs.iter().filter(|(reg, _)| live[block].contains(reg.as_u32() as usize));
            regs.filter_map(|(_, info)| info.name.as_deref()).collect()
        };
        assert_eq!(names(0), ["n"]);
        assert_eq!(names(1), ["n", "i"]);
        assert_eq!(names(2), ["r"]);
    }
}
