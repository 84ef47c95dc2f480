//! From the files that were named to a program.
//!
//! One `.rir` or `.litmus` file is a program by itself; files of C and LLVM IR are compiled and linked.

use crate::config::SourceConfig;
use crate::input;
use crate::output::Output;
use raddle_front_c::Error;
use raddle_ir::{Diagnostic, Program};
use std::path::Path;

/// A verified program, and what to say of how it was made.
#[derive(Debug)]
pub struct Source {
    pub program: Program,
    /// The files as the user named them.
    pub shown: String,
    /// The optimisation that it was compiled with.
    pub optimised: Option<String>,
}

/// None: there is no program, and the user was told why.
pub fn load(config: &SourceConfig, output: &mut Output) -> Option<Source> {
    if let Some(diagnostic) = input::no_file(&config.files) {
        output.diagnose(&diagnostic, &[]);
        return None;
    }
    let names: Vec<String> = config.files.iter().map(|path| input::shown(path)).collect();
    let shown = names.join(" ");
    match &*config.files {
        [file] if !is_compiled(file) => match input::load(file) {
            Ok(program) => Some(Source { program, shown, optimised: None }),
            Err(rejected) => {
                output.diagnose(&rejected.diagnostic, &rejected.source);
                None
            }
        },
        files => match files.iter().find(|file| !is_compiled(file)) {
            Some(other) => {
                output.diagnose(&not_linked(&input::shown(other)), &[]);
                None
            }
            None => compiled(config, shown, output),
        },
    }
}

fn not_linked(file: &str) -> Diagnostic {
    Diagnostic::whole_file(file, "only C, C++ and LLVM IR are linked with other files")
        .expected("files that end in .c, .cpp, .cc, .ll or .bc, or one file")
}

/// Whether a file is compiled, and so can be linked with others.
pub fn is_compiled(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("c" | "i" | "cpp" | "cc" | "cxx" | "C" | "ll" | "bc"))
}

fn compiled(config: &SourceConfig, shown: String, output: &mut Output) -> Option<Source> {
    let loaded = match raddle_front_c::load(&config.files, &config.c) {
        Ok(loaded) => loaded,
        Err(Error::Compiler(messages)) => {
            output.complain(messages.trim_end());
            return None;
        }
        Err(Error::Diagnostic(diagnostic, source)) => {
            output.diagnose(&diagnostic, &source);
            return None;
        }
    };
    if !loaded.messages.is_empty() {
        output.complain(loaded.messages.trim_end());
    }
    if !loaded.stand_ins.is_empty() {
        let names = loaded.stand_ins.join(", ");
        let what = "what they return is made up and always the same (docs/c-support.md)";
        output.complain(&format!("warning: {shown}: calls to {names}: {what}"));
    }
    if loaded.has_inputs {
        let (low, high) = (config.c.nondet.start(), config.c.nondet.end());
        let what = format!("inputs take the values from {low} to {high} only (--nondet-range)");
        output.complain(&format!("warning: {shown}: {what}"));
    }
    match input::verified(&shown, loaded.program) {
        Ok(program) => Some(Source { program, shown, optimised: loaded.optimised }),
        Err(diagnostic) => {
            output.diagnose(&diagnostic, &[]);
            None
        }
    }
}
