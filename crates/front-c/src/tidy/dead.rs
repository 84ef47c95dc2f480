//! Removal of results that are never read, and of unused registers.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use raddle_ir::{BinOp, Function, InstKind, Operand, Reg, RegInfo};

/// Whether an instruction has no effect except its result.
fn is_pure(kind: &InstKind) -> bool {
    use BinOp::{SDiv, SRem, UDiv, URem};
    match kind {
        InstKind::Bin { op, .. } => !matches!(op, SDiv | SRem | UDiv | URem),
        InstKind::Un { .. }
        | InstKind::Cmp { .. }
        | InstKind::Cast { .. }
        | InstKind::Select { .. }
        | InstKind::Move { .. } => true,
        _ => false,
    }
}

/// How often each register is read.
pub(super) fn reads(function: &Function) -> SecondaryMap<Reg, u32> {
    let mut reads = SecondaryMap::new();
    reads.resize(function.regs.len());
    let mut count = |operand: Operand| {
        if let Operand::Reg(reg) = operand {
            reads[reg] += 1;
        }
    };
    for block in function.blocks.values() {
        block.insts.iter().for_each(|inst| inst.kind.for_each_operand(&mut count));
        block.term.kind.operand().into_iter().for_each(&mut count);
    }
    reads
}

/// Drops pure instructions whose result is never read, until none is left.
pub(super) fn remove(function: &mut Function) {
    let mut reads = reads(function);
    let mut changed = true;
    while changed {
        changed = false;
        for block in function.blocks.values_mut() {
            let mut kept = Vec::with_capacity(block.insts.len());
            while let Some(inst) = block.insts.pop() {
                let [dst, _] = inst.kind.defs();
                let itself =
                    matches!(inst.kind, InstKind::Move { dst, a, .. } if a == Operand::Reg(dst));
                let unread = dst.is_some_and(|dst| reads[dst] == 0);
                if is_pure(&inst.kind) && (unread || itself) {
                    changed = true;
                    inst.kind.for_each_operand(|operand| {
                        if let Operand::Reg(reg) = operand {
                            reads[reg] -= 1;
                        }
                    });
                } else {
                    kept.push(inst);
                }
            }
            kept.reverse();
            block.insts = kept;
        }
    }
}

/// Renumbers the registers that are left, parameters first.
pub(super) fn compact(function: &mut Function) {
    let mut used: SecondaryMap<Reg, bool> = SecondaryMap::new();
    function.params.iter().for_each(|param| used[*param] = true);
    for block in function.blocks.values() {
        for inst in &block.insts {
            inst.kind.defs().into_iter().flatten().for_each(|def| used[def] = true);
        }
    }
    // A register that is read is also written, or is a parameter, so `used` covers reads too.
    let mut regs: PrimaryMap<Reg, RegInfo> = PrimaryMap::new();
    let mut new: SecondaryMap<Reg, Option<Reg>> = SecondaryMap::new();
    for (reg, info) in &function.regs {
        if used[reg] {
            new[reg] = Some(regs.push(info.clone()));
        }
    }
    let renumber = |reg: &mut Reg| *reg = new[*reg].unwrap_or(*reg);
    let operand = |operand: &mut Operand| {
        if let Operand::Reg(reg) = operand {
            renumber(reg);
        }
    };
    for block in function.blocks.values_mut() {
        for inst in &mut block.insts {
            inst.kind.for_each_operand_mut(operand);
            inst.kind.for_each_def_mut(renumber);
        }
        block.term.kind.operand_mut().into_iter().for_each(operand);
    }
    function.regs = regs;
}
