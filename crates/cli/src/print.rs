//! `raddle print`.

use crate::args::PrintArgs;
use crate::config;
use crate::output::{Output, Stop};
use crate::source;
use crate::status::Status;

pub fn run(args: &PrintArgs, output: &mut Output) -> Result<Status, Stop> {
    let config = config::source(&args.source, &config::budget(&args.budget)?);
    match source::load(&config, output) {
        Ok(source) => output.print(&raddle_ir::text::print(&source.program))?,
        Err(not_loaded) => output.note(not_loaded.status()),
    }
    Ok(output.status())
}
