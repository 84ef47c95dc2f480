//! Files that the compiler sees with another text than they have.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use tempfile::TempDir;

/// The texts, in files of their own for as long as this lives.
#[derive(Debug, Default)]
pub struct Overlay {
    folder: Option<TempDir>,
    flags: Vec<OsString>,
}

impl Overlay {
    pub fn new(texts: &[(PathBuf, Vec<u8>)]) -> io::Result<Overlay> {
        if texts.is_empty() {
            return Ok(Overlay::default());
        }
        let folder = tempfile::Builder::new().prefix("raddle").tempdir()?;
        let mut flags = Vec::new();
        for (number, (path, text)) in texts.iter().enumerate() {
            // The compiler divides the two names there.
            if path.as_os_str().as_encoded_bytes().contains(&b';') {
                let name = path.display();
                return Err(io::Error::other(format!("a semicolon in a name: {name}")));
            }
            let copy = folder.path().join(number.to_string());
            std::fs::write(&copy, text)?;
            let mut pair = path.clone().into_os_string();
            pair.push(";");
            pair.push(copy);
            flags.extend(["-Xclang", "-remap-file", "-Xclang"].map(OsString::from));
            flags.push(pair);
        }
        Ok(Overlay { folder: Some(folder), flags })
    }

    /// The options for the compiler.
    pub fn flags(&self) -> &[OsString] {
        debug_assert_eq!(self.folder.is_some(), !self.flags.is_empty());
        &self.flags
    }
}
