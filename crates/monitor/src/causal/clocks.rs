//! The rows of the records. A row has, for each thread, the number of its records that this record has
//! seen, and the number of its stores that this commits.

use super::Causal;
use super::record::Record;
use crate::event::{Buffers, Thread};

impl Causal {
    /// The row of a record.
    #[inline]
    pub(super) fn row(&self, record: u32) -> &[u32] {
        &self.rows[record as usize * 2 * self.width..][..2 * self.width]
    }

    /// The row of the last record of a thread.
    #[inline]
    pub(super) fn row_of(&self, thread: Thread) -> Option<&[u32]> {
        Some(self.row(self.last.get(thread.index())?.checked_sub(1)?))
    }

    /// The number of stores of its thread that have left the buffer once another thread has seen a record.
    #[inline]
    pub(super) fn committed_with(&self, record: &Record) -> u32 {
        match self.buffers {
            // For an interlocked operation this is 0: its own row already commits all earlier stores.
            Buffers::PerThread => record.store(),
            Buffers::PerAddress => record.fenced,
        }
    }

    /// Appends a row for the next record, as a copy of the row of `previous` (an index plus 1).
    #[inline]
    pub(super) fn new_row(&mut self, previous: u32) {
        let len = 2 * self.width;
        match previous.checked_sub(1) {
            Some(before) => {
                let start = before as usize * len;
                self.rows.extend_from_within(start..start + len);
            }
            None => self.rows.resize(self.rows.len() + len, 0),
        }
    }

    /// Joins the row of a record into the newest row.
    #[inline]
    pub(super) fn join_row(&mut self, record: u32) {
        let len = 2 * self.width;
        let start = self.rows.len() - len;
        let (before, row) = self.rows.split_at_mut(start);
        let other = &before[record as usize * len..][..len];
        for (entry, other) in row.iter_mut().zip(other) {
            *entry = (*entry).max(*other);
        }
    }

    /// Makes the newest row commit the first `stores` stores of a thread.
    #[inline]
    pub(super) fn drain(&mut self, thread: Thread, stores: u32) {
        let at = self.rows.len() - self.width + thread.index();
        self.rows[at] = self.rows[at].max(stores);
    }

    /// Joins the last row of a thread into the newest row. If the thread has ended, all its stores have left.
    pub(super) fn join_thread(&mut self, thread: Thread, ended: bool) {
        let Some(last) = self.last[thread.index()].checked_sub(1) else { return };
        let record = self.records[last as usize];
        self.join_row(last);
        if ended && record.access.thread == thread {
            self.drain(thread, record.stores);
        }
    }

    /// Joins the row of a record into the newest row, unless that has seen the record. A row that has seen a
    /// record has seen everything before it, so one comparison saves most joins.
    #[inline]
    pub(super) fn see(&mut self, number: u32, record: &Record) {
        let row = self.rows.len() - 2 * self.width;
        if self.rows[row + record.access.thread.index()] < record.index {
            self.join_row(number);
        }
    }
}
