//! The files from which a source is compiled.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::{fs, iter};
use tempfile::NamedTempFile;

/// A temporary file into which the compiler writes the headers that a source includes, as a rule for make.
#[derive(Debug)]
pub struct Rule(NamedTempFile);

impl Rule {
    pub fn new() -> io::Result<Rule> {
        tempfile::Builder::new().prefix("raddle").tempfile().map(Rule)
    }

    /// The options that make the compiler write the rule.
    pub(super) fn flags(&self) -> [OsString; 3] {
        ["-MMD".into(), "-MF".into(), self.0.path().into()]
    }

    /// The source and the headers that it includes, without system headers.
    pub fn sources(&self, input: &Path) -> Vec<PathBuf> {
        let rule = fs::read(self.0.path()).unwrap_or_default();
        // Make rules cannot express some names, so the name of the input is taken from the caller.
        let headers = names(&rule).into_iter().filter(|name| name != input);
        iter::once(input.to_owned()).chain(headers).collect()
    }
}

/// The prerequisites of a rule for make: `x.o: x.c y.h`, with `\` before characters that are not separators.
fn names(rule: &[u8]) -> Vec<PathBuf> {
    let Some(colon) = rule.windows(2).position(|pair| pair == b": ") else { return Vec::new() };
    let (mut names, mut name) = (Vec::new(), Vec::new());
    let mut bytes = rule[colon + 2..].iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'\n') | None => {}
                Some(quoted @ (b' ' | b'#')) => name.push(quoted),
                Some(other) => name.extend([b'\\', other]),
            },
            b'$' if bytes.peek() == Some(&b'$') => {
                bytes.next();
                name.push(b'$');
            }
            byte if byte.is_ascii_whitespace() => {
                if !name.is_empty() {
                    names.push(std::mem::take(&mut name));
                }
            }
            other => name.push(other),
        }
    }
    names.extend(Some(name).filter(|name| !name.is_empty()));
    names.into_iter().map(|name| PathBuf::from(OsString::from_vec(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_off_rules() {
        let read = |rule: &str| names(rule.as_bytes());
        assert_eq!(
            read("a.o: a.c \\\n  h.h sub/x\\ y.h\n"),
            ["a.c", "h.h", "sub/x y.h"].map(PathBuf::from)
        );
        assert_eq!(read("a.o: a$$b.c c\\#d.h"), ["a$b.c", "c#d.h"].map(PathBuf::from));
        assert!(read("nothing").is_empty());
        let odd = PathBuf::from(OsString::from_vec(b"\xff.h".into()));
        assert_eq!(names(b"a.o: a.c \xff.h\n"), ["a.c".into(), odd]);
    }
}
