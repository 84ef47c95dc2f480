//! Witness files on disk: `--witness FILE`.

use crate::input;
use crate::output::Output;
use crate::status::Status;
use raddle_engine::Checks;
use raddle_ir::{Diagnostic, Program};
use raddle_report::document::{self, Entry, Origin};
use std::path::Path;

/// Writes what was found; without violations, a file that says so.
pub fn save(
    path: &Path,
    program: &Program,
    origin: &Origin,
    checks: Checks,
    witnesses: Vec<Entry>,
    output: &mut Output,
) {
    let text = document::written(program, origin, checks, witnesses);
    if let Err(error) = std::fs::write(path, text) {
        let message = format!("cannot write the witness: {error}");
        output.diagnose(&Diagnostic::whole_file(&input::shown(path), message), &[]);
        output.note(Status::Bad);
    }
}
