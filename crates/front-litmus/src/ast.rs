//! The syntax of a litmus test, as written.
//!
//! Instructions are kept as a mnemonic and a list of operands in one notation that covers the
//! assembly dialects of all architectures; the lowering gives them a meaning.
//! Every node that a diagnostic or an IR position may point to carries its [`At`].

use crate::Arch;
pub use raddle_ir::diag::At;
use raddle_ir::{Condition, Prop};

/// A name with its place: a register, a location or a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub at: At,
    /// Whether the name has a percent sign: a symbolic register (`%x0`).
    pub symbolic: bool,
}

/// A whole test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LitmusTest {
    /// The file, as the user named it.
    pub file: String,
    pub arch: Arch,
    pub name: String,
    /// The quoted description, without its quotes.
    pub doc: Option<String>,
    /// The `Key=Value` lines of the header.
    pub metadata: Vec<(String, String)>,
    pub init: Vec<InitItem>,
    pub threads: Vec<Thread>,
    pub locations: Vec<ListedPlace>,
    pub condition: Option<Final>,
}

/// A register or a memory location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    Register {
        thread: u32,
        /// The place of the thread number.
        thread_at: At,
        name: Name,
    },
    /// A symbolic register without a thread: it stands for the register of every thread that uses it.
    Symbolic(Name),
    Memory(Name),
}

impl Location {
    pub fn at(&self) -> At {
        match self {
            Location::Register { thread_at, name, .. } => thread_at.to(name.at),
            Location::Symbolic(name) | Location::Memory(name) => name.at,
        }
    }
}

/// The declared type of a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclType {
    /// An integer of this many bits: 8, 16, 32 or 64.
    Int(u8),
    Pointer,
}

impl DeclType {
    /// Whether a value needs 64 bits in memory.
    pub fn is_wide(self) -> bool {
        matches!(self, DeclType::Pointer | DeclType::Int(64))
    }
}

/// One item of the initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InitItem {
    pub place: Location,
    pub ty: Option<DeclType>,
    pub value: Option<Value>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Int {
        value: i128,
        at: At,
    },
    /// The address of a location.
    Address(Name),
}

/// An entry of `locations [...]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedPlace {
    pub place: Location,
    /// Marked with `*`: the location holds an address.
    pub pointer: bool,
}

/// One column of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub at: At,
    pub lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    Label(Name),
    Inst(Inst),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inst {
    pub at: At,
    /// Whether the instruction has the prefix `LOCK`.
    pub lock: bool,
    /// In lower case.
    pub mnemonic: String,
    pub args: Vec<Arg>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arg {
    pub at: At,
    pub kind: ArgKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// A register, a label, or a keyword of the instruction (`DMB ISH`).
    Name(Name),
    Int(i128),
    Mem(Mem),
}

/// `[base]`, `[base,index]`, `[base,#disp]`, `[base+disp]`, `(base)`, `disp(base)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mem {
    pub base: Name,
    pub index: Option<Name>,
    pub disp: i128,
    /// Written with a `!`: the base register becomes the address.
    pub writeback: bool,
}

/// The final condition.
pub type Final = Condition<Location, TermAst>;
pub type PropAst = Prop<Location, TermAst>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermAst {
    Location(Location),
    Value(Value),
}
