//! Inserts fences into programs, and maps points of the program with fences back to the original.

use raddle_ir::{FenceKind, Point, Verified};

/// A program with fences.
#[derive(Debug)]
pub(super) struct Fenced {
    pub program: Verified,
    /// The points of the original that have a fence before them, in order.
    inserted: Vec<Point>,
}

/// Puts a fence at each of these points.
pub(super) fn insert(program: &Verified, mut fences: Vec<(Point, FenceKind)>) -> Fenced {
    fences.sort_by_key(|(point, _)| *point);
    let program = program.with_fences(&fences);
    Fenced { program, inserted: fences.into_iter().map(|(point, _)| point).collect() }
}

impl Fenced {
    /// The point in the original program.
    pub(super) fn original(&self, point: Point) -> Point {
        let same_block = |at: &&Point| (at.func, at.block) == (point.func, point.block);
        let inserted = self.inserted.iter().filter(same_block).enumerate();
        // The k-th fence (from 0) that was inserted before `at` is instruction `at + k`.
        let earlier =
            inserted.filter(|(k, at)| at.index + (*k as u32) < point.index).count() as u32;
        Point { index: point.index - earlier, ..point }
    }
}
