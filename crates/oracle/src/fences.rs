//! The fewest fences by trying every set, smallest first.
//!
//! A fence may go before any instruction and any terminator of any function; no two places are taken
//! to be the same, and nothing is learned from a set that does not do.

use raddle_ir::{BlockId, FenceKind, FuncId, Inst, InstKind, LocId, Program};

/// The size of the smallest set of at most `limit` fences with which the program is good.
pub fn fewest(
    program: &Program,
    kind: FenceKind,
    limit: usize,
    is_good: &mut impl FnMut(&Program) -> bool,
) -> Option<usize> {
    let places = places(program);
    (0..=limit).find(|size| any_set(program, kind, &places, *size, is_good))
}

type Place = (FuncId, BlockId, usize);

/// Last places of a block first: a fence at one does not move those after it in the list.
fn places(program: &Program) -> Vec<Place> {
    let mut places = Vec::new();
    for (func, function) in &program.funcs {
        for (block, body) in &function.blocks {
            places.extend((0..=body.insts.len()).rev().map(|index| (func, block, index)));
        }
    }
    places
}

fn any_set(
    program: &Program,
    kind: FenceKind,
    places: &[Place],
    size: usize,
    is_good: &mut impl FnMut(&Program) -> bool,
) -> bool {
    if size == 0 {
        return is_good(program);
    }
    (0..places.len()).any(|first| {
        let (func, block, index) = places[first];
        let mut fenced = program.clone();
        let fence = Inst { kind: InstKind::Fence { kind }, loc: LocId::NONE };
        fenced.funcs[func].blocks[block].insts.insert(index, fence);
        any_set(&fenced, kind, &places[first + 1..], size - 1, is_good)
    })
}
