//! Final conditions: propositions over the final values of observables, with a quantifier over
//! executions, as litmus tests have them.

use crate::program::ObservableId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Some execution satisfies the proposition.
    Exists,
    /// No execution satisfies the proposition.
    NotExists,
    /// Every execution satisfies the proposition.
    Forall,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CmpOp {
    Eq,
    Ne,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    Observable(ObservableId),
    /// Truncated to the type of the other side before the comparison, so that `-1` is all ones.
    Int(i128),
    /// The address of a global.
    Global(crate::program::GlobalId, i64),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prop {
    True,
    False,
    Cmp(CmpOp, Term, Term),
    Not(Box<Prop>),
    And(Vec<Prop>),
    Or(Vec<Prop>),
    Implies(Box<Prop>, Box<Prop>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    pub quantifier: Quantifier,
    pub prop: Prop,
}

impl Prop {
    /// Whether the proposition has more than `levels` levels. The search stops at that depth.
    pub fn deeper_than(&self, levels: usize) -> bool {
        let Some(below) = levels.checked_sub(1) else {
            return true;
        };
        match self {
            Prop::True | Prop::False | Prop::Cmp(..) => false,
            Prop::Not(p) => p.deeper_than(below),
            Prop::And(ps) | Prop::Or(ps) => ps.iter().any(|p| p.deeper_than(below)),
            Prop::Implies(p, q) => p.deeper_than(below) || q.deeper_than(below),
        }
    }

    /// Evaluates the proposition; `cmp` decides each comparison.
    pub fn holds(&self, cmp: &mut impl FnMut(CmpOp, Term, Term) -> bool) -> bool {
        match self {
            Prop::True => true,
            Prop::False => false,
            Prop::Cmp(op, a, b) => cmp(*op, *a, *b),
            Prop::Not(p) => !p.holds(cmp),
            Prop::And(ps) => ps.iter().all(|p| p.holds(cmp)),
            Prop::Or(ps) => ps.iter().any(|p| p.holds(cmp)),
            Prop::Implies(p, q) => !p.holds(cmp) || q.holds(cmp),
        }
    }
}
