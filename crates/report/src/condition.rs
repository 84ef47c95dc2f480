//! Conditions, spelled as litmus tests spell them: `exists (0:EAX=0 /\ 1:EAX=0)`.

use raddle_ir::{CmpOp, Condition, Program, Prop, Quantifier, Term};

/// The condition of a program; a program without one has `forall (true)`.
pub fn spelled(program: &Program) -> String {
    match &program.condition {
        Some(Condition { quantifier, prop }) => {
            format!("{} ({})", quantifier_word(*quantifier), show(program, prop, Level::Implies))
        }
        None => "forall (true)".to_owned(),
    }
}

pub const fn quantifier_word(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    }
}

/// The precedence of a connective. An operand that binds less tightly than its place requires gets
/// parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Atom,
}

fn show(program: &Program, prop: &Prop, place: Level) -> String {
    let (text, level) = match prop {
        Prop::True => ("true".to_owned(), Level::Atom),
        Prop::False => ("false".to_owned(), Level::Atom),
        Prop::Cmp(op, a, b) => (comparison(program, *op, *a, *b), Level::Atom),
        Prop::Not(p) => (format!("~({})", show(program, p, Level::Implies)), Level::Atom),
        Prop::And(ps) => joined(program, ps, " /\\ ", "true", Level::And),
        Prop::Or(ps) => joined(program, ps, " \\/ ", "false", Level::Or),
        Prop::Implies(p, q) => {
            let [p, q] = [show(program, p, Level::Or), show(program, q, Level::Implies)];
            (format!("{p} => {q}"), Level::Implies)
        }
    };
    if level < place { format!("({text})") } else { text }
}

/// The operands of one associative connective. Without operands: its neutral element; with one operand:
/// that operand.
fn joined(program: &Program, ps: &[Prop], sep: &str, none: &str, level: Level) -> (String, Level) {
    match ps {
        [] => (none.to_owned(), Level::Atom),
        [only] => (show(program, only, Level::Atom), Level::Atom),
        _ => {
            // One level up: an operand of the same connective keeps its own parentheses.
            let inner = if level == Level::Or { Level::And } else { Level::Atom };
            let parts: Vec<String> = ps.iter().map(|p| show(program, p, inner)).collect();
            (parts.join(sep), level)
        }
    }
}

fn comparison(program: &Program, op: CmpOp, a: Term, b: Term) -> String {
    let op = match op {
        CmpOp::Eq => "=",
        CmpOp::Ne => "<>",
    };
    format!("{}{op}{}", term(program, a), term(program, b))
}

fn term(program: &Program, term: Term) -> String {
    match term {
        Term::Observable(id) => program.observables[id].name.clone(),
        Term::Int(value) => value.to_string(),
        Term::Global(id, 0) => program.globals[id].name.clone(),
        Term::Global(id, offset) => format!("{}{offset:+}", program.globals[id].name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::{ObservableId, Observed, ProgramBuilder, Type};

    fn atom(value: i128) -> Prop {
        Prop::Cmp(CmpOp::Eq, Term::Observable(ObservableId::from_u32(0)), Term::Int(value))
    }

    fn shown(prop: Prop) -> String {
        let mut builder = ProgramBuilder::new("p");
        let global = builder.scalar("x", Type::I32, 0);
        builder.observe("x", Observed::Mem { global, offset: 0, ty: Type::I32 });
        let mut program = builder.finish();
        program.condition = Some(Condition { quantifier: Quantifier::Exists, prop });
        spelled(&program)
    }

    #[test]
    fn parentheses_where_they_are_needed_only() {
        let and = Prop::And(vec![atom(0), atom(1)]);
        let or = Prop::Or(vec![atom(2), and.clone()]);
        assert_eq!(shown(and.clone()), r"exists (x=0 /\ x=1)");
        assert_eq!(shown(or.clone()), r"exists (x=2 \/ x=0 /\ x=1)");
        assert_eq!(
            shown(Prop::And(vec![or.clone(), atom(3)])),
            r"exists ((x=2 \/ x=0 /\ x=1) /\ x=3)"
        );
        assert_eq!(shown(Prop::Not(Box::new(atom(-1)))), "exists (~(x=-1))");
        let implies = Prop::Implies(Box::new(or), Box::new(atom(4)));
        assert_eq!(shown(implies), r"exists (x=2 \/ x=0 /\ x=1 => x=4)");
    }

    #[test]
    fn no_condition_is_true_always() {
        assert_eq!(spelled(&Program::default()), "forall (true)");
    }
}
