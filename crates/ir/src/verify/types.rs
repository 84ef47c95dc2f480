//! The types that operations and casts accept, and the orders that accesses accept.

use crate::types::Type;
use crate::words::{BinOp, CastOp, Order, RmwOp, UnOp};

pub(super) fn binary(op: BinOp, ty: Type) -> bool {
    match op {
        BinOp::Add | BinOp::Sub => ty.is_int_like(),
        _ if op.is_float() => ty.is_float(),
        _ => ty.is_int(),
    }
}

pub(super) fn unary(op: UnOp, ty: Type) -> bool {
    match op {
        UnOp::Not | UnOp::Neg => ty.is_int(),
        UnOp::FNeg => ty.is_float(),
    }
}

pub(super) fn rmw(op: RmwOp, ty: Type) -> bool {
    match op {
        RmwOp::Xchg => true,
        RmwOp::Add | RmwOp::Sub => ty.is_int_like(),
        RmwOp::FAdd | RmwOp::FSub => ty.is_float(),
        _ => ty.is_int(),
    }
}

pub(super) fn cast(op: CastOp, from: Type, to: Type) -> bool {
    let ints = from.is_int() && to.is_int();
    match op {
        CastOp::Trunc => ints && from.bits() > to.bits(),
        CastOp::ZExt | CastOp::SExt => ints && from.bits() < to.bits(),
        CastOp::BitCast => from.bits() == to.bits() && (from == Type::Ptr) == (to == Type::Ptr),
        CastOp::PtrToInt => from == Type::Ptr && to.is_int(),
        CastOp::IntToPtr => from.is_int() && to == Type::Ptr,
        CastOp::FpTrunc => from == Type::F64 && to == Type::F32,
        CastOp::FpExt => from == Type::F32 && to == Type::F64,
        CastOp::FpToUi | CastOp::FpToSi => from.is_float() && to.is_int(),
        CastOp::UiToFp | CastOp::SiToFp => from.is_int() && to.is_float(),
    }
}

pub(super) fn load_order(order: Order) -> bool {
    !matches!(order, Order::Release | Order::AcqRel | Order::AsmRelease)
}

pub(super) fn store_order(order: Order) -> bool {
    use Order::*;
    !matches!(order, Acquire | AcqRel | AsmAcquire | AsmAcquirePc)
}

#[derive(PartialEq, Eq)]
enum Family {
    Plain,
    C11,
    Machine,
}

fn family(order: Order) -> Family {
    use Order::*;
    match order {
        Plain => Family::Plain,
        Relaxed | Acquire | Release | AcqRel | SeqCst => Family::C11,
        Asm | AsmAcquire | AsmAcquirePc | AsmRelease => Family::Machine,
    }
}

pub(super) fn failure_order(success: Order, failure: Order) -> bool {
    load_order(failure) && family(success) == family(failure)
}
