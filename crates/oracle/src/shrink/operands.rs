//! The operands of a program, in a fixed order.

use raddle_ir::{Callee, InstKind, Operand, Program, TerminatorKind};

/// A number that a pass may make smaller.
pub(super) enum Constant<'p> {
    Operand(&'p mut u128),
    /// The upper bound of a `choose`, counted from the lower one.
    Choices {
        lo: u64,
        hi: &'p mut u64,
    },
}

impl Constant<'_> {
    pub(super) fn value(&self) -> u128 {
        match self {
            Constant::Operand(bits) => **bits,
            Constant::Choices { lo, hi } => u128::from(**hi - *lo),
        }
    }

    /// Sets a value below [`Constant::value`].
    pub(super) fn set(&mut self, value: u128) {
        match self {
            Constant::Operand(bits) => **bits = value,
            Constant::Choices { lo, hi } => **hi = *lo + value as u64,
        }
    }
}

pub(super) fn constants(program: &mut Program) -> Vec<Constant<'_>> {
    let mut found = Vec::new();
    for function in program.funcs.values_mut() {
        for block in function.blocks.values_mut() {
            for inst in &mut block.insts {
                match &mut inst.kind {
                    InstKind::Choose { lo, hi, .. } => {
                        found.push(Constant::Choices { lo: *lo, hi });
                    }
                    other => found.extend(of_inst(other).into_iter().filter_map(constant)),
                }
            }
            found.extend(of_terminator(&mut block.term.kind).into_iter().filter_map(constant));
        }
    }
    found
}

fn constant(operand: &mut Operand) -> Option<Constant<'_>> {
    match operand {
        Operand::Int(bits) => Some(Constant::Operand(bits)),
        _ => None,
    }
}

/// Every operand: of instructions, terminators, threads' arguments and initial values.
pub(super) fn all(program: &mut Program) -> Vec<&mut Operand> {
    let mut found = Vec::new();
    for function in program.funcs.values_mut() {
        for block in function.blocks.values_mut() {
            found.extend(block.insts.iter_mut().flat_map(|inst| of_inst(&mut inst.kind)));
            found.extend(of_terminator(&mut block.term.kind));
        }
    }
    found.extend(program.threads.values_mut().flat_map(|thread| &mut thread.args));
    let relocs = program.globals.values_mut().flat_map(|global| &mut global.relocs);
    found.extend(relocs.map(|(_, operand)| operand));
    found
}

fn of_inst(inst: &mut InstKind) -> Vec<&mut Operand> {
    use InstKind::*;
    match inst {
        Bin { a, b, .. } | Cmp { a, b, .. } => vec![a, b],
        Un { a, .. } | Cast { a, .. } | Move { a, .. } => vec![a],
        Select { cond, a, b, .. } => vec![cond, a, b],
        Call { callee, args, .. } | Spawn { callee, args, .. } => {
            let pointer = match callee {
                Callee::Direct(_) => None,
                Callee::Indirect(pointer) => Some(pointer),
            };
            pointer.into_iter().chain(args).collect()
        }
        Alloca { size, .. } | Malloc { size, .. } => vec![size],
        Free { addr }
        | Extent { addr, .. }
        | Load { addr, .. }
        | Lock { addr }
        | TryLock { addr, .. }
        | Unlock { addr } => vec![addr],
        Rmw { addr, value, when, .. } => {
            let wanted = when.as_mut().map(|(_, wanted)| wanted);
            [addr, value].into_iter().chain(wanted).collect()
        }
        Store { addr, value, .. } | StoreCond { addr, value, .. } | Await { addr, value, .. } => {
            vec![addr, value]
        }
        CmpXchg { addr, expected, new, .. } => vec![addr, expected, new],
        Join { thread, .. } => vec![thread],
        ThreadExit { value } => vec![value],
        CondWait { cond, mutex, .. } => vec![cond, mutex],
        CondSignal { cond } | CondBroadcast { cond } | Assume { cond } | Assert { cond, .. } => {
            vec![cond]
        }
        Format { format, args, to, .. } => {
            let to = to.as_mut().map(|(buffer, size)| [buffer, size]);
            [format, args].into_iter().chain(to.into_iter().flatten()).collect()
        }
        Fence { .. }
        | SelfId { .. }
        | Yield
        | Halt
        | Choose { .. }
        | Unsupported { .. }
        | Fail { .. } => vec![],
    }
}

fn of_terminator(term: &mut TerminatorKind) -> Vec<&mut Operand> {
    match term {
        TerminatorKind::Branch { cond, .. } => vec![cond],
        TerminatorKind::Switch { value, .. } | TerminatorKind::Return(Some(value)) => vec![value],
        TerminatorKind::Jump(_) | TerminatorKind::Return(None) | TerminatorKind::Unreachable => {
            vec![]
        }
    }
}
