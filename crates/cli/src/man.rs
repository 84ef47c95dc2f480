//! `raddle man`.

use crate::args::Cli;
use crate::destination::Destination;
use crate::input::shown;
use crate::output::{Output, Stop, stop_on_error};
use crate::status::Status;
use clap::CommandFactory;
use clap_mangen::Man;
use raddle_ir::Diagnostic;
use std::fs;
use std::path::Path;

pub fn run(folder: Option<&Path>, output: &mut Output) -> Result<Status, Stop> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    match folder {
        None => {
            let mut text = Vec::new();
            stop_on_error(Man::new(whole).render(&mut text))?;
            output.print_bytes(&text)?;
        }
        Some(folder) => {
            let mut pages = whole.get_subcommands().cloned().chain([whole.clone()]).map(Man::new);
            let written =
                make(folder).and_then(|()| pages.try_for_each(|page| write(&page, folder)));
            written.map_err(|diagnostic| output.refuse(&diagnostic))?;
        }
    }
    Ok(output.status())
}

fn make(folder: &Path) -> Result<(), Diagnostic> {
    fs::create_dir_all(folder).map_err(|error| {
        Diagnostic::whole_file(&shown(folder), format!("the folder cannot be made: {error}"))
    })
}

fn write(page: &Man, folder: &Path) -> Result<(), Diagnostic> {
    let path = folder.join(page.get_filename());
    Destination::checked(&path, [])?.write(|file| page.render(file))
}
