//! The programs whose results are validated.

use raddle_front_c::Error;
use raddle_ir::{Diagnostic, FileKind, Verified};
use raddle_testing::{Corpus, root};
use std::path::{Path, PathBuf};

/// Which commands are run on a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    All,
    /// Those that decide: not the search for fences, which runs a program many times.
    Cheap,
    /// `litmus` and `check`: for the thousands of tests beside the project.
    Litmus,
}

#[derive(Debug)]
pub(super) enum Loaded {
    /// The file as it is named in outputs, and its program.
    Program(String, Box<Verified>),
    /// A program that is made of several files, or that needs flags.
    Refused,
    NoCompiler,
}

pub(super) fn all(long: bool) -> Vec<(PathBuf, Scope)> {
    if !long {
        let few = ["dekker.rir", "deadlock.rir", "SB.litmus"];
        let few = few.map(|name| (root().join("examples").join(name), Scope::All));
        let automata = root().join("tests/automata/peterson.aut");
        return few.into_iter().chain([(automata, Scope::All)]).collect();
    }
    let mut own = Vec::new();
    collect(&root().join("tests"), &mut own);
    collect(&root().join("examples"), &mut own);
    own.sort();
    let shared = ["x86", "ppc", "arm"].into_iter().filter_map(Corpus::shared);
    let shared = shared.flat_map(|corpus| corpus.files()).map(|path| (path, Scope::Litmus));
    let scope = |path: &Path| match FileKind::of(path) {
        Some(FileKind::Litmus | FileKind::Rir | FileKind::Automata) => Scope::All,
        _ => Scope::Cheap,
    };
    own.into_iter().map(|path| (path.clone(), scope(&path))).chain(shared).collect()
}

/// The programs of a folder and the folders below it.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending != "txt")
            && FileKind::of(&path).is_some_and(FileKind::is_program)
        {
            found.push(path);
        }
    }
}

pub(super) fn load(path: &Path) -> Loaded {
    let file = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let text = || std::fs::read(path).expect("a file");
    let parsed: Result<Verified, Diagnostic> = match FileKind::of(path) {
        Some(FileKind::Rir) => raddle_ir::text::load(&file, &text()),
        Some(FileKind::Litmus) => {
            raddle_front_litmus::load(&file, &text()).map(|test| test.program)
        }
        Some(FileKind::Automata) => raddle_front_automata::load(&file, &text()),
        _ => return compiled(path, file),
    };
    let program = parsed.unwrap_or_else(|error| panic!("{error}"));
    Loaded::Program(file, Box::new(program))
}

fn compiled(path: &Path, file: String) -> Loaded {
    let options = raddle_front_c::Options::default();
    match raddle_front_c::load(&[path.to_owned()], &options) {
        Ok(loaded) if loaded.program.threads.is_empty() => Loaded::Refused,
        Ok(loaded) => Loaded::Program(file, Box::new(loaded.program)),
        Err(Error::Diagnostic(error, _)) if error.message.contains("clang") => Loaded::NoCompiler,
        Err(_) => Loaded::Refused,
    }
}
