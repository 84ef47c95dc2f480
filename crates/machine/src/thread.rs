//! Thread records and frames.
//!
//! The record of a thread holds its status, its program counter, and its counters of objects and threads.
//! Frames lie in chunks of words that always belong to the thread. A frame is a header, with the return
//! address, and the slots of the function.

use crate::layout::ObjectId;
use crate::trail::Word;
use raddle_ir::{FuncId, GlobalId};
use serde::{Deserialize, Serialize};

/// Dense number of a thread: initial threads first, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ThreadId(pub u32);

/// The state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not (yet) spawned in this execution.
    Absent,
    /// Before a visible operation.
    Ready,
    Finished,
    /// Stopped by a fault.
    Failed,
    /// Stopped by an `assume` that did not hold.
    Blocked,
    /// Stopped by the bound on local steps.
    OutOfSteps,
    /// Stopped by the bound on visible operations without an event.
    OutOfOperations,
    /// Stopped by the bound on events.
    OutOfEvents,
    /// Has ended the program.
    Halted,
    /// Stopped at the head of a loop whose next round would have no effect.
    Spinning,
    /// Stopped by the bound on iterations.
    Unrolled,
}

impl Status {
    /// In the order of their numbers.
    pub const ALL: [Status; 11] = [
        Status::Absent,
        Status::Ready,
        Status::Finished,
        Status::Failed,
        Status::Blocked,
        Status::OutOfSteps,
        Status::OutOfOperations,
        Status::OutOfEvents,
        Status::Halted,
        Status::Spinning,
        Status::Unrolled,
    ];
}

/// The most threads that all executions of one search may have together.
pub const MAX_THREADS: u32 = 1024;
/// Words of a thread's record. Records lie at the start of the trail, in order, so the place of a word is
/// computed without a lookup.
pub const RECORD: u32 = 32;
/// The first word of a record that belongs to the engine.
pub const ENGINE: u32 = 12;
const _: () = assert!(field::COUNT <= ENGINE);

/// Offsets of a thread's words.
pub(crate) mod field {
    pub(crate) const STATUS: u32 = 0;
    pub(crate) const PC: u32 = 1;
    /// First word of the current frame.
    pub(crate) const FRAME: u32 = 2;
    /// First free word of the current chunk, and which chunk that is.
    pub(crate) const TOP: u32 = 3;
    pub(crate) const CHUNK: u32 = 4;
    /// The number of objects that it has allocated, and of threads that it has spawned.
    pub(crate) const OBJECTS: u32 = 5;
    pub(crate) const SPAWNED: u32 = 6;
    /// The result of the thread.
    pub(crate) const RESULT: u32 = 7;
    /// Its progress in a wait on a condition variable: see [`crate::visible`].
    pub(crate) const PHASE: u32 = 8;
    /// The number of its changes that some thread can observe: see [`crate::spin`].
    pub(crate) const CHANGES: u32 = 9;
    pub(crate) const COUNT: u32 = 10;
}

/// Offsets of a frame's header.
pub(crate) mod frame {
    pub(crate) const RETURN_PC: u32 = 0;
    /// Word 0 of the caller's frame, or 0 in the outermost frame.
    pub(crate) const CALLER: u32 = 1;
    /// The caller's slot for the result, plus 1, and its width in bits from bit 32; 0 for none.
    pub(crate) const RESULT: u32 = 2;
    /// The thread's `TOP` and `CHUNK` before the call.
    pub(crate) const TOP: u32 = 3;
    pub(crate) const CHUNK: u32 = 4;
    /// The newest object of the frame, plus 1; they form a list.
    pub(crate) const ALLOCAS: u32 = 5;
    pub(crate) const SLOTS: u32 = 6;
}

pub(crate) const CHUNK_WORDS: u32 = 256;
/// The most words of stack of a thread: enough for every program without endless recursion.
pub(crate) const MAX_STACK: u32 = 1 << 22;

/// The data of a thread that backtracking does not change.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub name: String,
    /// The function and the first argument that its name was made from.
    pub runs: Option<(FuncId, Option<u128>)>,
    pub func: Option<FuncId>,
    /// The numbers of the threads it spawned and the objects it allocated, by order.
    pub children: Vec<ThreadId>,
    pub objects: Vec<ObjectId>,
    pub thread_locals: Vec<(GlobalId, ObjectId)>,
    /// Chunks of frames: first word and length.
    pub chunks: Vec<(Word, u32)>,
}
