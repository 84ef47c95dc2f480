//! Register names.

use crate::Arch;
use crate::ast::Name;

/// A register of one thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum MachineReg {
    /// A register with a number; [`ir_name`] spells it.
    Numbered(u8),
    /// A symbolic register, whose machine register the tools may choose: `%x0`, without the percent sign.
    Symbolic(String),
}

/// A name that denotes a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RegName {
    pub reg: MachineReg,
    /// The spelling in the output.
    pub display: String,
    /// Whether the name denotes all 64 bits of a register that also has a 32-bit name.
    pub wide: bool,
}

/// The last two letters of `EAX` to `ESP`, in the order of their numbers.
const X86_LEGACY: &[&str] = &["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"];
pub(super) const X86_EAX: MachineReg = MachineReg::Numbered(0);
pub(super) const X86_EDX: MachineReg = MachineReg::Numbered(3);

/// The register that a name denotes, if it is a register of this architecture or a symbolic one.
pub(super) fn resolve(arch: Arch, name: &Name) -> Option<RegName> {
    let found = match arch {
        Arch::X86 => x86(&name.text.to_ascii_uppercase()),
        Arch::Ppc => numbered(&name.text, 31, "r"),
        Arch::Arm => arm(&name.text.to_ascii_uppercase()),
    };
    let symbolic = || RegName {
        reg: MachineReg::Symbolic(name.text.clone()),
        display: format!("%{}", name.text),
        wide: false,
    };
    found.or_else(|| name.symbolic.then(symbolic))
}

/// The name of a register in the IR.
pub(super) fn ir_name(arch: Arch, reg: &MachineReg) -> String {
    match (arch, reg) {
        (_, MachineReg::Symbolic(name)) => name.clone(),
        (Arch::X86, MachineReg::Numbered(n)) => match X86_LEGACY.get(usize::from(*n)) {
            Some(letters) => format!("E{letters}"),
            None => format!("R{n}"),
        },
        (Arch::Ppc, MachineReg::Numbered(n)) => format!("r{n}"),
        (Arch::Arm, MachineReg::Numbered(n)) => format!("R{n}"),
    }
}

/// The registers of an architecture, for messages.
pub(super) fn listing(arch: Arch) -> &'static str {
    match arch {
        Arch::X86 => "one of EAX to ESP, RAX to RSP, R8 to R15",
        Arch::Ppc => "one of r0 to r31",
        Arch::Arm => "one of R0 to R12, SP, LR",
    }
}

fn x86(name: &str) -> Option<RegName> {
    let legacy = |letters: &str| X86_LEGACY.iter().position(|known| *known == letters);
    if let Some(n) = name.strip_prefix('E').and_then(legacy) {
        return Some(named(n as u8, name, false));
    }
    if let Some(n) = name.strip_prefix('R').and_then(legacy) {
        return Some(named(n as u8, name, true));
    }
    let low_half = name.strip_suffix('D');
    let found = numbered(low_half.unwrap_or(name), 15, "R")?;
    match found.reg {
        MachineReg::Numbered(n) if n >= 8 => Some(named(n, name, low_half.is_none())),
        _ => None,
    }
}

fn arm(name: &str) -> Option<RegName> {
    match name {
        "SP" => Some(named(13, name, false)),
        "LR" => Some(named(14, name, false)),
        _ => numbered(name, 14, "R"),
    }
}

/// A prefix, in either case, and a number up to `last`.
fn numbered(name: &str, last: u8, prefix: &str) -> Option<RegName> {
    let head = name.get(..prefix.len())?;
    let digits = &name[prefix.len()..];
    let canonical = digits == "0" || !digits.starts_with(['0', '+']);
    let n = digits.parse::<u8>().ok().filter(|n| canonical && *n <= last)?;
    head.eq_ignore_ascii_case(prefix).then(|| named(n, &format!("{prefix}{n}"), false))
}

fn named(n: u8, display: &str, wide: bool) -> RegName {
    RegName { reg: MachineReg::Numbered(n), display: display.to_owned(), wide }
}
