//! The tables of `raddle.toml` as command lines.
//!
//! The keys of `[defaults]` and `[[check]]` are the long names of the options of `raddle check`, as the definitions
//! of the command line have them, and `files` and `flags`. An option of the command line comes before one of
//! `[[check]]`, and that before one of `[defaults]`.

use super::file::ProjectFile;
use super::{KeyPosition, Written, is_given};
use crate::args::kinds::known_error;
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use raddle_engine::{KnownError, Spot};
use raddle_ir::{Diagnostic, FileKind};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Options that belong to the command line, and those that are for all checks together.
const NOT_HERE: [&str; 3] = ["config", "no-config", "help"];
const FOR_ALL: [&str; 5] = ["sarif", "junit", "html", "dot", "json"];

/// An option: its key, if it is in the file, and its words on a command line.
#[derive(Clone, Debug)]
struct Entry {
    key: Option<KeyPosition>,
    words: Vec<OsString>,
}

/// Options, by their names.
type Words = BTreeMap<String, Entry>;

/// The tables of a file.
#[derive(Debug)]
pub(super) struct Project {
    defaults: Words,
    checks: Vec<(KeyPosition, Words)>,
    pub known: Vec<KnownError>,
    start: KeyPosition,
    /// The options of programs that are compiled. In the defaults, they are for those alone.
    of_c: Vec<String>,
}

/// What the command line says.
#[derive(Debug)]
pub(super) struct Given {
    words: Words,
}

impl Project {
    pub(super) fn read(file: &ProjectFile, check: &Command) -> Result<Project, Diagnostic> {
        let table = DeTable::parse(&file.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            file.origin(at).diagnostic(error.message().to_owned())
        })?;
        let mut project = Project {
            defaults: Words::new(),
            checks: Vec::new(),
            known: Vec::new(),
            start: file.origin(0),
            of_c: of_c(check),
        };
        for (key, value) in table.get_ref() {
            let origin = file.origin(key.span().start);
            match key.get_ref().as_ref() {
                "defaults" => {
                    let table = value.get_ref().as_table();
                    let table =
                        table.ok_or_else(|| origin.diagnostic("expected [defaults]".into()))?;
                    project.defaults = words(file, check, table, &["files"])?;
                }
                "check" => {
                    for (span, table) in tables(file, "check", value)? {
                        let words = words(file, check, table, &FOR_ALL)?;
                        project.checks.push((file.origin(span.start), words));
                    }
                }
                "suppress" => {
                    for (span, table) in tables(file, "suppress", value)? {
                        project.known.push(suppression(file, &file.origin(span.start), table)?);
                    }
                }
                other => {
                    return Err(unknown(&origin, other, ["defaults", "check", "suppress"]));
                }
            }
        }
        Ok(project)
    }

    /// A command line for each check; one for the files of the command line if it names some.
    pub(super) fn command_lines(
        &self,
        given: &Given,
    ) -> Result<Vec<(Written, Vec<OsString>)>, Diagnostic> {
        let none = Words::new();
        let checks: Vec<(&KeyPosition, &Words)> = match given.words.contains_key("files") {
            true => vec![(&self.start, &none)],
            false => self.checks.iter().map(|(origin, words)| (origin, words)).collect(),
        };
        if checks.is_empty() {
            let message = "there is no [[check]], and no file was named".to_owned();
            return Err(self.start.diagnostic(message));
        }
        Ok(checks
            .into_iter()
            .map(|(table, words)| self.command_line(table, words, given))
            .collect())
    }

    fn command_line(
        &self,
        table: &KeyPosition,
        words: &Words,
        given: &Given,
    ) -> (Written, Vec<OsString>) {
        let mut own = words.clone();
        own.extend(given.words.clone());
        let mut all = self.defaults.clone();
        let files = own.get("files").map_or(&[][..], |files| &files.words);
        if !files
            .iter()
            .any(|file| FileKind::of(Path::new(file)).is_some_and(FileKind::is_compiled))
        {
            all.retain(|name, _| !self.of_c.contains(name));
        }
        all.extend(own);
        let keys = all.iter().map(|(name, entry)| (name.clone(), entry.key.clone())).collect();
        let mut taken = |name| all.remove(name).map_or(Vec::new(), |entry| entry.words);
        let (files, flags) = (taken("files"), taken("flags"));
        let mut line: Vec<OsString> = vec!["raddle".into(), "check".into()];
        line.extend(all.into_values().flat_map(|entry| entry.words));
        line.extend(files);
        if !flags.is_empty() {
            line.push("--".into());
            line.extend(flags);
        }
        (Written { table: table.clone(), keys }, line)
    }
}

impl Given {
    /// The options of the command line as words again; paths become relative to the folder of the file.
    pub(super) fn of(
        check: &Command,
        matches: &ArgMatches,
        file: &ProjectFile,
    ) -> Result<Given, Diagnostic> {
        let current = std::env::current_dir().unwrap_or_default();
        let mut words = Words::new();
        for arg in check.get_arguments() {
            let id = arg.get_id().as_str();
            let Some(name) = name(arg).filter(|name| !NOT_HERE.contains(name)) else { continue };
            if !is_given(matches, id) {
                continue;
            }
            let moved = |value: &OsString| match is_path(arg) {
                true => moved(&current, &file.folder, Path::new(value)).into_os_string(),
                false => value.clone(),
            };
            let values = matches.get_raw(id).into_iter().flatten();
            let values: Vec<OsString> = values.map(|value| moved(&value.to_owned())).collect();
            let option = |value: &OsString| joined(name, value);
            let given = match arg.get_action() {
                ArgAction::SetTrue => vec![format!("--{name}").into()],
                _ if arg.is_positional() => values,
                _ => values.iter().map(option).collect(),
            };
            words.insert(name.to_owned(), Entry { key: None, words: given });
        }
        Ok(Given { words })
    }
}

fn of_c(check: &Command) -> Vec<String> {
    let args = check.get_arguments().filter(|arg| arg.get_help_heading() == Some("C"));
    args.filter_map(name).chain(["flags"]).map(str::to_owned).collect()
}

/// The key of an argument.
fn name(arg: &Arg) -> Option<&str> {
    arg.get_long().or_else(|| arg.is_positional().then(|| arg.get_id().as_str()))
}

fn is_path(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == ValueParser::path_buf().type_id()
}

/// A path as it is named from another folder.
fn moved(current: &Path, folder: &Path, path: &Path) -> PathBuf {
    if current == folder || path == Path::new("-") {
        return path.to_owned();
    }
    let whole = current.join(path);
    whole.strip_prefix(folder).map_or(whole.clone(), Path::to_owned)
}

fn joined(name: &str, value: &OsString) -> OsString {
    let mut word = OsString::from(format!("--{name}="));
    word.push(value);
    word
}

type Tables<'t, 'i> = Vec<(Range<usize>, &'t DeTable<'i>)>;

/// The tables of an array such as `[[check]]`.
fn tables<'t, 'i>(
    file: &ProjectFile,
    name: &str,
    value: &'t Spanned<DeValue<'i>>,
) -> Result<Tables<'t, 'i>, Diagnostic> {
    let wrong = || file.origin(value.span().start).diagnostic(format!("expected [[{name}]]"));
    let array = value.get_ref().as_array().ok_or_else(wrong)?;
    let table = |item: &'t Spanned<DeValue<'i>>| {
        Ok((item.span(), item.get_ref().as_table().ok_or_else(wrong)?))
    };
    array.iter().map(table).collect()
}

/// The options of a table as words of a command line.
fn words(
    file: &ProjectFile,
    check: &Command,
    table: &DeTable<'_>,
    refused: &[&str],
) -> Result<Words, Diagnostic> {
    let mut words = Words::new();
    for (key, value) in table {
        let (origin, key) = (file.origin(key.span().start), key.get_ref().as_ref());
        let named = |arg: &&Arg| name(arg) == Some(key) && !NOT_HERE.contains(&key);
        let Some(arg) = check.get_arguments().find(named) else {
            let shown = check.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(name);
            return Err(unknown(&origin, key, shown.filter(|name| !NOT_HERE.contains(name))));
        };
        if refused.contains(&key) {
            let where_to =
                if key == "files" { "[[check]]" } else { "[defaults]: it is for all checks" };
            return Err(origin.diagnostic(format!("'{key}' belongs in {where_to}")));
        }
        let values = values(&origin, arg, key, value.get_ref())?;
        words.insert(key.to_owned(), Entry { key: Some(origin), words: values });
    }
    Ok(words)
}

fn values(
    origin: &KeyPosition,
    arg: &Arg,
    key: &str,
    value: &DeValue<'_>,
) -> Result<Vec<OsString>, Diagnostic> {
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    let word = |value: &DeValue<'_>| {
        let text = match value {
            DeValue::String(text) if !is_flag => text.to_string(),
            DeValue::Integer(number) if !is_flag => number.to_string(),
            DeValue::Float(number) if !is_flag => number.to_string(),
            _ => {
                let wanted =
                    if is_flag { "true or false" } else { "a string, a number, or a list of them" };
                return Err(origin.diagnostic(format!("'{key}' takes {wanted}")));
            }
        };
        Ok(match arg.is_positional() {
            true => OsString::from(text),
            false => joined(key, &text.into()),
        })
    };
    match value {
        DeValue::Boolean(true) if is_flag => Ok(vec![format!("--{key}").into()]),
        DeValue::Boolean(false) if is_flag => Ok(Vec::new()),
        DeValue::Array(items) => items.iter().map(|item| word(item.get_ref())).collect(),
        value => Ok(vec![word(value)?]),
    }
}

/// A table `[[suppress]]`.
fn suppression(
    file: &ProjectFile,
    origin: &KeyPosition,
    table: &DeTable<'_>,
) -> Result<KnownError, Diagnostic> {
    const KEYS: [&str; 5] = ["kind", "file", "line", "function", "reason"];
    if let Some((key, _)) = table.iter().find(|(key, _)| !KEYS.contains(&key.get_ref().as_ref())) {
        return Err(unknown(&file.origin(key.span().start), key.get_ref(), KEYS));
    }
    // The place of a key; of the table if it is not there.
    let at = |name: &str| {
        let key = table.keys().find(|key| key.get_ref() == name);
        key.map_or(origin.clone(), |key| file.origin(key.span().start))
    };
    let text = |name: &str| table.get(name).and_then(|value| value.get_ref().as_str());
    let needed = |name: &str| {
        let message = || format!("[[suppress]] needs a string '{name}'");
        text(name).ok_or_else(|| at(name).diagnostic(message()))
    };
    let spot = match (table.get("line"), table.get("function")) {
        (None, None) => Spot::Anywhere,
        (Some(line), None) => {
            let line = line.get_ref().as_integer().and_then(|line| line.to_string().parse().ok());
            Spot::Line(
                line.ok_or_else(|| {
                    at("line").diagnostic("'line' takes the number of a line".into())
                })?,
            )
        }
        (None, Some(_)) => Spot::Function(needed("function")?.to_owned()),
        (Some(_), Some(_)) => {
            return Err(
                at("function").diagnostic("'line' and 'function' exclude each other".into())
            );
        }
    };
    known_error(needed("kind")?, needed("file")?, spot, needed("reason")?)
        .map_err(|(part, message)| at(part).diagnostic(message))
}

/// The message about a key that does not exist, with the one that may have been meant.
fn unknown<'k>(
    origin: &KeyPosition,
    key: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Diagnostic {
    let known: Vec<&str> = known.into_iter().collect();
    let nearest = known.iter().map(|name| (distance(key, name), *name)).min();
    let expected = match nearest {
        Some((far, name)) if far <= 3 && far < key.len() => format!("did you mean '{name}'?"),
        _ => format!("expected one of {}", known.join(", ")),
    };
    origin.diagnostic(format!("the key '{key}' is not known; {expected}"))
}

/// The number of letters to add, remove or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (n, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = n + 1;
        for (m, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[m + 1];
            row[m + 1] = changed.min(diagonal + 1).min(row[m] + 1);
        }
    }
    row[b.len()]
}
