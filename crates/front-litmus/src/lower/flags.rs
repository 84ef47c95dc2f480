//! Condition flags.
//!
//! The flags of a thread are two registers: the operands of the last comparison. A condition
//! compares them when it is evaluated, so an instruction that depends on the flags depends on the loads of
//! the operands. An instruction that compares its result with zero sets the second register to 0.
//!
//! Some instructions set a carry or overflow that this form cannot express (`ADD`, `INC`, `ADDS`):
//! after those, only conditions on zero and sign are known, and any other condition is rejected. After
//! `MUL` and `DIV`, no condition is known. If control can reach a condition from several places, the
//! condition is rejected if any instruction of the thread sets such flags.

use super::emit::{Emit, constant};
use super::{arm, ppc, x86};
use crate::Arch;
use crate::ast::{At, Inst, Line};
use raddle_ir::{BinOp, Diagnostic, InstKind, IntPred, Operand, Pred, Reg, Type};

/// A condition on the compared operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    Compare(IntPred),
    /// The difference is negative.
    Negative,
    NotNegative,
}

impl Condition {
    /// Whether the condition needs more than zero and sign of the result.
    fn needs_comparison(self) -> bool {
        match self {
            Condition::Compare(pred) => !matches!(pred, IntPred::Eq | IntPred::Ne),
            Condition::Negative | Condition::NotNegative => false,
        }
    }
}

/// The information that the last flag-setting instruction has left in the flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The complete result of a comparison of the two operands.
    Comparison,
    /// Zero and sign of the first operand.
    ZeroAndSign,
    /// The flags are undefined.
    Undefined,
}

/// The state of the flags while a thread is lowered.
#[derive(Debug)]
pub(super) struct Flags {
    /// Whether some instruction of the thread reads the flags; otherwise no instruction needs to set them.
    read: bool,
    registers: Option<[Reg; 2]>,
    /// `None` if unknown: at the start and after a label.
    source: Option<Source>,
    /// Whether the thread has an instruction that sets only zero and sign.
    partial: bool,
    /// The first condition that needs a comparison and was met while the source was unknown.
    pending: Option<(At, String)>,
    /// Whether the thread has an instruction that leaves the flags undefined; `pending_any` is the first
    /// condition of any kind that was met while the source was unknown.
    undefined: bool,
    pending_any: Option<(At, String)>,
}

const NAMES: [&str; 2] = ["flags.left", "flags.right"];

impl Flags {
    pub(super) fn new(arch: Arch, lines: &[Line]) -> Flags {
        let reads = |mnemonic: &str| match arch {
            Arch::X86 => x86::reads_flags(mnemonic),
            Arch::Ppc => ppc::reads_flags(mnemonic),
            Arch::Arm => arm::reads_flags(mnemonic),
        };
        let read = lines.iter().any(|line| match line {
            Line::Inst(inst) => reads(&inst.mnemonic),
            Line::Label(_) => false,
        });
        Flags {
            read,
            registers: None,
            source: None,
            partial: false,
            pending: None,
            undefined: false,
            pending_any: None,
        }
    }

    /// Whether this name is reserved for the flag registers.
    pub(super) fn owns_name(name: &str) -> bool {
        NAMES.contains(&name)
    }

    /// Whether the flags have to be set at all.
    pub(super) fn are_read(&self) -> bool {
        self.read
    }

    /// Called at labels, where control may come from elsewhere.
    pub(super) fn forget_source(&mut self) {
        self.source = None;
    }

    /// The two flag registers, if the thread uses them.
    pub(super) fn registers(&self) -> Option<[Reg; 2]> {
        self.registers
    }

    /// Decides the pending conditions after the whole thread was lowered.
    pub(super) fn check(&self, file: &str) -> Result<(), Diagnostic> {
        for (pending, set) in [(&self.pending, self.partial), (&self.pending_any, self.undefined)] {
            if let (Some((at, mnemonic)), true) = (pending, set) {
                return Err(unknown_condition(file, *at, mnemonic));
            }
        }
        Ok(())
    }
}

fn unknown_condition(file: &str, at: At, mnemonic: &str) -> Diagnostic {
    let message = format!("`{mnemonic}` needs a flag that is not modelled");
    at.error(file, message)
        .expected("a comparison before it, or a condition on zero or sign")
        .help("compare explicitly (CMP) before this instruction")
}

impl Emit<'_, '_> {
    fn flag_registers(&mut self) -> [Reg; 2] {
        if let Some(both) = self.flags.registers {
            return both;
        }
        let both = NAMES.map(|name| self.function.reg(Some(name), Type::I64));
        self.flags.registers = Some(both);
        both
    }

    /// Sets the flags, if some instruction reads them. The operands are those of the comparison. Must be
    /// called before either of them is overwritten.
    pub(super) fn set_flags(&mut self, left: Operand, right: Operand, source: Source) {
        self.flags.source = Some(source);
        self.flags.partial |= source == Source::ZeroAndSign;
        self.flags.undefined |= source == Source::Undefined;
        if !self.flags.read {
            return;
        }
        let both = self.flag_registers();
        self.move_to(both[0], left);
        self.move_to(both[1], right);
    }

    /// Evaluates a condition at the current point, as an `i1`.
    pub(super) fn condition(&mut self, cond: Condition, inst: &Inst) -> Result<Reg, Diagnostic> {
        self.check_condition(cond, inst)?;
        let [left, right] = self.flag_registers().map(Operand::from);
        Ok(match cond {
            Condition::Compare(pred) => self.compare(pred, left, right),
            Condition::Negative | Condition::NotNegative => {
                let difference = self.temp(Type::I64);
                self.arith(BinOp::Sub, difference, left, right);
                let negative = cond == Condition::Negative;
                let pred = if negative { IntPred::Slt } else { IntPred::Sge };
                self.compare(pred, difference.into(), constant(0))
            }
        })
    }

    pub(super) fn compare(&mut self, pred: IntPred, a: Operand, b: Operand) -> Reg {
        let dst = self.temp(Type::BOOL);
        self.function.push(InstKind::Cmp { pred: Pred::Int(pred), ty: Type::I64, dst, a, b });
        dst
    }

    fn check_condition(&mut self, cond: Condition, inst: &Inst) -> Result<(), Diagnostic> {
        let this = || (inst.at, inst.mnemonic.clone());
        match self.flags.source {
            Some(Source::Comparison) => Ok(()),
            Some(Source::ZeroAndSign) if !cond.needs_comparison() => Ok(()),
            Some(Source::ZeroAndSign | Source::Undefined) => {
                Err(unknown_condition(&self.context.test.file, inst.at, &inst.mnemonic))
            }
            None => {
                self.flags.pending_any.get_or_insert_with(this);
                if cond.needs_comparison() {
                    self.flags.pending.get_or_insert_with(this);
                }
                Ok(())
            }
        }
    }
}
