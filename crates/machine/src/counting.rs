//! Loops that count: those that end without a bound, for all inputs and all actions of other threads.
//!
//! A loop counts if every round passes a test that can leave the loop, and the test compares a *counter* with
//! a value that does not change in the loop. A counter is a register that every round changes once, by
//! adding, subtracting, shifting or dividing. Both must be *own* values: computed only from constants and
//! addresses, not from memory, inputs, or results of operations on shared state. A loop may have other exits:
//! they only make it end sooner.
//!
//! Own values are found by one flow analysis over the program, which follows calls into their
//! functions and back. It ignores the order of instructions, so a register that is ever assigned a
//! foreign value is foreign everywhere. In case of doubt, a loop does not count.

use crate::exits::{has_way_around, reached};
use raddle_ir::{
    BinOp, BlockId, Callee, FuncId, Function, InstKind, Operand, Program, Reg, TerminatorKind,
};
use rustc_hash::FxHashMap;

/// The heads of the loops of a program that count.
#[derive(Debug)]
pub(crate) struct Counting<'p> {
    program: &'p Program,
    foreign: Foreign,
}

impl<'p> Counting<'p> {
    pub(crate) fn new(program: &'p Program) -> Counting<'p> {
        Counting { program, foreign: Foreign::of(program) }
    }

    /// Whether the loop with this head counts. `back` holds the back edges of its function.
    pub(crate) fn counts(&self, func: FuncId, head: BlockId, back: &[(BlockId, BlockId)]) -> bool {
        let function = &self.program.funcs[func];
        let Some(round) = Round::of(function, head, back) else { return false };
        let is_own = |operand: Operand| self.foreign.is_own(func, operand);
        function.blocks.keys().any(|block| round.is_counted_exit(block, &is_own))
    }
}

/// The registers of each function that may hold foreign values, and the functions that may return
/// one.
#[derive(Debug)]
struct Foreign {
    regs: Vec<Vec<bool>>,
    returns: Vec<bool>,
    changed: bool,
}

impl Foreign {
    fn of(program: &Program) -> Foreign {
        let regs = program.funcs.values().map(|func| vec![false; func.regs.len()]).collect();
        let mut foreign =
            Foreign { regs, returns: vec![false; program.funcs.len()], changed: true };
        let pointed_at = pointed_at(program);
        while std::mem::take(&mut foreign.changed) {
            for (id, func) in &program.funcs {
                foreign.pass(program, &pointed_at, id, func);
            }
        }
        foreign
    }

    fn is_own(&self, func: FuncId, operand: Operand) -> bool {
        match operand {
            Operand::Reg(reg) => !self.regs[func.as_u32() as usize][reg.as_u32() as usize],
            Operand::Int(_) | Operand::Global(..) | Operand::Func(_) | Operand::Undef => true,
        }
    }

    fn pass(&mut self, program: &Program, pointed_at: &[FuncId], id: FuncId, func: &Function) {
        if func.blocks.is_empty() {
            self.mark_return(id);
        }
        for block in func.blocks.values() {
            for inst in &block.insts {
                if let InstKind::Call { callee, args, .. } | InstKind::Spawn { callee, args, .. } =
                    &inst.kind
                {
                    for callee in callees(callee, pointed_at) {
                        self.pass_arguments(program, id, args, callee);
                    }
                }
                if self.makes_foreign(pointed_at, id, &inst.kind) {
                    for reg in inst.kind.defs().into_iter().flatten() {
                        self.mark(id, reg);
                    }
                }
            }
            if let TerminatorKind::Return(Some(value)) = block.term.kind
                && !self.is_own(id, value)
            {
                self.mark_return(id);
            }
        }
    }

    fn pass_arguments(
        &mut self,
        program: &Program,
        caller: FuncId,
        args: &[Operand],
        callee: FuncId,
    ) {
        for (arg, param) in args.iter().zip(&program.funcs[callee].params) {
            if !self.is_own(caller, *arg) {
                self.mark(callee, *param);
            }
        }
    }

    /// Whether the results of an instruction may be foreign.
    fn makes_foreign(&self, pointed_at: &[FuncId], id: FuncId, inst: &InstKind) -> bool {
        use InstKind::*;
        match inst {
            Bin { .. } | Un { .. } | Cmp { .. } | Cast { .. } | Select { .. } | Move { .. } => {
                let mut any = false;
                inst.for_each_operand(|operand| any |= !self.is_own(id, operand));
                any
            }
            Alloca { .. } | Malloc { .. } | SelfId { .. } | Spawn { .. } => false,
            Call { callee, .. } => {
                callees(callee, pointed_at).any(|callee| self.returns[callee.as_u32() as usize])
            }
            _ => true,
        }
    }

    fn mark(&mut self, func: FuncId, reg: Reg) {
        let foreign = &mut self.regs[func.as_u32() as usize][reg.as_u32() as usize];
        self.changed |= !std::mem::replace(foreign, true);
    }

    fn mark_return(&mut self, func: FuncId) {
        let foreign = &mut self.returns[func.as_u32() as usize];
        self.changed |= !std::mem::replace(foreign, true);
    }
}

/// The functions that a call may lead to.
fn callees<'a>(callee: &Callee, pointed_at: &'a [FuncId]) -> impl Iterator<Item = FuncId> + 'a {
    let (direct, any) = match *callee {
        Callee::Direct(func) | Callee::Indirect(Operand::Func(func)) => (Some(func), &[][..]),
        Callee::Indirect(_) => (None, pointed_at),
    };
    direct.into_iter().chain(any.iter().copied())
}

/// The functions whose address is taken somewhere in the program.
fn pointed_at(program: &Program) -> Vec<FuncId> {
    let mut found = Vec::new();
    let mut note = |operand: Operand| {
        if let Operand::Func(func) = operand {
            found.push(func);
        }
    };
    for func in program.funcs.values() {
        for block in func.blocks.values() {
            block.insts.iter().for_each(|inst| inst.kind.for_each_operand(&mut note));
            block.term.kind.operand().into_iter().for_each(&mut note);
        }
    }
    program.threads.values().flat_map(|thread| &thread.args).for_each(|arg| note(*arg));
    let relocs = program.globals.values().flat_map(|global| &global.relocs);
    relocs.for_each(|(_, address)| note(*address));
    found.sort_unstable();
    found.dedup();
    found
}

/// A loop, for questions about one round of it.
struct Round<'f> {
    func: &'f Function,
    head: BlockId,
    /// For each block, whether it is in the loop.
    body: Vec<bool>,
    /// The possible successors of each block.
    successors: Vec<Vec<BlockId>>,
    /// The number of assignments of each register in the body, and the place of the last one.
    defs: FxHashMap<Reg, (u32, BlockId, &'f InstKind)>,
}

impl<'f> Round<'f> {
    /// The loop, unless it can be entered at another block than its head.
    fn of(func: &'f Function, head: BlockId, back: &[(BlockId, BlockId)]) -> Option<Round<'f>> {
        let successors: Vec<_> = func.blocks.keys().map(|block| successors(func, block)).collect();
        let mut predecessors = vec![Vec::new(); func.blocks.len()];
        for (from, to) in func.blocks.keys().zip(&successors) {
            to.iter().for_each(|to| predecessors[to.as_u32() as usize].push(from));
        }
        let closing = back.iter().filter(|(_, to)| *to == head).map(|(from, _)| *from);
        // Blocks from which a known condition leads back.
        let known = func.blocks.keys().filter(|block| {
            let leads_back = successors[block.as_u32() as usize].contains(&head);
            leads_back && !func.blocks[*block].term.kind.successors().contains(&head)
        });
        let before = |id: BlockId| match id == head {
            true => &[][..],
            false => &predecessors[id.as_u32() as usize],
        };
        let starts = closing.chain(known).chain([head]);
        let body = reached(func.blocks.len(), starts, before, |_| true);
        // Control starts in block 0: if that is in the body, the loop can be entered without its head.
        if head.as_u32() != 0 && body[0] {
            return None;
        }
        let mut defs: FxHashMap<Reg, (u32, BlockId, &InstKind)> = FxHashMap::default();
        for (id, block) in func.blocks.iter().filter(|(id, _)| body[id.as_u32() as usize]) {
            for inst in &block.insts {
                for reg in inst.kind.defs().into_iter().flatten() {
                    let times = defs.get(&reg).map_or(0, |(times, ..)| *times);
                    defs.insert(reg, (times + 1, id, &inst.kind));
                }
            }
        }
        Some(Round { func, head, body, successors, defs })
    }

    fn contains(&self, block: BlockId) -> bool {
        self.body[block.as_u32() as usize]
    }

    /// Whether a block ends in a test that every round passes, that can leave the loop, and that compares a
    /// counter with a value that does not change.
    fn is_counted_exit(&self, block: BlockId, is_own: &dyn Fn(Operand) -> bool) -> bool {
        let TerminatorKind::Branch { cond: Operand::Reg(cond), then, els } =
            self.func.blocks[block].term.kind
        else {
            return false;
        };
        let leaves = !self.contains(then) || !self.contains(els);
        self.contains(block)
            && leaves
            && self.is_in_every_round(block)
            && self.is_count(cond, is_own, MOST_STEPS)
    }

    /// Whether a register is computed from counters and values that do not change.
    fn is_count(&self, reg: Reg, is_own: &dyn Fn(Operand) -> bool, steps: u32) -> bool {
        if steps == 0 || !is_own(reg.into()) {
            return false;
        }
        let Some((1, _, inst)) = self.defs.get(&reg) else { return false };
        if self.is_counter(reg) {
            return true;
        }
        use InstKind::*;
        if !matches!(inst, Bin { .. } | Un { .. } | Cmp { .. } | Cast { .. } | Move { .. }) {
            return false;
        }
        let (mut counts, mut fits) = (false, true);
        inst.for_each_operand(|operand| match operand {
            Operand::Reg(from) if self.defs.contains_key(&from) => {
                let is_count = self.is_count(from, is_own, steps - 1);
                counts |= is_count;
                fits &= is_count;
            }
            other => fits &= is_own(other),
        });
        counts && fits
    }

    /// Whether every round changes a register once, by a step of a constant size.
    fn is_counter(&self, reg: Reg) -> bool {
        let Some((1, block, inst)) = self.defs.get(&reg) else { return false };
        let inst = match inst {
            // The step may be computed in another register and then moved.
            InstKind::Move { a: Operand::Reg(from), .. } => match self.defs.get(from) {
                Some((1, _, inst)) => inst,
                _ => return false,
            },
            inst => inst,
        };
        self.is_in_every_round(*block) && is_step(inst, reg)
    }

    /// Whether every round passes this block.
    fn is_in_every_round(&self, block: BlockId) -> bool {
        let next = |id: BlockId| &self.successors[id.as_u32() as usize][..];
        let is_open = |id| self.contains(id) && id != block;
        block == self.head || !has_way_around(self.body.len(), self.head, next, is_open)
    }
}

/// The possible successors of a block. A block that sets a register to a constant and jumps to a branch on it
/// has only one: the condition `a && b` is compiled to such blocks.
fn successors(func: &Function, block: BlockId) -> Vec<BlockId> {
    let from = &func.blocks[block];
    if let TerminatorKind::Jump(to) = from.term.kind
        && let TerminatorKind::Branch { cond: Operand::Reg(cond), then, els } =
            func.blocks[to].term.kind
        && func.blocks[to].insts.is_empty()
        && let Some(last) = from.insts.iter().rfind(|inst| inst.kind.defs().contains(&Some(cond)))
        && let InstKind::Move { a: Operand::Int(bits), .. } = last.kind
    {
        return vec![if bits == 0 { els } else { then }];
    }
    from.term.kind.successors()
}

/// The most instructions between a counter and its test.
const MOST_STEPS: u32 = 8;

/// Whether an instruction computes the next value of a counter from the current one.
fn is_step(inst: &InstKind, reg: Reg) -> bool {
    let InstKind::Bin { op, a, b, .. } = inst else { return false };
    let by = |operand: &Operand| matches!(operand, Operand::Int(by) if *by != 0);
    match op {
        BinOp::Add => (*a == reg.into() && by(b)) || (*b == reg.into() && by(a)),
        BinOp::Sub | BinOp::Shl | BinOp::LShr | BinOp::AShr => *a == reg.into() && by(b),
        BinOp::UDiv | BinOp::SDiv => *a == reg.into() && matches!(b, Operand::Int(by) if *by > 1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::heads;
    use raddle_ir::flow::back_edges;
    use raddle_ir::text;

    /// Whether each loop of `@f` counts, by head. `more` is the text of other functions.
    fn counted_in(body: &str, more: &str) -> Vec<bool> {
        let source = format!(
            "const global @c: i32 = 3\nglobal @x: i32\n{more}\nfunc @f(%n: i32) {{\n reg %i: i32\n \
             reg %j: i32\n reg %k: i32\n reg %t: i1\n reg %u: i1\n{body}\n}}\n"
        );
        let program = text::parse("t.rir", &source).expect("the program parses");
        let counting = Counting::new(&program);
        let (id, func) =
            program.funcs.iter().find(|(_, func)| func.name == "f").expect("a function f");
        let back = back_edges(func);
        heads(&back).into_iter().map(|head| counting.counts(id, head, &back)).collect()
    }

    /// A `for` loop: the initialisation of the counter, the test, the body, and the step.
    fn for_loop(start: &str, test: &str, body: &str, step: &str) -> Vec<bool> {
        for_loop_in(start, test, body, step, "")
    }

    fn for_loop_in(start: &str, test: &str, body: &str, step: &str, more: &str) -> Vec<bool> {
        let body = format!(
            " entry:\n %j = move i32 1\n {start}\n jump head\n head:\n {test}\n br %t, body, out\n \
             body:\n {body}\n jump next\n next:\n {step}\n jump head\n out:\n ret"
        );
        counted_in(&body, more)
    }

    const START: &str = "%i = move i32 0";
    const TEST: &str = "%t = cmp slt i32 %i, 3";
    const STEP: &str = "%i = add i32 %i, 1";

    #[test]
    fn counters_and_constants() {
        assert_eq!(for_loop(START, TEST, "", STEP), [true]);
        assert_eq!(for_loop(START, "%t = cmp ne i32 3, %i", "", STEP), [true]);
        assert_eq!(for_loop(START, TEST, "", "%k = add i32 %i, 1\n %i = move i32 %k"), [true]);
        assert_eq!(for_loop(START, TEST, "", "%i = lshr i32 %i, 1"), [true]);
        assert_eq!(
            for_loop(START, "%k = mul i32 %i, 2\n %t = cmp slt i32 %k, %j", "", STEP),
            [true]
        );
        assert_eq!(for_loop(START, TEST, "store i32 @x, %i", STEP), [true]);
    }

    #[test]
    fn steps_that_lead_nowhere() {
        for step in ["", "%i = xor i32 %i, 1", "%i = add i32 %i, 0", "%i = udiv i32 %i, 1"] {
            assert_eq!(for_loop(START, TEST, "", step), [false], "{step}");
        }
        assert_eq!(for_loop(START, TEST, "%i = move i32 0", STEP), [false]);
    }

    #[test]
    fn values_from_elsewhere() {
        let choose = "%j = choose i32 0, 9";
        for start in ["%j = load i32 @x", "%j = rmw add i32 @x, 1", choose, "%j = move i32 %n"] {
            let test = "%t = cmp slt i32 %i, %j";
            let start = format!("{START}\n {start}");
            let callers = "func @g(%m: i32) {\n reg %r: i32\n entry:\n %r = load i32 @x\n \
                           call @f(%r)\n ret\n}";
            assert_eq!(for_loop_in(&start, test, "", STEP, callers), [false], "{start}");
        }
        assert_eq!(for_loop("%i = load i32 @x", TEST, "", STEP), [false]);
        assert_eq!(for_loop(START, "%i = load i32 @x\n %t = cmp slt i32 %i, 3", "", ""), [false]);
    }

    #[test]
    fn values_through_calls() {
        let test = "%t = cmp slt i32 %i, %n";
        let caller = |arg: &str| format!("func @g(%m: i32) {{\n entry:\n call @f({arg})\n ret\n}}");
        assert_eq!(for_loop_in(START, test, "", STEP, &caller("5")), [true]);
        let pointed = "func @g(%m: i32) {\n reg %r: i32\n reg %p: ptr\n entry:\n %p = move ptr &@f\n \
                       %r = load i32 @x\n call *%p(%r)\n ret\n}";
        assert_eq!(for_loop_in(START, test, "", STEP, pointed), [false]);
        let returns = "func @g() -> i32 {\n entry:\n ret 7\n}";
        let start = format!("{START}\n %j = call @g()");
        assert_eq!(for_loop_in(&start, "%t = cmp slt i32 %i, %j", "", STEP, returns), [true]);
        let returns = "func @g() -> i32 {\n reg %r: i32\n entry:\n %r = load i32 @x\n ret %r\n}";
        assert_eq!(for_loop_in(&start, "%t = cmp slt i32 %i, %j", "", STEP, returns), [false]);
    }

    #[test]
    fn rounds_that_pass_the_step_or_the_test_by() {
        let skips_step = " entry:\n %i = move i32 0\n jump head\n head:\n %t = cmp slt i32 %i, 3\n \
                          br %t, body, out\n body:\n %u = move i1 1\n br %u, head, step\n step:\n \
                          %i = add i32 %i, 1\n jump head\n out:\n ret";
        assert_eq!(counted_in(skips_step, ""), [false]);
        let skips_test = " entry:\n %i = move i32 0\n jump head\n head:\n %i = add i32 %i, 1\n \
                          %u = move i1 1\n br %u, head, test\n test:\n %t = cmp slt i32 %i, 3\n \
                          br %t, head, out\n out:\n ret";
        assert_eq!(counted_in(skips_test, ""), [false]);
    }

    #[test]
    fn another_exit_makes_no_difference() {
        let leaves = " entry:\n %i = move i32 0\n jump head\n head:\n %j = load i32 @x\n \
                      %u = cmp eq i32 %j, 0\n br %u, body, out\n body:\n %i = add i32 %i, 1\n \
                      %t = cmp slt i32 %i, 3\n br %t, head, out\n out:\n ret";
        assert_eq!(counted_in(leaves, ""), [true]);
    }

    #[test]
    fn a_test_behind_another() {
        // while (x != 0 && i++ < 3);
        let both = " entry:\n %i = move i32 0\n jump head\n head:\n %j = load i32 @x\n \
                    %u = cmp eq i32 %j, 0\n br %u, right, left\n left:\n %t = move i1 0\n \
                    jump test\n right:\n %t = cmp slt i32 %i, 3\n %i = add i32 %i, 1\n \
                    jump test\n test:\n br %t, head, out\n out:\n ret";
        assert_eq!(counted_in(both, ""), [true]);
        let either = both.replace("move i1 0", "move i1 1");
        assert_eq!(counted_in(&either, ""), [false]);
    }

    #[test]
    fn two_ways_in() {
        let body = " entry:\n %i = move i32 0\n br %t, left, right\n left:\n %i = add i32 %i, 1\n \
                    jump right\n right:\n %t = cmp slt i32 %i, 3\n br %t, left, out\n out:\n ret";
        assert_eq!(counted_in(body, ""), [false]);
    }
}
