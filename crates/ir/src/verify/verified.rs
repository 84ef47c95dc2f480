//! Programs that are known to be well-formed.

use super::{VerifyError, errors};
use crate::diag::Diagnostic;
use crate::inst::{Inst, InstKind};
use crate::program::{Point, Program};
use crate::words::FenceKind;
use std::fmt;
use std::ops::Deref;

/// A well-formed program. Only [`verify`] makes one from an arbitrary program; the edits here keep every rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified(Program);

impl Deref for Verified {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.0
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A program that breaks rules.
#[derive(Clone, PartialEq, Eq)]
pub struct Malformed {
    pub program: Program,
    /// At least one, in the order of the program.
    pub errors: Vec<VerifyError>,
}

/// Checks every rule.
pub fn verify(program: Program) -> Result<Verified, Malformed> {
    let errors = errors(&program);
    if errors.is_empty() { Ok(Verified(program)) } else { Err(Malformed { program, errors }) }
}

impl Verified {
    /// Returns the program for changes; it has to be verified again afterwards.
    pub fn into_program(self) -> Program {
        self.0
    }

    /// The program without its [`Program::memory_lock`]. No rule requires one.
    #[must_use]
    pub fn without_memory_lock(&self) -> Verified {
        Verified(Program { memory_lock: None, ..self.0.clone() })
    }

    /// The program with a fence at each of these points. The points must be in order. A fence reads and writes
    /// no register, so every rule still holds.
    ///
    /// # Panics
    ///
    /// If a point does not exist in this program.
    #[must_use]
    pub fn with_fences(&self, fences: &[(Point, FenceKind)]) -> Verified {
        let mut program = self.0.clone();
        // Insert from the back, so that the remaining points stay valid.
        for (point, kind) in fences.iter().rev() {
            let Point { func, block, index } = *point;
            let body = &mut program.funcs[func].blocks[block];
            let loc = body.insts.get(index as usize).map_or(body.term.loc, |inst| inst.loc);
            body.insts.insert(index as usize, Inst { kind: InstKind::Fence { kind: *kind }, loc });
        }
        Verified(program)
    }
}

impl Malformed {
    /// One diagnostic for the user: later errors are often consequences of the first.
    pub fn diagnostic(&self) -> Diagnostic {
        let Some(first) = self.errors.first() else {
            return Diagnostic::whole_file(&self.program.name, "the program is not well-formed");
        };
        let diagnostic = first.diagnostic(&self.program);
        match self.errors.len() {
            1 => diagnostic,
            n => diagnostic.help(format!("and {} more of this kind", n - 1)),
        }
    }
}

impl From<Malformed> for Diagnostic {
    fn from(malformed: Malformed) -> Diagnostic {
        malformed.diagnostic()
    }
}

/// The errors and the program's text, for tests that expect a well-formed program.
impl fmt::Debug for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in &self.errors {
            writeln!(f, "{error}")?;
        }
        self.program.fmt(f)
    }
}
