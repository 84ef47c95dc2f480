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

pub(crate) fn run(folder: Option<&Path>, output: &mut Output) -> Result<Status, Stop> {
    let (first, others) = pages();
    match folder {
        None => {
            let mut text = Vec::new();
            stop_on_error(first.render(&mut text))?;
            output.print_bytes(&text)?;
        }
        Some(folder) => {
            let written = write([first].into_iter().chain(others), folder);
            written.map_err(|diagnostic| output.refuse(&diagnostic))?;
        }
    }
    Ok(output.status())
}

/// The page of `raddle`, and one for each command.
fn pages() -> (Man, Vec<Man>) {
    let mut whole = Cli::command()
        .disable_help_subcommand(true)
        .subcommand_value_name("COMMAND")
        .subcommand_help_heading("COMMANDS");
    whole.build();
    let version = format!("{} {}", whole.get_name(), whole.get_version().unwrap_or_default());
    let others = whole.get_subcommands().cloned();
    let others = others.map(|command| Man::new(command).source(&version)).collect();
    (Man::new(whole), others)
}

fn write(pages: impl Iterator<Item = Man>, folder: &Path) -> Result<(), Diagnostic> {
    fs::create_dir_all(folder).map_err(|error| {
        Diagnostic::whole_file(&shown(folder), format!("the folder cannot be made: {error}"))
    })?;
    for page in pages {
        let path = folder.join(page.get_filename());
        Destination::checked(&path, [])?.write(|file| page.render(file))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(page: &Man) -> String {
        let mut text = Vec::new();
        page.render(&mut text).expect("memory can be written to");
        // Dashes are escaped.
        String::from_utf8(text).expect("UTF-8").replace('\\', "")
    }

    #[test]
    fn every_command_and_every_option_is_described() {
        let whole = Cli::command();
        let (first, others) = pages();
        let (first, mut others) = (text(&first), others.iter());
        for command in whole.get_subcommands() {
            let name = command.get_name();
            assert!(first.contains(&format!("raddle-{name}(1)")), "{name}");
            let page = others.next().expect("a page for the command");
            assert_eq!(page.get_filename(), format!("raddle-{name}.1"));
            let page = text(page);
            let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
            for long in shown.filter_map(|arg| arg.get_long()) {
                assert!(page.contains(&format!("--{long}")), "{name} --{long}");
            }
        }
        assert!(others.next().is_none());
    }
}
