//! Compiling one file.

use super::process::{self, Allowed, Ended, Trouble};
use super::{Clang, Flags, Rule, keep};
use raddle_budget::{Budget, Spent};
use raddle_ir::diag::shown;
use raddle_ir::{Diagnostic, FileKind};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Larger LLVM IR is rejected: it was not meant for a model checker.
pub const MAX_BYTES: u64 = 1 << 28;
/// A compiler that runs longer is considered to hang, unless the user has set a time limit.
const PATIENCE: Duration = Duration::from_secs(60);

/// The text of a compiled file, and the warnings of the compiler.
#[derive(Debug)]
pub struct Compiled {
    pub text: Vec<u8>,
    pub messages: String,
}

/// The reason why compilation produced no text.
#[derive(Debug)]
pub enum Failed {
    /// The compiler rejected the file; its messages.
    Rejected(String),
    /// The compiler could not be run to its end.
    NotRun(Diagnostic),
    /// The budget was spent before the compiler ended.
    Stopped(Spent),
}

impl From<Diagnostic> for Failed {
    fn from(diagnostic: Diagnostic) -> Failed {
        Failed::NotRun(diagnostic)
    }
}

pub fn is_bitcode(input: &Path) -> bool {
    FileKind::of(input) == Some(FileKind::Bitcode)
}

/// Compiles `input`, or disassembles it if it is bitcode. `rule` gets the headers that it includes.
pub fn compile(
    clang: &Clang,
    flags: &Flags,
    input: &Path,
    rule: Option<&Rule>,
    budget: &Budget,
) -> Result<Compiled, Failed> {
    let kept = keep::functions(clang, flags, input, budget)?;
    let mut command = Command::new(&clang.path);
    command.args(flags.arguments()).args(keep::options(&kept));
    if let Some(rule) = rule {
        command.args(rule.flags());
    }
    add_input(&mut command, input);
    let Ended { status, output, messages } = run(&mut command, MAX_BYTES as usize, budget)?;
    let messages = String::from_utf8_lossy(&messages).into_owned();
    if status.success() {
        Ok(Compiled { text: output, messages })
    } else if messages.is_empty() || status.code().is_none() {
        let problem = Diagnostic::whole_file(&shown(&clang.path), format!("ended with {status}"));
        let last = messages.trim_end().lines().next_back().unwrap_or_default();
        Err(Failed::NotRun(match last {
            "" => problem,
            last => problem.help(format!("its last words: {last}")),
        }))
    } else {
        Err(Failed::Rejected(messages))
    }
}

/// Adds the file to compile, with the standard output as the result.
pub(super) fn add_input(command: &mut Command, input: &Path) {
    if is_bitcode(input) {
        command.args(["-x", "ir", "-Wno-unused-command-line-argument"]);
    }
    command.arg("-o").arg("-").arg(as_file(input));
}

/// Runs a compiler that may print at most `output` bytes.
pub(super) fn run(command: &mut Command, output: usize, budget: &Budget) -> Result<Ended, Failed> {
    // If the user has set a time limit, only that limit applies.
    let time = budget.time_left().map_or(PATIENCE, |_| Duration::MAX);
    let trouble = match process::run(command, &Allowed { output, time, budget }) {
        Ok(ended) => return Ok(ended),
        Err(trouble) => trouble,
    };
    let compiler = shown(Path::new(command.get_program()));
    let problem = |message: String| Diagnostic::whole_file(&compiler, message);
    Err(Failed::NotRun(match trouble {
        Trouble::NotRun(error) => problem(format!("cannot be run: {error}")),
        Trouble::TooSlow => {
            problem(format!("the compiler has not ended after {} seconds", PATIENCE.as_secs()))
                .help("--timeout lets it take longer")
        }
        Trouble::TooLong(bytes) => {
            problem(format!("the compiler prints more than {} MiB", bytes >> 20))
        }
        Trouble::Stopped(spent) => return Err(Failed::Stopped(spent)),
    }))
}

/// Makes a name that looks like a flag (`-x.c`) or like a response file (`@x.c`) unambiguous.
pub(super) fn as_file(input: &Path) -> OsString {
    match input.as_os_str().as_encoded_bytes() {
        [b'-' | b'@', ..] => Path::new(".").join(input).into_os_string(),
        _ => input.as_os_str().to_owned(),
    }
}
