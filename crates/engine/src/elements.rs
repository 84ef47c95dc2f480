//! Finds the globals that are arrays, and the sizes of their elements.
//!
//! A front end that knows the type records it ([`raddle_ir::Global::ty`]). Otherwise the IR has
//! bytes, not types. But the indexing shows the size: an address is that of the global plus a register, and
//! the register is a multiple of the element size. The result is used for names only.

use raddle_ir::{BinOp, GlobalId, InstKind, Operand, Program, Reg};
use rustc_hash::FxHashMap;

/// The globals that are arrays, with their element sizes.
#[derive(Clone, Debug)]
pub(crate) struct Elements(FxHashMap<GlobalId, u64>);

impl Elements {
    pub(crate) fn of(program: &Program) -> Elements {
        Elements(indexed_globals(program))
    }

    /// The element of a global that an offset is in, and the offset in it: `[1]` and 4.
    pub(crate) fn part(
        &self,
        program: &Program,
        id: GlobalId,
        offset: u64,
    ) -> Option<(String, u64)> {
        let global = program.globals.get(id)?;
        let size = *self.0.get(&id)?;
        // An array with one element is called by its name.
        let inside = global.size > size && offset < global.size;
        let rest = offset.checked_rem(size).filter(|_| inside)?;
        Some((format!("[{}]", offset / size), rest))
    }
}

/// The size of an element for each global that is indexed; the smallest, if there are several.
fn indexed_globals(program: &Program) -> FxHashMap<GlobalId, u64> {
    let mut found = FxHashMap::default();
    let blocks = program.funcs.values().flat_map(|func| func.blocks.values());
    for block in blocks {
        let mut scales = FxHashMap::default();
        for inst in &block.insts {
            if let Some((global, size)) = indexed(&inst.kind, &scales) {
                let known = found.entry(global).or_insert(size);
                *known = size.min(*known);
            }
            let scale = scale(&inst.kind, &scales);
            for dst in inst.kind.defs().into_iter().flatten() {
                match scale {
                    Some(scale) => scales.insert(dst, scale),
                    None => scales.remove(&dst),
                };
            }
        }
    }
    found
}

/// A number of which the result is always a multiple.
fn scale(inst: &InstKind, scales: &FxHashMap<Reg, u64>) -> Option<u64> {
    match *inst {
        InstKind::Bin { op: BinOp::Mul, a: Operand::Reg(_), b: Operand::Int(by), .. }
        | InstKind::Bin { op: BinOp::Mul, a: Operand::Int(by), b: Operand::Reg(_), .. } => {
            u64::try_from(by).ok().filter(|by| *by > 0)
        }
        InstKind::Bin { op: BinOp::Shl, a: Operand::Reg(_), b: Operand::Int(by), .. } => {
            1u64.checked_shl(u32::try_from(by).ok()?)
        }
        InstKind::Cast { a: Operand::Reg(from), .. } => scales.get(&from).copied(),
        _ => None,
    }
}

/// The global that an address is an element of, with the element's size.
fn indexed(inst: &InstKind, scales: &FxHashMap<Reg, u64>) -> Option<(GlobalId, u64)> {
    match *inst {
        InstKind::Bin {
            op: BinOp::Add,
            a: Operand::Global(global, _),
            b: Operand::Reg(by),
            ..
        }
        | InstKind::Bin {
            op: BinOp::Add,
            a: Operand::Reg(by),
            b: Operand::Global(global, _),
            ..
        } => Some((global, scales.get(&by).copied().unwrap_or(1))),
        _ => None,
    }
}
