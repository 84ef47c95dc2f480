//! `raddle doctor`: whether everything that raddle needs is there.
//!
//! Nothing is assumed: the compiler that other commands would run compiles two small programs, and their code
//! is read.

use crate::args::doctor::DoctorArgs;
use crate::config::timeout;
use crate::input::shown;
use crate::output::{Output, Stop};
use crate::signals;
use crate::status::Status;
use raddle_budget::{Budget, default_memory, machine_memory};
use raddle_front_c::clang::{self, Clang, Failed, OLDEST};
use raddle_front_c::{Error, Options, load};
use raddle_report::source::Sources;
use serde::Serialize;
use std::env;
use std::fmt::Write;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Instant;

/// A language with a program that needs its headers, and the packages that have these.
struct Language {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    packages: &'static str,
}

const LANGUAGES: [Language; 2] = [
    Language {
        name: "C",
        file: "probe.c",
        text: "#include <pthread.h>\nint main(void) { return pthread_self() == 0; }\n",
        packages: "apt install libc6-dev",
    },
    Language {
        name: "C++",
        file: "probe.cpp",
        text: "#include <atomic>\nint main() { std::atomic<int> x{0}; return x.load(); }\n",
        packages: "apt install g++, which has the headers of libstdc++",
    },
];

/// What was found.
#[derive(Serialize, Debug)]
struct Findings {
    version: &'static str,
    /// The processor and the system that raddle was built for.
    target: String,
    /// The compiler that other commands would run; null if there is none.
    clang: Option<Chosen>,
    oldest_clang: u32,
    /// All compilers on the path.
    clangs: Vec<Found>,
    compiles: Vec<Compiles>,
    cores: usize,
    memory: Memory,
    terminal: Terminal,
    tools: Vec<Tool>,
    problems: Vec<Problem>,
    /// Whether C programs can be checked.
    usable: bool,
}

#[derive(Serialize, Debug)]
struct Chosen {
    path: String,
    version: Option<u32>,
    /// `--clang`, `$CLANG` or `path`.
    by: &'static str,
}

#[derive(Serialize, Debug)]
struct Found {
    path: String,
    version: Option<u32>,
}

#[derive(Serialize, Debug)]
struct Compiles {
    language: &'static str,
    works: bool,
    seconds: f64,
}

/// Bytes; null if the system does not report them.
#[derive(Serialize, Debug)]
struct Memory {
    total: Option<u64>,
    available: Option<u64>,
    /// The limit of a command without `--max-memory`.
    limit: Option<u64>,
}

/// The standard output.
#[derive(Serialize, Debug)]
struct Terminal {
    is_terminal: bool,
    colour: bool,
    width: usize,
}

#[derive(Serialize, Debug)]
struct Tool {
    name: &'static str,
    /// Null if it is not on the path.
    path: Option<String>,
}

#[derive(Serialize, Debug)]
struct Problem {
    what: String,
    advice: Option<String>,
}

pub(crate) fn run(args: &DoctorArgs, output: &mut Output) -> Result<Status, Stop> {
    let budget = Budget::new(Some(timeout(args.timeout)?), default_memory());
    signals::interrupt(&budget);
    let findings = examine(args, &budget, output);
    output.note(match (findings.usable, findings.compiles.iter().all(|found| found.works)) {
        (true, true) => Status::Fine,
        // C can be checked, C++ cannot.
        (true, false) => Status::Unknown,
        (false, _) => Status::Bad,
    });
    match args.output.json {
        true => output.print_json(&findings)?,
        false => output.print(&text(&findings))?,
    }
    Ok(output.status())
}

fn examine(args: &DoctorArgs, budget: &Budget, output: &Output) -> Findings {
    let mut problems = Vec::new();
    let found = clang::find(args.clang.as_deref(), &budget.afresh());
    let clang = found.map_err(|failed| problems.push(not_found(failed))).ok();
    let mut compiles = Vec::new();
    if let Some(clang) = &clang {
        for language in &LANGUAGES {
            let start = Instant::now();
            let problem = probe(language, clang, &budget.afresh()).err();
            let (works, seconds) = (problem.is_none(), start.elapsed().as_secs_f64());
            compiles.push(Compiles { language: language.name, works, seconds });
            problems.extend(problem);
        }
    }
    let sources = Sources::none();
    let look = output.look(&sources);
    let is_terminal = io::stdout().is_terminal();
    let memory = machine_memory();
    let clangs = clang::all(&budget.afresh()).into_iter();
    Findings {
        version: env!("CARGO_PKG_VERSION"),
        target: format!("{} {}", env::consts::ARCH, env::consts::OS),
        oldest_clang: OLDEST,
        clangs: clangs.map(|c| Found { path: shown(&c.path), version: c.version }).collect(),
        usable: compiles.iter().any(|found| found.language == "C" && found.works),
        clang: clang.map(|clang| Chosen {
            path: shown(&clang.path),
            version: clang.version,
            by: chosen_by(args),
        }),
        compiles,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory: Memory {
            total: memory.map(|(total, _)| total),
            available: memory.map(|(_, available)| available),
            limit: default_memory(),
        },
        terminal: Terminal { is_terminal, colour: look.colour, width: look.width },
        tools: ["patch", "git"].map(|name| Tool { name, path: on_path(name) }).into(),
        problems,
    }
}

/// The setting that decided which compiler is run.
fn chosen_by(args: &DoctorArgs) -> &'static str {
    let is_set = env::var_os("CLANG").is_some_and(|value| !value.is_empty());
    match (&args.clang, is_set) {
        (Some(_), _) => "--clang",
        (None, true) => "$CLANG",
        (None, false) => "path",
    }
}

fn not_found(failed: Failed) -> Problem {
    match failed {
        Failed::NotRun(mut diagnostic) => {
            let advice = diagnostic.help.take();
            let advice = advice.or_else(|| diagnostic.expected.take());
            Problem { what: format!("{}: {}", diagnostic.file, diagnostic.message), advice }
        }
        Failed::Rejected(messages) => Problem { what: messages, advice: None },
        Failed::Stopped(_) => Problem {
            what: "the compiler does not say which version it is".to_owned(),
            advice: Some("name another one with --clang".to_owned()),
        },
    }
}

/// Compiles the program of a language, and reads its code.
fn probe(language: &Language, clang: &Clang, budget: &Budget) -> Result<(), Problem> {
    let name = language.name;
    let problem = |why: String, advice: Option<&str>| Problem {
        what: format!("a small {name} program does not compile: {why}"),
        advice: advice.map(str::to_owned),
    };
    let cannot = |error: io::Error| problem(format!("no temporary file: {error}"), None);
    let folder = tempfile::tempdir().map_err(cannot)?;
    let file = folder.path().join(language.file);
    fs::write(&file, language.text).map_err(cannot)?;
    let options =
        Options { clang: Some(clang.path.clone()), budget: budget.clone(), ..Options::default() };
    match load(&[file], &options) {
        Ok(_) => Ok(()),
        Err(Error::Compiler(messages)) => {
            let error = messages.lines().find(|line| line.contains("error:"));
            let error = error.or(messages.lines().next()).unwrap_or_default();
            let (_, error) = error.split_once("error: ").unwrap_or(("", error));
            Err(problem(error.to_owned(), Some(language.packages)))
        }
        Err(Error::Diagnostic(diagnostic, _)) => {
            Err(problem(diagnostic.to_string(), Some("name another clang with --clang")))
        }
        Err(Error::Stopped(_)) => {
            Err(problem("it took too long".to_owned(), Some("--timeout lets it take longer")))
        }
    }
}

/// The path of a program, as the shell would find it.
fn on_path(name: &str) -> Option<String> {
    let folders = env::var_os("PATH")?;
    let files = env::split_paths(&folders).map(|folder: PathBuf| folder.join(name));
    files.into_iter().find(|file| file.is_file()).map(|file| shown(&file))
}

fn text(findings: &Findings) -> String {
    let mut out = format!("raddle {} ({})\n", findings.version, findings.target);
    let mut line = |name: &str, text: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {name:9} {text}");
    };
    let version =
        |version: Option<u32>| version.map_or(String::new(), |v| format!(" (version {v})"));
    let oldest = findings.oldest_clang;
    match &findings.clang {
        None => line("clang", format!("none; {oldest} or later is needed for C and C++")),
        Some(found) => {
            let by = if found.by == "path" { "the newest on the path" } else { found.by };
            let known = version(found.version);
            line("clang", format!("{}{known}: {by}; {oldest} or later is needed", found.path));
        }
    }
    let chosen = findings.clang.as_ref().map(|chosen| &chosen.path);
    for other in findings.clangs.iter().filter(|other| Some(&other.path) != chosen) {
        line("", format!("{}{}: also on the path", other.path, version(other.version)));
    }
    for found in &findings.compiles {
        let works = if found.works { "compiles" } else { "does not compile" };
        line(found.language, format!("{works} ({:.2} s)", found.seconds));
    }
    line("cores", findings.cores.to_string());
    line("memory", memory(&findings.memory));
    let Terminal { is_terminal, colour, width } = findings.terminal;
    let kind = if is_terminal { "yes" } else { "no" };
    let colours = if colour { "colours" } else { "no colours" };
    line("terminal", format!("{kind}: {width} columns, {colours}"));
    for tool in &findings.tools {
        let missing = "not on the path; it applies what raddle fence --patch prints";
        line(tool.name, tool.path.clone().unwrap_or_else(|| missing.to_owned()));
    }
    for Problem { what, advice } in &findings.problems {
        let _ = writeln!(out, "  problem: {}", what.trim_end());
        if let Some(advice) = advice {
            let _ = writeln!(out, "    advice: {advice}");
        }
    }
    let all = match (findings.usable, findings.problems.is_empty()) {
        (true, true) => "everything that raddle needs is there",
        (true, false) => "C programs can be checked",
        (false, _) => "C programs cannot be checked; litmus tests, automata and IR text can",
    };
    let _ = writeln!(out, "  {all}");
    out
}

fn memory(memory: &Memory) -> String {
    let size = |bytes: Option<u64>| match bytes {
        None => "unknown".to_owned(),
        Some(bytes) => format!("{} MiB", bytes >> 20),
    };
    let (total, free) = (size(memory.total), size(memory.available));
    format!("{total}, {free} of it free; the default of --max-memory is {}", size(memory.limit))
}
