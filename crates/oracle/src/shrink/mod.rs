//! Shrinking of a program that has some property, such as a disagreement.
//!
//! The method is greedy: passes over threads, instructions (in runs of halving length, as in delta
//! debugging), branches, blocks, constants, observables and unused definitions are repeated until none of
//! them finds a smaller program that still has the property. Every tried program is well-formed, but it
//! need not terminate: the test should give up on such programs. The result is deterministic if the test is.

mod blocks;
mod operands;
mod unused;

use raddle_ir::{FuncId, InstKind, Observed, Operand, Program, ThreadIdx, Verified, verify};

/// A smaller program for which `fails` holds. It must hold for `program`.
pub fn shrink(program: &Verified, fails: &mut dyn FnMut(&Verified) -> bool) -> Verified {
    let mut shrinker = Shrinker { program: program.clone(), fails };
    loop {
        let before = shrinker.program.clone();
        shrinker.threads();
        shrinker.instructions();
        shrinker.branches();
        shrinker.blocks();
        shrinker.constants();
        shrinker.observables();
        shrinker.definitions();
        if shrinker.program == before {
            return shrinker.program;
        }
    }
}

struct Shrinker<'f> {
    program: Verified,
    fails: &'f mut dyn FnMut(&Verified) -> bool,
}

impl Shrinker<'_> {
    /// Continues with `candidate` if it is a different well-formed program that still fails.
    fn attempt(&mut self, candidate: Program) -> bool {
        if candidate == *self.program {
            return false;
        }
        let Some(candidate) = verify(candidate).ok().filter(|made| (self.fails)(made)) else {
            return false;
        };
        self.program = candidate;
        true
    }

    /// Tries an edit for every index below `count` of the current program, last first, so that a
    /// removal does not move the indices that are still to be tried.
    fn each(
        &mut self,
        count: impl Fn(&Program) -> usize,
        edit: impl Fn(&Program, usize) -> Option<Program>,
    ) {
        for index in (0..count(&self.program)).rev() {
            if let Some(candidate) = edit(&self.program, index) {
                self.attempt(candidate);
            }
        }
    }

    fn threads(&mut self) {
        self.each(|program| program.threads.len(), without_thread);
    }

    fn observables(&mut self) {
        self.each(|program| program.observables.len(), without_observable);
    }

    fn instructions(&mut self) {
        let funcs: Vec<FuncId> = self.program.funcs.keys().collect();
        for func in funcs {
            let blocks: Vec<_> = self.program.funcs[func].blocks.keys().collect();
            for block in blocks {
                let mut length = self.program.funcs[func].blocks[block].insts.len();
                while length > 0 {
                    self.runs(func, block, length);
                    length /= 2;
                }
            }
        }
    }

    /// Tries to remove runs of `length` instructions of a block, last first.
    fn runs(&mut self, func: FuncId, block: raddle_ir::BlockId, length: usize) {
        let mut end = self.program.funcs[func].blocks[block].insts.len();
        while end >= length {
            let mut candidate = self.program.clone().into_program();
            candidate.funcs[func].blocks[block].insts.drain(end - length..end);
            end -= if self.attempt(candidate) { length } else { 1 };
        }
    }

    /// Tries smaller constants: 0, 1, half.
    fn constants(&mut self) {
        let count = operands::constants(&mut self.program.clone().into_program()).len();
        for index in 0..count {
            let value =
                operands::constants(&mut self.program.clone().into_program())[index].value();
            for smaller in [0, 1, value / 2].into_iter().filter(|s| *s < value) {
                let mut candidate = self.program.clone().into_program();
                operands::constants(&mut candidate)[index].set(smaller);
                if self.attempt(candidate) {
                    break;
                }
            }
        }
    }
}

fn without_thread(program: &Program, index: usize) -> Option<Program> {
    let gone = ThreadIdx::from_u32(index as u32);
    let observed = |what: Observed| matches!(what, Observed::Reg(thread, _) if thread == gone);
    let used = program.observables.values().any(|o| observed(o.what));
    if program.threads.len() == 1 || used && program.condition.is_some() {
        return None;
    }
    let mut smaller = program.clone();
    let others = program.threads.iter().filter(|(id, _)| *id != gone);
    smaller.threads = others.map(|(_, thread)| thread.clone()).collect();
    let kept = program.observables.values().filter(|o| !observed(o.what)).cloned();
    smaller.observables = kept.collect();
    for observable in smaller.observables.values_mut() {
        if let Observed::Reg(thread, _) = &mut observable.what
            && *thread > gone
        {
            *thread = ThreadIdx::from_u32(thread.as_u32() - 1);
        }
    }
    Some(smaller)
}

/// `None` if the program has a condition, which names observables by number.
fn without_observable(program: &Program, index: usize) -> Option<Program> {
    if program.condition.is_some() {
        return None;
    }
    let mut smaller = program.clone();
    let others = program.observables.values().enumerate().filter(|(i, _)| *i != index);
    smaller.observables = others.map(|(_, observable)| observable.clone()).collect();
    Some(smaller)
}

/// Whether any operand or callee of the program satisfies `wanted`.
fn mentions(program: &Program, wanted: impl Fn(&Operand) -> bool) -> bool {
    let mut program = program.clone();
    operands::all(&mut program).into_iter().any(|operand| wanted(operand))
}

/// The instructions of a program.
fn instructions(program: &Program) -> impl Iterator<Item = &InstKind> {
    let blocks = program.funcs.values().flat_map(|function| function.blocks.values());
    blocks.flat_map(|block| block.insts.iter().map(|inst| &inst.kind))
}
