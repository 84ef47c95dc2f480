//! Final conditions: propositions over the final values of observables, with a quantifier over
//! executions, as litmus tests have them.

use crate::program::ObservableId;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Quantifier {
    /// Some execution satisfies the proposition.
    Exists,
    /// No execution satisfies the proposition.
    NotExists,
    /// Every execution satisfies the proposition.
    Forall,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CmpOp {
    Eq,
    Ne,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Term {
    Observable(ObservableId),
    /// Truncated to the type of the other side before the comparison, so that `-1` is all ones.
    Int(i128),
    /// The address of a global.
    Global(crate::program::GlobalId, i64),
}

/// `L` and `R` are the two sides of a comparison. A front end first has them as they are written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Prop<L = Term, R = Term> {
    True,
    False,
    Cmp(CmpOp, L, R),
    Not(Box<Prop<L, R>>),
    And(Vec<Prop<L, R>>),
    Or(Vec<Prop<L, R>>),
    Implies(Box<Prop<L, R>>, Box<Prop<L, R>>),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Condition<L = Term, R = Term> {
    pub quantifier: Quantifier,
    pub prop: Prop<L, R>,
}

impl<L, R> Prop<L, R> {
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

    /// The two sides of every comparison, in the order of the text.
    pub fn comparisons(&self) -> Vec<(&L, &R)> {
        match self {
            Prop::True | Prop::False => Vec::new(),
            Prop::Cmp(_, a, b) => vec![(a, b)],
            Prop::Not(p) => p.comparisons(),
            Prop::And(ps) | Prop::Or(ps) => ps.iter().flat_map(Prop::comparisons).collect(),
            Prop::Implies(p, q) => [p.comparisons(), q.comparisons()].concat(),
        }
    }

    /// The proposition with `f` of each comparison in its place, unless `f` fails.
    pub fn try_map<E>(
        &self,
        f: &mut impl FnMut(CmpOp, &L, &R) -> Result<Prop, E>,
    ) -> Result<Prop, E> {
        Ok(match self {
            Prop::True => Prop::True,
            Prop::False => Prop::False,
            Prop::Cmp(op, a, b) => f(*op, a, b)?,
            Prop::Not(p) => Prop::Not(Box::new(p.try_map(f)?)),
            Prop::And(ps) => Prop::And(ps.iter().map(|p| p.try_map(f)).collect::<Result<_, E>>()?),
            Prop::Or(ps) => Prop::Or(ps.iter().map(|p| p.try_map(f)).collect::<Result<_, E>>()?),
            Prop::Implies(p, q) => Prop::Implies(Box::new(p.try_map(f)?), Box::new(q.try_map(f)?)),
        })
    }
}

impl Prop {
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
