//! Files that the compiler reads with a replacement text.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use tempfile::TempDir;

/// The replacement texts, stored in temporary files as long as this value lives.
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
            // The compiler uses the semicolon to separate the two names.
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
        // Whoever replaces texts wants to know of all that is wrong with them.
        flags.push("-ferror-limit=0".into());
        Ok(Overlay { folder: Some(folder), flags })
    }

    /// The options that make the compiler read the replacement texts.
    pub fn flags(&self) -> &[OsString] {
        debug_assert_eq!(self.folder.is_some(), !self.flags.is_empty());
        &self.flags
    }
}
