//! The places where a fence may go.

use super::flow::Flow;
use super::judge::WeakModel;
use super::{Place, Point};
use raddle_ir::{InstKind, Program, TerminatorKind};
use std::collections::HashMap;
use std::ops::Index;

/// Different places; their numbers follow the order of the program.
#[derive(Debug)]
pub(super) struct Places {
    list: Vec<Place>,
    /// By point, also by those that are equal to a place.
    numbers: HashMap<Point, usize>,
}

impl Index<usize> for Places {
    type Output = Place;

    fn index(&self, number: usize) -> &Place {
        &self.list[number]
    }
}

impl Places {
    /// All places between accesses that the model may reorder.
    pub fn of(program: &Program, flow: &Flow<'_>, model: WeakModel) -> Places {
        let points = flow.between_any(|inst| model.may_be_late(inst), |i| model.may_be_early(i));
        let ways_in = ways_in(program);
        let mut places = Places { list: Vec::new(), numbers: HashMap::new() };
        let mut found: HashMap<Point, usize> = HashMap::new();
        for point in points {
            if program.funcs[point.func].library {
                continue;
            }
            let last = last_equal(program, &ways_in, point);
            let number = *found.entry(last).or_insert_with(|| {
                places.list.push(place(program, last));
                places.list.len() - 1
            });
            places.numbers.insert(point, number);
        }
        places
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn number(&self, point: Point) -> Option<usize> {
        self.numbers.get(&point).copied()
    }
}

/// How many terminators lead to a block; one more for an entry.
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

/// The last point that a fence is as good at: only local instructions and plain jumps in between.
fn last_equal(
    program: &Program,
    ways_in: &HashMap<(raddle_ir::FuncId, raddle_ir::BlockId), u32>,
    mut point: Point,
) -> Point {
    let blocks = &program.funcs[point.func].blocks;
    // A block is entered at most once on such a way, unless nothing ever enters it.
    for _ in 0..=blocks.len() {
        let body = &blocks[point.block];
        let rest = body.insts.iter().skip(point.index as usize);
        point.index += rest.take_while(|inst| is_local(&inst.kind)).count() as u32;
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

fn is_local(kind: &InstKind) -> bool {
    use InstKind::*;
    matches!(
        kind,
        Bin { .. }
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

fn place(program: &Program, point: Point) -> Place {
    let body = &program.funcs[point.func].blocks[point.block];
    let index = point.index as usize;
    let before = match body.insts.get(index) {
        Some(inst) => inst.loc,
        None => after_jump(program, point),
    };
    let after = index.checked_sub(1).map_or(raddle_ir::LocId::NONE, |last| body.insts[last].loc);
    Place { point, after, before }
}

/// Where control goes on behind a terminator. A jump often has the position of what it follows, so
/// that of its target says more.
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
