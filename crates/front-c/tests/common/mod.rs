//! Shared by the tests of C programs: the compilers, loading, running.

use raddle_engine::{Model, Summary};
use raddle_front_c::{Error, Options, clang, load};
use raddle_interleave::explore;
use raddle_ir::{Program, Verified};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder of C programs.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name)
}

/// The C programs of a folder, sorted.
pub(crate) fn programs(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(name)).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp")).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// All compilers of supported versions. If there is no clang, prints a note and returns none.
pub(crate) fn compilers() -> Vec<PathBuf> {
    let Ok(newest) = clang::find(None, &Options::default().budget) else {
        raddle_testing::missing("clang");
        return Vec::new();
    };
    let mut found = vec![newest.path];
    for version in 14..=24 {
        if let Ok(clang) =
            clang::find(Some(Path::new(&format!("clang-{version}"))), &Options::default().budget)
        {
            found.push(clang.path);
        }
    }
    found.dedup();
    found
}

pub(crate) fn options(compiler: &Path, flags: &[&str]) -> Options {
    Options {
        clang: Some(compiler.to_owned()),
        flags: flags.iter().map(OsString::from).collect(),
        ..Options::default()
    }
}

pub(crate) fn program(paths: &[PathBuf], options: &Options) -> Verified {
    program_unless_crash(paths, options).expect("the compiler does not crash")
}

/// Prints a note and returns `None` if the compiler crashes.
pub(crate) fn program_unless_crash(paths: &[PathBuf], options: &Options) -> Option<Verified> {
    match load(paths, options) {
        Ok(loaded) => Some(loaded.program),
        Err(Error::Compiler(messages)) if messages.contains("PLEASE submit a bug report") => {
            raddle_testing::note(&format!("skipped: {:?} crashes on {paths:?}", options.clang));
            None
        }
        Err(Error::Compiler(messages)) => panic!("{messages}"),
        Err(Error::Diagnostic(diagnostic, _)) => panic!("{diagnostic}"),
        Err(Error::Stopped(spent)) => panic!("stopped: {spent:?}"),
    }
}

pub(crate) fn run(program: &Verified, model: Model) -> Summary {
    explore(program, &raddle_engine::Options::new(model))
}

/// The failures, for messages: kind, line, message.
pub(crate) fn failures(program: &Program, summary: &Summary) -> Vec<String> {
    let shown = |failure: &raddle_engine::Failure| {
        let line = program.loc(failure.loc).map_or(0, |loc| loc.line);
        format!("{} at {line}: {}", failure.kind.name(), failure.message)
    };
    summary.failures.iter().map(shown).collect()
}

/// The rest of the line that starts with `// key:`.
pub(crate) fn header(path: &Path, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let prefix = format!("// {key}:");
    text.lines().find_map(|line| Some(line.strip_prefix(&prefix)?.trim().to_owned()))
}
