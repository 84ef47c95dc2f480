//! A syntactic test: whether anything in a program can fail or wait forever.
//!
//! A program without goals that cannot fail has no state to search for, however many states it has.

use raddle_engine::Budget;
use raddle_ir::{BinOp, InstKind, Operand, Program, TerminatorKind, Type};
use raddle_machine::may_wait;

/// False only if no run can fail or wait forever, for any contents of memory.
pub(crate) fn may_fail(program: &Program, budget: &Budget) -> bool {
    has_failures(program) || may_wait(program, budget)
}

fn has_failures(program: &Program) -> bool {
    let blocks = program.funcs.values().flat_map(|function| function.blocks.values());
    blocks.into_iter().any(|block| {
        block.term.kind == TerminatorKind::Unreachable
            || block.insts.iter().any(|inst| inst_may_fail(program, &inst.kind))
    })
}

fn inst_may_fail(program: &Program, inst: &InstKind) -> bool {
    use InstKind::*;
    match inst {
        Bin { op, .. } => matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem),
        Un { .. } | Cmp { .. } | Select { .. } | Move { .. } => false,
        Fence { .. } | Assume { .. } | Choose { .. } | Yield => false,
        Load { ty, addr, .. } => !is_inside(program, *addr, *ty, false),
        Store { ty, addr, .. } | Rmw { ty, addr, when: None, .. } | CmpXchg { ty, addr, .. } => {
            !is_inside(program, *addr, *ty, true)
        }
        _ => true,
    }
}

/// Whether an access lies inside a global.
fn is_inside(program: &Program, addr: Operand, ty: Type, writes: bool) -> bool {
    let Operand::Global(global, offset) = addr else { return false };
    let global = &program.globals[global];
    let end = u64::try_from(offset).ok().and_then(|start| start.checked_add(ty.bytes().into()));
    end.is_some_and(|end| end <= global.size) && !(writes && global.constant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::text;

    fn may(inst: &str) -> bool {
        let source = format!(
            "global @x: i32 x 2\nconst global @c: i32 = 1\nthread t = @f(0)\n\
             func @f(%p: ptr) {{\n    reg %r: i32\n  entry:\n    {inst}\n    ret\n}}\n"
        );
        let program = text::parse("t.rir", &source).unwrap_or_else(|error| panic!("{error}"));
        may_fail(&program, &Budget::UNLIMITED)
    }

    #[test]
    fn constant_addresses_inside_of_globals_cannot_fail() {
        assert!(!may("%r = load i32 @x+4"));
        assert!(!may("store i32 @x, 1"));
        assert!(!may("%r = load i32 @c"));
        assert!(may("%r = load i32 @x+5"));
        assert!(may("%r = load i32 @x-4"));
        assert!(may("store i32 @c, 1"));
        assert!(may("%r = load i32 %p"));
    }

    #[test]
    fn what_says_that_it_fails_may() {
        assert!(may("assert 0"));
        assert!(may("%r = sdiv i32 1, 0"));
        assert!(may("unlock @x"));
        assert!(may("lock @x"));
        assert!(may("%r = rmw add i32 asm @x, 1 when eq 0"));
        assert!(!may("%r = rmw add i32 asm @x, 1"));
        assert!(!may("%r = add i32 1, 0"));
    }
}
