//! Final conditions, with parentheses around every compound operand.

use super::super::literal::name;
use super::names;
use crate::cond::{CmpOp, Condition, Prop, Quantifier, Term};
use crate::program::Program;

pub(super) fn condition(program: &Program, condition: &Condition) -> String {
    let quantifier = match condition.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "not exists",
        Quantifier::Forall => "forall",
    };
    format!("{quantifier} {}", prop(program, &condition.prop))
}

fn prop(program: &Program, p: &Prop) -> String {
    match p {
        Prop::True => "true".to_owned(),
        Prop::False => "false".to_owned(),
        Prop::Cmp(op, a, b) => {
            let op = match op {
                CmpOp::Eq => "==",
                CmpOp::Ne => "!=",
            };
            format!("{} {op} {}", term(program, *a), term(program, *b))
        }
        Prop::Not(p) => match **p {
            Prop::Cmp(..) => format!("!({})", prop(program, p)),
            _ => format!("!{}", operand(program, p)),
        },
        Prop::And(parts) => joined(program, parts, "&&", "all"),
        Prop::Or(parts) => joined(program, parts, "||", "any"),
        Prop::Implies(p, q) => format!("{} => {}", operand(program, p), operand(program, q)),
    }
}

/// Chains of fewer than two parts have no infix form and use `all` or `any`.
fn joined(program: &Program, parts: &[Prop], infix: &str, function: &str) -> String {
    if parts.len() < 2 {
        let parts: Vec<_> = parts.iter().map(|part| prop(program, part)).collect();
        return format!("{function}({})", parts.join(", "));
    }
    let parts: Vec<_> = parts.iter().map(|part| operand(program, part)).collect();
    parts.join(&format!(" {infix} "))
}

fn operand(program: &Program, p: &Prop) -> String {
    let chain = matches!(p, Prop::And(parts) | Prop::Or(parts) if parts.len() >= 2);
    match p {
        Prop::Implies(..) => format!("({})", prop(program, p)),
        _ if chain => format!("({})", prop(program, p)),
        _ => prop(program, p),
    }
}

fn term(program: &Program, term: Term) -> String {
    match term {
        Term::Observable(id) => match program.observables.get(id) {
            Some(observable) => name(&observable.name),
            None => format!("<{id}>"),
        },
        Term::Int(value) => value.to_string(),
        Term::Global(id, 0) => names::global(program, id),
        Term::Global(id, at) => format!("{}{at:+}", names::global(program, id)),
    }
}
