//! What to write for a fence in the language of the source.

use raddle_ir::{FenceKind, FileKind, Mnemonic};
use std::path::Path;

/// The language of a source file, going by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cpp,
    Litmus,
    Rir,
    Automata,
    /// LLVM IR, and what is not known.
    Other,
}

impl Language {
    pub fn of(file: &str) -> Language {
        match FileKind::of(Path::new(file)) {
            Some(FileKind::C | FileKind::Header) => Language::C,
            Some(FileKind::Cpp | FileKind::CppHeader) => Language::Cpp,
            Some(FileKind::Litmus) => Language::Litmus,
            Some(FileKind::Rir) => Language::Rir,
            Some(FileKind::Automata) => Language::Automata,
            Some(FileKind::Llvm | FileKind::Bitcode) | None => Language::Other,
        }
    }

    /// Whether a line of it tells where it belongs, so that blocks need no naming.
    pub const fn is_compiled(self) -> bool {
        matches!(self, Language::C | Language::Cpp)
    }
}

/// How a fence of C11 is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelling {
    /// By its name, which is known already.
    Name,
    /// By its name, with the header that declares it.
    WithHeader,
    /// As GCC and clang have it without a header, in every language and standard.
    Builtin,
}

/// The fence as it is written there; reading it back gives the same fence under every model that it
/// was found for.
pub fn statement(language: Language, kind: FenceKind) -> String {
    match language {
        Language::C => c(kind, false, Spelling::Name).0,
        Language::Cpp => c(kind, true, Spelling::Name).0,
        Language::Rir => format!("fence {}", kind.mnemonic()),
        Language::Litmus | Language::Automata | Language::Other => kind.mnemonic().to_owned(),
    }
}

/// A fence as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub words: String,
    /// The header that declares the function it calls, if there is one.
    pub header: Option<&'static str>,
}

/// The header that declares the function of C or C++ that a fence is, if it is one.
pub(crate) fn header(kind: FenceKind, cpp: bool) -> Option<&'static str> {
    c11_order(kind).map(|_| if cpp { "atomic" } else { "stdatomic.h" })
}

/// A fence as a statement and as an expression.
pub(crate) fn c(kind: FenceKind, cpp: bool, spelling: Spelling) -> (String, String) {
    let Some(order) = c11_order(kind) else {
        let instruction = match kind {
            FenceKind::DmbSt => "dmb ishst",
            _ => kind.mnemonic(),
        };
        let statement = format!("__asm__ volatile(\"{instruction}\" ::: \"memory\");");
        let expression = format!("__extension__({{ {statement} }})");
        return (statement, expression);
    };
    let call = match (spelling, cpp) {
        (Spelling::Builtin, _) => {
            format!("__atomic_thread_fence(__ATOMIC_{})", order.to_uppercase())
        }
        (_, true) => format!("std::atomic_thread_fence(std::memory_order_{order})"),
        (_, false) => format!("atomic_thread_fence(memory_order_{order})"),
    };
    (format!("{call};"), call)
}

/// The order of C11's fence that is as strong; the weaker ones have none.
pub(crate) fn c11_order(kind: FenceKind) -> Option<&'static str> {
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

/// The fence in a litmus test for an architecture, the first word of the test: one that is at least as
/// strong where it has no other.
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
