//! The intermediate representation of all programs.
//!
//! Every front end lowers to this IR, every engine runs it. It is a register machine: functions of
//! basic blocks over dense, typed, mutable virtual registers (not SSA), byte-addressed memory with
//! explicit widths, and a source position on every instruction. It is independent of memory models:
//! accesses carry the order that the program asked for, fences carry their kind, and each model
//! defines what these mean.
//!
//! | module | subject |
//! |---|---|
//! | [`types`] | scalar types |
//! | [`inst`] | instructions, operands, terminators; `uses`: the operands they read and the registers they write |
//! | [`words`] | operators, predicates, access orders, fence kinds, and their spelling |
//! | [`program`] | functions, blocks, globals, threads, observables |
//! | [`source`] | types as the source declares them, for names and values in reports |
//! | [`flow`] | the edges that close loops |
//! | [`cond`] | final conditions (`exists`, `forall`, …) over observables |
//! | [`builder`] | builders for programs and functions |
//! | [`text`] | the `.rir` text: printer and parser |
//! | [`mod@verify`] | the rules that a well-formed program satisfies |
//! | [`mod@file`] | the kinds of files, by their extensions |
//! | [`mod@near`] | names that were probably meant |
//! | [`diag`] | diagnostics with file, line, the problem and the expected input |

pub mod builder;
pub mod cond;
pub mod diag;
pub mod file;
pub mod flow;
mod inputs;
pub mod inst;
pub mod near;
pub mod program;
pub mod source;
pub mod text;
pub mod types;
mod uses;
pub mod verify;
pub mod words;

pub use builder::{FunctionBuilder, ProgramBuilder};
pub use cond::{CmpOp, Condition, Prop, Quantifier, Term};
pub use diag::{Diagnostic, Severity, Span};
pub use file::FileKind;
pub use inst::{Access, Callee, Inst, InstKind, Operand, Pred, Terminator, TerminatorKind};
pub use program::{
    Block, BlockId, CallSite, FuncId, Function, Global, GlobalId, Goal, InitThread, Loc, LocId,
    Observable, ObservableId, Observed, Point, Program, Reg, RegInfo, ThreadIdx,
};
pub use source::{Member, Number, SourceId, SourceType};
pub use types::Type;
pub use verify::{Malformed, Verified, verify};
pub use words::{
    BinOp, CastOp, FailKind, FenceKind, FloatPred, IntPred, Mnemonic, Order, RmwOp, UnOp,
};
