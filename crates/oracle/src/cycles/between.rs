//! Fences and dependencies between two events of a thread.

use super::Direction;
use raddle_ir::{
    BinOp, CastOp, FenceKind, FunctionBuilder, InstKind, IntPred, Operand, Pred, Reg, Type,
};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Between {
    Nothing,
    StoreFence,
    FullFence,
    /// `lwsync`
    LightFence,
    /// The address of the second access depends on the value that the first one read.
    Address,
    /// The value that the second access stores depends on it.
    Data,
    /// A branch between the two accesses depends on it.
    Control,
    /// As [`Between::Control`], with an instruction barrier after the branch.
    ControlFence,
}

impl Between {
    pub const ALL: [Between; 8] = [
        Between::Nothing,
        Between::StoreFence,
        Between::FullFence,
        Between::LightFence,
        Between::Address,
        Between::Data,
        Between::Control,
        Between::ControlFence,
    ];

    /// Whether it can relate two events of these directions.
    pub fn fits(self, from: Direction, to: Direction) -> bool {
        match self {
            Between::Nothing | Between::FullFence | Between::LightFence => true,
            Between::StoreFence => (from, to) == (Direction::W, Direction::W),
            Between::Data => (from, to) == (Direction::R, Direction::W),
            Between::Address | Between::Control | Between::ControlFence => from == Direction::R,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Between::Nothing => "Po",
            Between::StoreFence => "SFence",
            Between::FullFence => "MFence",
            Between::LightFence => "LwFence",
            Between::Address => "DpAddr",
            Between::Data => "DpData",
            Between::Control => "DpCtrl",
            Between::ControlFence => "DpCtrlFence",
        }
    }
}

/// The address and the stored value of an access.
pub(super) struct Access {
    pub addr: Operand,
    pub value: Operand,
}

/// Emits it before an access; `last` is the value that the previous event read, if that was a read.
pub(super) fn push(
    function: &mut FunctionBuilder,
    between: Between,
    last: Option<Reg>,
    access: Access,
) -> Access {
    let fence = |function: &mut FunctionBuilder, kind| function.push(InstKind::Fence { kind });
    match (between, last) {
        (Between::StoreFence, _) => fence(function, FenceKind::StoreStore),
        (Between::FullFence, _) => fence(function, FenceKind::Full),
        (Between::LightFence, _) => fence(function, FenceKind::Lwsync),
        (Between::Address, Some(read)) => {
            return Access { addr: depending_address(function, access.addr, read), ..access };
        }
        (Between::Data, Some(read)) => {
            return Access { value: depending_value(function, access.value, read), ..access };
        }
        (Between::Control, Some(read)) => branch(function, read),
        (Between::ControlFence, Some(read)) => {
            branch(function, read);
            fence(function, FenceKind::Isync);
        }
        _ => {}
    }
    access
}

/// The value 0, computed from a register so that it depends on it.
fn zero(function: &mut FunctionBuilder, read: Reg) -> Reg {
    let dst = function.reg(None, Type::I32);
    let (op, ty, a, b) = (BinOp::Xor, Type::I32, read.into(), read.into());
    function.push(InstKind::Bin { op, ty, dst, a, b });
    dst
}

fn depending_address(function: &mut FunctionBuilder, addr: Operand, read: Reg) -> Operand {
    let zero = zero(function, read);
    let offset = function.reg(None, Type::Ptr);
    let (op, from, to) = (CastOp::IntToPtr, Type::I32, Type::Ptr);
    function.push(InstKind::Cast { op, from, to, dst: offset, a: zero.into() });
    let dst = function.reg(None, Type::Ptr);
    let (op, ty, b) = (BinOp::Add, Type::Ptr, offset.into());
    function.push(InstKind::Bin { op, ty, dst, a: addr, b });
    dst.into()
}

fn depending_value(function: &mut FunctionBuilder, value: Operand, read: Reg) -> Operand {
    let zero = zero(function, read);
    let dst = function.reg(None, Type::I32);
    let (op, ty, b) = (BinOp::Add, Type::I32, zero.into());
    function.push(InstKind::Bin { op, ty, dst, a: value, b });
    dst.into()
}

/// A branch with two equal targets.
fn branch(function: &mut FunctionBuilder, read: Reg) {
    let cond = function.reg(None, Type::BOOL);
    let (pred, ty, a, b) = (Pred::Int(IntPred::Eq), Type::I32, read.into(), Operand::Int(0));
    function.push(InstKind::Cmp { pred, ty, dst: cond, a, b });
    let next = function.block(None);
    function.branch(cond, next, next);
    function.switch_to(next);
}
