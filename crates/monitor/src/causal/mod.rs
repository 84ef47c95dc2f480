//! The monitors, made independent of the order in which events are shown.
//!
//! A search that visits each trace once shows its events in one order. Paper 001 guarantees a violation on
//! *some* run, prefixes included: a read by a third thread that is shown early commits a store which would
//! be pending on a run without that read. So each access is judged here on its causal past alone: on the
//! run of exactly the events that happen before *prev*, the last event of the access's thread, and *prev*
//! itself. That run is a prefix of an execution under SC, and the access is the next operation of its
//! thread. Among all runs in which the store happens before *prev*, it commits the fewest stores. Every such
//! past is part of some complete trace. There the access is the next event of its thread, or the operation
//! at which the thread waits in the end ([`Causal::would`]). So a search that visits every complete trace
//! sees every violation.
//!
//! A second vector clock records the commits of a past: how many stores of each thread must have left the
//! buffer. It propagates like happens-before. An access adds the newest write of another thread to its
//! bytes (TSO: with all earlier stores of that thread; PSO: with those before its last store fence). A fence
//! adds all stores of its own thread. Under PSO a store may be committed alone; whether it was, follows from
//! the threads that have read it.
//!
//! Everything can be undone in reverse order ([`Causal::truncate`]), so that a search pays only for the new
//! part of an execution. A change of the cells starts over: see [`Causal::prepare`].
//!
//! | module | subject |
//! |---|---|
//! | this one | the recorded operations, in order, and their undo |
//! | [`record`] | the data stored for each operation and each cell |
//! | [`judge`] | which store an access could miss |
//! | [`clocks`] | the records that a record has seen, and the stores that this commits |
//!
//! Beyond the paper: accesses of different sizes. If the newest pending store of a load's own thread covers
//! the load in part, the load waits until that store has left (TSO). Under PSO, overlapping stores of one
//! thread keep their order, which the clocks cannot express: then [`Causal::is_mixed`] holds, and the answer
//! is not complete.

mod clocks;
mod judge;
mod record;

use crate::cells::{Cells, Run};
use crate::event::{Access, Address, Buffers, Kind, Op, Thread};
use raddle_budget::Budget;
use record::{Link, Record, Undo, Word};

/// A store that could be delayed past the access it was found with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delayed {
    /// The position of the store among the pushed operations.
    pub store: usize,
    pub thread: Thread,
    /// The index of the store among its thread's stores, from 0.
    pub index: u32,
    /// Another access to part of the same bytes that the access comes after, if the violation needs it in
    /// addition to the past of the thread.
    pub through: Option<usize>,
}

/// The cells that an operation touches.
#[derive(Clone, Copy, Debug)]
enum Touched {
    One(Address),
    /// None or several: [`Cells::of`] lists them.
    Many,
}

/// The causal monitor.
#[derive(Clone, Debug)]
pub struct Causal {
    buffers: Buffers,
    cells: Cells,
    words: Vec<Word>,
    links: Vec<Link>,
    records: Vec<Record>,
    /// One row for each record: `width` entries for the records it has seen of each thread, then `width`
    /// entries for the stores of each thread that this commits.
    rows: Vec<u32>,
    width: usize,
    /// The last record of each thread, plus 1.
    last: Vec<u32>,
    undo: Vec<Undo>,
    /// The operations that [`Causal::prepare`] announced.
    coming: Vec<(Access, Touched)>,
    mixed: bool,
}

impl Causal {
    pub fn new(buffers: Buffers) -> Causal {
        Causal {
            buffers,
            cells: Cells::default(),
            words: Vec::new(),
            links: Vec::new(),
            records: Vec::new(),
            rows: Vec::new(),
            width: 4,
            last: Vec::new(),
            undo: Vec::new(),
            coming: Vec::new(),
            mixed: false,
        }
    }

    /// Limits the memory of the tables by a budget: see [`Cells`].
    #[must_use]
    pub fn within(self, budget: &Budget) -> Causal {
        Causal { cells: Cells::within(budget), ..self }
    }

    /// Whether an operation occurred that is not judged exactly: under PSO, accesses of one thread that
    /// overlap but do not have the same bytes.
    pub fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// Announces the operations that will be pushed and allocates their cells. Returns false if existing
    /// cells or rows had to change: then all records are dropped, and the caller has to prepare and push
    /// everything again.
    pub fn prepare(&mut self, accesses: &[Access]) -> bool {
        self.coming.clear();
        let (mut split, mut threads) = (false, self.last.len());
        for access in accesses {
            split |= self.expect(access);
            threads = threads.max(access.thread.index() + 1);
            if let Op::Spawn(other) | Op::Join(other) | Op::Woken(other) = access.op {
                threads = threads.max(other.index() + 1);
            }
        }
        let widens = threads > self.width;
        // A split cell invalidates the lists of its accesses, and a new width the layout of the rows.
        if split || widens {
            self.truncate(0);
            self.width = threads.next_power_of_two().max(self.width);
        }
        self.last.resize(threads, 0);
        self.words.resize(self.cells.len(), Word::default());
        !(split || widens)
    }

    /// Announces one operation. Returns true if a cell was split.
    #[inline]
    fn expect(&mut self, access: &Access) -> bool {
        let Access { op, addr, bytes, .. } = *access;
        if bytes > 0
            && let Some(cell) = self.cells.single(addr, bytes)
        {
            self.coming.push((*access, Touched::One(cell)));
            return false;
        }
        let plain = matches!(op, Op::Access(Kind::Read | Kind::Write));
        let split = self.cells.add(addr, bytes, plain);
        let touched = match self.cells.of(addr, bytes) {
            [cell] => Touched::One(*cell),
            _ => Touched::Many,
        };
        self.coming.push((*access, touched));
        split
    }

    /// Undoes all but the first `len` records.
    pub fn truncate(&mut self, len: usize) {
        while self.records.len() > len {
            let Some(record) = self.records.pop() else { return };
            while self.undo.len() > record.undo as usize {
                match self.undo.pop() {
                    Some(Undo::Cell(cell, word)) => {
                        self.words[cell.index()] = word;
                        // Each change of a cell pushed exactly one link.
                        self.links.pop();
                    }
                    Some(Undo::Last(thread, last)) => self.last[thread.index()] = last,
                    None => {}
                }
            }
            self.last[record.access.thread.index()] = record.previous;
        }
        self.rows.truncate(self.records.len() * 2 * self.width);
    }

    /// The store that the `n`-th prepared operation could miss, if any. All prepared operations before it
    /// must have been pushed.
    #[inline]
    pub fn judge(&mut self, n: usize) -> Option<Delayed> {
        let (access, touched) = self.coming[n];
        let Op::Access(_) = access.op else { return None };
        match touched {
            Touched::One(cell) => self.pending(access.thread, cell, self.row_of(access.thread)?),
            Touched::Many => {
                let cells = Run::from_slice(self.cells.of(access.addr, access.bytes));
                self.judge_wide(&access, &cells)
            }
        }
    }

    /// Records the `n`-th prepared operation as the next one of its thread.
    pub fn push(&mut self, n: usize) {
        let (access, touched) = self.coming[n];
        let thread = access.thread;
        let previous = self.last[thread.index()];
        let before = previous.checked_sub(1).map(|n| &self.records[n as usize]);
        let (index, stores, fenced) = match before {
            // The record of another thread is the spawn that started this one.
            Some(spawn) if spawn.access.thread != thread => (1, 0, 0),
            Some(before) => (before.index + 1, before.stores, before.fenced),
            None => (1, 0, 0),
        };
        let undo = self.undo.len() as u32;
        let mut record = Record { access, previous, index, stores, fenced, undo };
        // The new row starts as a copy of the previous one, and is joined with the rows of the operations that
        // this one comes after. The helpers below all work on this last row.
        self.new_row(previous);
        match access.op {
            Op::Access(kind) => self.access(&mut record, kind, touched),
            Op::Fence | Op::Spawn(_) => self.drain(thread, stores),
            Op::StoreFence => record.fenced = stores,
            Op::Join(child) => {
                self.drain(thread, stores);
                self.join_thread(child, true);
            }
            Op::Woken(other) => self.join_thread(other, false),
        }
        // Last, because `see` compares with the number of records seen before this one.
        let row = self.records.len() * 2 * self.width;
        self.rows[row + thread.index()] = index;
        self.records.push(record);
        self.last[thread.index()] = self.records.len() as u32;
        if let Op::Spawn(child) = access.op {
            self.undo.push(Undo::Last(child, self.last[child.index()]));
            self.last[child.index()] = self.records.len() as u32;
        }
    }

    /// The store that an access could miss if it were the next operation of its thread.
    pub fn would(&self, access: &Access) -> Option<Delayed> {
        let cells = self.cells.touched(access.addr, access.bytes);
        match cells[..] {
            [cell] => self.pending(access.thread, cell, self.row_of(access.thread)?),
            _ => self.judge_wide(access, &cells),
        }
    }

    /// The records in the causal past of a thread's last record, and of the record `through`.
    pub fn past(&self, thread: Thread, through: Option<usize>) -> Vec<usize> {
        let rows = self.row_of(thread).into_iter().chain(through.map(|n| self.row(n as u32)));
        let rows: Vec<&[u32]> = rows.collect();
        let seen = |record: &Record| {
            rows.iter().any(|row| record.index <= row[record.access.thread.index()])
        };
        (0..self.records.len()).filter(|n| seen(&self.records[*n])).collect()
    }

    /// Updates the newest row and the cells for an access.
    fn access(&mut self, record: &mut Record, kind: Kind, touched: Touched) {
        let Access { thread, addr, bytes, .. } = record.access;
        match kind {
            Kind::Read => {}
            Kind::Write => record.stores += 1,
            Kind::Interlocked => self.drain(thread, record.stores),
        }
        match touched {
            Touched::One(cell) => self.touch(record, kind, cell),
            Touched::Many => {
                for cell in Run::from_slice(self.cells.of(addr, bytes)) {
                    self.touch(record, kind, cell);
                }
            }
        }
    }

    /// Updates the newest row and one cell for an access. This is the hottest function of the monitor.
    #[inline]
    fn touch(&mut self, record: &Record, kind: Kind, cell: Address) {
        let thread = record.access.thread;
        let word = self.words[cell.index()];
        if let Some(link) = word.write.checked_sub(1).map(|n| self.links[n as usize]) {
            let write = self.records[link.record as usize];
            if write.access.thread == thread {
                if self.cells.is_mixed(cell) {
                    self.own(record, kind, word.write);
                }
            } else {
                // The access comes after the newest write. All earlier writes happen before that one, so
                // one join is enough. The write is in memory now, and so is everything it commits.
                self.see(link.record, &write);
                self.drain(write.access.thread, self.committed_with(&write));
            }
        }
        // A write also comes after the reads since the newest write.
        if kind != Kind::Read {
            let mut read = word.read;
            while let Some(link) = read.checked_sub(1).map(|n| self.links[n as usize]) {
                let reader = self.records[link.record as usize];
                self.see(link.record, &reader);
                read = link.before;
            }
        }
        // Links are only appended, so saving the old heads of the lists is enough to undo this.
        self.undo.push(Undo::Cell(cell, word));
        let record = self.records.len() as u32;
        let (before, reads) = match kind {
            Kind::Read => (word.read, 0),
            _ => (word.write, word.read),
        };
        self.links.push(Link { record, before, reads });
        let link = self.links.len() as u32;
        self.words[cell.index()] = match kind {
            Kind::Read => Word { read: link, ..word },
            _ => Word { write: link, read: 0 },
        };
    }

    /// Handles an access of a thread to a cell that it has written itself, with accesses of different sizes:
    /// a load waits for pending stores that cover it in part.
    fn own(&mut self, record: &Record, kind: Kind, mut write: u32) {
        let Access { thread, addr, bytes, .. } = record.access;
        let committed = self.rows[self.rows.len() - self.width + thread.index()];
        while let Some(link) = write.checked_sub(1).map(|n| self.links[n as usize]) {
            let earlier = self.records[link.record as usize];
            let store = earlier.store();
            if earlier.access.thread != thread || store != 0 && store <= committed {
                return;
            }
            // A load reads from the newest store that covers it, and does not wait for older ones.
            let same = (earlier.access.addr, earlier.access.bytes) == (addr, bytes);
            if kind == Kind::Read && covers(&earlier.access, &record.access) {
                return;
            }
            if store != 0 && kind != Kind::Interlocked && !same {
                self.overlap(&earlier, record, kind);
            }
            write = link.before;
        }
    }

    /// Handles a pending store that an access of the same thread overlaps but does not equal.
    fn overlap(&mut self, store: &Record, later: &Record, kind: Kind) {
        match (self.buffers, kind) {
            (Buffers::PerThread, Kind::Read) => self.drain(later.access.thread, store.stores),
            (Buffers::PerThread, _) => {}
            (Buffers::PerAddress, _) => self.mixed = true,
        }
    }
}

/// Whether the bytes of `access` include those of `other`.
fn covers(access: &Access, other: &Access) -> bool {
    let end = |access: &Access| access.addr.saturating_add(access.bytes.into());
    access.addr <= other.addr && end(other) <= end(access)
}
