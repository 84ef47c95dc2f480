//! Bounds on the iterations of loops.
//!
//! A bound is the number of times that a loop may go back to its head, each time it is entered.

use crate::counting::Counting;
use crate::loops::heads;
use raddle_ir::flow::back_edges;
use raddle_ir::{BlockId, FuncId, Function, LocId, Program};
use serde::{Deserialize, Serialize};

/// Bounds on loops: how often each loop may go back, each time it is entered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Unroll {
    /// For loops that are not named in `at`.
    pub most: Option<u32>,
    /// Whether `most` also bounds loops that end without a bound (see `counting`) and loops of the library.
    pub all: bool,
    /// For single loops.
    pub at: Vec<LoopBound>,
}

/// A bound on the loops at a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LoopBound {
    /// The file, or the last parts of its path.
    pub file: String,
    pub line: u32,
    pub most: u32,
}

impl Unroll {
    /// Bounds no loop.
    pub const NONE: Unroll = Unroll { most: None, all: false, at: Vec::new() };

    /// Bounds every loop that is not known to end.
    pub const fn most(most: u32) -> Unroll {
        Unroll { most: Some(most), all: false, at: Vec::new() }
    }

    /// Bounds every loop.
    pub const fn every(most: u32) -> Unroll {
        Unroll { most: Some(most), all: true, at: Vec::new() }
    }

    /// Whether any loop may be bounded.
    pub fn is_some(&self) -> bool {
        self.most.is_some() || !self.at.is_empty()
    }

    /// The bound for a place; the last one if there are several.
    fn named(&self, program: &Program, loc: LocId) -> Option<u32> {
        self.at.iter().rev().find(|bound| bound.is_at(program, loc)).map(|bound| bound.most)
    }
}

impl LoopBound {
    /// Whether this bound is for the loop that is reported at this position.
    pub fn is_at(&self, program: &Program, loc: LocId) -> bool {
        program.loc(loc).is_some_and(|loc| {
            loc.line == self.line
                && program.files.get(loc.file as usize).is_some_and(|file| self.is_in(file))
        })
    }

    /// Whether this bound names the file.
    pub fn is_in(&self, file: &str) -> bool {
        std::path::Path::new(file).ends_with(&self.file)
    }
}

/// The bounds of a program's loops.
#[derive(Debug)]
pub(crate) struct Unrolling<'p> {
    program: &'p Program,
    unroll: &'p Unroll,
    /// Computed only if a bound depends on it.
    counting: Option<Counting<'p>>,
}

impl<'p> Unrolling<'p> {
    pub(crate) fn new(program: &'p Program, unroll: &'p Unroll) -> Unrolling<'p> {
        let counting = unroll.most.filter(|_| !unroll.all).map(|_| Counting::new(program));
        Unrolling { program, unroll, counting }
    }

    /// How often the loop with this head may go back, if it is bounded. `back` holds the back edges of its
    /// function.
    pub(crate) fn bound(
        &self,
        func: FuncId,
        head: BlockId,
        back: &[(BlockId, BlockId)],
    ) -> Option<u32> {
        let function = &self.program.funcs[func];
        let named = self.unroll.named(self.program, position(function, head, back));
        named.or_else(|| {
            let ends =
                |counting: &Counting<'_>| function.library || counting.counts(func, head, back);
            self.unroll.most.filter(|_| !self.counting.as_ref().is_some_and(ends))
        })
    }
}

/// The position at which a loop is reported: that of the back edge, which is written where the loop is.
pub(crate) fn position(func: &Function, head: BlockId, back: &[(BlockId, BlockId)]) -> LocId {
    let from = back.iter().find(|(_, to)| *to == head).map(|(from, _)| *from);
    from.map_or(LocId::NONE, |from| func.blocks[from].term.loc)
}

/// The positions of the loops of a program, without those of the library.
pub fn loop_places(program: &Program) -> Vec<LocId> {
    let own = program.funcs.values().filter(|func| !func.library);
    let places = own.flat_map(|func| {
        let back = back_edges(func);
        let heads = heads(&back);
        heads.into_iter().map(move |head| position(func, head, &back)).collect::<Vec<_>>()
    });
    places.filter(|loc| program.loc(*loc).is_some()).collect()
}
