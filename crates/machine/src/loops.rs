//! The loops of a function, and which of them may spin.
//!
//! A loop is known by its *head*: the target of an edge that leads back along a depth-first search.
//! Every cycle of the control flow has one, also where the flow is irreducible.
//!
//! A loop *may spin* if some way around it does nothing that is certain to be seen by others or to
//! change what the thread can go by: it only reads (or tries to write: a compare-and-exchange that
//! fails, an exchange that changes nothing), computes, and calls functions. Whether it does spin is
//! seen when it runs; this is to leave all other loops alone.

use raddle_ir::{BlockId, Function, InstKind, Operand, Program};

/// The loop of a head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    pub head: BlockId,
    pub may_spin: bool,
}

/// The loops of a function, by head, in the order of the blocks.
pub(crate) fn loops(program: &Program, func: &Function) -> Vec<Loop> {
    let heads = heads(func);
    let mut loops: Vec<Loop> = Vec::with_capacity(heads.len());
    for head in heads {
        loops.push(Loop { head, may_spin: may_spin(program, func, head) });
    }
    loops
}

/// Whether anything in a program could go round for ever, going by its text.
pub fn has_loops(program: &Program) -> bool {
    program.funcs.values().any(|func| !back_edges(func).is_empty())
}

/// The edges that lead back: from a block to one that the search is still below.
pub(crate) fn back_edges(func: &Function) -> Vec<(BlockId, BlockId)> {
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

fn heads(func: &Function) -> Vec<BlockId> {
    let mut heads: Vec<BlockId> = back_edges(func).into_iter().map(|(_, head)| head).collect();
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
