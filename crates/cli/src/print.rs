//! `raddle print`.

use crate::config::SourceConfig;
use crate::output::{Output, Stop};
use crate::source;
use crate::status::Status;

pub(crate) fn run(config: &SourceConfig, output: &mut Output) -> Result<Status, Stop> {
    let source = source::load(config, output)?;
    match source.stopped {
        None => output.print(&raddle_ir::text::print(&source.program))?,
        Some(_) => output.note(Status::Unknown),
    }
    Ok(output.status())
}
