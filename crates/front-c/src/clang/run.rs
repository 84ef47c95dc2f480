//! Compiling one file.

use super::{Clang, Flags};
use raddle_ir::Diagnostic;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// The text of a compiled file, and what the compiler had to say (warnings).
#[derive(Debug)]
pub struct Compiled {
    pub text: Vec<u8>,
    pub messages: String,
}

/// Why there is no text.
#[derive(Debug)]
pub enum Failed {
    /// The compiler rejected the file; its own words.
    Rejected(String),
    /// The compiler could not be run.
    NotRun(Diagnostic),
}

/// Compiles `input`, or disassembles it if it is bitcode.
pub fn compile(clang: &Clang, flags: &Flags, input: &Path) -> Result<Compiled, Failed> {
    let mut command = Command::new(&clang.path);
    command.args(flags.arguments());
    if input.extension().is_some_and(|extension| extension == "bc") {
        command.args(["-x", "ir", "-Wno-unused-command-line-argument"]);
    }
    command.arg("-o").arg("-").arg(as_file(input)).stdin(Stdio::null());
    let not_run = |error| {
        let shown = clang.path.display().to_string();
        Failed::NotRun(Diagnostic::whole_file(&shown, format!("cannot be run: {error}")))
    };
    let output = command.output().map_err(not_run)?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(Compiled { text: output.stdout, messages })
    } else if messages.is_empty() {
        let shown = clang.path.display().to_string();
        let status = output.status;
        Err(Failed::NotRun(Diagnostic::whole_file(&shown, format!("ended with {status}"))))
    } else {
        Err(Failed::Rejected(messages))
    }
}

/// A file whose name looks like a flag is still a file.
fn as_file(input: &Path) -> OsString {
    if input.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(input).into_os_string()
    } else {
        input.as_os_str().to_owned()
    }
}
