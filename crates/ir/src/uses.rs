//! What instructions read and write.

use crate::inst::{Callee, InstKind, Operand, TerminatorKind};
use crate::program::{BlockId, Reg};

impl InstKind {
    /// Calls `f` with every operand, in the order of the text form.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        use InstKind::*;
        let mut each = |operands: &[Operand]| operands.iter().for_each(|operand| f(*operand));
        match self {
            Bin { a, b, .. } | Cmp { a, b, .. } => each(&[*a, *b]),
            Un { a, .. } | Cast { a, .. } | Move { a, .. } => each(&[*a]),
            Select { cond, a, b, .. } => each(&[*cond, *a, *b]),
            Call { callee, args, .. } | Spawn { callee, args, .. } => {
                if let Callee::Indirect(to) = callee {
                    each(&[*to]);
                }
                each(args);
            }
            Alloca { size, .. } | Malloc { size, .. } => each(&[*size]),
            Free { addr }
            | Extent { addr, .. }
            | Load { addr, .. }
            | Lock { addr }
            | TryLock { addr, .. }
            | Unlock { addr } => each(&[*addr]),
            Rmw { addr, value, when, .. } => {
                each(&[*addr, *value]);
                if let Some((_, wanted)) = when {
                    each(&[*wanted]);
                }
            }
            Store { addr, value, .. }
            | StoreCond { addr, value, .. }
            | Await { addr, value, .. } => each(&[*addr, *value]),
            CmpXchg { addr, expected, new, .. } => each(&[*addr, *expected, *new]),
            Join { thread, .. } => each(&[*thread]),
            ThreadExit { value } => each(&[*value]),
            CondWait { cond, mutex, .. } => each(&[*cond, *mutex]),
            CondSignal { cond } | CondBroadcast { cond } => each(&[*cond]),
            Assume { cond } | Assert { cond, .. } => each(&[*cond]),
            Format { format, args, to, .. } => {
                each(&[*format, *args]);
                if let Some((buffer, size)) = to {
                    each(&[*buffer, *size]);
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
    }
}

/// The same for passes that rewrite.
impl InstKind {
    /// Calls `f` with every operand, in the order of the text form.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        use InstKind::*;
        match self {
            Bin { a, b, .. } | Cmp { a, b, .. } => [a, b].into_iter().for_each(f),
            Un { a, .. } | Cast { a, .. } | Move { a, .. } => f(a),
            Select { cond, a, b, .. } => [cond, a, b].into_iter().for_each(f),
            Call { callee, args, .. } | Spawn { callee, args, .. } => {
                if let Callee::Indirect(to) = callee {
                    f(to);
                }
                args.iter_mut().for_each(f);
            }
            Alloca { size, .. } | Malloc { size, .. } => f(size),
            Free { addr }
            | Extent { addr, .. }
            | Load { addr, .. }
            | Lock { addr }
            | TryLock { addr, .. }
            | Unlock { addr } => f(addr),
            Rmw { addr, value, when, .. } => {
                f(addr);
                f(value);
                when.iter_mut().for_each(|(_, wanted)| f(wanted));
            }
            Store { addr, value, .. }
            | StoreCond { addr, value, .. }
            | Await { addr, value, .. } => [addr, value].into_iter().for_each(f),
            CmpXchg { addr, expected, new, .. } => [addr, expected, new].into_iter().for_each(f),
            Join { thread, .. } => f(thread),
            ThreadExit { value } => f(value),
            CondWait { cond, mutex, .. } => [cond, mutex].into_iter().for_each(f),
            CondSignal { cond } | CondBroadcast { cond } => f(cond),
            Assume { cond } | Assert { cond, .. } => f(cond),
            Format { format, args, to, .. } => {
                f(format);
                f(args);
                to.iter_mut()
                    .for_each(|(buffer, size)| [buffer, size].into_iter().for_each(&mut f));
            }
            Fence { .. }
            | SelfId { .. }
            | Yield
            | Halt
            | Choose { .. }
            | Unsupported { .. }
            | Fail { .. } => {}
        }
    }

    /// Calls `f` with every register that is written.
    pub fn for_each_def_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        use InstKind::*;
        match self {
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
            | StoreCond { ok: dst, .. } => f(dst),
            CmpXchg { dst, ok, .. } => [dst, ok].into_iter().for_each(f),
            Call { dst, .. } | Join { dst, .. } | CondWait { woken: dst, .. } => {
                dst.iter_mut().for_each(f);
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
    }
}

impl TerminatorKind {
    /// The operand it reads, if it reads one.
    pub fn operand(&self) -> Option<Operand> {
        match self {
            TerminatorKind::Branch { cond: value, .. } | TerminatorKind::Switch { value, .. } => {
                Some(*value)
            }
            TerminatorKind::Return(value) => *value,
            TerminatorKind::Jump(_) | TerminatorKind::Unreachable => None,
        }
    }

    /// The same for passes that rewrite.
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
