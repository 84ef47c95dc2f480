//! Unified diffs that `patch -p1` and `git apply` accept.

use similar::TextDiff;
use std::path::{Path, PathBuf};

/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// The directory in which a patch of these files is applied: `here` if it contains all of them, otherwise
/// the deepest parent of it that does. All paths are canonical.
pub(crate) fn folder_of(here: &Path, files: &[PathBuf]) -> PathBuf {
    if files.iter().all(|file| file.starts_with(here)) {
        return here.to_owned();
    }
    let mut folder = files.first().and_then(|file| file.parent()).unwrap_or(here);
    while !files.iter().all(|file| file.starts_with(folder)) {
        // The root contains every file.
        let Some(outer) = folder.parent() else { break };
        folder = outer;
    }
    folder.to_owned()
}

/// The diff of one file.
pub fn unified(name: &Path, old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (before, after) = (header("a", name), header("b", name));
    out.extend_from_slice(b"--- ");
    out.extend_from_slice(&before);
    out.extend_from_slice(b"\n+++ ");
    out.extend_from_slice(&after);
    out.push(b'\n');
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::from_slices(&old, &new);
    for group in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let range = |start: usize, end: usize| match end - start {
            // An empty range has the number of the line before it.
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            length => format!("{},{length}", start + 1),
        };
        let old_range = range(first.old_range().start, last.old_range().end);
        let new_range = range(first.new_range().start, last.new_range().end);
        out.extend_from_slice(format!("@@ -{old_range} +{new_range} @@\n").as_bytes());
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            // The tag is shown as a space, `-` or `+`.
            out.extend_from_slice(change.tag().to_string().as_bytes());
            out.extend_from_slice(change.value());
            if !change.value().ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The lines with their line endings. Only a line feed ends a line, as for `patch`.
pub(crate) fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// A file name as both programs parse it: in quotes if it has characters that would end it, followed by a
/// tab if it has spaces.
fn header(side: &str, name: &Path) -> Vec<u8> {
    let bytes = name.as_os_str().as_encoded_bytes();
    let mut out = Vec::from(format!("{side}/").as_bytes());
    if bytes.iter().all(|byte| *byte >= b' ' && !matches!(byte, b'"' | b'\\' | 0x7f)) {
        out.extend_from_slice(bytes);
        if bytes.contains(&b' ') {
            out.push(b'\t');
        }
        return out;
    }
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b' '..0x7f => out.push(*byte),
            other => out.extend_from_slice(format!("\\{other:03o}").as_bytes()),
        }
    }
    [b"\"", &out[..], b"\""].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_applied_here_where_that_is_possible() {
        let folder = |files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            folder_of(Path::new("/home/me"), &files)
        };
        assert_eq!(folder(&["/home/me/x.c", "/home/me/a/x.h"]), Path::new("/home/me"));
        assert_eq!(folder(&["/home/you/x.c"]), Path::new("/home/you"));
        assert_eq!(folder(&["/home/me/a/x.c", "/home/you/x.h"]), Path::new("/home"));
        assert_eq!(folder(&["/home/meg/x.c", "/home/meg/a/x.h"]), Path::new("/home/meg"));
        assert_eq!(folder(&["/tmp/x.c", "/home/me/x.h"]), Path::new("/"));
    }

    #[test]
    fn odd_names_are_quoted() {
        let shown = |name: &str| String::from_utf8(header("a", Path::new(name))).expect("text");
        assert_eq!(shown("x.c"), "a/x.c");
        assert_eq!(shown("my file.c"), "a/my file.c\t");
        assert_eq!(shown("a\"b\n.c"), "\"a/a\\\"b\\012.c\"");
    }

    #[test]
    fn a_missing_end_of_line_is_told() {
        let shown = unified(Path::new("x"), b"a\nb", b"a\nc\nb");
        let wanted =
            "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n+c\n b\n\\ No newline at end of file\n";
        assert_eq!(String::from_utf8_lossy(&shown), wanted);
    }
}
