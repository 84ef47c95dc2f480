//! The form in which calls pass values.
//!
//! A scalar is passed as it is. A structure or array of at most 16 bytes is packed into one integer
//! with the same bytes as in memory, the first field lowest. LLVM's C compilers pass larger values by
//! address anyway; as a value they are unsupported when reached. A variadic function has a
//! hidden last parameter: the address of its variadic arguments, in slots of eight bytes.

use crate::layout::Leaves;
use crate::link::Unit;
use raddle_ir::Type as Scalar;
use raddle_llvm::ast::{Type, TypeId};

/// The largest aggregate that is passed in a register, in bytes.
const MAX_PACKED: u64 = 16;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// `void`, and structures without fields.
    Nothing,
    Scalar(Scalar),
    Packed {
        leaves: Leaves,
        ty: Scalar,
    },
    /// The value does not fit a register.
    Unfit,
}

impl Shape {
    pub(crate) fn of(unit: &Unit, ty: TypeId) -> Shape {
        if *unit.module.ty(ty) == Type::Void {
            return Shape::Nothing;
        }
        if let Some(ty) = unit.layout.scalar(ty) {
            return Shape::Scalar(ty);
        }
        let size = unit.layout.extent(ty).map(|extent| extent.size);
        match (unit.layout.leaves(&unit.module, ty), size) {
            (Some(leaves), _) if leaves.is_empty() => Shape::Nothing,
            (Some(leaves), Some(size @ 1..=MAX_PACKED)) => {
                Shape::Packed { leaves, ty: Scalar::Int(size as u8 * 8) }
            }
            _ => Shape::Unfit,
        }
    }

    /// The type of the register. A value that cannot be passed also gets a register, so that the other
    /// parameters keep their positions.
    pub(crate) fn register(&self) -> Option<Scalar> {
        match self {
            Shape::Nothing => None,
            Shape::Scalar(ty) | Shape::Packed { ty, .. } => Some(*ty),
            Shape::Unfit => Some(Scalar::Ptr),
        }
    }
}

/// A function's type in the IR.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Signature {
    /// The parameters, including the hidden one of a variadic function.
    pub params: Vec<Scalar>,
    pub ret: Option<Scalar>,
}

impl Signature {
    /// The signature of the LLVM function type `ty`.
    pub(crate) fn of(unit: &Unit, ty: TypeId) -> Signature {
        let Type::Func { ret, params, varargs } = unit.module.ty(ty) else {
            return Signature::default();
        };
        let shapes = params.iter().map(|param| Shape::of(unit, *param));
        let mut params: Vec<Scalar> = shapes.filter_map(|shape| shape.register()).collect();
        // `(...)` without any parameter is a function without a prototype.
        if *varargs && !params.is_empty() {
            params.push(Scalar::Ptr);
        }
        let ret = match Shape::of(unit, *ret) {
            Shape::Unfit => None,
            shape => shape.register(),
        };
        Signature { params, ret }
    }
}
