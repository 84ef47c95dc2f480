//! The virtual machine and its trail.
//!
//! The machine runs one thread at a time up to its next *visible* operation (on shared memory, a lock or
//! another thread, or a choice) and stops before it. An engine decides when the operation happens: it reads
//! the operation with [`Machine::visible`], takes its effect from [`operation`], changes [`memory`], and lets
//! the thread continue with [`Machine::complete`]. All state is in words of the [`trail::Trail`], so one
//! `backtrack` undoes everything.
//!
//! Invariants:
//! - Every word that can differ between two executions is changed through the trail. Reserved words are never
//!   freed: backtracking restores their contents, not their place.
//! - Threads and objects are identified by the history of the program: a thread by its parent and the number
//!   of threads that the parent spawned before, an object by its thread and the number of objects that the
//!   thread allocated before. Each identity gets a dense number on first use and keeps it, so the number
//!   means the same in every execution of one search.
//! - A fault of the program ([`Fault`]) is a value; a bug of the machine is a panic.
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
//! | `objects`, `names` | allocations; machines that search together give the same numbers |
//! | `private` | accesses to objects of one thread, as local steps |
//! | `format`, `output` | C's formatted text, and where it goes |
//! | [`visible`], `operations` | the next operation of a thread, and its completion |
//! | [`operation`] | the effect of each visible operation, and its faults |
//! | `fault` | faults of programs |
//! | `run` | local steps |
//! | `quick` | fast local steps |
//! | `loops`, [`live`], [`spin`] | loops, the live registers at their heads, and rounds without effect |
//! | `exits` | whether a loop has a way out |
//! | `unroll`, `counting` | which loops are bounded, and which end without a bound |
//! | `ends` | objects that end with their thread |
//! | `owners` | the owners of objects, the address of the next access |
//! | [`codec`], `needed` | states encoded as bytes; the words that are left out |
//! | `goals` | threads pause at the places of goals |
//! | `passed` | the operations that threads have passed, read from the undo log |
//! | [`machine`] | the whole machine |

mod calls;
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
mod label;
pub mod layout;
pub mod live;
mod loops;
pub mod machine;
pub mod memory;
mod names;
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
pub mod spin;
pub mod thread;
mod threads;
pub mod trail;
mod unroll;
pub mod visible;

pub use calls::{Calls, Frame};
pub use eval::{int_pred, rmw_result};
pub use exits::loop_body;
pub use fault::{FailureKind, Fault, NoAccess, NoFree, in_bytes};
pub use label::child_name;
pub use loops::{has_loops, loops_without_end, may_wait};
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
