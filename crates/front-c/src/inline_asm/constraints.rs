//! Constraints: the list of operands and their kinds.

/// A flag of the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flag {
    Zero,
    NotZero,
    Carry,
    NotCarry,
}

impl Flag {
    /// The flag for the condition letters of `sete`, `setc` and of outputs like `{@ccz}`.
    pub(crate) fn named(condition: &str) -> Option<Flag> {
        Some(match condition {
            "e" | "z" => Flag::Zero,
            "ne" | "nz" => Flag::NotZero,
            "c" | "b" => Flag::Carry,
            "nc" | "ae" => Flag::NotCarry,
            _ => return None,
        })
    }
}

/// A register that instructions use without naming it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Register {
    A,
    B,
    C,
    D,
}

impl Register {
    /// The register of a constraint: `a` or `{rax}`.
    fn of(body: &str) -> Option<Register> {
        let name = body.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(body);
        let letter = match name.as_bytes() {
            [letter] | [letter, b'x' | b'l'] | [b'e' | b'r', letter, b'x'] => letter,
            _ => return None,
        };
        Some(match letter {
            b'a' => Register::A,
            b'b' => Register::B,
            b'c' => Register::C,
            b'd' => Register::D,
            _ => return None,
        })
    }
}

/// One operand of an inline assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Constraint {
    pub output: bool,
    /// The operand is memory; the argument is its address.
    pub indirect: bool,
    /// This input shares the place of the output with this index.
    pub tied: Option<usize>,
    /// The output is a flag.
    pub flag: Option<Flag>,
    /// The operand is in this register.
    pub register: Option<Register>,
}

/// The operands, outputs first; clobbers are left out.
pub(crate) fn constraints(text: &str) -> Vec<Constraint> {
    text.split(',')
        .filter(|part| !part.is_empty() && !part.starts_with('~'))
        .map(constraint)
        .collect()
}

fn constraint(part: &str) -> Constraint {
    let output = part.starts_with('=');
    let body = part.trim_start_matches(['=', '&', '%', '+']);
    let indirect = body.starts_with('*');
    let body = body.trim_start_matches('*');
    let named = body.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
    Constraint {
        output,
        indirect,
        tied: body.parse().ok(),
        flag: named.and_then(|name| Flag::named(name.strip_prefix("@cc")?)),
        register: Register::of(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_constraints() {
        let all = constraints("={ax},=*m,={@ccz},r,0,*m,~{memory},~{dirflag},~{flags}");
        assert_eq!(all.len(), 6);
        assert!(all[0].output && all[0].register == Some(Register::A) && !all[0].indirect);
        assert!(all[1].output && all[1].indirect);
        assert_eq!(all[2].flag, Some(Flag::Zero));
        assert_eq!(all[4].tied, Some(0));
        assert!(!all[5].output && all[5].indirect);
        let registers = |text| constraints(text).iter().map(|it| it.register).collect::<Vec<_>>();
        assert_eq!(
            registers("={rdx},b,{cl},r,{di}"),
            [Some(Register::D), Some(Register::B), Some(Register::C), None, None]
        );
    }
}
