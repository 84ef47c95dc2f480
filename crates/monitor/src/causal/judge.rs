//! Which store an access could miss: the newest write to its cell in its thread's past, if that is still
//! pending there.

use super::record::{Record, Word};
use super::{Causal, Delayed};
use crate::event::{Access, Address, Buffers, Kind, Op, Thread};
use std::iter::successors;

impl Causal {
    /// Judges an access to several cells. It may come after a store because of one cell and miss it in
    /// another, even if the store is not in its thread's past. So each conflicting access is tried as an
    /// addition to the past.
    #[cold]
    pub(super) fn judge_wide(&self, access: &Access, cells: &[Address]) -> Option<Delayed> {
        let thread = access.thread;
        let own = self.row_of(thread).map_or_else(|| vec![0; 2 * self.width], <[u32]>::to_vec);
        // `but` is a store that is known to have reached memory.
        let in_past = |row: &[u32], but: Option<usize>| {
            let mut found = cells.iter().filter_map(|cell| self.pending(thread, *cell, row));
            found.find(|found| Some(found.store) != but)
        };
        in_past(&own, None).or_else(|| {
            let writes = access.op != Op::Access(Kind::Read);
            let pairs = |cell: &Address| {
                let cell = *cell;
                self.conflicts(cell, writes).into_iter().map(move |number| (cell, number))
            };
            cells.iter().flat_map(pairs).find_map(|(cell, number)| {
                let mut row = self.after(&own, number);
                let through = Some(number as usize);
                let mut known = through;
                // If the conflicting access is a read of a pending store, that store must have left the buffer
                // for the read to come before the access.
                let is_read = self.records[number as usize].access.op == Op::Access(Kind::Read);
                if let Some(source) = self.pending(thread, cell, &row).filter(|_| is_read) {
                    let store = &self.records[source.store];
                    let committed = &mut row[self.width + source.thread.index()];
                    *committed = self.committed_with(store).max(*committed);
                    known = Some(source.store);
                }
                in_past(&row, known).map(|found| Delayed { through, ..found })
            })
        })
    }

    /// The newest write to a cell and, if the access writes, the reads since then.
    fn conflicts(&self, cell: Address, writes: bool) -> Vec<u32> {
        let word = self.words[cell.index()];
        let reads = self.listed(if writes { word.read } else { 0 });
        self.listed(word.write).take(1).chain(reads).collect()
    }

    /// The records of a list of a cell, from a link (an index plus 1) on.
    fn listed(&self, link: u32) -> impl Iterator<Item = u32> {
        let at = |link: u32| link.checked_sub(1).map(|n| &self.links[n as usize]);
        successors(at(link), move |link| at(link.before)).map(|link| link.record)
    }

    /// The join of a row with the row of a record that has reached memory.
    fn after(&self, row: &[u32], number: u32) -> Vec<u32> {
        let joined = row.iter().zip(self.row(number)).map(|(own, other)| *own.max(other));
        let mut joined: Vec<u32> = joined.collect();
        let record = &self.records[number as usize];
        let committed = &mut joined[self.width + record.access.thread.index()];
        *committed = self.committed_with(record).max(*committed);
        joined
    }

    /// The newest write to a cell in the past of a thread, if it is a store of another thread that nothing in
    /// this past commits. `row` is the past.
    #[inline]
    pub(super) fn pending(&self, thread: Thread, cell: Address, row: &[u32]) -> Option<Delayed> {
        let (number, read) = self.newest(cell, row)?;
        let write = &self.records[number as usize];
        let (owner, store) = (write.access.thread, write.store());
        if owner == thread || store <= row[self.width + owner.index()] {
            return None;
        }
        // Under PSO the clock does not record commits of single stores: a read by another thread is one.
        if self.buffers == Buffers::PerAddress {
            let alone = !self.cells.is_mixed(cell);
            if self.is_read(read, row, write) || !alone && self.is_seen(number, row) {
                return None;
            }
        }
        let (index, through) = (store - 1, None);
        Some(Delayed { store: number as usize, thread: owner, index, through })
    }

    /// The newest write to a cell in a past, and the newest read between that and the next write.
    #[inline]
    fn newest(&self, cell: Address, row: &[u32]) -> Option<(u32, u32)> {
        let mut word = *self.words.get(cell.index())?;
        loop {
            let link = self.links[word.write.checked_sub(1)? as usize];
            let write = &self.records[link.record as usize];
            // The write is in the past. Otherwise the one before it is tried, with the reads between the two.
            if write.index <= row[write.access.thread.index()] {
                return Some((link.record, word.read));
            }
            word = Word { write: link.before, read: link.reads };
        }
    }

    /// Whether another access has seen a part of a store in a past: a store leaves the buffer as a whole.
    #[cold]
    fn is_seen(&self, number: u32, row: &[u32]) -> bool {
        let write = &self.records[number as usize];
        let cells = self.cells.touched(write.access.addr, write.access.bytes);
        cells.iter().any(|cell| match self.newest(*cell, row) {
            Some((newest, read)) => newest != number || self.is_read(read, row, write),
            None => false,
        })
    }

    /// Whether a past contains a read, from `read` on, by a thread other than that of the write.
    fn is_read(&self, read: u32, row: &[u32], write: &Record) -> bool {
        self.listed(read).any(|number| {
            let reader = &self.records[number as usize];
            let thread = reader.access.thread;
            thread != write.access.thread && reader.index <= row[thread.index()]
        })
    }
}
