//! Types as the source declares them. They are used for names and values in reports, never for meaning:
//! the IR itself has bytes.
//!
//! A type refers only to types before it in its table, so types are finite and walks over them end. A pointer
//! does not say what it points to: the object that it points to has a type of its own.

use crate::mnemonics;
use crate::program::Program;
use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

/// A type, by its place in [`Program::types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId(u32);
entity_impl!(SourceId, "type");

/// The deepest nesting of types.
pub const MAX_TYPE_DEPTH: usize = 64;

mnemonics! {
    /// The interpretation of the bits of a scalar.
    #[derive(Serialize, Deserialize)]
    Number {
        Signed = "int", Unsigned = "uint", Char = "char", Bool = "bool", Float = "float",
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum SourceType {
    Scalar {
        number: Number,
        bytes: u32,
    },
    Pointer,
    Enum {
        name: String,
        number: Number,
        bytes: u32,
        values: Vec<(String, i128)>,
    },
    /// `count` is 0 for an array whose length the type does not say.
    Array {
        element: SourceId,
        count: u64,
    },
    Record {
        name: String,
        union: bool,
        bytes: u64,
        members: Vec<Member>,
    },
    /// A lock or the like: its parts are not for readers.
    Opaque {
        name: String,
        bytes: u64,
    },
}

/// A member of a structure, class or union; a base class is a member without a name.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Member {
    /// Empty if its own members are named as if they were members of the whole.
    pub name: String,
    pub offset: u64,
    pub ty: SourceId,
    /// For a bit-field: its first bit, counted from the lowest bit at `offset`, and its width.
    pub bits: Option<(u32, u32)>,
}

impl Program {
    /// The bytes of a type; 0 for an array of unknown length.
    pub fn source_bytes(&self, id: SourceId) -> u64 {
        let mut count = 1u64;
        let mut id = id;
        loop {
            let bytes = match &self.types[id] {
                SourceType::Scalar { bytes, .. } | SourceType::Enum { bytes, .. } => {
                    u64::from(*bytes)
                }
                SourceType::Pointer => 8,
                SourceType::Record { bytes, .. } | SourceType::Opaque { bytes, .. } => *bytes,
                SourceType::Array { element, count: elements } => {
                    count = count.saturating_mul(*elements);
                    id = *element;
                    continue;
                }
            };
            return count.saturating_mul(bytes);
        }
    }
}
