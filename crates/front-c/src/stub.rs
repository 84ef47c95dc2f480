//! Stand-ins for functions that a program calls and does not define: `--stub NAME=WHAT`.
//!
//! A stub replaces a declaration by a small body in the IR, with the type that the program declares. It is an
//! assumption of the user about the function, and front ends report which stubs a program was made with.

use crate::library::{self, Library};
use crate::link::{Links, Unit, is_local};
use crate::lower::{choices, is_recognised};
use crate::shape::{Shape, Signature};
use raddle_ir::near::did_you_mean;
use raddle_ir::{
    BinOp, Diagnostic, FailKind, Function, FunctionBuilder, InstKind, Operand, TerminatorKind,
    Type as Scalar,
};
use raddle_llvm::ast::{self, GlobalKind, GlobalValue, Type};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A stub, as the user wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stub {
    /// The name in the object file, so the mangled one of a C++ function.
    pub name: String,
    pub does: Does,
}

/// The behaviour of a stub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// Returns a number.
    Returns(i64),
    /// Does nothing; for functions that return nothing.
    Nothing,
    /// Returns any integer of [`crate::Options::nondet`].
    Any,
    /// To call it is an error of the program.
    Aborts,
}

const SYNTAX: &str = "expected NAME=WHAT; WHAT is a number to return, nothing, any or abort";

impl FromStr for Stub {
    type Err = String;

    fn from_str(word: &str) -> Result<Stub, String> {
        let (name, what) = word.split_once('=').ok_or(SYNTAX)?;
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(SYNTAX.to_owned());
        }
        let does = match what {
            "nothing" | "void" => Does::Nothing,
            "any" | "choose" => Does::Any,
            "abort" | "fail" => Does::Aborts,
            number => Does::Returns(number.parse().map_err(|_| {
                let meant = did_you_mean(number, ["nothing", "any", "abort"]);
                meant.map_or(SYNTAX.to_owned(), |meant| format!("{SYNTAX}; {meant}"))
            })?),
        };
        Ok(Stub { name: name.to_owned(), does })
    }
}

/// The stub as it is written on the command line.
impl fmt::Display for Stub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stub { name, does } = self;
        match does {
            Does::Returns(number) => write!(f, "{name}={number}"),
            Does::Nothing => write!(f, "{name}=nothing"),
            Does::Any => write!(f, "{name}=any"),
            Does::Aborts => write!(f, "{name}=abort"),
        }
    }
}

impl Stub {
    /// The stub as a phrase: "f returns 3".
    pub fn phrase(&self) -> String {
        let name = &self.name;
        match self.does {
            Does::Returns(number) => format!("{name} returns {number}"),
            Does::Nothing => format!("{name} does nothing"),
            Does::Any => format!("{name} returns any value of --nondet-range"),
            Does::Aborts => format!("{name} must not be called"),
        }
    }

    fn wrong(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::whole_file(&format!("--stub {self}"), message)
    }

    /// The body for a declaration with this signature. [`check`] has compared the two.
    pub(crate) fn body(&self, signature: &Signature, nondet: &RangeInclusive<i64>) -> Function {
        let mut out = FunctionBuilder::new(&*self.name);
        out.library();
        for ty in &signature.params {
            out.param(None, *ty);
        }
        if let Some(ty) = signature.ret {
            out.returns(ty);
        }
        match (self.does, signature.ret) {
            (Does::Aborts, _) => {
                let message = format!("{} is called (--stub {self})", self.name);
                out.push(InstKind::Fail { kind: FailKind::Abort, message });
                out.end(TerminatorKind::Unreachable);
            }
            (Does::Any, Some(ty @ Scalar::Int(bits))) => {
                let (low, hi, partial) = choices(nondet, bits, false, bits == 1);
                let (chosen, value) = (out.reg(None, ty), out.reg(None, ty));
                out.push(InstKind::Choose { dst: chosen, ty, lo: 0, hi, partial });
                let (a, b) = (chosen.into(), Operand::Int(low as u128 & ty.mask()));
                out.push(InstKind::Bin { op: BinOp::Add, ty, dst: value, a, b });
                out.ret(Some(value.into()));
            }
            (Does::Returns(number), Some(ty)) => out.ret(Some(Operand::Int(encoded(number, ty)))),
            (_, ty) => out.ret(ty.map(|_| Operand::Undef)),
        }
        out.finish()
    }
}

/// A number as the bits of a type.
fn encoded(number: i64, ty: Scalar) -> u128 {
    match ty {
        Scalar::F32 => (number as f32).to_bits().into(),
        Scalar::F64 => (number as f64).to_bits().into(),
        ty => i128::from(number) as u128 & ty.mask(),
    }
}

/// Refuses stubs for functions that are defined, that the program does not know, or of another type.
pub(crate) fn check(
    stubs: &[Stub],
    units: &[Unit],
    links: &Links<'_>,
    library: &Library,
) -> Result<(), Diagnostic> {
    for stub in stubs {
        let name = &*stub.name;
        if stubs.iter().filter(|other| other.name == name).any(|other| other.does != stub.does) {
            return Err(stub.wrong(format!("{name} has two different stubs")));
        }
        if let Some(file) = definer(name, units, links) {
            return Err(stub
                .wrong(format!("{name} is defined in {file}"))
                .expected("a function that is declared and not defined"));
        }
        if is_recognised(name) || library.has(name) && !library::is_stand_in(name) {
            return Err(stub
                .wrong(format!("{name} is modelled (docs/c-support.md)"))
                .expected("a function that is declared and not defined"));
        }
        let mut declared = declarations(units).filter(|(_, _, other)| *other == name).peekable();
        if declared.peek().is_none() {
            return Err(unknown(stub, units, links, library));
        }
        for (unit, function, _) in declared {
            fits(stub, unit, function.ty)?;
        }
    }
    Ok(())
}

/// The file that defines a function or a variable of that name.
fn definer<'m>(name: &str, units: &'m [Unit], links: &Links<'_>) -> Option<&'m str> {
    if let Some(symbol) = links.find(name) {
        return Some(&units[symbol.unit].file);
    }
    let is_own = |unit: &&Unit| {
        let mut globals = unit.module.globals.iter();
        globals.any(|(id, global)| unit.module.symbol(id) == Some(name) && is_local(global.linkage))
    };
    units.iter().find(is_own).map(|unit| &*unit.file)
}

/// The functions that are declared and have no body, with their names.
fn declarations(units: &[Unit]) -> impl Iterator<Item = (&Unit, &ast::Function, &str)> {
    units.iter().flat_map(|unit| {
        let globals = unit.module.globals.iter();
        globals.filter_map(move |(id, GlobalValue { kind, .. })| match kind {
            GlobalKind::Function(function) if function.body.is_none() => {
                let name = unit.module.symbol(id)?;
                (!name.starts_with("llvm.")).then_some((unit, &**function, name))
            }
            _ => None,
        })
    })
}

fn unknown(stub: &Stub, units: &[Unit], links: &Links<'_>, library: &Library) -> Diagnostic {
    let wrong = stub.wrong(format!("the program does not call a function {}", stub.name));
    let names = declarations(units).map(|(_, _, name)| name);
    let mut names: Vec<&str> = names
        .filter(|name| links.find(name).is_none())
        .filter(|name| !is_recognised(name))
        .filter(|name| !library.has(name) || library::is_stand_in(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    match did_you_mean(&stub.name, names.iter().copied()) {
        Some(meant) => wrong.help(meant),
        None if names.is_empty() => wrong.help("all functions that it calls are defined"),
        None => {
            names.truncate(NAMED);
            wrong.help(format!("functions without a definition: {}", names.join(", ")))
        }
    }
}

/// How many functions a message names.
const NAMED: usize = 8;

/// Whether a stub can have the type of a declaration.
fn fits(stub: &Stub, unit: &Unit, ty: ast::TypeId) -> Result<(), Diagnostic> {
    let Type::Func { ret, .. } = unit.module.ty(ty) else { return Ok(()) };
    let shape = Shape::of(unit, *ret);
    let what = match shape {
        Shape::Nothing => "nothing",
        Shape::Scalar(Scalar::Int(_)) => "an integer",
        Shape::Scalar(Scalar::Ptr) => "a pointer",
        Shape::Scalar(_) => "a floating-point number",
        Shape::Packed { .. } | Shape::Unfit => "a structure",
    };
    let fits = match (stub.does, &shape) {
        (Does::Aborts, _) | (Does::Nothing, Shape::Nothing) => true,
        (Does::Nothing, _) | (_, Shape::Nothing | Shape::Unfit) => false,
        (Does::Returns(number), Shape::Scalar(Scalar::Int(bits))) => is_within(number, *bits),
        (Does::Returns(_), Shape::Scalar(ty)) if ty.is_float() => true,
        (Does::Returns(number), _) => number == 0,
        (Does::Any, Shape::Scalar(Scalar::Int(bits))) => *bits <= 64,
        (Does::Any, _) => false,
    };
    if fits {
        return Ok(());
    }
    let possible = match shape {
        Shape::Nothing => "nothing or abort",
        Shape::Scalar(Scalar::Int(bits)) => {
            return Err(stub
                .wrong(format!("{} returns an integer of {bits} bits", stub.name))
                .expected("a number that fits, any or abort"));
        }
        Shape::Scalar(Scalar::Ptr) | Shape::Packed { .. } => "0 or abort",
        Shape::Scalar(_) => "a number or abort",
        Shape::Unfit => "abort",
    };
    Err(stub.wrong(format!("{} returns {what}", stub.name)).expected(possible))
}

/// Whether an integer of so many bits, signed or not, can be this number.
fn is_within(number: i64, bits: u8) -> bool {
    match bits {
        1 => matches!(number, 0 | 1),
        64.. => true,
        bits => (-(1i64 << (bits - 1))..1i64 << bits).contains(&number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, lower_text};
    use raddle_ir::Program;

    const CALLER: &str = "declare i32 @read_sensor(ptr)
        declare void @log_line(ptr, ...)
        declare ptr @find()
        declare double @weight()
        declare i32 @rand()
        declare i32 @pthread_join(i64, ptr)
        define internal i32 @own() { ret i32 0 }
        define i32 @main() {
          %a = call i32 @read_sensor(ptr null)
          call void (ptr, ...) @log_line(ptr null, i32 %a)
          %b = call ptr @find()
          %c = call double @weight()
          %d = call i32 @rand()
          %e = call i32 @own()
          %f = call i32 @pthread_join(i64 0, ptr null)
          ret i32 %d
        }";

    fn lowered(stubs: &[&str]) -> Result<Program, Diagnostic> {
        let stubs = stubs.iter().map(|stub| stub.parse().expect("a stub")).collect();
        let options = Options { stubs, ..Options::default() };
        lower_text("t.ll", CALLER.as_bytes(), &options)
    }

    fn refusal(stub: &str) -> String {
        lowered(&[stub]).expect_err(stub).to_string()
    }

    #[test]
    fn stubs_are_written_and_read() {
        for word in ["f=0", "f=-3", "f=nothing", "_Z1fv=any", "f=abort"] {
            let stub: Stub = word.parse().expect(word);
            assert_eq!(stub.to_string(), word);
        }
        assert_eq!("f=choose".parse(), "f=any".parse::<Stub>());
        assert_eq!("f=fail".parse(), "f=abort".parse::<Stub>());
        assert_eq!("f=void".parse(), "f=nothing".parse::<Stub>());
        for word in ["", "f", "=1", "f=", "f=x y", "f g=1", "f=99999999999999999999"] {
            assert!(word.parse::<Stub>().is_err(), "{word}");
        }
        assert!("f=abrt".parse::<Stub>().is_err_and(|why| why.ends_with("did you mean 'abort'?")));
    }

    #[test]
    fn stubs_have_the_declared_types() {
        let program =
            lowered(&["read_sensor=any", "log_line=nothing", "find=0", "weight=2", "rand=any"]);
        let program = raddle_ir::verify(program.expect("a program")).expect("well-formed");
        let printed = raddle_ir::text::print(&program);
        for name in ["read_sensor", "log_line", "find", "weight", "rand"] {
            let func = program.funcs.values().find(|func| func.name == name);
            assert!(!func.expect(name).blocks.is_empty(), "{name} in\n{printed}");
        }
        assert!(
            printed.contains(&2.0f64.to_bits().to_string()) || printed.contains("2.0"),
            "{printed}"
        );
    }

    #[test]
    fn stubs_that_make_no_sense_are_refused() {
        for (stub, why) in [
            ("own=1", "own is defined in t.ll"),
            ("main=1", "main is defined in t.ll"),
            ("pthread_join=0", "is modelled"),
            ("__VERIFIER_nondet_int=0", "is modelled"),
            ("read_sensr=1", "did you mean 'read_sensor'?"),
            ("elsewhere=1", "functions without a definition: find, log_line, rand, read_sensor"),
            ("read_sensor=nothing", "returns an integer of 32 bits"),
            ("read_sensor=5000000000", "returns an integer of 32 bits"),
            ("log_line=0", "returns nothing"),
            ("find=7", "returns a pointer"),
            ("weight=any", "returns a floating-point number"),
        ] {
            let shown = refusal(stub);
            assert!(shown.contains(why), "{stub}: {shown}");
        }
        let twice = lowered(&["find=0", "find=abort"]).expect_err("two stubs").to_string();
        assert!(twice.contains("two different stubs"), "{twice}");
    }
}
