//! What instructions read.

use crate::inst::{Callee, InstKind, Operand, TerminatorKind};

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
}
