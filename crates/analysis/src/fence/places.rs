//! The places where a fence may go.

use super::FencePoint;
use super::calls::{Calls, calls};
use super::flow::Flow;
use super::judge::{Question, may_be_early, may_be_late};
use raddle_engine::Options;
use raddle_ir::{FenceKind, FuncId, InstKind, Point, Program, TerminatorKind};
use std::collections::{BTreeSet, HashMap};
use std::ops::Index;

/// The distinct places: first those between lines of the source, then the others, each in program order.
#[derive(Clone, Debug)]
pub struct Places {
    list: Vec<FencePoint>,
    /// The place of each point, including points that are equivalent to a place.
    numbers: HashMap<Point, usize>,
}

impl Index<usize> for Places {
    type Output = FencePoint;

    fn index(&self, number: usize) -> &FencePoint {
        &self.list[number]
    }
}

impl Places {
    /// All places between accesses that the model may reorder, but for functions that are to get no fences.
    pub(super) fn of(program: &Program, flow: &Flow<'_>, question: &Question) -> Places {
        let Question { options: Options { model, .. }, avoided, .. } = question;
        let model = *model;
        let (late, early) = (|i: &_| may_be_late(model, i), |i: &_| may_be_early(model, i));
        let points = flow.between_any(late, early);
        let ways_in = ways_in(program);
        let own = points.into_iter().filter(|point| {
            !program.funcs[point.func].library && !avoided.functions.contains(&point.func)
        });
        let last: HashMap<Point, Point> =
            own.map(|point| (point, last_equal(program, &ways_in, point))).collect();
        let different: BTreeSet<Point> = last.values().copied().collect();
        let calls = calls(program);
        let mut list: Vec<FencePoint> =
            different.into_iter().map(|point| place(program, &calls, point)).collect();
        list.sort_by_key(|place| (place.within_line, place.point));
        let numbers: HashMap<Point, usize> =
            list.iter().enumerate().map(|(number, place)| (place.point, number)).collect();
        let numbers = last.into_iter().map(|(point, last)| (point, numbers[&last])).collect();
        Places { list, numbers }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &FencePoint> {
        self.list.iter()
    }

    /// The place of a fence at this point; `None` if a fence there has no effect.
    pub fn number(&self, point: Point) -> Option<usize> {
        self.numbers.get(&point).copied()
    }
}

/// The number of terminators that lead to each block, plus one for an entry block.
fn ways_in(program: &Program) -> HashMap<(raddle_ir::FuncId, raddle_ir::BlockId), u32> {
    let mut ways = HashMap::new();
    for (func, function) in &program.funcs {
        for (id, block) in &function.blocks {
            if id.as_u32() == 0 {
                *ways.entry((func, id)).or_default() += 1;
            }
            for to in block.term.kind.successors() {
                *ways.entry((func, to)).or_default() += 1;
            }
        }
    }
    ways
}

/// The last point of the same block that is equivalent for a fence: only local instructions lie between.
pub fn last_in_block(program: &Program, mut point: Point) -> Point {
    let body = &program.funcs[point.func].blocks[point.block];
    let rest = body.insts.iter().skip(point.index as usize);
    point.index += rest.take_while(|inst| is_local(&inst.kind)).count() as u32;
    point
}

/// The last point that is equivalent for a fence: only local instructions and plain jumps lie between.
fn last_equal(
    program: &Program,
    ways_in: &HashMap<(raddle_ir::FuncId, raddle_ir::BlockId), u32>,
    mut point: Point,
) -> Point {
    let blocks = &program.funcs[point.func].blocks;
    // Such a path enters a block at most once, except in unreachable cycles.
    for _ in 0..=blocks.len() {
        point = last_in_block(program, point);
        let body = &blocks[point.block];
        match body.term.kind {
            TerminatorKind::Jump(to)
                if point.index as usize == body.insts.len()
                    && ways_in.get(&(point.func, to)) == Some(&1) =>
            {
                point = Point { block: to, index: 0, ..point };
            }
            _ => break,
        }
    }
    point
}

/// Whether an instruction has no effect on memory and no order: a fence before it is equivalent to one after it.
fn is_local(kind: &InstKind) -> bool {
    use InstKind::*;
    matches!(
        kind,
        Fence { kind: FenceKind::Compiler }
            | Alloca { .. }
            | Bin { .. }
            | Un { .. }
            | Cmp { .. }
            | Cast { .. }
            | Select { .. }
            | Move { .. }
            | Assume { .. }
            | Assert { .. }
            | Choose { .. }
            | SelfId { .. }
            | Extent { .. }
            | Yield
    )
}

fn place(program: &Program, calls: &HashMap<FuncId, Calls>, point: Point) -> FencePoint {
    let body = &program.funcs[point.func].blocks[point.block];
    let index = point.index as usize;
    let before = match body.insts.get(index) {
        Some(inst) => inst.loc,
        None => after_jump(program, point),
    };
    let line = |loc| program.loc(loc).map(|loc| (loc.file, loc.line));
    // Local instructions on the same line belong to the next access: they compute its address.
    let mut earlier = body.insts[..index].iter().rev();
    let last = earlier.find(|inst| !is_local(&inst.kind) || line(inst.loc) != line(before));
    let after = last.map_or(raddle_ir::LocId::NONE, |inst| inst.loc);
    let within_line = line(after).is_some() && line(after) == line(before);
    let calls = calls.get(&point.func).copied().unwrap_or_default();
    FencePoint { point, after, before, within_line, calls }
}

/// The position at which control continues after a terminator. A jump often has the position of the
/// instruction before it, so the position of its target is more useful.
fn after_jump(program: &Program, point: Point) -> raddle_ir::LocId {
    let blocks = &program.funcs[point.func].blocks;
    let term = &blocks[point.block].term;
    match term.kind {
        TerminatorKind::Jump(to) => {
            let target = &blocks[to];
            target.insts.first().map_or(target.term.loc, |inst| inst.loc)
        }
        _ => term.loc,
    }
}
