//! The loops of a function, and which of them may spin.
//!
//! A loop is identified by its *head*: the target of a back edge of a depth-first search. Every cycle of the
//! control flow has one, also where the flow is irreducible.
//!
//! A loop *may spin* if some path around it has no instruction that certainly changes something that this
//! thread or another one can observe. Such a path only reads (or tries to write: a compare-and-exchange that
//! fails, an exchange that changes nothing), computes, and calls functions. Whether the loop does spin is
//! found when it runs; all other loops are not watched.

use crate::counting::Counting;
use crate::exits::{Exits, has_way_around, loop_body};
use raddle_budget::Budget;
use raddle_ir::flow::{Flow, back_edges};
use raddle_ir::{Block, BlockId, FuncId, Function, InstKind, Operand, Program};

/// A loop, with its head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    pub head: BlockId,
    pub may_spin: bool,
    /// Whether a thread could leave the loop; true if that was not computed.
    pub has_way_out: bool,
    /// The number of loops around it.
    pub nesting: u32,
}

/// The loops of a function, by head, in the order of the blocks.
///
/// A function can have thousands of loops. If the budget is spent on the way, some are missing.
pub(crate) fn loops(program: &Program, func: &Function, flow: &Flow, budget: &Budget) -> Vec<Loop> {
    let counts: Vec<bool> = func.blocks.values().map(|block| counts(program, block)).collect();
    let heads = heads(flow.back_edges());
    let mut loops: Vec<Loop> = Vec::with_capacity(heads.len());
    for head in heads {
        if budget.is_spent() {
            break;
        }
        let may_spin = may_spin(flow, &counts, head);
        loops.push(Loop { head, may_spin, has_way_out: true, nesting: 0 });
    }
    nest(flow, &mut loops, budget);
    loops
}

/// Whether a program could run for ever, judged by its text.
pub fn has_loops(program: &Program) -> bool {
    program.funcs.values().any(|func| !back_edges(func).is_empty())
}

/// The loops of a program, by function and head, that are not known to end: all but those that count. If the budget
/// is spent on the way, some are missing.
pub fn loops_without_end(program: &Program, budget: &Budget) -> Vec<(FuncId, BlockId)> {
    let counting = Counting::new(program);
    let mut found = Vec::new();
    for (id, func) in &program.funcs {
        let back = back_edges(func);
        for head in heads(&back) {
            if budget.is_spent() {
                return found;
            }
            if !counting.counts(id, head, &back) {
                found.push((id, head));
            }
        }
    }
    found
}

/// Whether a thread of a program could wait for ever in a loop, judged by its text. True if the budget is
/// spent before that is known.
pub fn may_wait(program: &Program, budget: &Budget) -> bool {
    let exits = Exits::new(program, budget);
    let waits = program.funcs.iter().any(|(id, func)| {
        let loops = loops(program, func, exits.flow(id), budget);
        let mut spinning = loops.into_iter().filter(|known| known.may_spin);
        spinning.any(|known| exits.has_way_out(id, known.head))
    });
    waits || budget.is_spent()
}

/// Counts the loops around each loop.
fn nest(flow: &Flow, loops: &mut [Loop], budget: &Budget) {
    if loops.len() < 2 {
        return;
    }
    for outer in 0..loops.len() {
        if budget.is_spent() {
            return;
        }
        let body = loop_body(flow, loops[outer].head);
        for (n, inner) in loops.iter_mut().enumerate() {
            inner.nesting += u32::from(n != outer && body[inner.head.as_u32() as usize]);
        }
    }
}

/// The heads of loops: the targets of these back edges.
pub(crate) fn heads(back: &[(BlockId, BlockId)]) -> Vec<BlockId> {
    let mut heads: Vec<BlockId> = back.iter().map(|(_, head)| *head).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

/// Whether a block certainly changes something.
fn counts(program: &Program, block: &Block) -> bool {
    block.insts.iter().any(|inst| certainly_counts(program, &inst.kind))
}

/// Whether a path leads from the head back to it on which no block certainly changes something.
fn may_spin(flow: &Flow, counts: &[bool], head: BlockId) -> bool {
    let is_open = |block: BlockId| !counts[block.as_u32() as usize];
    is_open(head) && has_way_around(counts.len(), head, |id| flow.successors(id), is_open)
}

/// Whether an instruction certainly changes something when it is performed.
fn certainly_counts(program: &Program, inst: &InstKind) -> bool {
    use InstKind::*;
    match inst {
        // Other threads can observe a store to a global, unless each thread has its own copy.
        Store { addr: Operand::Global(global, _), .. } => !program.globals[*global].thread_local,
        Malloc { .. }
        | Free { .. }
        | Spawn { .. }
        | Join { .. }
        | ThreadExit { .. }
        | Halt
        | Lock { .. }
        | Unlock { .. }
        | CondWait { .. }
        | CondSignal { .. }
        | CondBroadcast { .. }
        | Await { .. }
        | Choose { .. }
        | Unsupported { .. }
        | Fail { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::text;

    fn found(body: &str) -> Vec<(u32, bool)> {
        let source = format!(
            "global @x: i32\nglobal @y: i32\nfunc @f(%c: i1, %p: ptr) {{\n reg %r: i32\n{body}\n}}\n"
        );
        let program = text::parse("t.rir", &source).expect("the program parses");
        let func = program.funcs.values().next().expect("one function");
        let found = loops(&program, func, &Flow::of(func), &Budget::UNLIMITED);
        found.iter().map(|known| (known.head.as_u32(), known.may_spin)).collect()
    }

    #[test]
    fn a_loop_that_only_reads_may_spin() {
        let body = " entry:\n jump head\n head:\n %r = load i32 @x\n br %c, head, out\n out:\n ret";
        assert_eq!(found(body), [(1, true)]);
    }

    #[test]
    fn a_loop_that_stores_to_a_global_does_not() {
        let body = " entry:\n jump head\n head:\n %r = load i32 @x\n store i32 @y, %r\n br %c, head, out\n out:\n ret";
        assert_eq!(found(body), [(1, false)]);
    }

    #[test]
    fn one_way_around_is_enough() {
        let body = " entry:\n jump head\n head:\n %r = load i32 @x\n br %c, write, again\n write:\n store i32 @y, 1\n jump again\n again:\n br %c, head, out\n out:\n ret";
        assert_eq!(found(body), [(1, true)]);
    }

    #[test]
    fn nested_loops_have_a_head_each() {
        let body = " entry:\n jump outer\n outer:\n jump inner\n inner:\n br %c, inner, after\n after:\n br %c, outer, out\n out:\n ret";
        assert_eq!(found(body), [(1, true), (2, true)]);
    }

    #[test]
    fn irreducible_flow_has_a_head() {
        let body = " entry:\n br %c, left, right\n left:\n br %c, right, out\n right:\n jump left\n out:\n ret";
        assert_eq!(found(body).len(), 1);
    }
}
