//! Source positions, with scopes already followed up to the file and the function.

use super::{FileId, LocId, NameId};

/// A source file as the compiler was given it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct File {
    pub name: NameId,
    /// What `name` is relative to; empty when it is not known.
    pub directory: NameId,
}

/// A position in a source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Loc {
    /// 1-based; 0 for code that no line stands for.
    pub line: u32,
    /// 1-based; 0 when only the line is known.
    pub column: u32,
    pub file: Option<FileId>,
    /// The function of the source that the position lies in.
    pub function: Option<NameId>,
    /// The call that this was inlined at.
    pub inlined_at: Option<LocId>,
}
