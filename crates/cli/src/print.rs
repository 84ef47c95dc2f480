//! `raddle print`.

use crate::config::SourceConfig;
use crate::output::{Output, Stop};
use crate::source;
use crate::status::Status;

pub fn run(config: &SourceConfig, output: &mut Output) -> Result<Status, Stop> {
    match source::load(config, output) {
        Some(source) => output.print(&raddle_ir::text::print(&source.program))?,
        None => output.note(Status::Bad),
    }
    Ok(output.status())
}
