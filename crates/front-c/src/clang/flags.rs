//! The flags for clang.

use std::ffi::{OsStr, OsString};

/// The options that the user gave after `--`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    pub given: Vec<OsString>,
    /// Whether the compiler may colour its messages.
    pub colour: bool,
}

impl Flags {
    /// The optimisation level that the user asked for, unless it is `-O0`. As in clang, the last `-O…` decides.
    pub fn optimised(&self) -> Option<String> {
        let level = self.level()?.to_str()?;
        (level != "-O0").then(|| level.to_owned())
    }

    fn level(&self) -> Option<&OsStr> {
        let is_level = |flag: &&OsString| flag.as_encoded_bytes().starts_with(b"-O");
        self.given.iter().rev().find(is_level).map(OsString::as_os_str)
    }

    /// All arguments except the input and the output.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let mut all: Vec<OsString> = ["-S", "-emit-llvm"].map(OsString::from).into();
        if self.level().is_none() {
            all.push("-O0".into());
        }
        all.extend(["-Xclang", "-disable-O0-optnone"].map(OsString::from));
        all.extend(["-g", "-fno-discard-value-names"].map(OsString::from));
        // Tables of distances between addresses exist only in position-independent code.
        all.push("-fno-pic".into());
        if self.colour {
            all.push("-fcolor-diagnostics".into());
        }
        all.extend(self.given.iter().cloned());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(words: &str) -> Flags {
        let given = words.split_whitespace().map(OsString::from).collect();
        Flags { given, colour: false }
    }

    #[test]
    fn the_last_level_decides() {
        assert_eq!(flags("-DX -Iinclude").optimised(), None);
        assert_eq!(flags("-O0").optimised(), None);
        assert_eq!(flags("-O2 -DX").optimised().as_deref(), Some("-O2"));
        assert_eq!(flags("-O2 -O0").optimised(), None);
    }

    #[test]
    fn a_given_level_replaces_ours() {
        let ours = |words: &str| flags(words).arguments().contains(&"-O0".into());
        assert!(ours("-DX"));
        assert!(!ours("-O1"));
    }
}
