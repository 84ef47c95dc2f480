//! Witness files: `--witness FILE`.

use crate::config::SourceConfig;
use crate::destination::Destination;
use crate::output::{Output, Stop};
use crate::source::Source;
use raddle_engine::Checks;
use raddle_ir::Program;
use raddle_report::document::{self, Entry};
use std::path::Path;

/// The file that witnesses are written to, if one was asked for.
#[derive(Debug)]
pub(crate) struct WitnessFile<'a> {
    source: &'a SourceConfig,
    checks: Checks,
    destination: Option<Destination>,
}

impl<'a> WitnessFile<'a> {
    /// Checks the path before anything is searched; refuses one that cannot be written.
    pub(crate) fn at(
        path: Option<&Path>,
        source: &'a SourceConfig,
        checks: Checks,
        output: &mut Output,
    ) -> Result<WitnessFile<'a>, Stop> {
        let checked = |path| Destination::checked(path, source.inputs());
        let destination = path.map(checked).transpose();
        let destination = destination.map_err(|diagnostic| output.refuse(&diagnostic))?;
        Ok(WitnessFile { source, checks, destination })
    }

    /// Refuses to overwrite a file that the program was made from: a header, say.
    pub(crate) fn check_against(&self, source: &Source, output: &mut Output) -> Result<(), Stop> {
        let Some(destination) = &self.destination else { return Ok(()) };
        let apart = destination.is_none_of(source.paths());
        apart.map_err(|diagnostic| output.refuse(&diagnostic))
    }

    /// Writes the witnesses; without any, a file that says so.
    pub(crate) fn save(&self, program: &Program, witnesses: Vec<Entry<'_>>, output: &mut Output) {
        let Some(destination) = &self.destination else { return };
        let written = destination.write(|file| {
            document::write(file, program, &self.source.origin(), self.checks, witnesses)
        });
        if let Err(diagnostic) = written {
            output.refuse(&diagnostic);
        }
    }
}
