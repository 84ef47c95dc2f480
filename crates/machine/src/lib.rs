//! The virtual machine and its trail.
//!
//! The machine runs one thread at a time up to its next *visible* operation (one that touches
//! shared memory, a lock, another thread, or a choice) and stops before it. An engine decides when it
//! happens: it reads the operation with [`Machine::visible`], has its effect from [`operation`],
//! acts on [`memory`], and lets the thread go on with [`Machine::complete`]. Everything that changes on the way is a word of the [`trail::Trail`], so
//! one `backtrack` undoes it.
//!
//! Invariants:
//! - Every word that can differ between two executions is changed through the trail. Regions of
//!   words are reserved for good: going back restores their contents, never their place.
//! - Names of threads and objects are functions of the program's own history: a thread is known by
//!   its parent and how many threads that one had spawned before, an object by its thread and how
//!   many that one had allocated before. The dense numbers behind those names are given on first
//!   use and kept, so they mean the same in every execution of one search.
//! - A program's fault ([`Fault`]) is a value; a bug of the machine is a panic.
//!
//! | module | subject |
//! |---|---|
//! | [`trail`] | words and the undo log |
//! | [`layout`] | how addresses are made |
//! | [`code`], [`decode`] | the program as a flat array of operations |
//! | [`eval`] | arithmetic |
//! | [`memory`] | objects, bytes, cells |
//! | [`thread`], `threads` | thread records, spawning, waking |
//! | `frames` | registers, calls, returns |
//! | `objects` | allocations |
//! | `private` | accesses to objects of one thread, as local steps |
//! | `format`, `output` | C's formatted text, and what becomes of it |
//! | [`visible`], `operations` | what a thread is about to do, and finishing it |
//! | [`operation`] | the effect of each visible operation, and its faults |
//! | `fault` | what a program did wrong |
//! | `run` | local steps |
//! | `quick` | those that take the short way |
//! | `loops`, [`live`], [`spin`] | where loops are, what is still read there, and whether one went round for nothing |
//! | `exits` | whether a loop has a way out |
//! | `unroll`, `counting` | which loops are bounded, and which end by themselves |
//! | `owners` | whose an object is, what a thread is about to touch |
//! | [`codec`], `needed` | states as strings of bytes; what is left out of them |
//! | `goals` | threads stop where a goal asks for them |
//! | `passed` | what threads went past, read off the undo log |
//! | [`snapshot`] | pictures of the state, for tests |
//! | [`machine`] | the whole |

pub mod code;
pub mod codec;
mod counting;
pub mod decode;
mod ends;
pub mod eval;
mod exits;
mod fault;
mod format;
mod frames;
mod goals;
pub mod layout;
pub mod live;
mod loops;
pub mod machine;
pub mod memory;
mod needed;
mod objects;
pub mod operation;
mod operations;
mod output;
mod owners;
mod passed;
mod private;
mod quick;
mod run;
pub mod snapshot;
pub mod spin;
pub mod thread;
mod threads;
pub mod trail;
mod unroll;
pub mod visible;

pub use eval::{int_pred, rmw_result};
pub use exits::loop_body;
pub use fault::{Fault, FaultKind, NoAccess, NoFree, in_bytes};
pub use loops::{has_loops, may_wait};
pub use machine::{Bounds, Machine};
pub use operation::{Change, LockFault, Needs, StrongStore, Touch};
pub use operations::{QuickLoad, QuickStore, Reached};
pub use output::Formatted;
pub use passed::{Allocation, Passed, PassedOp};
pub use run::{STRETCH, Stop};
pub use spin::{Rounds, Spin, Watch};
pub use thread::{Status, ThreadId};
pub use threads::word;
pub use trail::{Mark, Trail, Word};
pub use unroll::{LoopBound, Unroll, loop_places};
pub use visible::{Ending, Visible};
