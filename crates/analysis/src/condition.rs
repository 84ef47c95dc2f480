//! Final conditions over final states.
//!
//! The engine reports the final values of a program's observables as bits; a condition compares
//! them with each other, with integers and with addresses of globals. Comparison is by the
//! observable's width: an integer or an address is truncated to it, so that `-1` and `255` are
//! the same byte. Two observables of different widths compare as signed numbers.

use raddle_engine::{Step, Summary};
use raddle_ir::{CmpOp, Condition, ObservableId, Program, Prop, Quantifier, Term};
use raddle_machine::layout;

/// A final state, as the engine reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// One value per observable, in the program's order.
    pub values: Vec<u64>,
    /// The number of executions that end in this state.
    pub count: u64,
    /// A schedule that ends in this state.
    pub schedule: Vec<Step>,
}

/// A condition, evaluated over every final state that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConditionResult {
    pub quantifier: Quantifier,
    /// The number of executions that satisfy the proposition.
    pub positive: u64,
    /// The number of executions that do not.
    pub negative: u64,
    /// A state that contradicts a `~exists` or a `forall`.
    pub counterexample: Option<Outcome>,
}

impl ConditionResult {
    /// Whether the final states that were found validate the condition.
    pub fn holds(&self) -> bool {
        match self.quantifier {
            Quantifier::Exists => self.positive > 0,
            Quantifier::NotExists | Quantifier::Forall => self.counterexample.is_none(),
        }
    }
}

/// Evaluates the program's condition, if it has one, over the states of a search.
pub fn judge(program: &Program, summary: &Summary) -> Option<ConditionResult> {
    let condition = program.condition.as_ref()?;
    let mut result = ConditionResult {
        quantifier: condition.quantifier,
        positive: 0,
        negative: 0,
        counterexample: None,
    };
    for (n, (values, count)) in summary.states.iter().enumerate() {
        let met = meets(program, &condition.prop, values);
        let side = if met { &mut result.positive } else { &mut result.negative };
        *side = side.saturating_add(*count);
        if result.counterexample.is_none() && refutes(condition, met) {
            let schedule = summary.witnesses.get(n).cloned().unwrap_or_default();
            result.counterexample =
                Some(Outcome { values: values.clone(), count: *count, schedule });
        }
    }
    Some(result)
}

/// Whether a final state contradicts the program's condition.
pub fn is_refuted(program: &Program, values: &[u64]) -> bool {
    let condition = program.condition.as_ref();
    condition.is_some_and(|c| refutes(c, meets(program, &c.prop, values)))
}

fn refutes(condition: &Condition, met: bool) -> bool {
    match condition.quantifier {
        Quantifier::Exists => false,
        Quantifier::NotExists => met,
        Quantifier::Forall => !met,
    }
}

/// Whether a final state satisfies a proposition.
pub fn meets(program: &Program, prop: &Prop, values: &[u64]) -> bool {
    prop.holds(&mut |op, a, b| {
        let equal = equal(program, values, a, b);
        match op {
            CmpOp::Eq => equal,
            CmpOp::Ne => !equal,
        }
    })
}

fn equal(program: &Program, values: &[u64], a: Term, b: Term) -> bool {
    match (a, b) {
        (Term::Observable(x), Term::Observable(y)) => {
            signed_value(program, x, values) == signed_value(program, y, values)
        }
        (Term::Observable(x), constant) | (constant, Term::Observable(x)) => {
            let mask = mask(program, x);
            constant_bits(constant) & mask == u128::from(value(x, values)) & mask
        }
        (Term::Int(x), Term::Int(y)) => x == y,
        // At least one side is an address, so both are compared as addresses.
        (a, b) => {
            let mask = u128::from(u64::MAX);
            constant_bits(a) & mask == constant_bits(b) & mask
        }
    }
}

fn value(id: ObservableId, values: &[u64]) -> u64 {
    values.get(id.as_u32() as usize).copied().unwrap_or_default()
}

/// A mask of the bits of an observable; the engine reports at most 64 of them.
fn mask(program: &Program, id: ObservableId) -> u128 {
    program.observable_type(id).mask() & u128::from(u64::MAX)
}

fn signed_value(program: &Program, id: ObservableId, values: &[u64]) -> i64 {
    sign_extend(value(id, values), program.observable_type(id).bits())
}

/// Reads the low `bits` of a value as a two's complement number.
pub fn sign_extend(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    ((value << unused) as i64) >> unused
}

/// The bits of a term that does not depend on the state.
fn constant_bits(term: Term) -> u128 {
    match term {
        Term::Int(value) => value as u128,
        Term::Global(global, offset) => {
            layout::global_address(global).wrapping_add_signed(offset).into()
        }
        Term::Observable(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::{GlobalId, Observed, ProgramBuilder, Type};

    fn program(types: &[Type]) -> Program {
        let mut builder = ProgramBuilder::new("p");
        for (i, ty) in types.iter().enumerate() {
            let global = builder.scalar(format!("g{i}"), *ty, 0);
            builder.observe(format!("g{i}"), Observed::Mem { global, offset: 0, ty: *ty });
        }
        builder.finish()
    }

    fn obs(index: u32) -> Term {
        Term::Observable(ObservableId::from_u32(index))
    }

    fn eq(a: Term, b: Term) -> Prop {
        Prop::Cmp(CmpOp::Eq, a, b)
    }

    #[test]
    fn integers_are_truncated_to_the_observable() {
        let p = program(&[Type::I8]);
        assert!(meets(&p, &eq(obs(0), Term::Int(-1)), &[255]));
        assert!(meets(&p, &eq(Term::Int(255), obs(0)), &[255]));
        assert!(!meets(&p, &eq(obs(0), Term::Int(1)), &[255]));
    }

    #[test]
    fn observables_of_two_widths_compare_as_signed_numbers() {
        let p = program(&[Type::I8, Type::I32]);
        assert!(meets(&p, &eq(obs(0), obs(1)), &[0xff, 0xffff_ffff]));
        assert!(!meets(&p, &eq(obs(0), obs(1)), &[1, 257]));
    }

    #[test]
    fn addresses_tell_globals_apart() {
        let p = program(&[Type::Ptr, Type::Ptr]);
        let [g0, g1] = [GlobalId::from_u32(0), GlobalId::from_u32(1)];
        let at = [layout::global_address(g0), 0];
        assert!(meets(&p, &eq(obs(0), Term::Global(g0, 0)), &at));
        assert!(!meets(&p, &eq(obs(0), Term::Global(g1, 0)), &at));
        assert!(meets(&p, &eq(Term::Global(g0, 4), Term::Global(g0, 4)), &at));
    }

    #[test]
    fn connectives() {
        let p = program(&[Type::I32, Type::I32]);
        let [a, b] = [eq(obs(0), Term::Int(1)), eq(obs(1), Term::Int(1))];
        let both = Prop::And(vec![a.clone(), b.clone()]);
        let either = Prop::Or(vec![a.clone(), b.clone()]);
        let implies = Prop::Implies(Box::new(a.clone()), Box::new(b));
        assert!(!meets(&p, &both, &[1, 0]));
        assert!(meets(&p, &either, &[1, 0]));
        assert!(!meets(&p, &implies, &[1, 0]));
        assert!(meets(&p, &implies, &[0, 0]));
        assert!(meets(&p, &Prop::Not(Box::new(a)), &[0, 0]));
    }

    fn schedule(value: u64) -> Vec<Step> {
        vec![Step::Choose { thread: raddle_machine::ThreadId(0), choice: value }]
    }

    fn outcome(value: u64, count: u64) -> Outcome {
        Outcome { values: vec![value], count, schedule: schedule(value) }
    }

    fn judged(quantifier: Quantifier, states: &[(u64, u64)]) -> ConditionResult {
        let mut p = program(&[Type::I32]);
        p.condition = Some(Condition { quantifier, prop: eq(obs(0), Term::Int(1)) });
        let summary = Summary {
            states: states.iter().map(|&(value, count)| (vec![value], count)).collect(),
            witnesses: states.iter().map(|&(value, _)| schedule(value)).collect(),
            ..Summary::default()
        };
        judge(&p, &summary).expect("there is a condition")
    }

    #[test]
    fn quantifiers_count_executions_and_keep_a_counterexample() {
        let mixed = [(0, 3), (1, 2)];
        let exists = judged(Quantifier::Exists, &mixed);
        assert!(exists.holds() && exists.counterexample.is_none());
        assert_eq!((exists.positive, exists.negative), (2, 3));

        let never = judged(Quantifier::NotExists, &mixed);
        assert!(!never.holds());
        assert_eq!(never.counterexample, Some(outcome(1, 2)));

        let always = judged(Quantifier::Forall, &mixed);
        assert!(!always.holds());
        assert_eq!(always.counterexample, Some(outcome(0, 3)));

        assert!(judged(Quantifier::NotExists, &[(0, 1)]).holds());
        assert!(judged(Quantifier::Forall, &[(1, 1)]).holds());
        assert!(!judged(Quantifier::Exists, &[(0, 1)]).holds());
    }

    #[test]
    fn sign_extension() {
        assert_eq!(sign_extend(0xff, 8), -1);
        assert_eq!(sign_extend(0x7f, 8), 127);
        assert_eq!(sign_extend(1, 1), -1);
        assert_eq!(sign_extend(u64::MAX, 128), -1);
    }
}
