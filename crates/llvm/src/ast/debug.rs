//! What debug information says: source positions, with scopes already resolved to the file and the function,
//! and the types of variables.

use super::{DebugId, FileId, LocId, NameId};

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

/// A type of the source. Types may refer to each other in cycles, also without a pointer between them if the
/// text is wrong: whoever walks them bounds the walk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum DebugType {
    /// A kind that is not read, or a node that is malformed.
    #[default]
    Unknown,
    Basic {
        name: Option<NameId>,
        encoding: Encoding,
        bits: u64,
    },
    /// Pointers and references.
    Pointer {
        to: Option<DebugId>,
    },
    /// Another name for a type (`name` is `None` for `const` and other qualifiers).
    Alias {
        name: Option<NameId>,
        to: Option<DebugId>,
    },
    /// The lengths are those of the dimensions, `None` if unknown.
    Array {
        element: Option<DebugId>,
        lengths: Box<[Option<u64>]>,
    },
    Record(Box<DebugRecord>),
    Enum {
        name: Option<NameId>,
        signed: bool,
        bits: u64,
        values: Box<[(NameId, i128)]>,
    },
}

/// How the bits of a basic type are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Signed,
    Unsigned,
    SignedChar,
    UnsignedChar,
    Bool,
    Float,
}

/// A structure, class or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DebugRecord {
    pub name: Option<NameId>,
    /// The name that is the same in all modules (C++ only).
    pub identifier: Option<NameId>,
    pub union: bool,
    pub bits: u64,
    /// Whether only the name is known.
    pub declaration: bool,
    pub file: Option<NameId>,
    /// Base classes and data members.
    pub members: Box<[DebugMember]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebugMember {
    /// `None` for a base class, and for a structure or union without a name.
    pub name: Option<NameId>,
    pub ty: Option<DebugId>,
    /// The first bit, counted from the start of the record, and the number of bits.
    pub offset: u64,
    pub bits: u64,
    pub bit_field: bool,
}
