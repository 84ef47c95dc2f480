//! The width of a word in a test: 32 bits, or 64 if the test requires it.
//!
//! Litmus tests of 32-bit machines move addresses through memory and registers as if they were
//! numbers, but IR addresses have 64 bits. Mixed access sizes are outside the scope of the models here, so
//! the whole test then uses 64-bit words: for every word access, location and word arithmetic. The reasons
//! for 64-bit words are
//!
//! - a location of a 64-bit or pointer type, or one marked as a pointer in `locations`;
//! - a location that starts as, or is compared with, an address;
//! - an instruction or register of 64 bits (`std`, `cmpd`, `MOVQ`, `RAX`);
//! - an address that would be truncated to 32 bits: see [`super::address_flow`].

use super::{ppc, regs, x86};
use crate::Arch;
use crate::ast::{Arg, ArgKind, Inst, Line, LitmusTest, Location, Name, TermAst, Thread, Value};
use raddle_ir::Type;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    W32,
    W64,
}

impl Word {
    pub(super) fn ty(self) -> Type {
        match self {
            Word::W32 => Type::I32,
            Word::W64 => Type::I64,
        }
    }

    pub(super) fn bytes(self) -> u32 {
        self.ty().bytes()
    }

    /// A number as a sign-extended word; `None` if it fits neither as a signed nor as an unsigned
    /// word.
    pub(super) fn canonical(self, value: i128) -> Option<i64> {
        let bits = self.ty().bits();
        let fits = (-(1i128 << (bits - 1))..1i128 << bits).contains(&value);
        let extended = match self {
            Word::W32 => i64::from(value as i32),
            Word::W64 => value as i64,
        };
        fits.then_some(extended)
    }
}

/// The width that the text of the test requires.
pub(super) fn choose(test: &LitmusTest) -> Word {
    let wide = wide_init(test)
        || test.locations.iter().any(|l| wide_place(test.arch, &l.place))
        || test.locations.iter().any(|l| l.pointer && matches!(l.place, Location::Memory(_)))
        || test.threads.iter().any(|thread| wide_thread(test.arch, thread))
        || test.condition.iter().any(|condition| {
            let mut comparisons = condition.prop.comparisons().into_iter();
            comparisons.any(|(left, right)| wide_comparison(test.arch, left, right))
        });
    if wide { Word::W64 } else { Word::W32 }
}

fn wide_init(test: &LitmusTest) -> bool {
    test.init.iter().any(|item| match &item.place {
        Location::Memory(_) => {
            item.ty.is_some_and(|ty| ty.is_wide()) || matches!(item.value, Some(Value::Address(_)))
        }
        place => wide_place(test.arch, place),
    })
}

fn wide_place(arch: Arch, place: &Location) -> bool {
    match place {
        Location::Register { name, .. } => wide_name(arch, name),
        Location::Symbolic(_) | Location::Memory(_) => false,
    }
}

fn wide_name(arch: Arch, name: &Name) -> bool {
    regs::resolve(arch, name).is_some_and(|found| found.wide)
}

fn wide_thread(arch: Arch, thread: &Thread) -> bool {
    thread.lines.iter().any(|line| match line {
        Line::Label(_) => false,
        Line::Inst(inst) => {
            wide_mnemonic(arch, inst) || inst.args.iter().any(|arg| wide_operand(arch, arg))
        }
    })
}

fn wide_mnemonic(arch: Arch, inst: &Inst) -> bool {
    match arch {
        Arch::X86 => x86::is_wide(&inst.mnemonic),
        Arch::Ppc => ppc::is_wide(&inst.mnemonic),
        Arch::Arm => false,
    }
}

/// An address in a 64-bit register does not determine the width of the memory there.
fn wide_operand(arch: Arch, arg: &Arg) -> bool {
    match &arg.kind {
        ArgKind::Name(name) => wide_name(arch, name),
        ArgKind::Int(_) | ArgKind::Mem(_) => false,
    }
}

fn wide_comparison(arch: Arch, left: &Location, right: &TermAst) -> bool {
    wide_place(arch, left)
        || match right {
            TermAst::Location(place) => wide_place(arch, place),
            TermAst::Value(Value::Address(_)) => matches!(left, Location::Memory(_)),
            TermAst::Value(Value::Int { .. }) => false,
        }
}
