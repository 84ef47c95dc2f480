//! Files that a command writes.
//!
//! A destination is checked before the search starts, so that hours of search do not end in "permission
//! denied". Its text is written to a file beside it, which then takes its name: a reader sees the
//! old file or the new one, never a part. Devices and pipes cannot be replaced; they are written to.

use crate::input::shown;
use raddle_ir::Diagnostic;
use rustix::fs::{Stat, fstat};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// As many links as Linux follows.
const MAX_LINKS: u32 = 40;

/// A file to be written, which can be written as far as one can tell.
#[derive(Debug)]
pub(crate) struct Destination {
    /// As the user named it.
    path: PathBuf,
    place: Target,
}

#[derive(Debug)]
enum Target {
    /// A regular file, or nothing yet: where all links end.
    File(PathBuf),
    /// A device or a pipe.
    Stream,
}

impl Destination {
    /// Checks a path: that a file can be written there, and that it is not one of the inputs.
    pub(crate) fn checked<'a>(
        path: &Path,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Destination, Diagnostic> {
        let wrong = |message: String| Diagnostic::whole_file(&shown(path), message);
        let cannot = |error: io::Error| wrong(format!("cannot be written: {error}"));
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.file_name().is_none() {
            return Err(is_folder(path));
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(is_folder(path)),
            Ok(found) if !found.is_file() => {
                // To open a pipe would wait for its reader.
                if !found.file_type().is_fifo() {
                    OpenOptions::new().write(true).open(path).map_err(cannot)?;
                }
                return Ok(Destination { path: path.to_owned(), place: Target::Stream });
            }
            Ok(found) => {
                OpenOptions::new().write(true).open(path).map_err(cannot)?;
                if is_standard_output(&found) {
                    let message = "this file is also the standard output";
                    return Err(wrong(message.to_owned()).expected("another file"));
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(cannot(error)),
        }
        let target = end_of_links(path).map_err(cannot)?;
        let probed = tempfile::tempfile_in(folder_of(&target));
        if let Err(error) = probed {
            let folder = shown(folder_of(&target));
            return Err(match error.kind() {
                ErrorKind::NotFound => wrong(format!("there is no folder {folder}")),
                _ => wrong(format!("no file can be made in the folder {folder}: {error}")),
            });
        }
        let destination = Destination { path: path.to_owned(), place: Target::File(target) };
        destination.is_none_of(inputs)?;
        Ok(destination)
    }

    /// Refuses to be one of the files that a program is made from, by whatever name.
    pub(crate) fn is_none_of<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Diagnostic> {
        let Target::File(target) = &self.place else { return Ok(()) };
        let Ok(found) = fs::metadata(target) else { return Ok(()) };
        let same = |input: &&Path| fs::metadata(input).is_ok_and(|input| is_same(&found, &input));
        match inputs.into_iter().find(same) {
            None => Ok(()),
            Some(input) => {
                let message = format!("this is the input {}, which must not be lost", shown(input));
                Err(Diagnostic::whole_file(&shown(&self.path), message).expected("another file"))
            }
        }
    }

    /// Replaces the file by what `content` writes, or writes that to the stream.
    pub(crate) fn write(
        &self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Diagnostic> {
        let written = match &self.place {
            Target::Stream => write_to_stream(&self.path, content),
            Target::File(target) => replace(target, content),
        };
        written.map_err(|error| {
            Diagnostic::whole_file(&shown(&self.path), format!("cannot be written: {error}"))
        })
    }
}

fn is_folder(path: &Path) -> Diagnostic {
    Diagnostic::whole_file(&shown(path), "this is a folder").expected("the name of a file to write")
}

fn is_same(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Whether two paths name one regular file, which need not exist yet. What is written to a stream is not lost.
pub(crate) fn is_one_file(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => a.is_file() && is_same(&a, &b),
        (Err(_), Err(_)) => whole(a).is_some_and(|a| whole(b) == Some(a)),
        _ => false,
    }
}

/// The path of a file that does not exist, without links, `.` and `..`.
fn whole(path: &Path) -> Option<PathBuf> {
    let target = end_of_links(path).ok()?;
    Some(folder_of(&target).canonicalize().ok()?.join(target.file_name()?))
}

/// Replacing this file would lose the printed results.
fn is_standard_output(found: &Metadata) -> bool {
    let output: Option<Stat> = fstat(io::stdout()).ok();
    output.is_some_and(|output| (output.st_dev, output.st_ino) == (found.dev(), found.ino()))
}

/// The path that a link leads to, whether that exists or not; a path that is not a link is returned as it is.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            // It is not a link, or not there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn write_to_stream(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut stream = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    content(&mut stream)?;
    stream.flush()
}

/// The file that is being written, to be removed if the process has to end at once.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn replace(
    target: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let old = fs::metadata(target).ok();
    // The permissions that new files usually get: the user's mask is applied to them.
    let new = fs::Permissions::from_mode(0o666);
    let mut beside = tempfile::Builder::new()
        .prefix(".raddle-")
        .permissions(new)
        .tempfile_in(folder_of(target))?;
    set_unfinished(Some(beside.path().to_owned()));
    let written = fill(beside.as_file_mut(), old, content);
    let replaced = written.and_then(|()| beside.persist(target).map_err(|error| error.error));
    set_unfinished(None);
    replaced.map(|_| ())
}

fn fill(
    file: &mut File,
    old: Option<Metadata>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    let mut buffered = BufWriter::new(&mut *file);
    content(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    // Some file systems say only now that the disk is full.
    file.sync_all()
}

fn set_unfinished(path: Option<PathBuf>) {
    *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = path;
}

/// Removes a half-written file, for a process that ends at once.
pub(crate) fn abandon() {
    let path = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(path) = path {
        let _ = fs::remove_file(path);
    }
}
