//! What is kept of each operation and of each cell.

use crate::event::{Access, Address, Kind, Op, Thread};

/// Something that was pushed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub access: Access,
    /// The record of the same thread before, plus 1.
    pub previous: u32,
    /// Which of its thread's records it is, from 1.
    pub index: u32,
    /// Stores that its thread has made, this one included, and had made at its last store fence.
    pub stores: u32,
    pub fenced: u32,
    /// Where its part of the undo log begins.
    pub undo: u32,
}

impl Record {
    /// Which of its thread's stores it is, from 1; 0: none that was buffered.
    #[inline]
    pub fn store(&self) -> u32 {
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
    /// The entry before, plus 1: of a write, the write before; of a read, the read before.
    pub before: u32,
    /// Of a write: the newest read before it, plus 1.
    pub reads: u32,
}

/// A cell: its newest write and the newest read since, as links plus 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    pub write: u32,
    pub read: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Undo {
    Cell(Address, Word),
    /// The last record of another thread than the record's own.
    Last(Thread, u32),
}
