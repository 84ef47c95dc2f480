//! Finding and reading `raddle.toml`.

use super::KeyPosition;
use crate::input::{self, shown};
use crate::reports::repository;
use raddle_ir::Diagnostic;
use std::path::{Path, PathBuf};

const NAME: &str = "raddle.toml";

/// The file that describes the checks of a project.
#[derive(Debug)]
pub(super) struct ProjectFile {
    /// As it is named in messages.
    pub shown: String,
    pub path: PathBuf,
    /// Its folder; paths in it are relative to this.
    pub folder: PathBuf,
    pub text: String,
}

impl ProjectFile {
    /// The place of a byte.
    pub(super) fn origin(&self, at: usize) -> KeyPosition {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().map_or(0, |start| start.chars().count()) as u32 + 1;
        KeyPosition { file: self.shown.clone(), path: self.path.clone(), line, column }
    }
}

/// The file that was named, or the one of the project that the current folder is in: in this folder, or above it
/// up to the root of the repository.
pub(super) fn find(named: Option<&Path>) -> Result<Option<ProjectFile>, Diagnostic> {
    let Ok(current) = std::env::current_dir() else { return Ok(None) };
    let path = match named {
        Some(path) => path.to_owned(),
        None => {
            let root = repository(&current).unwrap_or(&current);
            let folders = current.ancestors().take_while(|folder| folder.starts_with(root));
            match folders.map(|folder| folder.join(NAME)).find(|path| path.is_file()) {
                Some(path) => path.strip_prefix(&current).map_or(path.clone(), Path::to_owned),
                None => return Ok(None),
            }
        }
    };
    let bytes = input::bytes(&path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Diagnostic::whole_file(&shown(&path), "the file is not UTF-8"))?;
    let folder = current.join(&path).parent().map_or(current, Path::to_owned);
    Ok(Some(ProjectFile { shown: shown(&path), path, folder, text }))
}
