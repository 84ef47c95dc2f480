//! The position of an event for people.
//!
//! Code of the system has no position, so its steps are told at their call. Functions of other headers have
//! positions; small ones that access memory at most once on every way through them, their callees included, are told
//! at their calls, too.

use crate::story::ReplayEvent;
use raddle_ir::{Block, BlockId, Callee, FuncId, Function, InstKind, LocId, Program};
use raddle_machine::Frame;

/// The largest accessor, in blocks and instructions, and how deep its calls may be nested.
const MAX_BLOCKS: usize = 8;
const MAX_INSTS: usize = 32;
const MAX_DEPTH: u32 = 4;

impl ReplayEvent {
    /// The position to show.
    pub fn place(&self, program: &Program) -> LocId {
        let mut places = self.calls.iter().filter(|frame| frame.at != LocId::NONE).peekable();
        while let Some(frame) = places.next() {
            if places.peek().is_none() || !is_accessor(program, *frame) {
                // A store that leaves its buffer, or a failure, may be elsewhere than its thread.
                let same = self.calls.iter().any(|frame| frame.at == self.loc);
                return outside(program, if same { frame.at } else { self.loc });
            }
        }
        outside(program, self.loc)
    }
}

/// The call into which a position in a header of the system was inlined; other positions are unchanged.
fn outside(program: &Program, loc: LocId) -> LocId {
    let mut at = loc;
    while let Some(here) = program.loc(at)
        && here.inlined_at != LocId::NONE
        && program.files.get(here.file as usize).is_some_and(|file| is_of_system(file))
    {
        at = here.inlined_at;
    }
    at
}

fn is_of_system(file: &str) -> bool {
    file.starts_with("/usr/") || file.contains("/include/c++/") || file.contains("/lib/clang/")
}

/// Whether a frame is in a small function, in a header, that accesses memory at most once.
fn is_accessor(program: &Program, frame: Frame) -> bool {
    let file = program.loc(frame.at).and_then(|loc| program.files.get(loc.file as usize));
    file.is_some_and(|file| is_header(file))
        && accesses(program, frame.func, MAX_DEPTH).is_some_and(|count| count <= 1)
}

fn is_header(file: &str) -> bool {
    let (_, name) = file.rsplit_once('/').unwrap_or(("", file));
    match name.rsplit_once('.') {
        Some((_, ending)) => matches!(ending, "h" | "hh" | "hpp" | "hxx" | "inl" | "inc"),
        None => true,
    }
}

/// The most accesses on a way through a small function and those that it calls; `None` if one of them is not small, or has
/// a loop.
fn accesses(program: &Program, func: FuncId, depth: u32) -> Option<usize> {
    let func = &program.funcs[func];
    let insts = || func.blocks.values().flat_map(|block| &block.insts);
    if depth == 0 || func.blocks.len() > MAX_BLOCKS || insts().count() > MAX_INSTS {
        return None;
    }
    let mut most = vec![Way::New; func.blocks.len()];
    match func.blocks.keys().next() {
        Some(entry) => on_ways_from(program, func, entry, depth, &mut most),
        None => Some(0),
    }
}

/// A block on the ways through a function.
#[derive(Clone, Copy)]
enum Way {
    New,
    /// On the way that is being followed.
    Entered,
    /// The most accesses from here on.
    Done(usize),
}

/// The most accesses on a way from a block to the end of its function. There are few blocks, so recursion is no danger.
fn on_ways_from(
    program: &Program,
    func: &Function,
    block: BlockId,
    depth: u32,
    most: &mut [Way],
) -> Option<usize> {
    let number = block.as_u32() as usize;
    match most[number] {
        Way::Done(count) => return Some(count),
        Way::Entered => return None,
        Way::New => most[number] = Way::Entered,
    }
    let Block { insts, term, .. } = &func.blocks[block];
    let mut count = 0;
    for inst in insts {
        count += match &inst.kind {
            InstKind::Call { callee: Callee::Direct(callee), .. } => {
                accesses(program, *callee, depth - 1)?
            }
            InstKind::Call { .. } => return None,
            InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Rmw { .. }
            | InstKind::CmpXchg { .. }
            | InstKind::StoreCond { .. } => 1,
            _ => 0,
        };
    }
    let mut after = 0;
    for next in term.kind.successors() {
        after = after.max(on_ways_from(program, func, next, depth, most)?);
    }
    most[number] = Way::Done(count + after);
    Some(count + after)
}
