//! Updates of bit-fields.

use crate::link::Unit;
use crate::uses::Uses;
use raddle_ir::BinOp;
use raddle_llvm::ast::{Body, ConstKind, InstKind, LocalId, Value};

/// Whether the instruction with this index is a load that only preserves the neighbours of a
/// bit-field: its value is masked by a constant, possibly combined with the new bits, and stored
/// back to the same address. C allows this on a structure that is not yet assigned.
pub(crate) fn is_update(unit: &Unit, body: &Body, uses: &Uses, load: u32) -> bool {
    let inst = &body.insts[load as usize];
    let (InstKind::Load { ptr, .. }, Some(loaded)) = (&inst.kind, inst.result) else {
        return false;
    };
    let Some(masked) = masked(unit, body, uses, loaded) else {
        return false;
    };
    is_stored(body, uses, masked, *ptr)
        || combined(body, uses, masked).is_some_and(|whole| is_stored(body, uses, whole, *ptr))
}

/// The result of an `and` with a constant, if that is the only use of the value.
fn masked(unit: &Unit, body: &Body, uses: &Uses, value: LocalId) -> Option<LocalId> {
    let inst = &body.insts[uses.only(value)? as usize];
    let InstKind::Binary { op: BinOp::And, rhs: Value::Const(mask), .. } = inst.kind else {
        return None;
    };
    matches!(unit.module.constant(mask).kind, ConstKind::Int(_)).then_some(inst.result?)
}

fn combined(body: &Body, uses: &Uses, value: LocalId) -> Option<LocalId> {
    let inst = &body.insts[uses.only(value)? as usize];
    matches!(inst.kind, InstKind::Binary { op: BinOp::Or, .. }).then_some(inst.result?)
}

fn is_stored(body: &Body, uses: &Uses, value: LocalId, to: Value) -> bool {
    uses.only(value).is_some_and(|index| {
        let InstKind::Store { value: stored, ptr, .. } = body.insts[index as usize].kind else {
            return false;
        };
        stored == Value::Local(value) && ptr == to
    })
}
