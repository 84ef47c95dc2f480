//! The loops of a function, and which of them may spin.
//!
//! A loop is known by its *head*: the target of an edge that leads back along a depth-first search.
//! Every cycle of the control flow has one, also where the flow is irreducible.
//!
//! A loop *may spin* if some way around it does nothing that is certain to be seen by others or to
//! change what the thread can go by: it only reads (or tries to write: a compare-and-exchange that
//! fails, an exchange that changes nothing), computes, and calls functions. Whether it does spin is
//! seen when it runs; this is to leave all other loops alone.

use crate::exits::{Exits, loop_body};
use raddle_ir::flow::back_edges;
use raddle_ir::{BlockId, Function, InstKind, Operand, Program};

/// The loop of a head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    pub head: BlockId,
    pub may_spin: bool,
    /// Whether a thread could leave it; where that was not asked, it could.
    pub has_way_out: bool,
    /// How many of the others it is inside of.
    pub nesting: u32,
}

/// The loops of a function, by head, in the order of the blocks.
pub(crate) fn loops(program: &Program, func: &Function) -> Vec<Loop> {
    let heads = heads(&back_edges(func));
    let mut loops: Vec<Loop> = Vec::with_capacity(heads.len());
    for head in heads {
        let may_spin = may_spin(program, func, head);
        loops.push(Loop { head, may_spin, has_way_out: true, nesting: 0 });
    }
    nest(func, &mut loops);
    loops
}

/// Whether anything in a program could go round for ever, going by its text.
pub fn has_loops(program: &Program) -> bool {
    program.funcs.values().any(|func| !back_edges(func).is_empty())
}

/// Whether a thread of a program could wait for ever in a loop, going by its text.
pub fn may_wait(program: &Program) -> bool {
    let exits = Exits::new(program);
    program.funcs.values().any(|func| {
        let mut spinning = loops(program, func).into_iter().filter(|known| known.may_spin);
        spinning.any(|known| exits.has_way_out(func, known.head))
    })
}

/// Counts for each loop those around it.
fn nest(func: &Function, loops: &mut [Loop]) {
    if loops.len() < 2 {
        return;
    }
    for outer in 0..loops.len() {
        let body = loop_body(func, loops[outer].head);
        for (n, inner) in loops.iter_mut().enumerate() {
            inner.nesting += u32::from(n != outer && body[inner.head.as_u32() as usize]);
        }
    }
}

/// The heads of the loops that some edges lead back to.
pub(crate) fn heads(back: &[(BlockId, BlockId)]) -> Vec<BlockId> {
    let mut heads: Vec<BlockId> = back.iter().map(|(_, head)| *head).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

/// Whether a way leads from the head back to it along which nothing is certain to count.
fn may_spin(program: &Program, func: &Function, head: BlockId) -> bool {
    let counts = |block: BlockId| {
        func.blocks[block].insts.iter().any(|inst| certainly_counts(program, &inst.kind))
    };
    if counts(head) {
        return false;
    }
    let mut seen = vec![false; func.blocks.len()];
    let mut work = vec![head];
    while let Some(block) = work.pop() {
        for to in func.blocks[block].term.kind.successors() {
            if to == head {
                return true;
            }
            if !seen[to.as_u32() as usize] && !counts(to) {
                seen[to.as_u32() as usize] = true;
                work.push(to);
            }
        }
    }
    false
}

/// Whether an instruction, when it happens, makes an iteration one that changed something.
fn certainly_counts(program: &Program, inst: &InstKind) -> bool {
    use InstKind::*;
    match inst {
        // A store to a global is seen by others, if they have the same one.
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
        let found = loops(&program, func);
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
