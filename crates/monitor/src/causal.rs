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
//! what is new in an execution. A change of the cells starts over: see [`Causal::push`].
//!
//! Beyond the paper: accesses of different sizes. A load that its own thread's pending store covers
//! in part waits until that has left (TSO). Under PSO overlapping stores of one thread keep their
//! order, which the clocks cannot say: then [`Causal::is_mixed`], and the answer is not complete.

use crate::cells::Cells;
use crate::event::{Access, Address, Buffers, Kind, Op, Thread};

/// A store that could be delayed past the access it was found with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delayed {
    /// Position of the store among what was pushed.
    pub store: usize,
    pub thread: Thread,
    /// Which of its thread's stores it is, from 0.
    pub index: u32,
}

/// Something that was pushed.
#[derive(Clone, Copy, Debug)]
struct Record {
    access: Access,
    /// The record of the same thread before, plus 1.
    previous: u32,
    /// Which of its thread's records it is, from 1.
    index: u32,
    /// Stores that its thread has made, this one included, and had made at its last store fence.
    stores: u32,
    fenced: u32,
    /// Where its part of the undo log begins.
    undo: u32,
}

impl Record {
    /// Which of its thread's stores it is, from 1; 0: none that was buffered.
    fn store(&self) -> u32 {
        match self.access.op {
            Op::Access(Kind::Write) => self.stores,
            _ => 0,
        }
    }
}

/// An entry of a cell's list of accesses.
#[derive(Clone, Copy, Debug)]
struct Link {
    record: u32,
    /// The entry before, plus 1: of a write, the write before; of a read, the read before.
    before: u32,
    /// Of a write: the newest read before it, plus 1.
    reads: u32,
}

/// A cell: its newest write and the newest read since, as links plus 1.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    write: u32,
    read: u32,
}

#[derive(Clone, Copy, Debug)]
enum Undo {
    Cell(Address, Word),
    /// The last record of another thread than the record's own.
    Last(Thread, u32),
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
            mixed: false,
        }
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

    /// Makes room for accesses and threads to come. False if that changed what was recorded before:
    /// then everything is forgotten, and has to be pushed again.
    pub fn prepare(&mut self, accesses: &[Access]) -> bool {
        let (mut split, mut threads) = (false, self.last.len());
        for access in accesses {
            let plain = matches!(access.op, Op::Access(Kind::Read | Kind::Write));
            split |= self.cells.add(access.addr, access.bytes, plain);
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
        self.rows.truncate(len * 2 * self.width);
    }

    /// Adds what a thread does next, which [`Causal::prepare`] has seen. The store that it could have
    /// missed, if there is one.
    pub fn push(&mut self, access: Access) -> Option<Delayed> {
        let found = match access.op {
            Op::Access(_) => self.judge(&access),
            _ => None,
        };
        let thread = access.thread;
        let previous = self.last[thread.index()];
        let before = previous.checked_sub(1).map(|n| self.records[n as usize]);
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
            Op::Access(kind) => self.access(&mut record, kind),
            Op::Fence | Op::Spawn(_) => self.drain(thread, stores),
            Op::StoreFence => record.fenced = stores,
            Op::Join(child) => {
                self.drain(thread, stores);
                self.join_thread(child, true);
            }
            Op::Woken(other) => self.join_thread(other, false),
        }
        let (row, width) = (self.records.len() * 2 * self.width, self.width);
        self.rows[row + thread.index()] = index;
        self.records.push(record);
        self.last[thread.index()] = self.records.len() as u32;
        debug_assert_eq!(self.rows.len(), self.records.len() * 2 * width);
        if let Op::Spawn(child) = access.op {
            self.undo.push(Undo::Last(child, self.last[child.index()]));
            self.last[child.index()] = self.records.len() as u32;
        }
        found
    }

    /// The store that an access would miss if it were its thread's next.
    pub fn would(&self, access: &Access) -> Option<Delayed> {
        let cells = self.cells.touched(access.addr, access.bytes);
        cells.iter().find_map(|cell| self.pending(access.thread, *cell))
    }

    /// Which of the records are the causal past of a thread's last one.
    pub fn past(&self, thread: Thread) -> impl Iterator<Item = usize> + '_ {
        let row = self.row_of(thread);
        let seen = move |record: &Record| {
            row.is_some_and(|row| record.index <= self.rows[row + record.access.thread.index()])
        };
        (0..self.records.len()).filter(move |n| seen(&self.records[*n]))
    }

    fn row_of(&self, thread: Thread) -> Option<usize> {
        let last = self.last.get(thread.index())?.checked_sub(1)?;
        Some(last as usize * 2 * self.width)
    }

    #[inline]
    fn judge(&mut self, access: &Access) -> Option<Delayed> {
        self.row_of(access.thread)?;
        let cells = self.cells.of(access.addr, access.bytes);
        if let [cell] = cells {
            let cell = *cell;
            return self.pending(access.thread, cell);
        }
        let cells = crate::cells::Run::from_slice(cells);
        cells.iter().find_map(|cell| self.pending(access.thread, *cell))
    }

    /// The newest write to a cell in the past of a thread, if that is a store of another thread which
    /// nothing in this past commits.
    #[inline]
    fn pending(&self, thread: Thread, cell: Address) -> Option<Delayed> {
        let mut word = *self.words.get(cell.index())?;
        let row = self.row_of(thread)?;
        loop {
            let link = self.links[word.write.checked_sub(1)? as usize];
            let write = &self.records[link.record as usize];
            let owner = write.access.thread.index();
            if write.index > self.rows[row + owner] {
                word = Word { write: link.before, read: link.reads };
                continue;
            }
            let store = write.store();
            if write.access.thread == thread || store <= self.rows[row + self.width + owner] {
                return None;
            }
            if self.buffers == Buffers::PerAddress && self.is_read(word.read, row, write) {
                return None;
            }
            let (thread, index) = (write.access.thread, store - 1);
            return Some(Delayed { store: link.record as usize, thread, index });
        }
    }

    /// Whether a read by another thread than the write's is in a past.
    fn is_read(&self, mut read: u32, row: usize, write: &Record) -> bool {
        while let Some(link) = read.checked_sub(1).map(|n| self.links[n as usize]) {
            let reader = &self.records[link.record as usize];
            let thread = reader.access.thread;
            if thread != write.access.thread && reader.index <= self.rows[row + thread.index()] {
                return true;
            }
            read = link.before;
        }
        false
    }

    /// A row for a record to come, as that of an earlier one.
    #[inline]
    fn new_row(&mut self, previous: u32) {
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
    fn join_row(&mut self, record: u32) {
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
    fn drain(&mut self, thread: Thread, stores: u32) {
        let at = self.rows.len() - self.width + thread.index();
        self.rows[at] = self.rows[at].max(stores);
    }

    /// The newest row has seen all of a thread, which may have ended: its stores have left.
    fn join_thread(&mut self, thread: Thread, ended: bool) {
        let Some(last) = self.last[thread.index()].checked_sub(1) else { return };
        let record = self.records[last as usize];
        self.join_row(last);
        if ended && record.access.thread == thread {
            self.drain(thread, record.stores);
        }
    }

    fn access(&mut self, record: &mut Record, kind: Kind) {
        let thread = record.access.thread;
        match kind {
            Kind::Read => {}
            Kind::Write => record.stores += 1,
            Kind::Interlocked => self.drain(thread, record.stores),
        }
        let cells = self.cells.of(record.access.addr, record.access.bytes);
        if let [cell] = cells {
            let cell = *cell;
            return self.touch(record, kind, cell);
        }
        for cell in crate::cells::Run::from_slice(cells) {
            self.touch(record, kind, cell);
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
                let first = match self.buffers {
                    Buffers::PerThread => write.store(),
                    Buffers::PerAddress => write.fenced,
                };
                // What is past the buffer is after its thread's stores anyway.
                self.drain(write.access.thread, first);
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

    #[inline]
    fn see(&mut self, number: u32, record: &Record) {
        let row = self.rows.len() - 2 * self.width;
        if self.rows[row + record.access.thread.index()] < record.index {
            self.join_row(number);
        }
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
            if store != 0 && kind != Kind::Interlocked && !same {
                self.overlap(&earlier, record, kind);
            }
            write = link.before;
        }
    }

    fn overlap(&mut self, store: &Record, later: &Record, kind: Kind) {
        let (first, second) = (&store.access, &later.access);
        let covers = first.addr <= second.addr
            && second.addr.saturating_add(second.bytes.into())
                <= first.addr.saturating_add(first.bytes.into());
        match (self.buffers, kind) {
            (Buffers::PerThread, Kind::Read) if !covers => {
                self.drain(second.thread, store.stores);
            }
            (Buffers::PerThread, _) => {}
            (Buffers::PerAddress, Kind::Read) if covers => {}
            (Buffers::PerAddress, _) => self.mixed = true,
        }
    }
}
