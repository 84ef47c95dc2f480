//! Constants and constant expressions.

use super::{BlockId, CastOp, ConstId, Flags, FloatPredicate, GlobalId, NameId, TypeId};
use raddle_ir::{BinOp, IntPred};

/// A constant and its type. Equal scalars have equal ids; equal aggregates and expressions may have
/// different ids.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    pub ty: TypeId,
    pub kind: ConstKind,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstKind {
    /// An integer of at most 128 bits, modulo 2 to the power of its width; also `true` and `false`.
    Int(u128),
    /// A wider integer, as its text. No code here computes with these.
    WideInt(NameId),
    /// A floating-point number: its bits in the format of its own type, which is at most 128 bits
    /// wide (`x86_fp80`: sign and exponent in bits 64 to 79).
    Float(u128),
    /// The null pointer.
    Null,
    /// `zeroinitializer`, of any type with a size.
    Zero,
    Undef,
    Poison,
    /// `none`, of type token.
    NoneToken,
    /// The elements of an array, vector or structure, in order; the type tells which of these it is.
    Aggregate(Box<[ConstId]>),
    /// An array of `i8`: `c"…"`.
    Bytes(Box<[u8]>),
    /// A vector whose elements are all equal.
    Splat(ConstId),
    /// The address of a variable, function, alias or ifunc.
    Global(GlobalId),
    BlockAddress {
        function: GlobalId,
        block: BlockId,
    },
    DsoLocalEquivalent(GlobalId),
    NoCfi(GlobalId),
    /// A pointer that is signed before use; the signing schema is omitted.
    PtrAuth(ConstId),
    Expr(Box<ConstExpr>),
}

/// An operation on constants, to be folded or to become a relocation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstExpr {
    /// `add`, `sub`, `mul`, `shl`, `xor`, …
    Binary {
        op: BinOp,
        lhs: ConstId,
        rhs: ConstId,
    },
    FNeg(ConstId),
    /// A conversion to the type of the enclosing constant.
    Cast {
        op: CastOp,
        arg: ConstId,
    },
    Gep {
        source: TypeId,
        base: ConstId,
        indices: Box<[ConstId]>,
        flags: Flags,
    },
    ICmp {
        pred: IntPred,
        lhs: ConstId,
        rhs: ConstId,
    },
    FCmp {
        pred: FloatPredicate,
        lhs: ConstId,
        rhs: ConstId,
    },
    Select {
        cond: ConstId,
        then: ConstId,
        otherwise: ConstId,
    },
    ExtractElement {
        vector: ConstId,
        index: ConstId,
    },
    InsertElement {
        vector: ConstId,
        value: ConstId,
        index: ConstId,
    },
    ShuffleVector {
        lhs: ConstId,
        rhs: ConstId,
        mask: ConstId,
    },
    ExtractValue {
        aggregate: ConstId,
        indices: Box<[u32]>,
    },
    InsertValue {
        aggregate: ConstId,
        value: ConstId,
        indices: Box<[u32]>,
    },
}
