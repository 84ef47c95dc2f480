//! How many executions satisfy a program's final condition.

use crate::layout::Layout;
use crate::outcome::{Outcome, Trouble};
use raddle_ir::{CmpOp, Program, Term, Type};

/// How often the proposition of a condition holds, independent of its quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    Never,
    Sometimes,
    Always,
}

impl Outcome {
    /// The observation of the condition over the completed executions; `None` without a condition.
    pub fn observation(&self, program: &Program) -> Result<Option<Observation>, Trouble> {
        let layout = Layout::new(program)?;
        let Some(condition) = &program.condition else { return Ok(None) };
        let met = |state: &[u64]| {
            let mut compare = |op, a, b| compare(program, &layout, state, op, a, b);
            condition.prop.holds(&mut compare)
        };
        let met = self.states.keys().filter(|state| met(state)).count();
        Ok(Some(match met {
            0 => Observation::Never,
            all if all == self.states.len() => Observation::Always,
            _ => Observation::Sometimes,
        }))
    }
}

fn compare(program: &Program, layout: &Layout, state: &[u64], op: CmpOp, a: Term, b: Term) -> bool {
    let ty = |term| match term {
        Term::Observable(id) => Some(program.observable_type(id)),
        Term::Int(_) | Term::Global(..) => None,
    };
    let ty = ty(a).or(ty(b)).unwrap_or(Type::I64);
    let value = |term| match term {
        Term::Observable(id) => u128::from(state[id.as_u32() as usize]),
        Term::Int(value) => value as u128,
        Term::Global(global, offset) => layout.address(global).wrapping_add_signed(offset).into(),
    };
    let equal = value(a) & ty.mask() == value(b) & ty.mask();
    equal == (op == CmpOp::Eq)
}
