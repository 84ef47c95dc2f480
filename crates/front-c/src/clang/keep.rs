//! Functions whose calls optimisation must not change.
//!
//! Some names have a meaning even if the program defines a function of that name
//! ([`has_meaning`]). An optimiser knows only the body: it would inline it, or drop the call
//! if the body has no effect.

use super::run::{Failed, MAX_BYTES, add_input, run};
use super::{Clang, Flags};
use crate::lower::has_meaning;
use raddle_budget::Budget;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The functions of this kind that `input` defines, if it is optimised. The answer comes from the code before
/// optimisation, which may leave no trace of them. Code that does not compile has none.
pub(super) fn functions(
    clang: &Clang,
    flags: &Flags,
    input: &Path,
    budget: &Budget,
) -> Result<BTreeSet<String>, Failed> {
    if flags.optimised().is_none() {
        return Ok(BTreeSet::new());
    }
    let mut command = Command::new(&clang.path);
    command.args(flags.arguments()).args(["-Xclang", "-disable-llvm-passes", "-w"]);
    add_input(&mut command, input);
    let code = run(&mut command, MAX_BYTES as usize, budget)?.output;
    Ok(defined(&String::from_utf8_lossy(&code)).filter(|name| has_meaning(name)).collect())
}

/// The names of the functions that textual LLVM IR defines.
fn defined(code: &str) -> impl Iterator<Item = String> + '_ {
    code.lines().filter(|line| line.starts_with("define ")).filter_map(|line| {
        let name = line.split_once('@')?.1;
        Some(name.split_once('(')?.0.to_owned())
    })
}

/// The options that exclude functions from optimisation, in their bodies and at their calls.
pub(super) fn options(functions: &BTreeSet<String>) -> impl Iterator<Item = String> + '_ {
    let attributes = |name| ["noinline", "optnone"].map(|what| format!("{name}:{what}"));
    functions
        .iter()
        .flat_map(attributes)
        .flat_map(|attribute| ["-mllvm".to_owned(), format!("-force-attribute={attribute}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_read_off_the_code() {
        let code = "declare void @a()\ndefine internal i32 @b.1(i32 %0) #0 {\n  call void @c()\n}\n\
                    define dso_local void @_Z1dv() {";
        assert_eq!(defined(code).collect::<Vec<_>>(), ["b.1", "_Z1dv"]);
    }
}
