//! One thread of one function: registers, control, and the goal blocks that it passed since its last
//! visible step.

use crate::arith;
use crate::layout::Layout;
use crate::outcome::Trouble;
use raddle_ir::{
    BlockId, FuncId, InstKind, Operand, Program, Reg, TerminatorKind, ThreadIdx, Type,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum End {
    /// The thread has returned, was stopped by `assume`, or loops forever without a visible step.
    Still,
    Failed,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Thread {
    func: FuncId,
    block: BlockId,
    next: usize,
    regs: Vec<u128>,
    end: Option<End>,
    /// The blocks of goals.
    wanted: BTreeSet<BlockId>,
    /// The blocks of goals whose start the thread has passed since its last visible step.
    passed: BTreeSet<BlockId>,
}

impl Thread {
    pub(super) fn start(
        program: &Program,
        layout: &Layout,
        index: ThreadIdx,
    ) -> Result<Thread, Trouble> {
        let init = &program.threads[index];
        let function = &program.funcs[init.func];
        let places = program.goals.iter().flat_map(|goal| &goal.places);
        let mut regs = vec![0; function.regs.len()];
        for (param, arg) in function.params.iter().zip(&init.args) {
            let ty = function.regs[*param].ty;
            regs[param.as_u32() as usize] = layout.constant(*arg, ty).unwrap_or_default();
        }
        let mut thread = Thread {
            func: init.func,
            block: BlockId::from_u32(0),
            next: 0,
            regs,
            end: None,
            wanted: places.filter(|(thread, _)| *thread == index).map(|place| place.1).collect(),
            passed: BTreeSet::new(),
        };
        thread.arrive(BlockId::from_u32(0));
        thread.run(program, layout)?;
        Ok(thread)
    }

    pub(super) fn was_at(&self, block: BlockId) -> bool {
        self.passed.contains(&block)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.end == Some(End::Failed)
    }

    pub(super) fn fail(&mut self) {
        self.end = Some(End::Failed);
    }

    /// The visible instruction at which the thread stands.
    pub(super) fn at<'p>(&self, program: &'p Program) -> Option<&'p InstKind> {
        let insts = &program.funcs[self.func].blocks[self.block].insts;
        if self.end.is_some() { None } else { insts.get(self.next).map(|inst| &inst.kind) }
    }

    pub(super) fn value(&self, layout: &Layout, operand: Operand, ty: Type) -> u128 {
        match operand {
            Operand::Reg(reg) => self.regs[reg.as_u32() as usize],
            other => layout.constant(other, ty).unwrap_or_default(),
        }
    }

    /// Continues after the visible instruction, which had these results.
    pub(super) fn resume(
        &mut self,
        program: &Program,
        layout: &Layout,
        results: &[(Reg, u128)],
    ) -> Result<(), Trouble> {
        for (reg, value) in results {
            self.regs[reg.as_u32() as usize] = *value;
        }
        self.next += 1;
        self.passed.clear();
        self.run(program, layout)
    }

    fn arrive(&mut self, block: BlockId) {
        (self.block, self.next) = (block, 0);
        if self.wanted.contains(&block) {
            self.passed.insert(block);
        }
    }

    fn run(&mut self, program: &Program, layout: &Layout) -> Result<(), Trouble> {
        let mut rounds = FxHashSet::default();
        while self.end.is_none() {
            let block = &program.funcs[self.func].blocks[self.block];
            match block.insts.get(self.next) {
                Some(inst) => {
                    if !self.local(layout, &inst.kind)? {
                        return Ok(());
                    }
                }
                None => {
                    self.leave(layout, &block.term.kind);
                    if !rounds.insert((self.block, self.regs.clone())) {
                        self.end = Some(End::Still);
                    }
                }
            }
        }
        Ok(())
    }

    fn leave(&mut self, layout: &Layout, terminator: &TerminatorKind) {
        match terminator {
            TerminatorKind::Jump(to) => self.arrive(*to),
            TerminatorKind::Branch { cond, then, els } => {
                let holds = self.value(layout, *cond, Type::BOOL) != 0;
                self.arrive(if holds { *then } else { *els });
            }
            TerminatorKind::Switch { ty, value, cases, default } => {
                let value = self.value(layout, *value, *ty);
                let case = cases.iter().find(|(case, _)| *case == value);
                self.arrive(case.map_or(*default, |(_, to)| *to));
            }
            TerminatorKind::Return(_) => self.end = Some(End::Still),
            TerminatorKind::Unreachable => self.fail(),
        }
    }

    /// Executes a local instruction; returns `false` if the instruction is visible.
    fn local(&mut self, layout: &Layout, inst: &InstKind) -> Result<bool, Trouble> {
        let value = |operand, ty| self.value(layout, operand, ty);
        let (dst, result) = match *inst {
            InstKind::Bin { op, ty, dst, a, b } => {
                match arith::binary(op, ty, value(a, ty), value(b, ty))? {
                    Some(result) => (dst, result),
                    None => {
                        self.fail();
                        return Ok(true);
                    }
                }
            }
            InstKind::Un { op, ty, dst, a } => (dst, arith::unary(op, ty, value(a, ty))?),
            InstKind::Cmp { pred, ty, dst, a, b } => {
                (dst, arith::compare(pred, ty, value(a, ty), value(b, ty))?.into())
            }
            InstKind::Cast { op, from, to, dst, a } => {
                (dst, arith::cast(op, from, to, value(a, from))?)
            }
            InstKind::Select { ty, dst, cond, a, b } => {
                (dst, value(if value(cond, Type::BOOL) != 0 { a } else { b }, ty))
            }
            InstKind::Move { ty, dst, a } => (dst, value(a, ty)),
            InstKind::Assume { cond } | InstKind::Assert { cond, .. } => {
                match (value(cond, Type::BOOL), inst) {
                    (0, InstKind::Assume { .. }) => self.end = Some(End::Still),
                    (0, _) => self.fail(),
                    _ => self.next += 1,
                }
                return Ok(true);
            }
            InstKind::Fail { .. } => {
                self.fail();
                return Ok(true);
            }
            InstKind::Yield => {
                self.next += 1;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.regs[dst.as_u32() as usize] = result;
        self.next += 1;
        Ok(true)
    }
}
