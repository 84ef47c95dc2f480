//! The syntax tree. The states of each thread are numbered in the order in which they first appear.

pub use raddle_ir::diag::At;
use raddle_ir::mnemonics;

/// A state of one thread, as an index into [`Thread::states`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub u32);

/// A register of one thread, as an index into [`Thread::registers`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegisterId(pub u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automata {
    pub threads: Vec<Thread>,
    pub goals: Vec<Goal>,
    /// The value of `memory_size`, and its place.
    pub memory_size: Option<(u32, At)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub name: String,
    pub at: At,
    pub initial: StateId,
    /// The states that `final` lines name.
    pub finals: Vec<StateId>,
    pub states: Vec<String>,
    pub registers: Vec<String>,
    /// In the order of the file.
    pub transitions: Vec<Transition>,
}

/// Threads, by their index in the file, and the states that they have to be in at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    pub places: Vec<(usize, StateId)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    pub from: StateId,
    pub to: StateId,
    pub instruction: Instruction,
    pub at: At,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instruction {
    Read { register: RegisterId, address: Expr },
    Write { value: Expr, address: Expr },
    Local { register: RegisterId, value: Expr },
    Check(Expr),
    Fence,
    Noop,
    Lock,
    Unlock,
}

mnemonics! {
    BinaryOp {
        Eq = "==", Ne = "!=", Lt = "<", Le = "<=", Gt = ">", Ge = ">=",
        And = "&&", Or = "||",
        Add = "+", Sub = "-", Mul = "*", BitAnd = "&",
    }
}

impl BinaryOp {
    /// The result for two constants.
    pub fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            BinaryOp::Eq => (a == b).into(),
            BinaryOp::Ne => (a != b).into(),
            BinaryOp::Lt => (a < b).into(),
            BinaryOp::Le => (a <= b).into(),
            BinaryOp::Gt => (a > b).into(),
            BinaryOp::Ge => (a >= b).into(),
            BinaryOp::And => (a != 0 && b != 0).into(),
            BinaryOp::Or => (a != 0 || b != 0).into(),
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::BitAnd => a & b,
        }
    }
}

/// An expression; at most [`crate::MAX_DEPTH`] deep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    Constant(i32),
    Register(RegisterId),
    Not(Box<Expr>),
    Binary(BinaryOp, Box<(Expr, Expr)>),
}

impl Expr {
    /// The value of the expression, if it contains no registers.
    pub fn constant(&self) -> Option<i32> {
        match self {
            Expr::Constant(value) => Some(*value),
            Expr::Register(_) => None,
            Expr::Not(of) => of.constant().map(|value| (value == 0).into()),
            Expr::Binary(op, of) => Some(op.apply(of.0.constant()?, of.1.constant()?)),
        }
    }
}
