//! Witness files: `--witness FILE`.

use crate::config::SourceConfig;
use crate::destination::Destination;
use crate::output::Output;
use crate::status::Status;
use raddle_engine::Checks;
use raddle_ir::{Diagnostic, Program};
use raddle_report::document::{self, Entry};
use std::path::Path;

/// Where what was found is written, if anywhere.
#[derive(Debug)]
pub struct WitnessFile<'a> {
    source: &'a SourceConfig,
    checks: Checks,
    destination: Option<Destination>,
}

impl<'a> WitnessFile<'a> {
    /// Checks the path before anything is searched; `Err` if nothing can be written there.
    pub fn at(
        path: Option<&Path>,
        source: &'a SourceConfig,
        checks: Checks,
    ) -> Result<WitnessFile<'a>, Diagnostic> {
        let inputs = source.files.iter().chain(&source.c.clang).map(|file| file.as_path());
        let destination = path.map(|path| Destination::checked(path, inputs)).transpose()?;
        Ok(WitnessFile { source, checks, destination })
    }

    /// Refuses to overwrite a file that the program was made from: a header, say.
    pub fn is_apart_from(&self, program: &Program) -> Result<(), Diagnostic> {
        let files = program.files.iter().map(Path::new);
        self.destination.as_ref().map_or(Ok(()), |destination| destination.is_none_of(files))
    }

    /// Writes what was found; without violations, a file that says so.
    pub fn save(&self, program: &Program, witnesses: Vec<Entry<'_>>, output: &mut Output) {
        let Some(destination) = &self.destination else { return };
        let written = destination.write(|file| {
            document::write(file, program, &self.source.origin(), self.checks, witnesses)
        });
        if let Err(diagnostic) = written {
            output.diagnose(&diagnostic, &[]);
            output.note(Status::Bad);
        }
    }
}
