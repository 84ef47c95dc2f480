//! The warning about functions that a program calls and nobody defines: all at once, each with who calls it
//! and what can be done.

use raddle_front_c::{Hint, Loaded, Undefined, Use};
use raddle_ir::{Program, Type};
use raddle_report::printable;

/// How many functions are shown, and how many places of each.
const FUNCTIONS: usize = 20;
const PLACES: usize = 3;

/// The warning, if a program refers to functions that are not defined.
pub(crate) fn warning(shown: &str, loaded: &Loaded) -> Option<String> {
    let undefined = &loaded.undefined;
    let what = match undefined.len() {
        0 => return None,
        1 => "1 function is used but not defined".to_owned(),
        count => format!("{count} functions are used but not defined"),
    };
    let mut text =
        format!("warning: {shown}: {what}; a run that calls one ends there as unsupported");
    for function in undefined.iter().take(FUNCTIONS) {
        text.push_str(&format!(
            "\n  {}: {}",
            printable(&function.name),
            users(&loaded.program, function)
        ));
        text.push_str(&format!("\n    {}", advice(function)));
    }
    if undefined.len() > FUNCTIONS {
        text.push_str(&format!("\n  and {} more", undefined.len() - FUNCTIONS));
    }
    Some(text)
}

/// `called by poll (prog.c:14), main (prog.c:20) and 3 more`
fn users(program: &Program, function: &Undefined) -> String {
    let shown: Vec<String> =
        function.uses.iter().take(PLACES).map(|it| user(program, it)).collect();
    match function.uses.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and at {more} more places", shown.join(", ")),
    }
}

fn user(program: &Program, found: &Use) -> String {
    let how = if found.is_call { "called by" } else { "its address is taken by" };
    let place = program.place(found.loc).map_or(String::new(), |place| format!(" at {place}"));
    format!("{how} {}{place}", printable(&found.by))
}

fn advice(function: &Undefined) -> String {
    let stub = format!("--stub {}={}", function.name, stand_in(function.returns));
    match &function.hint {
        Some(Hint::Meant(name)) => {
            format!("did you mean {name}? Otherwise add the file that defines it, or {stub}")
        }
        Some(Hint::Environment(part)) => {
            format!("{part}: not modelled (docs/c-support.md); define it for the check, or {stub}")
        }
        None => format!("add the file that defines it, or {stub}"),
    }
}

/// The stub that says least about a function.
const fn stand_in(returns: Option<Type>) -> &'static str {
    match returns {
        None => "nothing",
        Some(Type::Int(1..=64)) => "any",
        Some(_) => "0",
    }
}
