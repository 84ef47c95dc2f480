//! The position of an event for people.
//!
//! Code of the system has no position, so its steps are told at their call. Headers of other libraries have
//! positions; there, functions that do nothing but access memory once are told at their calls, too.

use crate::story::ReplayEvent;
use raddle_ir::{FuncId, InstKind, LocId, Program};
use raddle_machine::Frame;

/// The largest accessor, in blocks and instructions.
const MAX_BLOCKS: usize = 4;
const MAX_INSTS: usize = 24;

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

/// The call into which a position in a library's header was inlined; other positions are unchanged.
fn outside(program: &Program, loc: LocId) -> LocId {
    let mut at = loc;
    while let Some(here) = program.loc(at)
        && here.inlined_at != LocId::NONE
        && program
            .files
            .get(here.file as usize)
            .is_some_and(|file| is_foreign_header(program, file))
    {
        at = here.inlined_at;
    }
    at
}

/// Whether a frame is in a small function, in a header of a library, that accesses memory.
fn is_accessor(program: &Program, frame: Frame) -> bool {
    let file = program.loc(frame.at).and_then(|loc| program.files.get(loc.file as usize));
    file.is_some_and(|file| is_foreign_header(program, file)) && is_small(program, frame.func)
}

/// Whether a file is a header outside of the folders of the program's own files.
fn is_foreign_header(program: &Program, file: &str) -> bool {
    let Some(folder) = header_folder(file) else { return false };
    let mut sources = program.files.iter().filter(|other| header_folder(other).is_none());
    !sources.any(|source| {
        let own = source.rfind('/').map_or("", |end| &source[..end]);
        // A relative name without a folder is in the folder of the command.
        let below = folder.strip_prefix(own);
        match own {
            "" => folder.is_empty(),
            _ => below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        }
    })
}

/// The folder of a header; `None` for other files.
fn header_folder(file: &str) -> Option<&str> {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let header = match name.rsplit_once('.') {
        Some((_, ending)) => matches!(ending, "h" | "hh" | "hpp" | "hxx" | "inl" | "inc"),
        None => true,
    };
    header.then_some(folder)
}

fn is_small(program: &Program, func: FuncId) -> bool {
    let func = &program.funcs[func];
    let insts = || func.blocks.values().flat_map(|block| &block.insts);
    let calls = || insts().any(|inst| matches!(inst.kind, InstKind::Call { .. }));
    func.blocks.len() <= MAX_BLOCKS && insts().count() <= MAX_INSTS && !calls()
}
