//! Lowering of the syntax tree to the IR.
//!
//! Every thread becomes a function and an initial thread that runs it; every location a global;
//! the condition and the `locations` list become observables.
//!
//! # Values
//!
//! A machine register is a 64-bit IR register. The test's *word* is 32 bits, or 64 if the test
//! needs more ([`word`]). Invariant: a machine register holds either an address or a word
//! sign-extended to 64 bits. So comparisons, signed or not, and bitwise operations can work on all
//! 64 bits; other arithmetic is done at the width of the word, and the result is extended again.
//!
//! Instructions are not simplified: `xor r,r` remains an instruction that reads `r`, because engines find
//! dependencies through IR registers.
//!
//! | module | subject |
//! |---|---|
//! | [`context`] | the state that all threads share: the program, locations, initial values |
//! | [`word`], [`address_flow`] | the width of a word |
//! | [`regs`] | register names |
//! | [`emit`], [`access`] | building a thread: registers, blocks, arithmetic; memory |
//! | [`flags`] | condition flags, as the operands of the last comparison |
//! | [`x86`], [`ppc`], [`arm`] | the instructions of each architecture |
//! | [`product`] | products and quotients |
//! | [`cond`] | observables and the final condition |

mod access;
mod address_flow;
mod arm;
mod cond;
mod context;
mod emit;
mod flags;
mod ppc;
mod product;
mod regs;
mod word;
mod x86;

use crate::Arch;
use crate::ast::{Inst, Line, LitmusTest};
use cond::ObservedPlaces;
use context::Context;
use emit::Emit;
use raddle_ir::verify::MAX_GLOBALS;
use raddle_ir::{Diagnostic, Program};
use word::Word;

/// The entry of a table of mnemonics.
fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, entry)| *entry)
}

/// Lowers a parsed test to the IR.
pub fn lower(test: &LitmusTest) -> Result<Program, Diagnostic> {
    let word = word::choose(test);
    let program = lower_with(test, word)?;
    if word == Word::W32 && address_flow::truncates_address(&program) {
        return lower_with(test, Word::W64);
    }
    Ok(program)
}

fn lower_with(test: &LitmusTest, word: Word) -> Result<Program, Diagnostic> {
    let mut context = Context::new(test, word)?;
    let observed = cond::observed(&mut context)?;
    for thread in 0..test.threads.len() as u32 {
        lower_thread(&mut context, thread, &observed)?;
    }
    cond::finish(&mut context, observed)?;
    check_size(&context)?;
    Ok(context.program.finish())
}

fn check_size(context: &Context<'_>) -> Result<(), Diagnostic> {
    let found = context.program.program.globals.len();
    match context.test.threads.first() {
        Some(thread) if found > MAX_GLOBALS => Err(context
            .error(thread.at, format!("the test has {found} locations"))
            .expected(format!("at most {MAX_GLOBALS}"))),
        _ => Ok(()),
    }
}

fn lower_thread(
    context: &mut Context<'_>,
    thread: u32,
    observed: &ObservedPlaces,
) -> Result<(), Diagnostic> {
    let test = context.test;
    let column = &test.threads[thread as usize];
    let mut emit = Emit::new(context, thread)?;
    for line in &column.lines {
        match line {
            Line::Label(label) => emit.start_label(label),
            Line::Inst(inst) => lower_inst(&mut emit, inst)?,
        }
    }
    emit.finish(observed.of_thread(thread))
}

fn lower_inst(emit: &mut Emit<'_, '_>, inst: &Inst) -> Result<(), Diagnostic> {
    emit.start_inst(inst);
    let arch = emit.arch();
    if inst.lock && arch != Arch::X86 {
        return Err(emit.error(inst.at, format!("{arch} has no `lock` prefix")));
    }
    match arch {
        Arch::X86 => x86::lower(emit, inst),
        Arch::Ppc => ppc::lower(emit, inst),
        Arch::Arm => arm::lower(emit, inst),
    }
}
