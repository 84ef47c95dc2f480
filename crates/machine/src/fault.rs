//! What a program can do wrong, as values.

use raddle_ir::FailKind;

/// The class of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    Assertion,
    /// Null, wild, out of bounds, dead, constant.
    Memory,
    LockMisuse,
    DivisionByZero,
    Unreachable,
    ThreadMisuse,
    /// A value was used that was never written or assigned.
    Uninitialised,
    /// The program gave up by itself.
    Abort,
    /// Something that the machine cannot run.
    Unsupported,
}

/// A fault of the program under test, with words for its user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
}

impl From<FailKind> for FaultKind {
    fn from(kind: FailKind) -> FaultKind {
        match kind {
            FailKind::Assertion => FaultKind::Assertion,
            FailKind::Memory => FaultKind::Memory,
            FailKind::LockMisuse => FaultKind::LockMisuse,
            FailKind::ThreadMisuse => FaultKind::ThreadMisuse,
            FailKind::Uninitialised => FaultKind::Uninitialised,
            FailKind::Abort => FaultKind::Abort,
        }
    }
}

impl Fault {
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into() }
    }
}

/// `1 byte`, `4 bytes`.
pub fn in_bytes(count: u32) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

#[cold]
pub fn never_written(bytes: u32) -> Fault {
    let were = if bytes == 1 { "was" } else { "were" };
    let message = format!("reads {} that {were} never written", in_bytes(bytes));
    Fault::new(FaultKind::Uninitialised, message)
}
