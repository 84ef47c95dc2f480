//! Selection of the clang to run.
//!
//! The version is taken from the name if possible: starting a compiler just to ask for its version takes
//! longer than all other work on a small program. An unnumbered `clang` is usually a link into a folder
//! whose name contains the number; only if it is not, the compiler is started.

use super::run::{Failed, run};
use raddle_budget::Budget;
use raddle_ir::{Diagnostic, diag};
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest supported version. (Its IR text has typed pointers, which are read as well: with its option
/// for opaque pointers it fails on much of <stdatomic.h>.)
pub const OLDEST: u32 = 14;
/// The newest version number that is searched for. Newer versions are found as `clang`, or by explicit name.
const NEWEST: u32 = 40;

/// The maximum length of the answer to `--version`, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// A compiler, and its version if known from the name or from the compiler itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clang {
    pub path: PathBuf,
    pub version: Option<u32>,
}

/// The compiler that the user named (`--clang`), that `$CLANG` names, or the newest on the path.
pub fn find(named: Option<&Path>, budget: &Budget) -> Result<Clang, Failed> {
    if let Some(path) = named {
        return explicit(path, "--clang", budget);
    }
    match env::var_os("CLANG").filter(|value| !value.is_empty()) {
        Some(path) => explicit(Path::new(&path), "$CLANG", budget),
        None => {
            let found = newest(&env::var_os("PATH").unwrap_or_default(), budget)?;
            found.ok_or_else(|| missing().into())
        }
    }
}

/// All compilers on the path by the names that are searched for, each file once, with the version of each as
/// far as it is known.
pub fn all(budget: &Budget) -> Vec<Clang> {
    let numbered = (1..=NEWEST).rev().map(|version| format!("clang-{version}"));
    let names: Vec<String> = numbered.chain(["clang".to_owned()]).collect();
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut files = Vec::new();
    for folder in env::split_paths(&folders) {
        for path in names.iter().map(|name| folder.join(name)).filter(|path| path.is_file()) {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            if !files.iter().any(|(_, other)| *other == real) {
                files.push((path, real));
            }
        }
    }
    let found = files.into_iter().map(|(path, _)| {
        let version = version_in_name(&path).or_else(|| ask(&path, budget).ok().flatten());
        Clang { path, version }
    });
    found.collect()
}

fn missing() -> Diagnostic {
    Diagnostic::whole_file("clang", "no clang on the path, and C programs need one")
        .help("install it: apt install clang, or name one with --clang or $CLANG")
}

fn explicit(path: &Path, by: &str, budget: &Budget) -> Result<Clang, Failed> {
    let shown = diag::shown(path);
    let found = resolve(path).ok_or_else(|| {
        Diagnostic::whole_file(&shown, format!("{by} names a compiler that is not there"))
            .expected("the path of clang, version 14 or later")
    })?;
    let version = match version_in_name(&found) {
        Some(version) => Some(version),
        None => Some(ask(&found, budget)?.ok_or_else(|| {
            Diagnostic::whole_file(&shown, format!("{by} names a program that is not clang"))
                .expected(format!("the path of clang, version {OLDEST} or later"))
        })?),
    };
    match version {
        Some(old) if old < OLDEST => {
            Err(Diagnostic::whole_file(&shown, format!("clang {old} is too old"))
                .expected(format!("version {OLDEST} or later"))
                .into())
        }
        _ => Ok(Clang { path: found, version }),
    }
}

/// Looks up a name without a folder as the shell would.
fn resolve(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_owned());
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).map(|folder| folder.join(path)).find(|file| file.is_file())
}

fn newest(folders: &OsStr, budget: &Budget) -> Result<Option<Clang>, Failed> {
    let folders: Vec<PathBuf> = env::split_paths(folders).collect();
    let first = |name: &str| folders.iter().map(|f| f.join(name)).find(|file| file.is_file());
    let numbered = (OLDEST..=NEWEST).rev().find_map(|version| {
        let path = first(&format!("clang-{version}"))?;
        Some(Clang { path, version: Some(version) })
    });
    let plain = match first("clang") {
        None => None,
        Some(path) => {
            let named = version_in_name(&path);
            let version = if named.is_some() { named } else { ask(&path, budget)? };
            Some(Clang { path, version })
        }
    };
    let plain = plain.filter(|clang| clang.version.is_none_or(|version| version >= OLDEST));
    Ok(match (numbered, plain) {
        (Some(numbered), Some(plain)) if plain.version > numbered.version => Some(plain),
        (numbered, plain) => numbered.or(plain),
    })
}

/// `clang-19`, or `…/llvm-19/bin/clang` after following links.
fn version_in_name(path: &Path) -> Option<u32> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    [path, &real].into_iter().find_map(|path| {
        let parts = path.iter().rev().filter_map(OsStr::to_str);
        parts.filter_map(number_after_dash).next()
    })
}

fn number_after_dash(part: &str) -> Option<u32> {
    let digits = part.strip_prefix("clang-").or_else(|| part.strip_prefix("llvm-"))?;
    digits.split('.').next()?.parse().ok()
}

/// `None`: the program does not identify itself as clang.
fn ask(path: &Path, budget: &Budget) -> Result<Option<u32>, Failed> {
    let answer = run(Command::new(path).arg("--version"), MAX_ANSWER, budget)?;
    Ok(version_said(&String::from_utf8_lossy(&answer.output)))
}

/// Parses `Debian clang version 14.0.6`; other compilers answer differently.
fn version_said(answer: &str) -> Option<u32> {
    let (_, version) = answer.split_once("clang version ")?;
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_off_names() {
        assert_eq!(version_in_name(Path::new("/usr/bin/clang-19")), Some(19));
        assert_eq!(version_in_name(Path::new("/usr/lib/llvm-16.0/bin/clang")), Some(16));
        assert_eq!(version_in_name(Path::new("/opt/cc/clang")), None);
    }

    #[test]
    fn versions_are_read_off_answers() {
        assert_eq!(version_said("Debian clang version 14.0.6\nTarget: x86_64\n"), Some(14));
        assert_eq!(version_said("gcc (Debian 12.2.0-14) 12.2.0\n"), None);
    }

    #[test]
    fn a_compiler_that_is_not_there_is_said_so() {
        let budget = &Budget::UNLIMITED;
        let found = find(Some(Path::new("/nonexistent/clang")), budget);
        let Err(Failed::NotRun(problem)) = found else { panic!("it is not there: {found:?}") };
        assert!(problem.to_string().contains("--clang names a compiler"), "{problem}");
        assert!(matches!(newest(OsStr::new("/nonexistent"), budget), Ok(None)));
        assert!(missing().to_string().contains("apt install clang"));
    }
}
