//! Files that a command writes beside its output.

use crate::args::shared::FilesArgs;
use crate::destination::is_one_file;
use crate::output::Stop;
use std::path::{Path, PathBuf};

/// Files for people.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilesConfig {
    pub html: Option<PathBuf>,
    pub dot: Option<PathBuf>,
}

impl From<&FilesArgs> for FilesConfig {
    fn from(args: &FilesArgs) -> FilesConfig {
        FilesConfig { html: args.html.clone(), dot: args.dot.clone() }
    }
}

/// Refuses options of which two name the same file, by whatever names.
pub(super) fn refuse_same(options: &[(&str, &Option<PathBuf>)]) -> Result<(), Stop> {
    let mut seen: Vec<(&str, &Path)> = Vec::new();
    for (option, path) in options {
        let Some(path) = path.as_deref() else { continue };
        if let Some((other, _)) = seen.iter().find(|(_, other)| is_one_file(other, path)) {
            let path = crate::input::shown(path);
            return Err(Stop::Usage(format!("{option} {path}: {other} names the same file")));
        }
        seen.push((option, path));
    }
    Ok(())
}
