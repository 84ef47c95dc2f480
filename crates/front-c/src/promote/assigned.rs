//! Proves that loads of promoted variables come after an assignment.
//!
//! This is the usual forward analysis: a variable is assigned at the start of a block if it is assigned at
//! the end of every reachable predecessor.

use super::{Plan, SlotId, bits};
use crate::link::Unit;
use crate::uses::{Uses, successors};
use cranelift_entity::{EntityRef, SecondaryMap};
use raddle_llvm::ast::{BlockId, Body, Def, InstKind, LocalId};

/// A set of slots.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Set {
    words: Vec<u64>,
}

impl Set {
    fn new(len: usize, full: bool) -> Set {
        Set { words: vec![if full { u64::MAX } else { 0 }; len.div_ceil(64)] }
    }

    fn insert(&mut self, slot: SlotId) {
        self.words[slot.index() / 64] |= 1 << (slot.index() % 64);
    }

    fn contains(&self, slot: SlotId) -> bool {
        self.words[slot.index() / 64] & (1 << (slot.index() % 64)) != 0
    }

    /// Returns whether the set has changed.
    fn intersect(&mut self, other: &Set) -> bool {
        let mut changed = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            changed |= *word & !other != 0;
            *word &= other;
        }
        changed
    }
}

/// Marks the loads that need a check at run time, and their slots.
pub(super) fn prove(plan: &mut Plan, unit: &Unit, body: &Body, uses: &Uses, order: &[BlockId]) {
    let starts = at_starts(plan, body, order);
    for block in order {
        let mut now = starts[*block].clone();
        for index in body.blocks[*block].insts.clone() {
            match body.insts[index as usize].kind {
                InstKind::Store { ptr, .. } => {
                    plan.slot(ptr).into_iter().for_each(|slot| now.insert(slot));
                }
                InstKind::Load { ptr, .. } => {
                    let Some(slot) = plan.slot(ptr).filter(|slot| !now.contains(*slot)) else {
                        continue;
                    };
                    plan.slots[slot].open = true;
                    if matters(unit, body, uses, index) {
                        plan.unproven.insert(index);
                        plan.slots[slot].checked = true;
                    }
                }
                _ => {}
            }
        }
    }
}

fn at_starts(plan: &Plan, body: &Body, order: &[BlockId]) -> SecondaryMap<BlockId, Set> {
    let count = plan.slots.len();
    let mut starts = SecondaryMap::with_default(Set::new(count, true));
    let Some(entry) = order.first() else {
        return starts;
    };
    starts[*entry] = Set::new(count, false);
    let mut changed = true;
    while changed {
        changed = false;
        for block in order {
            let mut end = starts[*block].clone();
            for inst in body.insts(*block) {
                if let InstKind::Store { ptr, .. } = inst.kind {
                    plan.slot(ptr).into_iter().for_each(|slot| end.insert(slot));
                }
            }
            let last = body.insts(*block).last();
            for next in last.map(|last| successors(&last.kind)).unwrap_or_default() {
                changed |= starts[next].intersect(&end);
            }
        }
    }
    starts
}

/// Whether reading an unassigned value there is an error.
fn matters(unit: &Unit, body: &Body, uses: &Uses, load: u32) -> bool {
    let Some(result) = body.insts[load as usize].result else {
        return false;
    };
    let returned = |index: &u32| matches!(body.insts[*index as usize].kind, InstKind::Ret(_));
    let users = uses.of(result);
    let unused = users.is_empty();
    let fell_off = is_return_slot(unit, body, load) && users.iter().all(returned);
    !unused && !fell_off && !bits::is_update(unit, body, uses, load)
}

fn is_return_slot(unit: &Unit, body: &Body, load: u32) -> bool {
    let InstKind::Load { ptr: raddle_llvm::ast::Value::Local(pointer), .. } =
        body.insts[load as usize].kind
    else {
        return false;
    };
    name(unit, body, pointer) == Some("retval") && matches!(body.locals[pointer].def, Def::Inst(_))
}

fn name<'m>(unit: &'m Unit, body: &Body, local: LocalId) -> Option<&'m str> {
    body.locals[local].name.map(|id| unit.module.name(id))
}
