//! The code before and after `main`: the initial thread runs constructors in the order of their
//! priorities, then `main` with the arguments it takes, then the functions registered for the end,
//! and then ends the program.

use super::constant::{Folded, fold};
use super::program::ProgramLowering;
use crate::link::Symbol;
use raddle_ir::{
    Callee, Diagnostic, FunctionBuilder, Global, InitThread, InstKind, Operand, TerminatorKind,
    Type as Scalar,
};
use raddle_llvm::ast::{ConstId, ConstKind, GlobalKind};

/// A priority, and the function to run.
type Constructor = (u128, Operand);

/// Adds the initial thread. `file` is the file that the message about a missing `main` names.
pub(crate) fn start(asm: &mut ProgramLowering<'_>, file: &str) -> Result<(), Diagnostic> {
    let main = asm.source.links.find("main").map(|symbol| asm.definition(symbol));
    let main = main.filter(|symbol| is_function(asm, *symbol)).ok_or_else(|| {
        Diagnostic::whole_file(file, "the program has no main").expected("a function main")
    })?;
    let mut constructors = Vec::new();
    for unit in 0..asm.source.units.len() {
        collect(asm, unit, &mut constructors);
    }
    constructors.sort_by_key(|(priority, _)| *priority);

    let mut out = FunctionBuilder::new("raddle.start");
    out.library();
    for (_, function) in constructors {
        let callee = match function {
            Operand::Func(id) if asm.program.funcs[id].params.is_empty() => Callee::Direct(id),
            other => Callee::Indirect(other),
        };
        out.push(InstKind::Call { dst: None, callee, args: Vec::new() });
    }
    let main = asm.function(main);
    let params = asm.params(main);
    let args = arguments(asm, &params);
    out.push(InstKind::Call { dst: None, callee: Callee::Direct(main), args });
    // If the program cannot register functions for the end, the call of `exit` is not needed.
    match mentions(asm, &["atexit", "__cxa_atexit"]).then(|| asm.library_function("exit")) {
        Some(Some(exit)) => {
            let (callee, args) = (Callee::Direct(exit), vec![Operand::Int(0)]);
            out.push(InstKind::Call { dst: None, callee, args });
        }
        _ => out.push(InstKind::Halt),
    }
    out.end(TerminatorKind::Unreachable);
    let func = asm.add_function(out.finish());
    asm.program.threads.push(InitThread { name: "main".to_owned(), func, args: Vec::new() });
    Ok(())
}

/// Whether a module defines or declares a function of one of these names.
fn mentions(asm: &ProgramLowering<'_>, names: &[&str]) -> bool {
    asm.source.units.iter().any(|unit| {
        let functions = unit.module.functions();
        functions.filter_map(|(id, _)| unit.module.symbol(id)).any(|name| names.contains(&name))
    })
}

fn is_function(asm: &ProgramLowering<'_>, symbol: Symbol) -> bool {
    matches!(&asm.global_value(symbol).kind, GlobalKind::Function(f) if f.body.is_some())
}

/// `argc`, `argv`, `envp`, as many as `main` takes.
fn arguments(asm: &mut ProgramLowering<'_>, params: &[Scalar]) -> Vec<Operand> {
    let mut vectors = Vec::new();
    if params.len() > 1 {
        let mut name = Global::zeroed("raddle.program", 8, 1);
        name.init = b"program".to_vec();
        let name = asm.add_variable(name);
        let mut argv = Global::zeroed("argv", 16, 8);
        argv.relocs.push((0, Operand::Global(name, 0)));
        vectors.push(asm.add_variable(argv));
    }
    if params.len() > 2 {
        vectors.push(asm.add_variable(Global::zeroed("envp", 8, 8)));
    }
    let mut vectors = vectors.into_iter();
    params
        .iter()
        .map(|ty| match ty {
            Scalar::Ptr => vectors.next().map_or(Operand::Int(0), |id| Operand::Global(id, 0)),
            Scalar::Int(_) => Operand::Int(1),
            _ => Operand::Undef,
        })
        .collect()
}

/// The entries of `llvm.global_ctors`: `{ i32 priority, ptr function, ptr data }`.
fn collect(asm: &mut ProgramLowering<'_>, unit: usize, found: &mut Vec<Constructor>) {
    let module = &asm.source.units[unit].module;
    let table = module.variables().find_map(|(id, variable)| {
        (module.symbol(id) == Some("llvm.global_ctors")).then_some(variable.init)?
    });
    let Some(table) = table else {
        return;
    };
    let ConstKind::Aggregate(entries) = &module.constant(table).kind else {
        return;
    };
    for entry in entries.iter() {
        if let ConstKind::Aggregate(parts) = &module.constant(*entry).kind
            && let [priority, function, ..] = **parts
        {
            found.extend(constructor(asm, unit, priority, function));
        }
    }
}

fn constructor(
    asm: &mut ProgramLowering<'_>,
    unit: usize,
    priority: ConstId,
    function: ConstId,
) -> Option<Constructor> {
    match (fold(asm, unit, priority), fold(asm, unit, function)) {
        (Folded::Bits(priority), Folded::Address(function, 0)) => Some((priority, function)),
        _ => None,
    }
}
