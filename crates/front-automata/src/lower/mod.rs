//! Lowering of automata to the IR.
//!
//! - Memory is one global, `@mem`, of 32-bit cells; cell *a* is at `@mem + 4a`, and `mem[a]` in reports.
//!   `memory_size` gives its size. Without it, the memory covers the constant addresses, and has at least
//!   [`DEFAULT_CELLS`] cells if addresses are computed. An address outside is a memory error of the program.
//! - A thread is a function, a state is a block of the same name. The block of a state selects the
//!   transition that leaves the state ([`state`]); the goals name these blocks.
//! - `lock` and `unlock` operate on the program's memory lock, `@bus`
//!   ([`raddle_ir::Program::memory_lock`]). A `lock` of a held lock and an `unlock` of a free lock are
//!   not enabled: [`holding`] finds the states where that can happen.

mod expr;
mod guard;
mod holding;
mod state;
mod thread;

use crate::ast::{Automata, Expr, Instruction, Thread};
use crate::{MAX_CELLS, MAX_GOALS};
use raddle_ir::{
    BlockId, Diagnostic, Global, GlobalId, Goal, Number, Program, ProgramBuilder, SourceType,
    ThreadIdx,
};

/// The default number of cells if addresses are computed, as in Trencher.
const DEFAULT_CELLS: u32 = 10;
/// Bytes of a cell.
const CELL: u32 = 4;

/// The data that all threads share.
#[derive(Clone, Copy, Debug)]
struct Shared {
    mem: GlobalId,
    cells: u32,
    bus: Option<GlobalId>,
    /// The index of the source file, for positions.
    file: u32,
}

/// Lowers parsed automata to the IR.
pub fn lower(file: &str, automata: &Automata) -> Result<Program, Diagnostic> {
    let cells = cells(file, automata)?;
    let mut builder = ProgramBuilder::new(program_name(file));
    let number = builder.file(file);
    let mut mem = Global::zeroed("mem", u64::from(cells) * u64::from(CELL), CELL);
    let cell = SourceType::Scalar { number: Number::Signed, bytes: CELL };
    let cell = builder.program.types.push(cell);
    let array = SourceType::Array { element: cell, count: cells.into() };
    mem.ty = Some(builder.program.types.push(array));
    let mem = builder.global(mem);
    let locks = automata.threads.iter().any(uses_locks);
    let bus = locks.then(|| builder.global(Global::zeroed("bus", CELL.into(), CELL)));
    builder.program.memory_lock = bus;
    let shared = Shared { mem, cells, bus, file: number };
    let mut blocks = Vec::new();
    for thread in &automata.threads {
        let (function, states) = thread::thread(&mut builder, shared, thread);
        let func = builder.function(function);
        builder.thread(&thread.name, func, Vec::new());
        blocks.push(states);
    }
    let mut program = builder.finish();
    program.goals = goals(file, automata, &blocks)?;
    Ok(program)
}

/// The file's name without folders.
fn program_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

fn uses_locks(thread: &Thread) -> bool {
    let locks = |i: &Instruction| matches!(i, Instruction::Lock | Instruction::Unlock);
    thread.transitions.iter().any(|transition| locks(&transition.instruction))
}

fn cells(file: &str, automata: &Automata) -> Result<u32, Diagnostic> {
    let given = automata.memory_size.map(|(size, _)| size);
    let mut needed = 1;
    for transition in automata.threads.iter().flat_map(|thread| &thread.transitions) {
        let Some(address) = address(&transition.instruction) else { continue };
        let Some(constant) = address.constant() else {
            needed = needed.max(DEFAULT_CELLS);
            continue;
        };
        let limit = given.unwrap_or(MAX_CELLS);
        match u32::try_from(constant) {
            Ok(cell) if cell < limit => needed = needed.max(cell + 1),
            _ => {
                let message = format!("there is no address {constant}");
                let error = transition.at.error(file, message);
                let error = error.expected(format!("an address from 0 to {}", limit - 1));
                return Err(error.help("memory_size N gives the memory N cells"));
            }
        }
    }
    Ok(given.unwrap_or(needed))
}

fn address(instruction: &Instruction) -> Option<&Expr> {
    match instruction {
        Instruction::Read { address, .. } | Instruction::Write { address, .. } => Some(address),
        _ => None,
    }
}

/// The goals as written, and the goals of `final` lines: every thread that has final states is
/// in one of them.
fn goals(
    file: &str,
    automata: &Automata,
    blocks: &[Vec<BlockId>],
) -> Result<Vec<Goal>, Diagnostic> {
    let block = |thread: usize, state: crate::ast::StateId| {
        (ThreadIdx::from_u32(thread as u32), blocks[thread][state.0 as usize])
    };
    let written = automata.goals.iter().map(|goal| {
        let places = goal.places.iter().map(|(thread, state)| block(*thread, *state));
        Goal { places: places.collect() }
    });
    let mut goals: Vec<Goal> = written.collect();
    let mut finals = vec![Vec::new()];
    for (number, thread) in automata.threads.iter().enumerate() {
        if thread.finals.is_empty() {
            continue;
        }
        if finals.len() * thread.finals.len() > MAX_GOALS {
            let message = format!("the final states have more than {MAX_GOALS} combinations");
            return Err(thread.at.error(file, message).help("write goal lines instead"));
        }
        let extended = finals.iter().flat_map(|places: &Vec<_>| {
            thread.finals.iter().map(|state| {
                let mut places = places.clone();
                places.push(block(number, *state));
                places
            })
        });
        finals = extended.collect();
    }
    goals.extend(finals.into_iter().filter(|p| !p.is_empty()).map(|places| Goal { places }));
    Ok(goals)
}
