//! What to write for a fence in the language of the source.

use raddle_ir::FenceKind;
use raddle_ir::Mnemonic;
use std::path::Path;

/// The language of a source file, going by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    C,
    Cpp,
    Litmus,
    Rir,
    /// The name of the fence is all there is to say: automata, and what is not known.
    Other,
}

impl Language {
    pub fn of(file: &str) -> Language {
        let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
        match extension.unwrap_or_default() {
            "c" | "h" | "i" => Language::C,
            "cpp" | "cc" | "cxx" | "C" | "hpp" | "hh" | "hxx" => Language::Cpp,
            "litmus" => Language::Litmus,
            "rir" => Language::Rir,
            _ => Language::Other,
        }
    }

    /// Whether a line of it tells where it belongs, so that blocks need no naming.
    pub const fn is_compiled(self) -> bool {
        matches!(self, Language::C | Language::Cpp)
    }
}

/// The fence as it is written there; reading it back gives the same fence under every model that it
/// was found for.
pub(super) fn statement(language: Language, kind: FenceKind) -> String {
    match language {
        Language::C => c(kind, ""),
        Language::Cpp => c(kind, "std::"),
        Language::Litmus => litmus(kind),
        Language::Rir => format!("fence {}", kind.mnemonic()),
        Language::Other => kind.mnemonic().to_owned(),
    }
}

/// The header that declares what the statement calls, if it calls anything.
pub(super) fn header(language: Language, kind: FenceKind) -> Option<&'static str> {
    let header = match language {
        Language::C => "stdatomic.h",
        Language::Cpp => "atomic",
        Language::Litmus | Language::Rir | Language::Other => return None,
    };
    c11_order(kind).map(|_| header)
}

fn c(kind: FenceKind, scope: &str) -> String {
    match (c11_order(kind), kind) {
        (Some(order), _) => format!("{scope}atomic_thread_fence({scope}memory_order_{order});"),
        (None, FenceKind::DmbSt) => assembly("dmb ishst"),
        (None, _) => assembly(kind.mnemonic()),
    }
}

/// The order of C11's fence that is as strong; the weaker ones have none.
fn c11_order(kind: FenceKind) -> Option<&'static str> {
    match kind {
        FenceKind::Full | FenceKind::Mfence | FenceKind::Sync | FenceKind::Dmb => Some("seq_cst"),
        FenceKind::Lwsync => Some("acq_rel"),
        FenceKind::StoreStore => Some("release"),
        _ => None,
    }
}

fn assembly(instruction: &str) -> String {
    format!("__asm__ volatile(\"{instruction}\" ::: \"memory\");")
}

fn litmus(kind: FenceKind) -> String {
    match kind {
        FenceKind::Mfence | FenceKind::Dmb => kind.mnemonic().to_uppercase(),
        FenceKind::DmbSt => "DMB ST".to_owned(),
        _ => kind.mnemonic().to_owned(),
    }
}
