//! The table of file kinds. Detection, help texts and messages all derive from it.

use std::path::Path;

/// Larger source texts are rejected: they were not meant for a model checker. LLVM IR, which
/// compilers write, has its own limit.
pub const MAX_BYTES: usize = 16 << 20;

/// The first byte of a file that is not text, and what is wrong with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotText {
    pub at: usize,
    pub what: &'static str,
}

/// The text of a file, which must be UTF-8 without NUL bytes.
pub fn decoded(bytes: &[u8]) -> Result<&str, NotText> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| NotText { at: error.valid_up_to(), what: "a byte that is not UTF-8" })?;
    match bytes.iter().position(|b| *b == 0) {
        Some(at) => Err(NotText { at, what: "a NUL byte" }),
        None => Ok(text),
    }
}

/// The kind of a file, determined by its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    C,
    Cpp,
    Llvm,
    Bitcode,
    Litmus,
    Automata,
    Rir,
    /// A header of C, or of C++ if a C++ file includes it.
    Header,
    CppHeader,
}

use FileKind::{Automata, Bitcode, C, Cpp, CppHeader, Header, Litmus, Llvm, Rir};

/// Each kind with its description for users and its extensions, the usual one first.
const KINDS: [(FileKind, &str, &[&str]); 9] = [
    (C, "C", &["c", "i"]),
    (Cpp, "C++", &["cpp", "cc", "cxx", "C"]),
    (Llvm, "LLVM IR", &["ll"]),
    (Bitcode, "LLVM bitcode", &["bc"]),
    (Litmus, "a litmus test", &["litmus"]),
    (Automata, "automata", &["aut", "trencher", "txt"]),
    (Rir, "IR text", &["rir"]),
    (Header, "a header", &["h"]),
    (CppHeader, "a header of C++", &["hpp", "hh", "hxx"]),
];

impl FileKind {
    pub fn of(path: &Path) -> Option<FileKind> {
        let extension = path.extension()?.to_str()?;
        let found = KINDS.iter().find(|(_, _, extensions)| extensions.contains(&extension))?;
        Some(found.0)
    }

    /// Whether clang or the LLVM reader turns the file into a module, which is linked with other modules.
    pub const fn is_compiled(self) -> bool {
        matches!(self, C | Cpp | Llvm | Bitcode)
    }

    /// Whether a command accepts such a file as a program, or as a part of one.
    pub const fn is_program(self) -> bool {
        !matches!(self, Header | CppHeader)
    }

    /// The usual extension, with the dot.
    pub fn ending(self) -> String {
        FileKind::endings(|kind| kind == self)
    }

    /// The usual extensions of the kinds that `wanted` selects: ".c, .cpp or .rir".
    pub fn endings(wanted: impl Fn(FileKind) -> bool) -> String {
        let kinds = KINDS.iter().filter(|(kind, ..)| wanted(*kind));
        one_of(&kinds.map(|(_, _, extensions)| format!(".{}", extensions[0])).collect::<Vec<_>>())
    }

    /// All extensions of the kinds that `wanted` selects, without the dot.
    pub fn extensions(wanted: impl Fn(FileKind) -> bool) -> impl Iterator<Item = &'static str> {
        let kinds = KINDS.iter().filter(move |(kind, ..)| wanted(*kind));
        kinds.flat_map(|(_, _, extensions)| extensions.iter().copied())
    }

    /// The kinds that `wanted` selects, with all their extensions: "C (.c, .i) or IR text (.rir)".
    pub fn described(wanted: impl Fn(FileKind) -> bool) -> String {
        let kinds = KINDS.iter().filter(|(kind, ..)| wanted(*kind));
        let described = kinds.map(|(_, name, extensions)| {
            let extensions: Vec<String> = extensions.iter().map(|e| format!(".{e}")).collect();
            format!("{name} ({})", extensions.join(", "))
        });
        one_of(&described.collect::<Vec<_>>())
    }
}

/// Alternatives as a phrase: "a, b or c".
pub fn one_of(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &*words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_extensions_of_its_own() {
        for (kind, _, extensions) in KINDS {
            for extension in extensions {
                let path = format!("folder.c/name.{extension}");
                assert_eq!(FileKind::of(Path::new(&path)), Some(kind), "{path}");
            }
        }
        for other in ["", "c", "a.", "a.o", "a.LITMUS", "a.c.orig", ".rir"] {
            assert_eq!(FileKind::of(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn phrases() {
        let endings = ".c, .cpp, .ll, .bc, .litmus, .aut or .rir";
        assert_eq!(FileKind::endings(FileKind::is_program), endings);
        let headers = "a header (.h) or a header of C++ (.hpp, .hh, .hxx)";
        assert_eq!(FileKind::described(|kind| !kind.is_program()), headers);
        assert_eq!(one_of(&["a"]), "a");
    }
}
