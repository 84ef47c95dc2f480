//! Rows: for each record, how many of each thread's records it has seen, and how many of each thread's
//! stores that commits.

use super::Causal;
use super::record::Record;
use crate::event::{Buffers, Thread};

impl Causal {
    #[inline]
    pub(super) fn row(&self, record: u32) -> &[u32] {
        &self.rows[record as usize * 2 * self.width..][..2 * self.width]
    }

    #[inline]
    pub(super) fn row_of(&self, thread: Thread) -> Option<&[u32]> {
        Some(self.row(self.last.get(thread.index())?.checked_sub(1)?))
    }

    /// How many stores of its thread have left once others have seen a record.
    #[inline]
    pub(super) fn committed_with(&self, record: &Record) -> u32 {
        match self.buffers {
            // What is past the buffer is after its thread's stores anyway.
            Buffers::PerThread => record.store(),
            Buffers::PerAddress => record.fenced,
        }
    }

    /// A row for a record to come, as that of an earlier one.
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

    /// The newest row has seen what another has.
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

    /// The newest row commits a thread's stores up to one.
    #[inline]
    pub(super) fn drain(&mut self, thread: Thread, stores: u32) {
        let at = self.rows.len() - self.width + thread.index();
        self.rows[at] = self.rows[at].max(stores);
    }

    /// The newest row has seen all of a thread, which may have ended: its stores have left.
    pub(super) fn join_thread(&mut self, thread: Thread, ended: bool) {
        let Some(last) = self.last[thread.index()].checked_sub(1) else { return };
        let record = self.records[last as usize];
        self.join_row(last);
        if ended && record.access.thread == thread {
            self.drain(thread, record.stores);
        }
    }

    /// The newest row has seen a record.
    #[inline]
    pub(super) fn see(&mut self, number: u32, record: &Record) {
        let row = self.rows.len() - 2 * self.width;
        if self.rows[row + record.access.thread.index()] < record.index {
            self.join_row(number);
        }
    }
}
