//! Finding, reading, parsing and verifying files.

use raddle_front_c::Error;
pub(crate) use raddle_ir::diag::shown;
use raddle_ir::file::MAX_BYTES;
use raddle_ir::near::nearest;
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
            let wrong = Diagnostic::whole_file(&shown(path), message)
                .expected(format!("a name that ends in {endings}"));
            Err(match other_ending(path) {
                Some(help) => wrong.help(help),
                None => wrong,
            })
        }
    }
}

/// A hint for a file that is not a program by its ending.
fn other_ending(path: &Path) -> Option<String> {
    if FileKind::of(path).is_some_and(|kind| !kind.is_program()) {
        return Some("name the file that includes this header".to_owned());
    }
    let extension = path.extension()?.to_str()?;
    let meant = nearest(extension, FileKind::extensions(FileKind::is_program))?;
    Some(format!("did you mean '.{meant}'?"))
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
        return missing(path, "no such file or folder");
    }
    let message = format!("litmus takes {} files and folders of them", TEST.ending());
    Diagnostic::whole_file(&file, message).help("for a program, use raddle check")
}

/// The diagnostic of a path that leads nowhere, with a similar name of the same folder.
fn missing(path: &Path, message: &str) -> Diagnostic {
    let diagnostic = Diagnostic::whole_file(&shown(path), message);
    match similar(path) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// How many names of a folder are compared with one that is missing.
const MAX_NAMES: usize = 10_000;

fn similar(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names =
        entries.take(MAX_NAMES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    // A short name is not alike another just because both have the same ending.
    let stem =
        |name: &str| Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let wanted = stem(name)?;
    let is_alike = |other: &str| {
        stem(other).is_some_and(|stem| stem == wanted || nearest(&wanted, [&*stem]).is_some())
    };
    let names = names.iter().map(|name| &**name);
    let meant = nearest(name, names.filter(|other| is_alike(other)))?;
    let meant = folder.map_or(PathBuf::from(meant), |folder| folder.join(meant));
    Some(format!("did you mean '{}'?", shown(&meant)))
}

/// Whether nothing has this name. A path that cannot be examined is not missing: reading it tells more.
fn is_missing(path: &Path) -> bool {
    matches!(path.try_exists(), Ok(false))
}

/// The diagnostic of the first of these paths that is not a file.
pub(crate) fn no_file(paths: &[PathBuf]) -> Option<Diagnostic> {
    paths.iter().find_map(|path| match path {
        path if is_missing(path) => Some(missing(path, NO_SUCH_FILE)),
        path => not_a_file(path, &fs::metadata(path).ok()?),
    })
}

/// The complaint about a path that cannot be read as a stream. Pipes and devices can.
pub(crate) fn no_stream(path: &Path) -> Option<Diagnostic> {
    no_file(std::slice::from_ref(&path.to_owned())).filter(|_| is_missing(path) || path.is_dir())
}

/// The diagnostic of a path that is not a regular file. A pipe or a device may never end.
fn not_a_file(path: &Path, found: &Metadata) -> Option<Diagnostic> {
    let kind = found.file_type();
    let kind = match () {
        () if kind.is_file() => return None,
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    Some(Diagnostic::whole_file(&shown(path), format!("this is {kind}")).expected("a file"))
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
pub(crate) fn load(path: &Path) -> Result<Verified, Error> {
    let parser = parser(path)?;
    let source = bytes(path)?;
    parse(parser, path, &source).map_err(|diagnostic| Error::Diagnostic(diagnostic, source))
}

/// Reads another text of a file into a verified program.
pub(crate) fn parse_text(path: &Path, text: &[u8]) -> Result<Verified, Diagnostic> {
    parse(parser(path)?, path, text)
}

fn parse(parser: Parser, path: &Path, source: &[u8]) -> Result<Verified, Diagnostic> {
    let file = shown(path);
    let program = parser(&file, source)?;
    with_threads(&file, &program)?;
    Ok(program)
}

/// Refuses a program that starts no thread: vacuously safe, and certainly not what was meant.
pub(crate) fn with_threads(file: &str, program: &Program) -> Result<(), Diagnostic> {
    if !program.threads.is_empty() {
        return Ok(());
    }
    Err(Diagnostic::whole_file(file, "the program starts no thread")
        .expected("a thread, such as: thread main = @main()"))
}

/// The contents of a file of reasonable size.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let wrong = |message: &str| Diagnostic::whole_file(&shown(path), message);
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => missing(path, NO_SUCH_FILE),
        _ => wrong(&format!("cannot read the file: {error}")),
    };
    let found = fs::metadata(path).map_err(unreadable)?;
    if let Some(diagnostic) = not_a_file(path, &found) {
        return Err(diagnostic);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_BYTES {
        let most = format!("at most {} MiB", MAX_BYTES >> 20);
        return Err(wrong("the file is too large").expected(most));
    }
    Ok(bytes)
}
