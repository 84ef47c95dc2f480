//! Elimination of moves.

use super::dead::reads;
use cranelift_entity::SecondaryMap;
use raddle_ir::{Block, Function, InstKind, Operand, Reg};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The number of instructions before a move that are searched for the definition of its source.
const WINDOW: usize = 32;

/// Within each block, replaces reads of a copy by reads of the original, as long as neither changes.
pub(super) fn propagate(function: &mut Function) {
    for block in function.blocks.values_mut() {
        let mut known = Copies::default();
        for inst in &mut block.insts {
            inst.kind.for_each_operand_mut(|operand| known.replace(operand));
            for def in inst.kind.defs().into_iter().flatten() {
                known.forget(def);
            }
            match inst.kind {
                InstKind::Move { dst, a: a @ Operand::Reg(from), .. } if from != dst => {
                    known.learn(dst, a);
                }
                // Wide constants stay in registers, where calls through pointers need them.
                InstKind::Move { dst, a: a @ Operand::Int(_), ty } if ty.bits() <= 64 => {
                    known.learn(dst, a);
                }
                _ => {}
            }
        }
        if let Some(operand) = block.term.kind.operand_mut() {
            known.replace(operand);
        }
    }
}

/// The registers that are copies at one point of a block.
#[derive(Default)]
struct Copies {
    of: FxHashMap<Reg, Operand>,
    /// The copies of a register.
    by: FxHashMap<Reg, SmallVec<[Reg; 4]>>,
}

impl Copies {
    fn replace(&self, operand: &mut Operand) {
        if let Operand::Reg(reg) = operand
            && let Some(original) = self.of.get(reg)
        {
            *operand = *original;
        }
    }

    fn learn(&mut self, copy: Reg, original: Operand) {
        self.of.insert(copy, original);
        if let Operand::Reg(reg) = original {
            self.by.entry(reg).or_default().push(copy);
        }
    }

    /// The register gets another value, so it is neither a copy nor an original any more.
    fn forget(&mut self, reg: Reg) {
        self.of.remove(&reg);
        for copy in self.by.remove(&reg).into_iter().flatten() {
            if self.of.get(&copy) == Some(&Operand::Reg(reg)) {
                self.of.remove(&copy);
            }
        }
    }
}

/// Turns `t = …; x = t` into `x = …` if nothing else reads `t`.
pub(super) fn coalesce(function: &mut Function) {
    let reads = reads(function);
    let mut writes: SecondaryMap<Reg, u32> = SecondaryMap::new();
    for inst in function.blocks.values().flat_map(|block| &block.insts) {
        inst.kind.defs().into_iter().flatten().for_each(|def| writes[def] += 1);
    }
    let params = function.params.len() as u32;
    for block in function.blocks.values_mut() {
        let mut at = 0;
        while at < block.insts.len() {
            let InstKind::Move { dst, a: Operand::Reg(from), .. } = block.insts[at].kind else {
                at += 1;
                continue;
            };
            let once = reads[from] == 1 && writes[from] == 1 && from.as_u32() >= params;
            let source = if once { definition(block, at, from, dst) } else { None };
            match source {
                Some(source) => {
                    block.insts[source].kind.for_each_def_mut(|def| {
                        if *def == from {
                            *def = dst;
                        }
                    });
                    block.insts.remove(at);
                }
                None => at += 1,
            }
        }
    }
}

/// The instruction that writes `from`, if `to` is neither read nor written between it and `at`.
fn definition(block: &Block, at: usize, from: Reg, to: Reg) -> Option<usize> {
    for index in (at.saturating_sub(WINDOW)..at).rev() {
        let kind = &block.insts[index].kind;
        let defs = kind.defs();
        if defs.contains(&Some(to)) {
            return None;
        }
        if defs.contains(&Some(from)) {
            return Some(index);
        }
        let mut reads = false;
        kind.for_each_operand(|operand| reads |= operand == Operand::Reg(to));
        if reads {
            return None;
        }
    }
    None
}
