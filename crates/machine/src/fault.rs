//! What a program can do wrong, as values.

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
    /// Something that the machine cannot run.
    Unsupported,
}

/// A fault of the program under test, with words for its user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
}

impl Fault {
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into() }
    }
}
