//! The warning about functions that a program calls and nobody defines: all at once, each with who calls it
//! and what can be done.

use raddle_front_c::{Hint, Loaded, Undefined, Use};
use raddle_ir::{Program, Type};
use raddle_report::printable;
use std::collections::BTreeMap;

/// How many functions are shown, and how many places of each.
const FUNCTIONS: usize = 20;
const PLACES: usize = 3;
/// The most characters of a name.
const LONGEST: usize = 72;

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
    let shown = &undefined[..undefined.len().min(FUNCTIONS)];
    let (environment, own): (Vec<&Undefined>, Vec<&Undefined>) =
        shown.iter().partition(|function| matches!(function.hint, Some(Hint::Environment(_))));
    for function in own {
        text.push_str(&told(&loaded.program, function));
        text.push_str(&format!("\n    {}", advice(function)));
    }
    // One advice is enough for all functions of a part of the environment.
    let mut parts: BTreeMap<&str, Vec<&Undefined>> = BTreeMap::new();
    for function in environment {
        if let Some(Hint::Environment(part)) = function.hint {
            parts.entry(part).or_default().push(function);
        }
    }
    for (part, functions) in parts {
        functions.iter().for_each(|function| text.push_str(&told(&loaded.program, function)));
        let known = "not modelled (docs/c-support.md)";
        text.push_str(&match functions.first() {
            // A member function of a class has more to do than to return.
            Some(first) if !first.name.starts_with("_Z") => {
                format!("\n    {part}: {known}; define it for the check, or {}", stub(first))
            }
            _ => format!("\n    {part}: {known}"),
        });
    }
    if undefined.len() > FUNCTIONS {
        text.push_str(&format!("\n  and {} more", undefined.len() - FUNCTIONS));
    }
    Some(text)
}

fn told(program: &Program, function: &Undefined) -> String {
    format!("\n  {}: {}", short(&function.name), users(program, function))
}

/// A name in readable form, cut where it is very long: templates.
fn short(name: &str) -> String {
    let name = printable(name);
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name,
    }
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
    format!("{how} {}{place}", short(&found.by))
}

fn advice(function: &Undefined) -> String {
    let stub = stub(function);
    match &function.hint {
        Some(Hint::Meant(name)) => {
            format!("did you mean {name}? Otherwise add the file that defines it, or {stub}")
        }
        _ => format!("add the file that defines it, or {stub}"),
    }
}

/// The stub that says least about a function.
fn stub(function: &Undefined) -> String {
    let what = match function.returns {
        None => "nothing",
        Some(Type::Int(1..=64)) => "any",
        Some(_) => "0",
    };
    format!("--stub {}={what}", function.name)
}
