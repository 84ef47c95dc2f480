//! Names of threads: `main.1:worker`.

use crate::calls::Calls;
use crate::layout::function_at;
use raddle_ir::{CallSite, FuncId, LocId, Program};

/// The name of the `nth` thread that a thread starts: the parent, the number among its children, and the
/// function. A function without a name is called by its place. A library function is a wrapper: the function
/// that its first argument points to is meant, or the one that the call in the source was given. `calls` is the
/// stack of the parent.
pub fn child_name(
    program: &Program,
    parent: &str,
    nth: u64,
    func: FuncId,
    argument: Option<u64>,
    calls: &Calls,
) -> String {
    format!("{parent}.{}:{}", nth + 1, runs(program, func, argument, calls))
}

fn runs(program: &Program, func: FuncId, argument: Option<u64>, calls: &Calls) -> String {
    if !program.funcs[func].library {
        return named(program, func);
    }
    let pointed = argument.and_then(|addr| function_at(addr, program.funcs.len()));
    let noted = || {
        let sites = calls.iter().map(|frame| CallSite { func: frame.func, at: frame.at });
        sites.into_iter().find_map(|site| program.started(site))
    };
    if let Some(func) = pointed.or_else(noted) {
        return named(program, func);
    }
    let source = calls.iter().position(|frame| frame.at != LocId::NONE);
    let Some(place) = source.and_then(|n| program.short_place(calls[n].at)) else {
        return named(program, func);
    };
    // The constructors in between have the type of the function in their names.
    let between = &calls[..source.unwrap_or(0)];
    let lambda = between.iter().any(|frame| is_of_lambda(&program.funcs[frame.func].name));
    format!("{}@{place}", if lambda { "lambda" } else { "thread" })
}

fn named(program: &Program, func: FuncId) -> String {
    let func = &program.funcs[func];
    match program.short_place(func.loc).filter(|_| is_of_lambda(&func.name)) {
        Some(place) => format!("lambda@{place}"),
        None => func.name.clone(),
    }
}

/// Whether a name of C++ contains the type of a lambda: `$_0`, or `Ul`, its parameters and `E_`.
fn is_of_lambda(name: &str) -> bool {
    let numbered = name.split("$_").nth(1);
    let numbered = numbered.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let listed = name.split_once("Ul").is_some_and(|(_, rest)| rest.contains("E_"));
    name.starts_with("_Z") && (numbered || listed)
}
