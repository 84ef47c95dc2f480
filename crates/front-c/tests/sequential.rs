//! Programs of one thread whose assertions all hold, compiled by every clang, optimised and not.

use crate::common;
use raddle_engine::Model;

use std::path::{Path, PathBuf};

/// A description of the error, if there is one.
fn holds(path: &Path, compiler: &Path, level: &str) -> Option<String> {
    let options = common::options(compiler, &[level, "-w"]);
    let program = common::program_unless_crash(&[PathBuf::from(path)], &options)?;
    for model in [Model::Sc, Model::Tso] {
        let summary = common::run(&program, model);
        let wrong = common::failures(&program, &summary);
        let what = format!("{} by {} {level}, {model}", path.display(), compiler.display());
        if !wrong.is_empty() || (summary.executions, summary.cut) != (1, 0) {
            return Some(format!("{what}: {wrong:?}, {} executions", summary.executions));
        }
    }
    None
}

#[test]
fn assertions_hold() {
    let mut wrong = Vec::new();
    for compiler in common::compilers() {
        for path in common::programs("sequential") {
            wrong.extend(["-O0", "-O2"].into_iter().filter_map(|l| holds(&path, &compiler, l)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
