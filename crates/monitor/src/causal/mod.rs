//! The monitors, made independent of the order in which events are shown.
//!
//! A search that visits each trace once shows its events in one order. Paper 001 promises a violation
//! on *some* run, prefixes included: a read by a third thread that is shown early commits a store
//! which, on a run without that read, would have been pending. So each access is judged here on its
//! causal past alone: on the run of exactly the events that happen before *prev*, the last event of
//! the access's thread. That is a prefix of an execution under SC, what its thread does next is the
//! access, and among all runs in which the store happens before *prev* it is the one that commits
//! least. Every such past is part of some complete trace, and there the access is its thread's next
//! event, or what the thread waits to do in the end ([`Causal::would`]). So a search that visits
//! every complete trace sees every violation.
//!
//! What a past commits is kept as a second vector clock: how many stores of each thread must have
//! left the buffer. It spreads as happens-before does; an access adds the newest write of another
//! thread to its bytes (TSO: with all stores before that, PSO: with those before its last store
//! fence), a fence all of its own thread. Under PSO a store may be committed alone; whether it was
//! is seen from who read it.
//!
//! Everything can be undone in the order it came ([`Causal::truncate`]), so that a search pays for
//! what is new in an execution. A change of the cells starts over: see [`Causal::prepare`].
//!
//! | module | subject |
//! |---|---|
//! | this one | what was shown, in order, and taking it back |
//! | [`record`] | what is kept of each operation and each cell |
//! | [`judge`] | which store an access could miss |
//! | [`clocks`] | what a record has seen, and what that commits |
//!
//! Beyond the paper: accesses of different sizes. A load whose newest pending store of its own
//! thread covers it in part waits until that has left (TSO). Under PSO overlapping stores of one thread keep their
//! order, which the clocks cannot say: then [`Causal::is_mixed`], and the answer is not complete.

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
    /// Position of the store among what was pushed.
    pub store: usize,
    pub thread: Thread,
    /// Which of its thread's stores it is, from 0.
    pub index: u32,
    /// What the access comes after beside its thread's past, if that makes the difference: another
    /// access to part of its bytes.
    pub through: Option<usize>,
}

/// Which cells an operation is to.
#[derive(Clone, Copy, Debug)]
enum Touched {
    One(Address),
    /// None or several: [`Cells`] knows.
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
    /// For each record a row: what it has seen of each thread, then what that commits.
    rows: Vec<u32>,
    width: usize,
    /// The last record of each thread, plus 1.
    last: Vec<u32>,
    undo: Vec<Undo>,
    /// What is to be pushed.
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

    /// The same within a budget: see [`Cells`].
    #[must_use]
    pub fn within(self, budget: &Budget) -> Causal {
        Causal { cells: Cells::within(budget), ..self }
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether something was met that is not judged exactly: under PSO, accesses of one thread that
    /// overlap without being of the same bytes.
    pub fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// Says what will be pushed, and makes room for it. False if that changed what was recorded
    /// before: then everything is forgotten, and has to be prepared and pushed again.
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
        if split || widens {
            self.truncate(0);
            self.width = threads.next_power_of_two().max(self.width);
        }
        self.last.resize(threads, 0);
        self.words.resize(self.cells.len(), Word::default());
        !(split || widens)
    }

    /// True if a cell was split.
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

    /// Takes back all but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        while self.records.len() > len {
            let Some(record) = self.records.pop() else { return };
            while self.undo.len() > record.undo as usize {
                match self.undo.pop() {
                    Some(Undo::Cell(cell, word)) => {
                        self.words[cell.index()] = word;
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

    /// The store that the `n`-th of what was prepared could miss, if there is one. Those before it
    /// were pushed.
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

    /// Adds the `n`-th of what was prepared: its thread's next operation.
    pub fn push(&mut self, n: usize) {
        let (access, touched) = self.coming[n];
        let thread = access.thread;
        let previous = self.last[thread.index()];
        let before = previous.checked_sub(1).map(|n| &self.records[n as usize]);
        let (index, stores, fenced) = match before {
            // Of another thread: the one that started this.
            Some(spawn) if spawn.access.thread != thread => (1, 0, 0),
            Some(before) => (before.index + 1, before.stores, before.fenced),
            None => (1, 0, 0),
        };
        let undo = self.undo.len() as u32;
        let mut record = Record { access, previous, index, stores, fenced, undo };
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
        let row = self.records.len() * 2 * self.width;
        self.rows[row + thread.index()] = index;
        self.records.push(record);
        self.last[thread.index()] = self.records.len() as u32;
        if let Op::Spawn(child) = access.op {
            self.undo.push(Undo::Last(child, self.last[child.index()]));
            self.last[child.index()] = self.records.len() as u32;
        }
    }

    /// The store that an access would miss if it were its thread's next.
    pub fn would(&self, access: &Access) -> Option<Delayed> {
        let cells = self.cells.touched(access.addr, access.bytes);
        match cells[..] {
            [cell] => self.pending(access.thread, cell, self.row_of(access.thread)?),
            _ => self.judge_wide(access, &cells),
        }
    }

    /// Which of the records are the causal past of a thread's last one, and of another record.
    pub fn past(&self, thread: Thread, through: Option<usize>) -> Vec<usize> {
        let rows = self.row_of(thread).into_iter().chain(through.map(|n| self.row(n as u32)));
        let rows: Vec<&[u32]> = rows.collect();
        let seen = |record: &Record| {
            rows.iter().any(|row| record.index <= row[record.access.thread.index()])
        };
        (0..self.records.len()).filter(|n| seen(&self.records[*n])).collect()
    }

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
                self.see(link.record, &write);
                self.drain(write.access.thread, self.committed_with(&write));
            }
        }
        if kind != Kind::Read {
            let mut read = word.read;
            while let Some(link) = read.checked_sub(1).map(|n| self.links[n as usize]) {
                let reader = self.records[link.record as usize];
                self.see(link.record, &reader);
                read = link.before;
            }
        }
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

    /// An access of a thread to bytes that it has written: a load waits for stores that cover it in
    /// part.
    fn own(&mut self, record: &Record, kind: Kind, mut write: u32) {
        let Access { thread, addr, bytes, .. } = record.access;
        let committed = self.rows[self.rows.len() - self.width + thread.index()];
        while let Some(link) = write.checked_sub(1).map(|n| self.links[n as usize]) {
            let earlier = self.records[link.record as usize];
            let store = earlier.store();
            if earlier.access.thread != thread || store != 0 && store <= committed {
                return;
            }
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

    fn overlap(&mut self, store: &Record, later: &Record, kind: Kind) {
        match (self.buffers, kind) {
            (Buffers::PerThread, Kind::Read) => self.drain(later.access.thread, store.stores),
            (Buffers::PerThread, _) => {}
            (Buffers::PerAddress, _) => self.mixed = true,
        }
    }
}

/// Whether the bytes of one access are among those of another.
fn covers(access: &Access, other: &Access) -> bool {
    let end = |access: &Access| access.addr.saturating_add(access.bytes.into());
    access.addr <= other.addr && end(other) <= end(access)
}
