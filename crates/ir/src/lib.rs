//! The one program form.
//!
//! Every front end lowers to this IR, every engine runs it. It is a register machine: functions of
//! basic blocks over dense, typed, mutable virtual registers (not SSA), byte-addressed memory with
//! explicit widths, and a source position on every instruction. It knows nothing of memory models:
//! accesses carry the order the program asked for, fences carry their kind, and what those mean is
//! for the models to say.
//!
//! | module | subject |
//! |---|---|
//! | [`types`] | scalar types |
//! | [`inst`] | instructions, operands, terminators; `uses`: what they read and write |
//! | [`words`] | operators, predicates, access orders, fence kinds, and how they are spelt |
//! | [`program`] | functions, blocks, globals, threads, observables |
//! | [`flow`] | the edges that close loops |
//! | [`cond`] | final conditions (`exists`, `forall`, …) over observables |
//! | [`builder`] | building functions without bookkeeping |
//! | [`text`] | the `.rir` text: printer and parser |
//! | [`verify`] | what "well-formed" means, rule by rule |
//! | [`diag`] | diagnostics with file, line, what was found and what was expected |

pub mod builder;
pub mod cond;
pub mod diag;
pub mod flow;
mod inputs;
pub mod inst;
pub mod program;
pub mod text;
pub mod types;
mod uses;
pub mod verify;
pub mod words;

pub use builder::{FunctionBuilder, ProgramBuilder};
pub use cond::{CmpOp, Condition, Prop, Quantifier, Term};
pub use diag::{Diagnostic, Severity, Span};
pub use inst::{Access, Callee, Inst, InstKind, Operand, Pred, Terminator, TerminatorKind};
pub use program::{
    Block, BlockId, FuncId, Function, Global, GlobalId, Goal, InitThread, Loc, LocId, Observable,
    ObservableId, Observed, Point, Program, Reg, RegInfo, ThreadIdx,
};
pub use types::Type;
pub use verify::{Malformed, Verified, verify};
pub use words::{
    BinOp, CastOp, FailKind, FenceKind, FloatPred, IntPred, Mnemonic, Order, RmwOp, UnOp,
};
