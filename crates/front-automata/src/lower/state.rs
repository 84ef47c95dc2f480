//! Lowering of states to blocks.
//!
//! The block of a state selects a transition that leaves it, and then executes its instruction.
//! Guards are functions of registers, which only their own thread changes. So a guard that is false
//! now stays false, and its transition is excluded from the choice:
//!
//! - guards are tested in order; if a guard holds and no later one does, its transition is taken at once,
//!   otherwise it is one side of a `choose`;
//! - transitions without a guard come last, as one `choose` among all of them;
//! - if no guard holds, `assume` stops the thread: it waits there for ever, which is neither a
//!   deadlock nor an error. A state without transitions ends the thread.

use super::guard::{complement, exclude};
use super::holding::Passable;
use super::thread::Lowering;
use crate::ast::{Expr, Instruction, StateId, Transition};
use raddle_ir::{BinOp, BlockId, InstKind, LocId, Operand, TerminatorKind, Type};

/// A transition and its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving<'a> {
    pub transition: &'a Transition,
    pub loc: LocId,
}

/// A transition with a guard.
#[derive(Clone, Copy, Debug)]
struct Guarded<'a> {
    leaving: Leaving<'a>,
    holds: Operand,
    /// The expression of `check`.
    check: Option<&'a Expr>,
}

impl Guarded<'_> {
    fn excludes(&self, other: &Guarded<'_>) -> bool {
        self.check.zip(other.check).is_some_and(|(one, other)| exclude(one, other))
    }
}

/// The condition under which a transition is enabled.
enum Guard<'a> {
    Open,
    Check(&'a Expr),
    Holds(Operand),
}

impl Lowering {
    pub(super) fn state(&mut self, state: StateId, leaving: &[Leaving<'_>]) {
        self.forget_temporaries();
        self.builder.switch_to(self.states[state.0 as usize]);
        if let [one, other] = leaving
            && let Some(check) = first_of_complements(one.transition, other.transition)
        {
            self.at(one.loc);
            let holds = self.truth(check);
            let (then, els) = (self.transition_block(*one), self.transition_block(*other));
            return self.builder.branch(holds, then, els);
        }
        let (mut guarded, mut open) = (Vec::new(), Vec::new());
        for leaving in leaving {
            self.at(leaving.loc);
            let (holds, check) = match self.guard(leaving.transition) {
                Guard::Open => {
                    open.push(*leaving);
                    continue;
                }
                Guard::Check(check) => (self.truth(check), Some(check)),
                Guard::Holds(holds) => (holds, None),
            };
            guarded.push(Guarded { leaving: *leaving, holds, check });
        }
        self.test_in_order(&guarded, &open);
    }

    fn guard<'a>(&mut self, transition: &'a Transition) -> Guard<'a> {
        let wants_held = match &transition.instruction {
            Instruction::Check(check) => return Guard::Check(check),
            Instruction::Lock => false,
            Instruction::Unlock => true,
            _ => return Guard::Open,
        };
        match (self.holding.passable(transition.from, wants_held), self.held) {
            (Passable::Always, _) => Guard::Open,
            (Passable::If { held: true }, Some(reg)) => Guard::Holds(reg.into()),
            (Passable::If { held: false }, Some(reg)) => Guard::Holds(self.negated(reg.into())),
            _ => Guard::Holds(Operand::Int(0)),
        }
    }

    /// Takes an enabled guarded transition or one of the `open` ones; stops the thread if none is enabled.
    fn test_in_order(&mut self, guarded: &[Guarded<'_>], open: &[Leaving<'_>]) {
        for (index, this) in guarded.iter().enumerate() {
            self.at(this.leaving.loc);
            let later = &guarded[index + 1..];
            if later.is_empty() && open.is_empty() {
                self.push(InstKind::Assume { cond: this.holds });
                return self.perform(this.leaving);
            }
            let next = self.builder.block(None);
            let taken = self.transition_block(this.leaving);
            let rivals: Vec<Operand> =
                later.iter().filter(|other| !this.excludes(other)).map(|g| g.holds).collect();
            let then = self.taken_or(taken, next, &rivals, !open.is_empty());
            self.builder.branch(this.holds, then, next);
            self.builder.switch_to(next);
        }
        self.choose_among(open);
    }

    /// The block for the case that a guard holds: the block of its transition, or, if others may be enabled too,
    /// a choice between it and them.
    fn taken_or(
        &mut self,
        taken: BlockId,
        others: BlockId,
        rivals: &[Operand],
        always: bool,
    ) -> BlockId {
        if !always && rivals.is_empty() {
            return taken;
        }
        let back = self.builder.current();
        let pick = self.builder.block(None);
        self.builder.switch_to(pick);
        let dst = self.temporary(Type::BOOL);
        self.push(InstKind::Choose { dst, ty: Type::BOOL, lo: 0, hi: 1, partial: false });
        self.builder.branch(dst, others, taken);
        let mut entry = pick;
        if !always {
            entry = self.builder.block(None);
            self.builder.switch_to(entry);
            let any = rivals[1..].iter().fold(rivals[0], |a, b| self.connect(BinOp::Or, a, *b));
            self.builder.branch(any, pick, taken);
        }
        self.builder.switch_to(back);
        entry
    }

    /// Takes any of these transitions, which have no guards.
    fn choose_among(&mut self, open: &[Leaving<'_>]) {
        match open {
            [] => self.builder.ret(None),
            [one] => self.perform(*one),
            [first, others @ ..] => {
                let dst = self.temporary(Type::I32);
                let hi = others.len() as u64;
                self.at(first.loc);
                self.push(InstKind::Choose { dst, ty: Type::I32, lo: 0, hi, partial: false });
                let choice = self.builder.current();
                let default = self.transition_block(*first);
                let cases = others.iter().enumerate();
                let cases =
                    cases.map(|(i, o)| (i as u128 + 1, self.transition_block(*o))).collect();
                self.builder.switch_to(choice);
                self.at(first.loc);
                let value = dst.into();
                self.builder.end(TerminatorKind::Switch { ty: Type::I32, value, cases, default });
            }
        }
    }

    /// The block that executes a transition; the block of its target state if the transition does nothing.
    fn transition_block(&mut self, leaving: Leaving<'_>) -> BlockId {
        let transition = leaving.transition;
        if matches!(transition.instruction, Instruction::Check(_) | Instruction::Noop) {
            return self.states[transition.to.0 as usize];
        }
        let back = self.builder.current();
        let block = self.builder.block(None);
        self.builder.switch_to(block);
        self.perform(leaving);
        self.builder.switch_to(back);
        block
    }
}

/// The check of the first transition, if the second is enabled exactly when the first is not.
fn first_of_complements<'a>(one: &'a Transition, other: &Transition) -> Option<&'a Expr> {
    match (&one.instruction, &other.instruction) {
        (Instruction::Check(one), Instruction::Check(other)) => {
            complement(one, other).then_some(one)
        }
        _ => None,
    }
}
