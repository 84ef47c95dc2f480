//! The data stored for each operation and each cell.

use crate::event::{Access, Address, Kind, Op, Thread};

/// An operation that was pushed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub access: Access,
    /// The previous record of the same thread (for the first one: the spawn of the thread), plus 1.
    pub previous: u32,
    /// The index among its thread's records, from 1.
    pub index: u32,
    /// The number of stores of its thread, including this operation.
    pub stores: u32,
    /// The number of stores of its thread at its last store fence.
    pub fenced: u32,
    /// Where its part of the undo log begins.
    pub undo: u32,
}

impl Record {
    /// The index among its thread's stores, from 1; 0 if it is not a buffered store.
    #[inline]
    pub(super) fn store(&self) -> u32 {
        match self.access.op {
            Op::Access(Kind::Write) => self.stores,
            _ => 0,
        }
    }
}

/// An entry of a cell's list of accesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub record: u32,
    /// The previous entry of the same kind (write or read), plus 1.
    pub before: u32,
    /// For a write: the newest read before it since the previous write, plus 1.
    pub reads: u32,
}

/// A cell: its newest write and the newest read since then, as indices of links plus 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    pub write: u32,
    pub read: u32,
}

/// A change to undo.
#[derive(Clone, Copy, Debug)]
pub(super) enum Undo {
    /// The previous value of a cell.
    Cell(Address, Word),
    /// The previous last record of a thread other than the record's own: a spawned one.
    Last(Thread, u32),
}
