//! The files and options that a program is made from.

use crate::args::shared::{SourceArgs, SourceCommand};
use crate::args::values::Range;
use crate::input::shown;
use crate::output::Output;
use clap::Parser;
use raddle_budget::Budget;
use raddle_ir::FileKind;
use raddle_report::document::Origin;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The files and options that a program is made from.
#[derive(Clone, Debug)]
pub(crate) struct SourceConfig {
    /// At least one.
    pub files: Vec<PathBuf>,
    pub c: raddle_front_c::Options,
    /// The file that the options come from, if it is one.
    pub project: Option<PathBuf>,
    /// What tells the program apart from another one of the same files.
    pub mark: Option<String>,
}

/// Files are all named in reports if that takes at most so many characters.
const LONGEST: usize = 120;

impl SourceConfig {
    pub(crate) fn new(args: &SourceArgs, budget: &Budget) -> SourceConfig {
        let c = raddle_front_c::Options {
            clang: args.clang.clone(),
            flags: args.flags.clone(),
            colour: Output::colours(),
            nondet: args.nondet_range.0.clone(),
            spurious_wakeups: args.spurious_wakeups,
            budget: budget.clone(),
            texts: Vec::new(),
            // Files that are written must be none of them.
            list_sources: true,
            stubs: args.stubs.clone(),
        };
        SourceConfig { files: args.files.clone(), c, project: None, mark: None }
    }

    /// The programs that the files make: files that are compiled make one together, others one each.
    pub(crate) fn programs(self) -> Vec<SourceConfig> {
        if self.is_compiled() {
            return vec![self];
        }
        let one = |file: &PathBuf| SourceConfig { files: vec![file.clone()], ..self.clone() };
        self.files.iter().map(one).collect()
    }

    /// The same with a budget of its own.
    pub(crate) fn within(&self, budget: &Budget) -> SourceConfig {
        let c = raddle_front_c::Options { budget: budget.clone(), ..self.c.clone() };
        SourceConfig { c, ..self.clone() }
    }

    /// The files that are named, the compiler and the file of the project: none of them may be overwritten.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().chain(&self.c.clang).chain(&self.project).map(PathBuf::as_path)
    }

    /// Whether some file is compiled.
    fn is_compiled(&self) -> bool {
        self.files.iter().any(|file| FileKind::of(file).is_some_and(FileKind::is_compiled))
    }

    /// Whether the user wants the warnings of the compiler: a flag is about them, and does not turn them off.
    pub(crate) fn asks_for_warnings(&self) -> bool {
        let others = ["-Wl,", "-Wa,", "-Wp,", "-Wno-"];
        let flags = self.c.flags.iter().map(|flag| flag.to_string_lossy());
        let is_about = |flag: &str| flag.starts_with("-W") || flag.starts_with("-pedantic");
        flags
            .into_iter()
            .any(|flag| is_about(&flag) && !others.iter().any(|it| flag.starts_with(it)))
    }

    /// The first option given that changes how C is compiled or what it means.
    pub(crate) fn option_of_c(&self) -> Option<&'static str> {
        let default = raddle_front_c::Options::default();
        let given = [
            ("--stub", !self.c.stubs.is_empty()),
            ("flags for clang", !self.c.flags.is_empty()),
            ("--nondet-range", self.c.nondet != default.nondet),
            ("--spurious-wakeups", self.c.spurious_wakeups),
        ];
        given.into_iter().find_map(|(option, given)| given.then_some(option))
    }

    /// Whether this is a file of automata, which are loops that never end.
    pub(crate) fn is_automata(&self) -> bool {
        matches!(&*self.files, [file] if FileKind::of(file) == Some(FileKind::Automata))
    }

    /// The name of the program in reports: the files as the user named them, or the first one if they are many.
    pub(crate) fn shown(&self) -> String {
        let names: Vec<String> = self.files.iter().map(|path| shown(path)).collect();
        let all = names.join(" ");
        let title = match &*names {
            [first, _, rest @ ..] if !rest.is_empty() && all.chars().count() > LONGEST => {
                format!("{first} and {} more files", rest.len() + 1)
            }
            _ => all,
        };
        match &self.mark {
            Some(mark) => format!("{title} ({mark})"),
            None => title,
        }
    }

    /// Files and arguments that make the same program again: the inverse of [`source_of`]. The compiler is
    /// not among them: a witness file that someone else wrote must not choose the command that is run.
    pub(crate) fn origin(&self) -> Origin {
        let mut arguments = Vec::new();
        let range = Range(self.c.nondet.clone());
        if range != Range::default() {
            arguments.push(format!("--nondet-range={range}").into());
        }
        if self.c.spurious_wakeups {
            arguments.push("--spurious-wakeups".into());
        }
        arguments.extend(self.c.stubs.iter().map(|stub| format!("--stub={stub}").into()));
        if !self.c.flags.is_empty() {
            arguments.push("--".into());
            arguments.extend(self.c.flags.iter().cloned());
        }
        let inputs = self.files.iter().map(|file| file.clone().into()).collect();
        Origin { inputs, arguments }
    }
}

/// The source that a witness file names; `Err` has the error of the command line in its arguments.
pub(crate) fn source_of(origin: &Origin, budget: &Budget) -> Result<SourceConfig, String> {
    if origin.inputs.is_empty() {
        return Err("it names no files".to_owned());
    }
    // A file whose name looks like an option is a file: only the arguments are parsed.
    let line = ["raddle", "FILE"].into_iter().map(OsString::from);
    let line = line.chain(origin.arguments.iter().cloned());
    let parsed = SourceCommand::try_parse_from(line).map_err(|error| {
        let text = error.to_string();
        text.lines().next().unwrap_or("").trim_start_matches("error: ").to_owned()
    })?;
    let config = SourceConfig::new(&parsed.source, budget);
    if config.c.clang.is_some() {
        return Err("it names a compiler, which is for $CLANG to do".to_owned());
    }
    if let [_, file, ..] = &*config.files {
        let file = shown(file);
        return Err(format!("the argument '{file}' is not an option"));
    }
    let files = origin.inputs.iter().map(PathBuf::from).collect();
    Ok(SourceConfig { files, ..config })
}
