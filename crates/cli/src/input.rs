//! Finding, reading, parsing and verifying files.

pub use raddle_ir::diag::shown;
use raddle_ir::{Diagnostic, Program, Verified};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// A file larger than this is no program that was meant for a model checker.
const MAX_BYTES: u64 = 16 << 20;

const NO_SUCH_FILE: &str = "no such file";

/// Folders deeper than this are taken for a loop of links.
const MAX_DEPTH: u32 = 64;

/// What is wrong with a file, and the contents to show it with.
#[derive(Debug)]
pub struct Rejected {
    pub diagnostic: Diagnostic,
    pub source: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Rir,
    Litmus,
    Automata,
}

impl Format {
    fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()? {
            "rir" => Some(Format::Rir),
            "litmus" => Some(Format::Litmus),
            "aut" | "trencher" | "txt" => Some(Format::Automata),
            _ => None,
        }
    }
}

/// Whether a file holds automata, going by its name.
pub fn is_automata(path: &Path) -> bool {
    Format::of(path) == Some(Format::Automata)
}

/// The files that the arguments name: files as they are, folders by the `.litmus` files below
/// them, sorted by path. A folder without any or that cannot be read, and a file of another kind,
/// are diagnostics.
pub fn litmus_files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        if !path.is_dir() {
            match Format::of(path) {
                Some(Format::Rir | Format::Litmus) => files.push(path.clone()),
                Some(Format::Automata) | None => problems.push(not_a_test(path)),
            }
            continue;
        }
        let mut found = Vec::new();
        match collect(path, MAX_DEPTH, &mut found) {
            Err(diagnostic) => problems.push(diagnostic),
            Ok(()) if found.is_empty() => problems.push(
                Diagnostic::whole_file(&shown(path), "the folder has no litmus tests")
                    .expected("files that end in .litmus, in it or below it"),
            ),
            Ok(()) => {
                found.sort();
                files.append(&mut found);
            }
        }
    }
    (files, problems)
}

fn not_a_test(path: &Path) -> Diagnostic {
    let file = shown(path);
    if is_missing(path) {
        return Diagnostic::whole_file(&file, "no such file or folder");
    }
    Diagnostic::whole_file(&file, "litmus takes .litmus files and folders of them")
        .help("for a program, use raddle check")
}

/// Whether nothing has this name; what cannot be looked at is left to whoever reads it.
fn is_missing(path: &Path) -> bool {
    matches!(path.try_exists(), Ok(false))
}

/// What is wrong with the first of these files that is none.
pub fn no_file(paths: &[PathBuf]) -> Option<Diagnostic> {
    paths.iter().find_map(|path| match path {
        path if is_missing(path) => Some(Diagnostic::whole_file(&shown(path), NO_SUCH_FILE)),
        path => {
            let kind = other_kind(&fs::metadata(path).ok()?)?;
            Some(Diagnostic::whole_file(&shown(path), format!("this is {kind}")).expected("a file"))
        }
    })
}

/// The complaint about a path that cannot be read as a stream. Pipes and devices can.
pub fn no_stream(path: &Path) -> Option<Diagnostic> {
    no_file(std::slice::from_ref(&path.to_owned())).filter(|_| is_missing(path) || path.is_dir())
}

/// The kind of a path that is not a regular file. A pipe or a device may never end.
fn other_kind(found: &Metadata) -> Option<&'static str> {
    let kind = found.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () if kind.is_fifo() => Some("a pipe"),
        () if kind.is_socket() => Some("a socket"),
        () => Some("a device"),
    }
}

fn collect(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) -> Result<(), Diagnostic> {
    let fail = |message: String| Diagnostic::whole_file(&shown(folder), message);
    if depth == 0 {
        return Err(fail("folders are nested too deep".to_owned())
            .expected(format!("at most {MAX_DEPTH} levels"))
            .help("is there a symbolic link to a folder above?"));
    }
    let unreadable = |error: io::Error| fail(format!("cannot read the folder: {error}"));
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(&path, depth - 1, found)?;
        } else if Format::of(&path) == Some(Format::Litmus) {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether a file is a program by itself, going by its name.
pub fn is_program(path: &Path) -> bool {
    Format::of(path).is_some()
}

/// Reads a file by its extension into a verified program.
pub fn load(path: &Path) -> Result<Verified, Rejected> {
    let file = shown(path);
    let format = Format::of(path).ok_or_else(|| bare(unknown_format(&file)))?;
    let source = read(path).map_err(|message| bare(message.in_file(&file)))?;
    match parse(format, &file, &source) {
        Ok(program) => Ok(program),
        Err(diagnostic) => Err(Rejected { diagnostic, source }),
    }
}

/// Reads another text of a file into a verified program.
pub fn parse_text(path: &Path, text: &[u8]) -> Result<Verified, Diagnostic> {
    let file = shown(path);
    let format = Format::of(path).ok_or_else(|| unknown_format(&file))?;
    parse(format, &file, text)
}

/// The contents of a file of reasonable size.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    read(path).map_err(|unreadable| unreadable.in_file(&shown(path)))
}

fn bare(diagnostic: Diagnostic) -> Rejected {
    Rejected { diagnostic, source: Vec::new() }
}

fn unknown_format(file: &str) -> Diagnostic {
    Diagnostic::whole_file(file, "the name does not say what the file holds")
        .expected("a name that ends in .c, .cpp, .ll, .bc, .litmus, .aut or .rir")
}

fn parse(format: Format, file: &str, source: &[u8]) -> Result<Verified, Diagnostic> {
    let program = match format {
        Format::Rir => raddle_ir::text::load(file, source)?,
        Format::Litmus => raddle_front_litmus::load(file, source)?.program,
        Format::Automata => raddle_front_automata::load(file, source)?,
    };
    with_threads(file, &program)?;
    Ok(program)
}

/// Refuses a program that starts no thread: vacuously safe, and certainly not what was meant.
pub fn with_threads(file: &str, program: &Program) -> Result<(), Diagnostic> {
    if program.threads.is_empty() { Err(no_threads(file)) } else { Ok(()) }
}

fn no_threads(file: &str) -> Diagnostic {
    Diagnostic::whole_file(file, "the program starts no thread")
        .expected("a thread, such as: thread main = @main()")
}

/// Why a file could not be read.
enum Unreadable {
    Io(io::Error),
    NoFile(&'static str),
    TooLarge,
}

impl Unreadable {
    fn in_file(self, file: &str) -> Diagnostic {
        match self {
            Unreadable::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                Diagnostic::whole_file(file, NO_SUCH_FILE)
            }
            Unreadable::Io(error) => {
                Diagnostic::whole_file(file, format!("cannot read the file: {error}"))
            }
            Unreadable::NoFile(kind) => {
                Diagnostic::whole_file(file, format!("this is {kind}")).expected("a file")
            }
            Unreadable::TooLarge => Diagnostic::whole_file(file, "the file is too large")
                .expected(format!("at most {} MiB", MAX_BYTES >> 20)),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Unreadable> {
    let found = fs::metadata(path).map_err(Unreadable::Io)?;
    if let Some(kind) = other_kind(&found) {
        return Err(Unreadable::NoFile(kind));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(Unreadable::Io)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(Unreadable::Io)?;
    if bytes.len() as u64 > MAX_BYTES { Err(Unreadable::TooLarge) } else { Ok(bytes) }
}
