//! Fences into programs, and places of the program with fences back into those of the original.

use super::FencePoint;
use raddle_ir::{FenceKind, Inst, InstKind, Point, Program};
use std::collections::BTreeMap;

/// A program with fences.
#[derive(Debug)]
pub(super) struct Fenced {
    pub program: Program,
    /// By block, the places of the original that have a fence before them, in order.
    inserted: BTreeMap<(raddle_ir::FuncId, raddle_ir::BlockId), Vec<u32>>,
}

/// Puts a fence before each of these places.
pub(super) fn insert(program: &Program, fences: &[(FencePoint, FenceKind)]) -> Fenced {
    let mut fenced = Fenced { program: program.clone(), inserted: BTreeMap::new() };
    let mut fences: Vec<_> = fences.to_vec();
    fences.sort_by_key(|(place, _)| place.point);
    // From the back, so that places to come stay where they are.
    for (place, kind) in fences.into_iter().rev() {
        let Point { func, block, index } = place.point;
        let body = &mut fenced.program.funcs[func].blocks[block];
        let loc = match body.insts.get(index as usize) {
            Some(inst) => inst.loc,
            None => body.term.loc,
        };
        body.insts.insert(index as usize, Inst { kind: InstKind::Fence { kind }, loc });
        fenced.inserted.entry((func, block)).or_default().insert(0, index);
    }
    fenced
}

impl Fenced {
    /// The place in the original program.
    pub fn original(&self, point: Point) -> Point {
        let inserted = self.inserted.get(&(point.func, point.block));
        let inserted = inserted.map_or(&[][..], |list| list);
        // The k-th fence (from 0) that was inserted before `at` is instruction `at + k`.
        let earlier = inserted.iter().enumerate();
        let earlier = earlier.filter(|(k, at)| *at + (*k as u32) < point.index).count() as u32;
        Point { index: point.index - earlier, ..point }
    }
}
