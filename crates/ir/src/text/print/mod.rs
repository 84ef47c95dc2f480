//! The printer. Its output is canonical: equal programs print equal text.
//!
//! The printer never fails, even on programs that the verifier rejects: an id that refers to nothing is
//! printed as a number, so that an ill-formed program can be inspected.

mod cond;
mod global;
mod inst;
mod names;
mod source;

use super::literal::{name, quote};
use crate::inst::Terminator;
use crate::program::{Block, Function, LocId, Observed, Program};
use names::Names;
use std::fmt::Write;

/// Ignores the `Result`, since writing to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => { let _ = write!($out, $($arg)*); };
}
use put;

pub(super) fn program(program: &Program) -> String {
    let mut out = String::new();
    put!(out, "program {}\n", quote(&program.name));
    tables(&mut out, program);
    for global in program.globals.values() {
        put!(out, "{}\n", global::global(program, global));
    }
    threads(&mut out, program);
    if let Some(condition) = &program.condition {
        put!(out, "{}\n", cond::condition(program, condition));
    }
    goals(&mut out, program);
    for function in program.funcs.values() {
        out.push('\n');
        print_function(&mut out, program, function);
    }
    out
}

fn tables(out: &mut String, program: &Program) {
    for (index, file) in program.files.iter().enumerate() {
        put!(out, "file {index} = {}\n", quote(file));
    }
    for (index, loc) in program.locs.iter().enumerate() {
        put!(out, "loc {index} = {}:{}:{}", loc.file, loc.line, loc.column);
        if loc.inlined_at != LocId::NONE {
            put!(out, " in {}", loc.inlined_at.0);
        }
        out.push('\n');
    }
    source::tables(out, program);
}

fn threads(out: &mut String, program: &Program) {
    for thread in program.threads.values() {
        let names = Names::callee(program, thread.func);
        let args = names.arguments(Some(thread.func), &thread.args);
        put!(out, "thread {} = {}({args})\n", name(&thread.name), names.func(thread.func));
    }
    for observable in program.observables.values() {
        put!(out, "observe {} = ", name(&observable.name));
        match observable.what {
            Observed::Reg(thread, reg) => {
                let Some(thread) = program.threads.get(thread) else {
                    put!(out, "<{thread}> {reg}\n");
                    continue;
                };
                let names = Names::callee(program, thread.func);
                put!(out, "{} {}\n", name(&thread.name), names.reg(reg));
            }
            Observed::Mem { global, offset, ty } => {
                put!(out, "{ty} {}", names::global(program, global));
                if offset != 0 {
                    put!(out, "+{offset}");
                }
                out.push('\n');
            }
        }
    }
}

fn goals(out: &mut String, program: &Program) {
    if let Some(lock) = program.memory_lock {
        put!(out, "memory_lock {}\n", names::global(program, lock));
    }
    for goal in &program.goals {
        let places: Vec<String> = goal
            .places
            .iter()
            .map(|(thread, block)| match program.threads.get(*thread) {
                Some(info) => {
                    let names = Names::callee(program, info.func);
                    format!("{} {}", name(&info.name), names.block(*block))
                }
                None => format!("<{thread}> {block}"),
            })
            .collect();
        put!(out, "goal {}\n", places.join(", "));
    }
}

fn print_function(out: &mut String, program: &Program, function: &Function) {
    let names = Names { program, function: Some(function) };
    let declare = |reg| {
        let info = function.regs.get(reg);
        let ty = info.map_or("?".to_owned(), |info| info.ty.to_string());
        let object = source::optional(info.and_then(|info| info.object));
        format!("{}: {ty}{object}", names.reg(reg))
    };
    let params: Vec<_> = function.params.iter().map(|reg| declare(*reg)).collect();
    let library = if function.library { "library " } else { "" };
    put!(out, "{library}func @{}({})", name(&function.name), params.join(", "));
    if let Some(ty) = function.ret {
        put!(out, " -> {ty}");
    }
    position(out, function.loc);
    if function.blocks.is_empty() {
        out.push('\n');
        return;
    }
    out.push_str(" {\n");
    for reg in function.regs.keys().skip(function.params.len()) {
        put!(out, "    reg {}\n", declare(reg));
    }
    for (id, block) in &function.blocks {
        put!(out, "  {}:\n", names.block(id));
        print_block(out, &names, block);
    }
    out.push_str("}\n");
}

fn print_block(out: &mut String, names: &Names<'_>, block: &Block) {
    for inst in &block.insts {
        put!(out, "    {}", inst::instruction(names, &inst.kind));
        position(out, inst.loc);
        out.push('\n');
    }
    let Terminator { kind, loc } = &block.term;
    put!(out, "    {}", inst::terminator(names, kind));
    position(out, *loc);
    out.push('\n');
}

fn position(out: &mut String, loc: LocId) {
    if loc != LocId::NONE {
        put!(out, " !{}", loc.0);
    }
}
