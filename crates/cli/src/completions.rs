//! `raddle completions`.

use crate::args::Cli;
use crate::output::{Output, Stop};
use crate::status::Status;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

pub fn run(shell: Shell, output: &mut Output) -> Result<Status, Stop> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    // The generator panics if it cannot write: it gets memory.
    let mut text = Vec::new();
    generate(shell, &mut command, name, &mut text);
    output.print_bytes(&text)?;
    Ok(Status::Fine)
}
