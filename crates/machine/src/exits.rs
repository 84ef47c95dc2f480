//! Whether a loop has a way out.
//!
//! A thread that repeats a loop without effect ([`crate::spin`]) *waits* if some value would let it leave. In
//! a loop without a way out it runs for ever. A way out of a loop is
//!
//! - an edge to a block outside the loop from which the thread can do something else than fail, if the branch
//!   depends on a value that was read in the loop (the registers are the same in every round, so a branch on
//!   registers alone always takes the same edge), or
//! - an end of the thread or of the program, or a call that may not return for another reason than a failure:
//!   it ends the thread or the program, or stays in a loop without a way out.
//!
//! A failure (an assertion, `abort`) is not a way out, nor is an assumption that does not hold.
//!
//! The loop of a head is the natural loop: the blocks that can reach a back edge to the head without passing
//! the head. In case of doubt, a loop has a way out: a value that is read from private memory or returned by
//! a call may be anything, and so may a register that only some paths around the loop assign.

use raddle_budget::Budget;
use raddle_ir::flow::Flow;
use raddle_ir::{Block, BlockId, Callee, FuncId, Function, InstKind, Operand, Program};
use raddle_ir::{Reg, TerminatorKind};

/// The possible results of a call, beside a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Outcome {
    returns: bool,
    /// The call may end the thread or the program, or never return.
    leaves: bool,
}

/// Facts about the functions of a program. If the budget is spent on the way, parts are missing, and results
/// that depend on them do not count.
#[derive(Debug)]
pub(crate) struct Exits<'p> {
    program: &'p Program,
    budget: &'p Budget,
    /// By function.
    flows: Vec<Flow>,
    outcomes: Vec<Outcome>,
    /// For each function with loops, the blocks from which a thread can do something else than fail.
    alive: Vec<Blocks>,
}

/// A set of blocks.
type Blocks = Vec<bool>;

fn index(block: BlockId) -> usize {
    block.as_u32() as usize
}

impl<'p> Exits<'p> {
    pub(crate) fn new(program: &'p Program, budget: &'p Budget) -> Exits<'p> {
        let flows: Vec<Flow> = program.funcs.values().map(Flow::of).collect();
        let count = flows.len();
        let (outcomes, alive) = (vec![Outcome::default(); count], vec![Blocks::new(); count]);
        let mut exits = Exits { program, budget, flows, outcomes, alive };
        let mut more = true;
        while more && !budget.is_spent() {
            more = false;
            for id in program.funcs.keys() {
                exits.alive[id.as_u32() as usize] = exits.alive(id);
                let outcome = exits.outcome(id);
                more |= outcome != exits.outcomes[id.as_u32() as usize];
                exits.outcomes[id.as_u32() as usize] = outcome;
            }
        }
        exits
    }

    pub(crate) fn flow(&self, func: FuncId) -> &Flow {
        &self.flows[func.as_u32() as usize]
    }

    /// Whether a thread in the loop with this head could leave it.
    pub(crate) fn has_way_out(&self, id: FuncId, head: BlockId) -> bool {
        let (func, flow) = (&self.program.funcs[id], self.flow(id));
        let body = loop_body(flow, head);
        let blocks = || func.blocks.iter().filter(|(id, _)| body[index(*id)]);
        if blocks().any(|(_, block)| self.pass(block).leaves) {
            return true;
        }
        let edges = self.exit_edges(id, &body);
        if edges.is_empty() {
            return false;
        }
        let mut read = read_in(func, &body);
        let decides = |read: &[bool], id: BlockId| {
            let operand = func.blocks[id].term.kind.operand();
            operand.is_some_and(|operand| is_read(read, operand))
        };
        if edges.iter().any(|id| decides(&read, *id)) {
            return true;
        }
        // An assignment on only some paths around may depend on a read, if a branch does.
        if !blocks().any(|(id, _)| decides(&read, id)) {
            return false;
        }
        for (id, block) in blocks() {
            if self.budget.is_spent() {
                return true;
            }
            let is_open = |to: BlockId| body[index(to)] && to != id;
            let is_avoidable =
                id != head && has_way_around(body.len(), head, |id| flow.successors(id), is_open);
            if !is_avoidable {
                continue;
            }
            if edges.contains(&id) {
                return true;
            }
            for inst in &block.insts {
                inst.kind.defs().into_iter().flatten().for_each(|reg| mark(&mut read, reg));
            }
        }
        spread(func, &body, &mut read);
        edges.iter().any(|id| decides(&read, *id))
    }

    fn outcome(&self, id: FuncId) -> Outcome {
        let (func, flow) = (&self.program.funcs[id], self.flow(id));
        let passes: Vec<Outcome> = func.blocks.values().map(|block| self.pass(block)).collect();
        let next = |id| if passes[index(id)].returns { flow.successors(id) } else { &[] };
        let seen = reached(passes.len(), func.blocks.keys().next(), next, |_| true);
        let blocks = || func.blocks.iter().filter(|(id, _)| seen[index(*id)]);
        let returns = blocks().any(|(id, block)| {
            passes[index(id)].returns && matches!(block.term.kind, TerminatorKind::Return(_))
        });
        let mut heads = flow.back_edges().iter().map(|(_, head)| *head);
        let leaves = blocks().any(|(id, _)| passes[index(id)].leaves)
            || heads.any(|head| {
                self.budget.is_spent()
                    || seen[index(head)] && self.exit_edges(id, &loop_body(flow, head)).is_empty()
            });
        Outcome { returns, leaves }
    }

    /// The possible results of a block's instructions; `returns` if its end can be reached.
    fn pass(&self, block: &Block) -> Outcome {
        let mut pass = Outcome { returns: true, leaves: false };
        for inst in &block.insts {
            match &inst.kind {
                InstKind::ThreadExit { .. } | InstKind::Halt => {
                    return Outcome { returns: false, leaves: true };
                }
                InstKind::Fail { .. }
                | InstKind::Unsupported { .. }
                | InstKind::Assert { cond: Operand::Int(0), .. }
                | InstKind::Assume { cond: Operand::Int(0) } => pass.returns = false,
                InstKind::Call { callee, args, .. } => {
                    let call = self.call(callee, args.len());
                    pass.leaves |= call.leaves;
                    pass.returns = call.returns;
                }
                _ => {}
            }
            if !pass.returns {
                break;
            }
        }
        pass
    }

    fn call(&self, callee: &Callee, args: usize) -> Outcome {
        match callee {
            Callee::Direct(func) => self.outcomes[func.as_u32() as usize],
            Callee::Indirect(_) => {
                let fits = |id: &FuncId| self.program.funcs[*id].params.len() == args;
                let mut fitting = self.program.funcs.keys().filter(fits);
                let leaves = fitting.any(|id| self.outcomes[id.as_u32() as usize].leaves);
                Outcome { returns: true, leaves }
            }
        }
    }

    /// The blocks of a loop with an edge out of it that does not lead only to failures.
    fn exit_edges(&self, id: FuncId, body: &Blocks) -> Vec<BlockId> {
        let (flow, alive) = (self.flow(id), &self.alive[id.as_u32() as usize]);
        let blocks = self.program.funcs[id].blocks.iter().filter(|(id, _)| body[index(*id)]);
        let leads_out = |block: BlockId| {
            flow.successors(block).iter().any(|to| !body[index(*to)] && alive[index(*to)])
        };
        blocks
            .filter(|(id, block)| leads_out(*id) && self.pass(block).returns)
            .map(|(id, _)| id)
            .collect()
    }

    /// The blocks from which a thread can do something else than fail: return, end, or stay in a loop. Not
    /// computed for a function without loops.
    fn alive(&self, id: FuncId) -> Blocks {
        let (func, flow) = (&self.program.funcs[id], self.flow(id));
        if flow.back_edges().is_empty() {
            return Blocks::new();
        }
        let mut is_head: Blocks = vec![false; func.blocks.len()];
        flow.back_edges().iter().for_each(|(_, head)| is_head[index(*head)] = true);
        let passes: Vec<Outcome> = func.blocks.values().map(|block| self.pass(block)).collect();
        let starts = func.blocks.iter().filter(|(id, block)| {
            let pass = passes[index(*id)];
            let goes_on =
                matches!(block.term.kind, TerminatorKind::Return(_)) || is_head[index(*id)];
            pass.leaves || pass.returns && goes_on
        });
        let starts = starts.map(|(id, _)| id);
        let before = |id| flow.predecessors(id);
        reached(passes.len(), starts, before, |id| passes[index(id)].returns)
    }
}

/// The natural loop of a head: the blocks that are reachable from it, and that can reach a back edge to it
/// without passing it.
pub fn loop_body(flow: &Flow, head: BlockId) -> Vec<bool> {
    let ahead = reached(flow.blocks(), [head], |id| flow.successors(id), |_| true);
    let closing = flow.back_edges().iter().filter(|(_, to)| *to == head).map(|(from, _)| *from);
    let before = |id| if id == head { &[] } else { flow.predecessors(id) };
    reached(flow.blocks(), closing.chain([head]), before, |id| ahead[index(id)])
}

/// The blocks that are reached from `starts` by steps to open blocks.
pub(crate) fn reached<'f>(
    blocks: usize,
    starts: impl IntoIterator<Item = BlockId>,
    next: impl Fn(BlockId) -> &'f [BlockId],
    is_open: impl Fn(BlockId) -> bool,
) -> Blocks {
    let mut reached = vec![false; blocks];
    let mut work: Vec<BlockId> = starts.into_iter().collect();
    work.iter().for_each(|id| reached[index(*id)] = true);
    while let Some(id) = work.pop() {
        for to in next(id) {
            if is_open(*to) && !std::mem::replace(&mut reached[index(*to)], true) {
                work.push(*to);
            }
        }
    }
    reached
}

/// Whether a path leads from a head back to it through open blocks.
pub(crate) fn has_way_around<'f>(
    blocks: usize,
    head: BlockId,
    next: impl Fn(BlockId) -> &'f [BlockId],
    is_open: impl Fn(BlockId) -> bool,
) -> bool {
    let reached = reached(blocks, [head], &next, is_open);
    let mut ids = (0..blocks).filter(|n| reached[*n]);
    ids.any(|n| next(BlockId::from_u32(n as u32)).contains(&head))
}

fn mark(read: &mut [bool], reg: Reg) {
    read[reg.as_u32() as usize] = true;
}

fn is_read(read: &[bool], operand: Operand) -> bool {
    matches!(operand, Operand::Reg(reg) if read[reg.as_u32() as usize])
}

/// The registers that may depend on a value that is read in a loop.
fn read_in(func: &Function, body: &Blocks) -> Vec<bool> {
    let mut read = vec![false; func.regs.len()];
    for (_, block) in func.blocks.iter().filter(|(id, _)| body[index(*id)]) {
        for inst in block.insts.iter().filter(|inst| !is_computed(&inst.kind)) {
            inst.kind.defs().into_iter().flatten().for_each(|reg| mark(&mut read, reg));
        }
    }
    spread(func, body, &mut read);
    read
}

/// Adds the registers that are computed from registers of the set.
fn spread(func: &Function, body: &Blocks, read: &mut [bool]) {
    let mut more = true;
    while more {
        more = false;
        for (_, block) in func.blocks.iter().filter(|(id, _)| body[index(*id)]) {
            for inst in block.insts.iter().filter(|inst| is_computed(&inst.kind)) {
                let mut depends = false;
                inst.kind.for_each_operand(|operand| depends |= is_read(read, operand));
                for reg in inst.kind.defs().into_iter().flatten().filter(|_| depends) {
                    more |= !std::mem::replace(&mut read[reg.as_u32() as usize], true);
                }
            }
        }
    }
}

/// Whether the results of an instruction are a function of its operands.
fn is_computed(inst: &InstKind) -> bool {
    use InstKind::*;
    matches!(
        inst,
        Bin { .. }
            | Un { .. }
            | Cmp { .. }
            | Cast { .. }
            | Select { .. }
            | Move { .. }
            | SelfId { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::text;

    /// Whether the first loop of `@f` has a way out. (`%c` is a parameter: the same in every round.)
    fn leaves(body: &str) -> bool {
        let source = format!(
            "global @x: i32\nglobal @y: i32\n\
             func @f(%c: i1, %p: ptr) {{\n reg %r: i32, %b: i1, %d: i1\n entry:\n %d = move i1 0\n \
             jump head\n{body}\n}}\n\
             func @reads() {{\n reg %r: i32\n entry:\n %r = load i32 @y\n ret\n}}\n\
             func @ends() {{\n entry:\n exit 0\n ret\n}}\n\
             func @may_end(%c: i1) {{\n entry:\n br %c, a, b\n a:\n call @ends()\n ret\n b:\n ret\n}}\n\
             func @fails() {{\n entry:\n fail abort \"no\"\n unreachable\n}}\n\
             func @stays() {{\n reg %r: i32\n entry:\n %r = load i32 @y\n jump entry\n}}\n"
        );
        let program = text::parse("t.rir", &source).unwrap_or_else(|error| panic!("{error}"));
        let exits = Exits::new(&program, &Budget::UNLIMITED);
        let func = program.funcs.keys().next().expect("one function");
        let heads = exits.flow(func).back_edges().iter().map(|(_, head)| *head);
        exits.has_way_out(func, heads.min().expect("a loop"))
    }

    const READ: &str = " %r = load i32 @x\n %b = cmp ne i32 %r, 0\n";

    #[test]
    fn a_branch_on_what_is_read_is_a_way_out() {
        assert!(leaves(&format!(" head:\n{READ} br %b, head, out\n out:\n ret")));
        assert!(!leaves(&format!(" head:\n{READ} jump head")));
    }

    #[test]
    fn a_branch_on_what_stays_the_same_is_not() {
        assert!(!leaves(&format!(" head:\n{READ} br %c, head, out\n out:\n ret")));
        assert!(!leaves(&format!(
            " head:\n{READ} br %b, a, b\n a:\n call @reads()\n jump b\n b:\n br %c, head, out\n out:\n ret"
        )));
    }

    #[test]
    fn a_flag_that_is_set_on_some_ways_around_may_let_it_leave() {
        assert!(leaves(&format!(
            " head:\n{READ} br %b, a, b\n a:\n %d = move i1 1\n jump b\n b:\n br %d, out, head\n out:\n ret"
        )));
        assert!(leaves(&format!(
            " head:\n{READ} br %b, a, head\n a:\n br %c, head, out\n out:\n ret"
        )));
    }

    #[test]
    fn failures_are_not_ways_out() {
        assert!(!leaves(&format!(" head:\n{READ} br %b, head, out\n out:\n unreachable")));
        assert!(!leaves(&format!(" head:\n{READ} br %b, head, out\n out:\n assert 0\n ret")));
        assert!(!leaves(&format!(" head:\n{READ} br %b, head, out\n out:\n call @fails()\n ret")));
        assert!(!leaves(&format!(" head:\n{READ} assume %b\n assert %b\n jump head")));
    }

    #[test]
    fn calls_that_end_the_thread_or_stay_are_ways_out() {
        assert!(!leaves(&format!(" head:\n{READ} call @reads()\n jump head")));
        assert!(leaves(&format!(" head:\n{READ} call @may_end(%b)\n jump head")));
        assert!(leaves(&format!(
            " head:\n{READ} br %b, a, head\n a:\n call @ends()\n unreachable"
        )));
        assert!(leaves(&format!(" head:\n{READ} br %b, a, head\n a:\n halt\n unreachable")));
        assert!(leaves(&format!(
            " head:\n{READ} br %b, a, head\n a:\n call @stays()\n unreachable"
        )));
    }

    #[test]
    fn another_loop_is_outside() {
        // An outer loop without a way out, and an inner one that leads to it.
        assert!(!leaves(&format!(" head:\n jump inner\n inner:\n{READ} br %b, inner, head")));
        assert!(leaves(&format!(
            " head:\n{READ} br %b, head, after\n after:\n %r = load i32 @y\n jump after"
        )));
    }
}
