//! Files for people, beside the output.

use crate::args::shared::FilesArgs;
use crate::output::Stop;
use std::path::{Path, PathBuf};

/// The files to write.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilesConfig {
    pub html: Option<PathBuf>,
    pub dot: Option<PathBuf>,
}

/// The files of a command, of which each must be another; `others` are further files that it writes.
pub(super) fn files(args: &FilesArgs, others: &[Option<&Path>]) -> Result<FilesConfig, Stop> {
    let named = [("--html", args.html.as_deref()), ("--dot", args.dot.as_deref())];
    let mut seen: Vec<&Path> = others.iter().copied().flatten().collect();
    for (option, path) in named {
        let Some(path) = path else { continue };
        if seen.contains(&path) {
            let path = path.display();
            return Err(Stop::Usage(format!("{option} {path}: another output goes to this file")));
        }
        seen.push(path);
    }
    Ok(FilesConfig { html: args.html.clone(), dot: args.dot.clone() })
}
