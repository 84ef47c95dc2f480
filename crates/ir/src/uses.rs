//! The operands that instructions read, and the registers that they write.
//!
//! Each list of instructions is written once, as a macro, since the same `match` serves passes that only
//! look and passes that rewrite: it binds shared references if `$kind` is shared, exclusive ones if it is
//! exclusive.

use crate::inst::{Callee, InstKind, Operand, TerminatorKind};
use crate::program::{BlockId, Reg};

/// Calls `$f` with every operand of `$kind`, in the order of the text form.
macro_rules! each_operand {
    ($kind:expr, $f:ident) => {{
        use InstKind::*;
        match $kind {
            Bin { a, b, .. } | Cmp { a, b, .. } => {
                $f(a);
                $f(b);
            }
            Un { a, .. } | Cast { a, .. } | Move { a, .. } => $f(a),
            Select { cond, a, b, .. } => {
                $f(cond);
                $f(a);
                $f(b);
            }
            Call { callee, args, .. } | Spawn { callee, args, .. } => {
                if let Callee::Indirect(to) = callee {
                    $f(to);
                }
                for arg in args {
                    $f(arg);
                }
            }
            Alloca { size, .. } | Malloc { size, .. } => $f(size),
            Free { addr }
            | Extent { addr, .. }
            | Load { addr, .. }
            | Lock { addr }
            | TryLock { addr, .. }
            | Unlock { addr } => $f(addr),
            Rmw { addr, value, when, .. } => {
                $f(addr);
                $f(value);
                if let Some((_, wanted)) = when {
                    $f(wanted);
                }
            }
            Store { addr, value, .. }
            | StoreCond { addr, value, .. }
            | Await { addr, value, .. } => {
                $f(addr);
                $f(value);
            }
            CmpXchg { addr, expected, new, .. } => {
                $f(addr);
                $f(expected);
                $f(new);
            }
            Join { thread, .. } => $f(thread),
            ThreadExit { value } => $f(value),
            CondWait { cond, mutex, .. } => {
                $f(cond);
                $f(mutex);
            }
            CondSignal { cond }
            | CondBroadcast { cond }
            | Assume { cond }
            | Assert { cond, .. } => $f(cond),
            Format { format, args, to, .. } => {
                $f(format);
                $f(args);
                if let Some((buffer, size)) = to {
                    $f(buffer);
                    $f(size);
                }
            }
            Fence { .. }
            | SelfId { .. }
            | Yield
            | Halt
            | Choose { .. }
            | Unsupported { .. }
            | Fail { .. } => {}
        }
    }};
}

/// Calls `$f` with every register that `$kind` writes.
macro_rules! each_def {
    ($kind:expr, $f:ident) => {{
        use InstKind::*;
        match $kind {
            Bin { dst, .. }
            | Un { dst, .. }
            | Cmp { dst, .. }
            | Cast { dst, .. }
            | Select { dst, .. }
            | Move { dst, .. }
            | Alloca { dst, .. }
            | Malloc { dst, .. }
            | Extent { dst, .. }
            | Load { dst, .. }
            | Rmw { dst, .. }
            | Spawn { dst, .. }
            | SelfId { dst }
            | TryLock { dst, .. }
            | Await { dst, .. }
            | Choose { dst, .. }
            | Format { dst, .. }
            | StoreCond { ok: dst, .. } => $f(dst),
            CmpXchg { dst, ok, .. } => {
                $f(dst);
                $f(ok);
            }
            Call { dst, .. } | Join { dst, .. } | CondWait { woken: dst, .. } => {
                if let Some(dst) = dst {
                    $f(dst);
                }
            }
            Free { .. }
            | Store { .. }
            | Fence { .. }
            | ThreadExit { .. }
            | Yield
            | Halt
            | Lock { .. }
            | Unlock { .. }
            | CondSignal { .. }
            | CondBroadcast { .. }
            | Assume { .. }
            | Assert { .. }
            | Unsupported { .. }
            | Fail { .. } => {}
        }
    }};
}

impl InstKind {
    /// Calls `f` with every operand, in the order of the text form.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        let mut f = |operand: &Operand| f(*operand);
        each_operand!(self, f);
    }

    /// [`InstKind::for_each_operand`] for passes that rewrite operands.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        each_operand!(self, f);
    }

    /// The registers that the instruction writes.
    pub fn defs(&self) -> [Option<Reg>; 2] {
        let mut defs = [None; 2];
        let mut count = 0;
        let mut f = |reg: &Reg| {
            defs[count] = Some(*reg);
            count += 1;
        };
        each_def!(self, f);
        defs
    }

    /// Calls `f` with every register that the instruction writes.
    pub fn for_each_def_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        each_def!(self, f);
    }
}

impl TerminatorKind {
    /// The operand of the terminator, if it has one.
    pub fn operand(&self) -> Option<Operand> {
        match self {
            TerminatorKind::Branch { cond: value, .. } | TerminatorKind::Switch { value, .. } => {
                Some(*value)
            }
            TerminatorKind::Return(value) => *value,
            TerminatorKind::Jump(_) | TerminatorKind::Unreachable => None,
        }
    }

    /// [`TerminatorKind::operand`] for passes that rewrite operands.
    pub fn operand_mut(&mut self) -> Option<&mut Operand> {
        match self {
            TerminatorKind::Branch { cond: value, .. } | TerminatorKind::Switch { value, .. } => {
                Some(value)
            }
            TerminatorKind::Return(value) => value.as_mut(),
            TerminatorKind::Jump(_) | TerminatorKind::Unreachable => None,
        }
    }

    /// Calls `f` with every block that may come next.
    pub fn for_each_target_mut(&mut self, mut f: impl FnMut(&mut BlockId)) {
        match self {
            TerminatorKind::Jump(to) => f(to),
            TerminatorKind::Branch { then, els, .. } => [then, els].into_iter().for_each(f),
            TerminatorKind::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, to)| f(to));
                f(default);
            }
            TerminatorKind::Return(_) | TerminatorKind::Unreachable => {}
        }
    }
}
