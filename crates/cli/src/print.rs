//! `raddle print`.

use crate::input;
use crate::output::{Output, Stop};
use crate::status::Status;
use std::path::Path;

pub fn run(path: &Path, output: &mut Output) -> Result<Status, Stop> {
    match input::load(path) {
        Ok(program) => output.print(&raddle_ir::text::print(&program))?,
        Err(rejected) => {
            output.diagnose(&rejected.diagnostic, &rejected.source);
            output.note(Status::Bad);
        }
    }
    Ok(output.status())
}
