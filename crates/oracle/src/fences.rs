//! The smallest and weakest sets of fences, by trying every set, smallest first.
//!
//! A fence may go before any instruction and any terminator of any function. No two places are considered
//! equivalent, and nothing is learned from a set that is not sufficient.
//!
//! For larger programs, [`fewest_grown`] learns one fact: an insufficient set is extended until no place
//! can be added without making it sufficient; every sufficient set contains one of the remaining places.

use raddle_ir::{FenceKind, Point, Program, Verified};

/// The cost of a set of fences: first their number, then their strength.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cost {
    pub count: usize,
    /// The sum of the indices of their kinds in the list of kinds, counted from 1.
    pub strength: usize,
}

/// The cost of the cheapest set of at most `limit` fences with which `good` holds. Kinds are
/// listed weakest first.
pub fn cheapest(
    program: &Verified,
    kinds: &[FenceKind],
    limit: usize,
    is_good: &mut impl FnMut(&Verified) -> bool,
) -> Option<Cost> {
    let places = places(program);
    let costs = (0..=limit).flat_map(|count| {
        (count..=count * kinds.len()).map(move |strength| Cost { count, strength })
    });
    let mut costs = costs.collect::<Vec<_>>().into_iter();
    costs.find(|cost| any_set(program, kinds, &places, *cost, is_good))
}

/// The size of the smallest sufficient set of at most `limit` fences of one kind.
pub fn fewest(
    program: &Verified,
    kind: FenceKind,
    limit: usize,
    is_good: &mut impl FnMut(&Verified) -> bool,
) -> Option<usize> {
    cheapest(program, &[kind], limit, is_good).map(|cost| cost.count)
}

/// The size of the smallest sufficient set of at most `limit` fences of one kind, by extending insufficient
/// sets.
pub fn fewest_grown(
    program: &Verified,
    kind: FenceKind,
    limit: usize,
    is_good: &mut impl FnMut(&Verified) -> bool,
) -> Option<usize> {
    let places = places(program);
    let mut good = |set: &[usize]| {
        let fences = set.iter().map(|place| places[*place]);
        is_good(&fences.fold(program.clone(), |fenced, place| fenced.with_fences(&[(place, kind)])))
    };
    let mut clauses: Vec<Vec<usize>> = Vec::new();
    loop {
        let mut set = (0..=limit).find_map(|size| hitting(&clauses, &mut Vec::new(), size))?;
        // Inserting a fence at a place does not move the places that come later in the list.
        set.sort_unstable();
        if good(&set) {
            return Some(set.len());
        }
        for place in 0..places.len() {
            if let Err(at) = set.binary_search(&place) {
                set.insert(at, place);
                if good(&set) {
                    set.remove(at);
                }
            }
        }
        clauses.push((0..places.len()).filter(|place| set.binary_search(place).is_err()).collect());
    }
}

/// A superset of `set` with at most `size` more places that contains a place of each clause.
fn hitting(clauses: &[Vec<usize>], set: &mut Vec<usize>, size: usize) -> Option<Vec<usize>> {
    let Some(open) = clauses.iter().find(|clause| !clause.iter().any(|p| set.contains(p))) else {
        return Some(set.clone());
    };
    let left = size.checked_sub(1)?;
    open.iter().find_map(|place| {
        set.push(*place);
        let found = hitting(clauses, set, left);
        set.pop();
        found
    })
}

/// The places, the last ones of a block first: inserting a fence does not move the later places of the list.
fn places(program: &Program) -> Vec<Point> {
    let mut places = Vec::new();
    for (func, function) in &program.funcs {
        for (block, body) in &function.blocks {
            let indices = (0..=body.insts.len() as u32).rev();
            places.extend(indices.map(|index| Point { func, block, index }));
        }
    }
    places
}

/// Whether some set of exactly this cost is sufficient.
fn any_set(
    program: &Verified,
    kinds: &[FenceKind],
    places: &[Point],
    cost: Cost,
    is_good: &mut impl FnMut(&Verified) -> bool,
) -> bool {
    if cost.count == 0 {
        return cost.strength == 0 && is_good(program);
    }
    let others = cost.count - 1;
    (0..places.len()).any(|first| {
        (1..=kinds.len()).any(|level| {
            let left = match cost.strength.checked_sub(level) {
                Some(left) if (others..=others * kinds.len()).contains(&left) => left,
                _ => return false,
            };
            let fenced = program.with_fences(&[(places[first], kinds[level - 1])]);
            let rest = Cost { count: others, strength: left };
            any_set(&fenced, kinds, &places[first + 1..], rest, is_good)
        })
    })
}
