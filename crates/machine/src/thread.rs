//! Thread records and frames.
//!
//! A thread's words are its status, its place in the code, and its counters of named things. Frames
//! are runs of words in chunks that belong to the thread for good; a frame is a header (where to
//! return to) and the function's slots.

use crate::layout::ObjectId;
use crate::trail::Word;
use raddle_ir::{FuncId, GlobalId};
use serde::{Deserialize, Serialize};

/// Dense number of a thread: initial threads first, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ThreadId(pub u32);

/// What a thread is doing.
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
    /// It ended the program.
    Halted,
    /// Stopped at the head of a loop that would go round for nothing.
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

/// Threads that the executions of one search may have, all together.
pub const MAX_THREADS: u32 = 1024;
/// Words of a thread's record. Records lie at the start of the trail, in order, so that a thread's
/// words are found without a look at anything else.
pub const RECORD: u32 = 32;
/// The first word of a record that is the engine's.
pub const ENGINE: u32 = 12;
const _: () = assert!(field::COUNT <= ENGINE);

/// Offsets of a thread's words.
pub(crate) mod field {
    pub const STATUS: u32 = 0;
    pub const PC: u32 = 1;
    /// First word of the current frame.
    pub const FRAME: u32 = 2;
    /// First free word of the current chunk, and which chunk that is.
    pub const TOP: u32 = 3;
    pub const CHUNK: u32 = 4;
    /// How many objects it has allocated, and how many threads it has spawned.
    pub const OBJECTS: u32 = 5;
    pub const SPAWNED: u32 = 6;
    /// What it returned.
    pub const RESULT: u32 = 7;
    /// How far it is in a wait on a condition variable: see [`crate::visible`].
    pub const PHASE: u32 = 8;
    /// What it has done that can make a difference to anyone, counted: see [`crate::spin`].
    pub const CHANGES: u32 = 9;
    pub const COUNT: u32 = 10;
}

/// Offsets of a frame's header.
pub(crate) mod frame {
    pub const RETURN_PC: u32 = 0;
    /// Word 0 of the caller's frame, or 0 in the outermost frame.
    pub const CALLER: u32 = 1;
    /// The caller's slot for the result, plus 1, and its width in bits from bit 32; 0 for none.
    pub const RESULT: u32 = 2;
    /// The thread's `TOP` and `CHUNK` before the call.
    pub const TOP: u32 = 3;
    pub const CHUNK: u32 = 4;
    /// The newest object of the frame, plus 1; they form a list.
    pub const ALLOCAS: u32 = 5;
    pub const SLOTS: u32 = 6;
}

pub(crate) const CHUNK_WORDS: u32 = 256;
/// Words of stack that a thread may use: deep enough for any program that means to end.
pub(crate) const MAX_STACK: u32 = 1 << 22;

/// What is known of a thread for good.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub name: String,
    pub func: Option<FuncId>,
    /// The numbers of the threads it spawned and the objects it allocated, by order.
    pub children: Vec<ThreadId>,
    pub objects: Vec<ObjectId>,
    pub thread_locals: Vec<(GlobalId, ObjectId)>,
    /// Chunks of frames: first word and length.
    pub chunks: Vec<(Word, u32)>,
}
