//! `raddle.toml`: the checks of a project, so that `raddle check` needs no arguments.
//!
//! | module | subject |
//! |---|---|
//! | [`mod@file`] | finding and reading the file |
//! | [`mod@lines`] | its tables as command lines |
//!
//! A table becomes a command line, which the same definitions parse and the same code validates as any other: so
//! the file has the options that the command has, with the same meaning.

mod file;
mod lines;

use crate::args::{Cli, Command};
use crate::destination::is_one_file;
use crate::input::shown;
use crate::output::{Output, Stop};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use file::ProjectFile;
use raddle_ir::Diagnostic;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// The command line of a check, and where it is written.
#[derive(Debug)]
pub(crate) struct ProjectCheck {
    pub cli: Cli,
    pub written: Written,
}

/// Where a check and its options are written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// Its table.
    pub table: KeyPosition,
    /// The key of each option; `None` for an option of the command line.
    keys: BTreeMap<String, Option<KeyPosition>>,
}

impl Written {
    /// The diagnostic about options that are wrong, at the first one that the message names.
    /// `Err`: that one is on the command line.
    pub(crate) fn blame(&self, message: String) -> Result<Diagnostic, String> {
        let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        let named = message.match_indices("--").map(|(at, dashes)| {
            let name = &message[at + dashes.len()..];
            &name[..name.find(|letter| !is_name(letter)).unwrap_or(name.len())]
        });
        match named.filter_map(|name| self.keys.get(name)).next() {
            Some(Some(key)) => Ok(key.diagnostic(message)),
            Some(None) => Err(message),
            None => Ok(self.table.diagnostic(message)),
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug)]
pub(crate) struct KeyPosition {
    file: String,
    pub path: PathBuf,
    line: u32,
    column: u32,
}

impl KeyPosition {
    /// `raddle.toml:12`
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    pub(crate) fn diagnostic(&self, message: String) -> Diagnostic {
        let mut diagnostic = Diagnostic::whole_file(&self.file, message);
        (diagnostic.line, diagnostic.column) = (self.line, self.column);
        diagnostic
    }
}

/// What the words of the command line ask for, `raddle.toml` included. `Ok(None)`: the words alone.
pub(crate) fn lines(
    words: &[OsString],
    output: &mut Output,
) -> Result<Option<Vec<ProjectCheck>>, Stop> {
    // To look for a file takes less time than to make the definitions and to parse the words.
    let names_one = words.iter().any(|word| word.to_string_lossy().starts_with("--config"));
    if !names_one && matches!(file::find(None), Ok(None)) {
        return Ok(None);
    }
    let relaxed = relaxed().try_get_matches_from(words);
    let Ok(matches) = relaxed else { return Ok(None) };
    let Some(("check", check)) = matches.subcommand() else { return Ok(None) };
    if check.get_flag("no_config") {
        return Ok(None);
    }
    let named = check.get_one::<std::path::PathBuf>("config");
    let found = file::find(named.map(|path| path.as_path()));
    let found = found.map_err(|diagnostic| output.refuse(&diagnostic))?;
    let Some(found) = found else { return Ok(None) };
    made(&found, check).map(Some).map_err(|diagnostic| output.refuse(&diagnostic))
}

/// The definitions, but for what a file may supply.
fn relaxed() -> clap::Command {
    Cli::command().mut_subcommand("check", |check| check.mut_args(|arg| arg.required(false)))
}

fn made(found: &ProjectFile, given: &ArgMatches) -> Result<Vec<ProjectCheck>, Diagnostic> {
    let mut definitions = Cli::command();
    definitions.build();
    let check = definitions.find_subcommand("check").cloned().unwrap_or_default();
    let project = lines::Project::read(found, &check)?;
    let given = lines::Given::of(&check, given, found)?;
    std::env::set_current_dir(&found.folder).map_err(|error| {
        Diagnostic::whole_file(&found.shown, format!("cannot enter its folder: {error}"))
    })?;
    let mut made = Vec::new();
    for (written, words) in project.command_lines(&given)? {
        let matches = Cli::command().try_get_matches_from(words);
        let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
        let mut cli = cli.map_err(|error| {
            let text = error.to_string();
            let first = text.split("\n\n").next().unwrap_or("").trim_start_matches("error: ");
            // The words of the command line alone were parsed before.
            written
                .blame(first.replace('\n', " "))
                .unwrap_or_else(|it| written.table.diagnostic(it))
        })?;
        if let Command::Check(args) = &mut cli.command {
            args.kinds.known.extend(project.known.iter().cloned());
        }
        made.push(ProjectCheck { cli, written });
    }
    refuse_common_files(&made)?;
    Ok(made)
}

/// Two checks must not write the same file.
fn refuse_common_files(made: &[ProjectCheck]) -> Result<(), Diagnostic> {
    let mut seen: Vec<&PathBuf> = Vec::new();
    for line in made {
        let Command::Check(args) = &line.cli.command else { continue };
        let Some(witness) = &args.witness else { continue };
        if seen.iter().any(|other| is_one_file(other, witness)) {
            let file = shown(witness);
            let message = format!("--witness {file}: another check writes this file");
            let table = &line.written.table;
            return Err(line.written.blame(message).unwrap_or_else(|it| table.diagnostic(it)));
        }
        seen.push(witness);
    }
    Ok(())
}

/// Whether an option was given on the command line.
fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(ValueSource::CommandLine)
}
