//! `raddle man`.

use crate::args::{Cli, EXAMPLES, statuses};
use crate::destination::Destination;
use crate::input::shown;
use crate::output::{Output, Stop};
use crate::status::Status;
use clap::CommandFactory;
use clap_mangen::Man;
use raddle_ir::Diagnostic;
use std::path::Path;

pub(crate) fn run(folder: Option<&Path>, output: &mut Output) -> Result<Status, Stop> {
    let (first, others) = pages();
    match folder {
        None => {
            output.print(&first.text)?;
        }
        Some(folder) => {
            let written = write([first].iter().chain(&others), folder);
            written.map_err(|diagnostic| output.refuse(&diagnostic))?;
        }
    }
    Ok(output.status())
}

/// A page, with the name of its file.
struct Page {
    file: String,
    text: String,
}

/// The page of `raddle`, and one for each command.
fn pages() -> (Page, Vec<Page>) {
    let mut whole = Cli::command()
        .disable_help_subcommand(true)
        .subcommand_value_name("COMMAND")
        .subcommand_help_heading("COMMANDS")
        // It has sections of its own.
        .after_help(None::<&str>);
    whole.build();
    let version = format!("{} {}", whole.get_name(), whole.get_version().unwrap_or_default());
    let commands = whole.get_subcommands().cloned();
    let others = commands.map(|command| page(Man::new(command).source(&version), &exits()));
    let others = others.collect();
    (page(Man::new(whole), &(exits() + &examples())), others)
}

/// A page with further sections before its last one, the version, or at its end.
fn page(man: Man, sections: &str) -> Page {
    let mut text = Vec::new();
    man.render(&mut text).expect("memory can be written to");
    let mut text = String::from_utf8(text).expect("the definitions are UTF-8");
    let at = text.rfind(".SH VERSION\n").unwrap_or(text.len());
    text.insert_str(at, sections);
    Page { file: man.get_filename(), text }
}

fn exits() -> String {
    let entry = |(code, about): (u8, &str)| format!(".TP\n\\fB{code}\\fR\n{about}\n");
    let entries: Vec<String> = statuses().into_iter().map(entry).collect();
    format!(".SH \"EXIT STATUS\"\n{}", entries.concat())
}

fn examples() -> String {
    format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", EXAMPLES.join("\n").replace('-', "\\-"))
}

fn write<'p>(pages: impl Iterator<Item = &'p Page>, folder: &Path) -> Result<(), Diagnostic> {
    if !folder.is_dir() {
        return Err(Diagnostic::whole_file(&shown(folder), "there is no such folder")
            .expected("a folder to write the pages to")
            .help(format!("mkdir -p {}", shown(folder))));
    }
    for page in pages {
        let path = folder.join(&page.file);
        Destination::checked(&path, [])?.write(|file| file.write_all(page.text.as_bytes()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(page: &Page) -> String {
        // Dashes are escaped.
        page.text.replace('\\', "")
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
            assert_eq!(page.file, format!("raddle-{name}.1"));
            let page = text(page);
            let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
            for long in shown.filter_map(|arg| arg.get_long()) {
                assert!(page.contains(&format!("--{long}")), "{name} --{long}");
            }
        }
        assert!(others.next().is_none());
        assert!(!first.contains(".SH EXTRA"), "{first}");
        assert!(first.contains(".SH \"EXIT STATUS\"\n.TP\nfB0fR\nno violation\n"), "{first}");
        assert!(first.contains(".SH EXAMPLES\n.nf\nraddle litmus"), "{first}");
    }
}
