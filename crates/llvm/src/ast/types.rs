//! Types.

use super::{NameId, TypeId};

/// A type. Equal types have equal ids, except that every named structure is its own type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    /// An integer of this many bits, 1 to 2²³.
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
    X86Mmx,
    X86Amx,
    Ptr {
        addrspace: u32,
    },
    Label,
    Token,
    Metadata,
    Array {
        element: TypeId,
        len: u64,
    },
    Vector {
        element: TypeId,
        len: u32,
        /// `vscale x`: the length is `len` times a factor that only the processor knows.
        scalable: bool,
    },
    Struct {
        name: Option<NameId>,
        packed: bool,
        fields: Box<[TypeId]>,
    },
    /// A named structure without a definition (`type opaque`), which has no size.
    Opaque {
        name: NameId,
    },
    Func {
        ret: TypeId,
        params: Box<[TypeId]>,
        varargs: bool,
    },
    /// `target("name", …)`: a type that only a target knows.
    Target {
        name: NameId,
    },
}
