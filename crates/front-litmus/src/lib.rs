//! Reads litmus tests in the herd format and lowers them to the IR.
//!
//! The format is the one that the herd and litmus tools read: a header, an initial state in
//! braces, one column of assembly per thread, an optional list of observed locations and a final
//! condition. `docs/litmus.md` describes the supported syntax and the meaning of each instruction.
//!
//! | module | subject |
//! |---|---|
//! | [`ast`] | the syntax tree, with positions |
//! | `parse` | text to syntax tree |
//! | `lower` | syntax tree to IR: registers, locations, widths, flags, one file per architecture |
//!
//! Later stages do not know that a program comes from a litmus test: the condition and the listed
//! locations become [`raddle_ir::Program::condition`] and [`raddle_ir::Program::observables`].

pub mod ast;
mod lower;
mod parse;

pub use lower::lower;
pub use parse::parse_bytes;

use raddle_ir::{Diagnostic, Mnemonic, Verified, mnemonics, verify};
use std::fmt;

mnemonics! {
    /// The supported architectures, with the word that starts a test.
    Arch {
        X86 = "X86",
        Ppc = "PPC",
        /// ARMv7.
        Arm = "ARM",
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mnemonic())
    }
}

/// A litmus test that is ready to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Litmus {
    pub name: String,
    pub arch: Arch,
    /// The quoted description, without its quotes.
    pub doc: Option<String>,
    /// The `Key=Value` lines of the header, in order.
    pub metadata: Vec<(String, String)>,
    pub program: Verified,
}

/// Parses and lowers a test; positions and messages refer to it as `file`.
pub fn load(file: &str, bytes: &[u8]) -> Result<Litmus, Diagnostic> {
    let test = parse_bytes(file, bytes)?;
    let program = verify(lower(&test)?)?;
    Ok(Litmus { name: test.name, arch: test.arch, doc: test.doc, metadata: test.metadata, program })
}
