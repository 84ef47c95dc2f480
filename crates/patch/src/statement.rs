//! The text of a fence in the language of the source.

use raddle_ir::{FenceKind, FileKind, Mnemonic};

/// Whether a file is a text of C or C++. There, a line number is enough to identify a place, so that blocks
/// need not be named.
pub const fn is_c(kind: Option<FileKind>) -> bool {
    use FileKind::{C, Cpp, CppHeader, Header};
    matches!(kind, Some(C | Header | Cpp | CppHeader))
}

/// The spelling of a C11 fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelling {
    /// By its name, which is already declared.
    Name,
    /// By its name, with the header that declares it.
    WithHeader,
    /// As the builtin of GCC and clang, which needs no header, in every language and standard.
    Builtin,
}

/// A fence as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub words: String,
    /// The header that declares the function it calls, if any.
    pub header: Option<&'static str>,
}

/// The header of a fence that is a function of C or C++.
pub(crate) fn header(kind: FenceKind, cpp: bool) -> Option<&'static str> {
    c11_order(kind).map(|_| if cpp { "atomic" } else { "stdatomic.h" })
}

/// An addition to a text of C: as a statement, and as an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Words {
    pub statement: String,
    pub expression: String,
}

impl Words {
    /// Inline assembly; `rest` are its operands and what it may change.
    pub(crate) fn assembly(instruction: &str, rest: &str) -> Words {
        let statement = format!("__asm__ volatile(\"{instruction}\"{rest});");
        let expression = format!("__extension__({{ {statement} }})");
        Words { statement, expression }
    }
}

/// A fence in C or C++ as a user can write it anywhere, without a header.
pub fn by_hand(kind: FenceKind) -> String {
    c(kind, false, Spelling::Builtin).statement
}

/// A fence in C or C++. Reading it back gives the same fence under every model that it was found for.
pub(crate) fn c(kind: FenceKind, cpp: bool, spelling: Spelling) -> Words {
    let Some(order) = c11_order(kind) else {
        let instruction = match kind {
            FenceKind::DmbSt => "dmb ishst",
            _ => kind.mnemonic(),
        };
        return Words::assembly(instruction, " ::: \"memory\"");
    };
    let call = match (spelling, cpp) {
        (Spelling::Builtin, _) => {
            format!("__atomic_thread_fence(__ATOMIC_{})", order.to_uppercase())
        }
        (_, true) => format!("std::atomic_thread_fence(std::memory_order_{order})"),
        (_, false) => format!("atomic_thread_fence(memory_order_{order})"),
    };
    Words { statement: format!("{call};"), expression: call }
}

/// The memory order of the C11 fence that is as strong; `None` for the weaker fences.
fn c11_order(kind: FenceKind) -> Option<&'static str> {
    match kind {
        FenceKind::Full | FenceKind::Mfence | FenceKind::Sync | FenceKind::Dmb => Some("seq_cst"),
        FenceKind::Lwsync => Some("acq_rel"),
        FenceKind::StoreStore => Some("release"),
        _ => None,
    }
}

/// The stronger of two fences of one model.
pub(crate) fn stronger(a: FenceKind, b: FenceKind) -> FenceKind {
    let strength = |kind| match kind {
        FenceKind::Full | FenceKind::Mfence | FenceKind::Sync | FenceKind::Dmb => 3,
        FenceKind::Lwsync => 2,
        _ => 1,
    };
    if strength(b) > strength(a) { b } else { a }
}

/// The fence in a litmus test for an architecture, the first word of the test. If the architecture does
/// not have this fence, one that is at least as strong.
pub(crate) fn litmus(kind: FenceKind, architecture: &str) -> String {
    let strong =
        matches!(kind, FenceKind::Full | FenceKind::Mfence | FenceKind::Sync | FenceKind::Dmb);
    let stores_only = matches!(kind, FenceKind::StoreStore | FenceKind::Eieio | FenceKind::DmbSt);
    let words = match architecture.to_ascii_uppercase().as_str() {
        "X86" | "X86_64" => "MFENCE",
        "ARM" | "AARCH64" if stores_only => "DMB ST",
        "ARM" | "AARCH64" => "DMB",
        _ if strong => "sync",
        _ if kind == FenceKind::Eieio => "eieio",
        _ => "lwsync",
    };
    words.to_owned()
}
