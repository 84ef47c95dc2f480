//! Removal of functions and globals that are no longer mentioned.

use super::{Shrinker, instructions, mentions, operands};
use raddle_ir::{Callee, FuncId, GlobalId, InstKind, Observed, Operand, Program};

impl Shrinker<'_> {
    pub(super) fn definitions(&mut self) {
        self.each(|program| program.funcs.len(), without_function);
        self.each(|program| program.globals.len(), without_global);
    }
}

fn calls(inst: &InstKind, func: FuncId) -> bool {
    let (InstKind::Call { callee, .. } | InstKind::Spawn { callee, .. }) = inst else {
        return false;
    };
    *callee == Callee::Direct(func)
}

fn without_function(program: &Program, index: usize) -> Option<Program> {
    let gone = FuncId::from_u32(index as u32);
    let used = program.threads.values().any(|thread| thread.func == gone)
        || instructions(program).any(|inst| calls(inst, gone))
        || mentions(program, |operand| *operand == Operand::Func(gone));
    if used {
        return None;
    }
    let renumbered =
        |old: FuncId| if old > gone { FuncId::from_u32(old.as_u32() - 1) } else { old };
    let mut smaller = program.clone();
    let others = program.funcs.iter().filter(|(id, _)| *id != gone);
    smaller.funcs = others.map(|(_, function)| function.clone()).collect();
    for thread in smaller.threads.values_mut() {
        thread.func = renumbered(thread.func);
    }
    for operand in operands::all(&mut smaller) {
        if let Operand::Func(func) = operand {
            *func = renumbered(*func);
        }
    }
    for function in smaller.funcs.values_mut() {
        let insts = function.blocks.values_mut().flat_map(|block| &mut block.insts);
        for inst in insts {
            if let InstKind::Call { callee: Callee::Direct(func), .. }
            | InstKind::Spawn { callee: Callee::Direct(func), .. } = &mut inst.kind
            {
                *func = renumbered(*func);
            }
        }
    }
    Some(smaller)
}

/// `None` if the program has a condition, which may name globals.
fn without_global(program: &Program, index: usize) -> Option<Program> {
    let gone = GlobalId::from_u32(index as u32);
    let observed = |what: Observed| matches!(what, Observed::Mem { global, .. } if global == gone);
    let used = program.condition.is_some()
        || program.observables.values().any(|o| observed(o.what))
        || mentions(program, |operand| matches!(operand, Operand::Global(id, _) if *id == gone));
    if used {
        return None;
    }
    let renumber = |id: &mut GlobalId| {
        if *id > gone {
            *id = GlobalId::from_u32(id.as_u32() - 1);
        }
    };
    let mut smaller = program.clone();
    let others = program.globals.iter().filter(|(id, _)| *id != gone);
    smaller.globals = others.map(|(_, global)| global.clone()).collect();
    for operand in operands::all(&mut smaller) {
        if let Operand::Global(id, _) = operand {
            renumber(id);
        }
    }
    for observable in smaller.observables.values_mut() {
        if let Observed::Mem { global, .. } = &mut observable.what {
            renumber(global);
        }
    }
    Some(smaller)
}
