//! Source positions, with scopes already resolved to the file and the function.

use super::{FileId, LocId, NameId};

/// A source file, as given to the compiler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct File {
    pub name: NameId,
    /// The directory to which `name` is relative; empty if unknown.
    pub directory: NameId,
}

/// A position in a source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Loc {
    /// 1-based; 0 for code that belongs to no line.
    pub line: u32,
    /// 1-based; 0 if only the line is known.
    pub column: u32,
    pub file: Option<FileId>,
    /// The source function that contains the position.
    pub function: Option<NameId>,
    /// The call into which this position was inlined.
    pub inlined_at: Option<LocId>,
}
