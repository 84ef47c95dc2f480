//! Finding, reading, parsing and verifying files.

pub(crate) use raddle_ir::diag::shown;
use raddle_ir::file::MAX_BYTES;
use raddle_ir::{Diagnostic, FileKind, Program, Verified};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The files that a folder is searched for.
const TEST: FileKind = FileKind::Litmus;

const NO_SUCH_FILE: &str = "no such file";

/// Folders deeper than this are taken for a loop of links.
const MAX_DEPTH: u32 = 64;

/// A file that was rejected: the diagnostic, and the contents to show it with.
#[derive(Debug)]
pub(crate) struct Rejected {
    pub diagnostic: Diagnostic,
    pub source: Vec<u8>,
}

/// Reads the text of a program; the file's name is for messages.
type Parser = fn(&str, &[u8]) -> Result<Verified, Diagnostic>;

/// The parser of a file that is a program by itself.
fn parser(path: &Path) -> Result<Parser, Diagnostic> {
    match FileKind::of(path) {
        Some(FileKind::Rir) => Ok(raddle_ir::text::load),
        Some(FileKind::Litmus) => {
            Ok(|file, text| raddle_front_litmus::load(file, text).map(|test| test.program))
        }
        Some(FileKind::Automata) => Ok(raddle_front_automata::load),
        _ => {
            let endings = FileKind::endings(FileKind::is_program);
            let message = "the name does not say what the file holds";
            Err(Diagnostic::whole_file(&shown(path), message)
                .expected(format!("a name that ends in {endings}")))
        }
    }
}

/// The files that the arguments name: files as they are, folders by the `.litmus` files below
/// them, sorted by path. A folder without any or that cannot be read, and a file of another kind,
/// are diagnostics.
pub(crate) fn litmus_files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        if !path.is_dir() {
            match FileKind::of(path) {
                Some(FileKind::Rir | FileKind::Litmus) => files.push(path.clone()),
                _ => problems.push(not_a_test(path)),
            }
            continue;
        }
        let mut found = Vec::new();
        match collect(path, MAX_DEPTH, &mut found) {
            Err(diagnostic) => problems.push(diagnostic),
            Ok(()) if found.is_empty() => problems.push(
                Diagnostic::whole_file(&shown(path), "the folder has no litmus tests")
                    .expected(format!("files that end in {}, in it or below it", TEST.ending())),
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
    let message = format!("litmus takes {} files and folders of them", TEST.ending());
    Diagnostic::whole_file(&file, message).help("for a program, use raddle check")
}

/// Whether nothing has this name. A path that cannot be examined is not missing: reading it tells more.
fn is_missing(path: &Path) -> bool {
    matches!(path.try_exists(), Ok(false))
}

/// The diagnostic of the first of these paths that is not a file.
pub(crate) fn no_file(paths: &[PathBuf]) -> Option<Diagnostic> {
    paths.iter().find_map(|path| match path {
        path if is_missing(path) => Some(Diagnostic::whole_file(&shown(path), NO_SUCH_FILE)),
        path => {
            let kind = other_kind(&fs::metadata(path).ok()?)?;
            Some(Diagnostic::whole_file(&shown(path), format!("this is {kind}")).expected("a file"))
        }
    })
}

/// The complaint about a path that cannot be read as a stream. Pipes and devices can.
pub(crate) fn no_stream(path: &Path) -> Option<Diagnostic> {
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
        } else if FileKind::of(&path) == Some(TEST) {
            found.push(path);
        }
    }
    Ok(())
}

/// Reads a file by its extension into a verified program.
pub(crate) fn load(path: &Path) -> Result<Verified, Rejected> {
    let file = shown(path);
    let bare = |diagnostic| Rejected { diagnostic, source: Vec::new() };
    let parser = parser(path).map_err(bare)?;
    let source = bytes(path).map_err(bare)?;
    match parse(parser, &file, &source) {
        Ok(program) => Ok(program),
        Err(diagnostic) => Err(Rejected { diagnostic, source }),
    }
}

/// Reads another text of a file into a verified program.
pub(crate) fn parse_text(path: &Path, text: &[u8]) -> Result<Verified, Diagnostic> {
    let file = shown(path);
    parse(parser(path)?, &file, text)
}

/// The contents of a file of reasonable size.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    read(path).map_err(|unreadable| unreadable.in_file(&shown(path)))
}

fn parse(parser: Parser, file: &str, source: &[u8]) -> Result<Verified, Diagnostic> {
    let program = parser(file, source)?;
    with_threads(file, &program)?;
    Ok(program)
}

/// Refuses a program that starts no thread: vacuously safe, and certainly not what was meant.
pub(crate) fn with_threads(file: &str, program: &Program) -> Result<(), Diagnostic> {
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
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(Unreadable::Io)?;
    if bytes.len() > MAX_BYTES { Err(Unreadable::TooLarge) } else { Ok(bytes) }
}
