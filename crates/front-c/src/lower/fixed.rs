//! Folding of loads from constant variables.
//!
//! A plain load from a constant variable at a known offset gives its initial value. So even without
//! optimisation, initialising a local array or structure from a constant does not access shared memory.

use raddle_ir::{Global, InstKind, Operand, Order, Program, Type as Scalar};

/// Bytes of an address in memory.
const ADDRESS: u64 = 8;

/// Replaces such loads in all functions except library functions.
pub(super) fn read(program: &mut Program) {
    let globals = &program.globals;
    for function in program.funcs.values_mut().filter(|function| !function.library) {
        for block in function.blocks.values_mut() {
            for inst in &mut block.insts {
                let InstKind::Load { dst, ty, addr: Operand::Global(id, at), access } = inst.kind
                else {
                    continue;
                };
                let global = &globals[id];
                let plain = access.order == Order::Plain && !access.volatile;
                if plain
                    && global.constant
                    && let Some(a) = value(global, at, ty)
                {
                    inst.kind = InstKind::Move { ty, dst, a };
                }
            }
        }
    }
}

/// `None` if the load is outside of the variable, or reads a part of an address.
fn value(global: &Global, at: i64, ty: Scalar) -> Option<Operand> {
    let at = u64::try_from(at).ok()?;
    let end = at.checked_add(ty.bytes().into())?;
    if end > global.size {
        return None;
    }
    let touched = |(start, _): &&(u64, Operand)| *start < end && at < start + ADDRESS;
    if let Some((start, address)) = global.relocs.iter().find(touched) {
        return (*start == at && ty == Scalar::Ptr).then_some(*address);
    }
    let byte = |index: u64| global.init.get(index as usize).copied().unwrap_or(0);
    let bits = (at..end).rev().fold(0u128, |bits, index| bits << 8 | u128::from(byte(index)));
    Some(Operand::Int(bits & ty.mask()))
}
