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
    /// What the access comes after beside its thread's past, if that makes the difference: another
    /// access to part of its bytes.
    pub through: Option<usize>,
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
    #[inline]
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

    #[inline]
    fn row(&self, record: u32) -> &[u32] {
        &self.rows[record as usize * 2 * self.width..][..2 * self.width]
    }

    #[inline]
    fn row_of(&self, thread: Thread) -> Option<&[u32]> {
        Some(self.row(self.last.get(thread.index())?.checked_sub(1)?))
    }

    #[inline]
    fn judge(&mut self, access: &Access) -> Option<Delayed> {
        let cells = self.cells.of(access.addr, access.bytes);
        if let [cell] = cells {
            let cell = *cell;
            return self.pending(access.thread, cell, self.row_of(access.thread)?);
        }
        let cells = crate::cells::Run::from_slice(cells);
        self.judge_wide(access, &cells)
    }

    /// An access to several cells may come after the store through one and miss it in another, without
    /// its thread's past: each access that it conflicts with is tried as part of the past.
    #[cold]
    fn judge_wide(&self, access: &Access, cells: &[Address]) -> Option<Delayed> {
        let thread = access.thread;
        let own = self.row_of(thread).map_or_else(|| vec![0; 2 * self.width], <[u32]>::to_vec);
        // But for the one that is known to have reached memory.
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
                // What has read a store comes before the access only if that store has left.
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

    /// The newest write to a cell and, for one who writes, the reads since.
    fn conflicts(&self, cell: Address, writes: bool) -> Vec<u32> {
        let word = self.words[cell.index()];
        let write = word.write.checked_sub(1).map(|n| self.links[n as usize].record);
        let mut all: Vec<u32> = write.into_iter().collect();
        let mut read = if writes { word.read } else { 0 };
        while let Some(link) = read.checked_sub(1).map(|n| self.links[n as usize]) {
            all.push(link.record);
            read = link.before;
        }
        all
    }

    /// What a row is after a record that has reached memory.
    fn after(&self, row: &[u32], number: u32) -> Vec<u32> {
        let joined = row.iter().zip(self.row(number)).map(|(own, other)| *own.max(other));
        let mut joined: Vec<u32> = joined.collect();
        let record = &self.records[number as usize];
        let committed = &mut joined[self.width + record.access.thread.index()];
        *committed = self.committed_with(record).max(*committed);
        joined
    }

    /// How many stores of its thread have left once others have seen a record.
    #[inline]
    fn committed_with(&self, record: &Record) -> u32 {
        match self.buffers {
            // What is past the buffer is after its thread's stores anyway.
            Buffers::PerThread => record.store(),
            Buffers::PerAddress => record.fenced,
        }
    }

    /// The newest write to a cell in the past of a thread, if that is a store of another thread which
    /// nothing in this past commits.
    #[inline]
    fn pending(&self, thread: Thread, cell: Address, row: &[u32]) -> Option<Delayed> {
        let (number, read) = self.newest(cell, row)?;
        let write = &self.records[number as usize];
        let (owner, store) = (write.access.thread, write.store());
        if owner == thread || store <= row[self.width + owner.index()] {
            return None;
        }
        if self.buffers == Buffers::PerAddress {
            let alone = !self.cells.is_mixed(cell);
            if self.is_read(read, row, write) || !alone && self.is_seen(number, row) {
                return None;
            }
        }
        let (index, through) = (store - 1, None);
        Some(Delayed { store: number as usize, thread: owner, index, through })
    }

    /// The newest write to a cell in a past, and the newest read between it and the next write.
    #[inline]
    fn newest(&self, cell: Address, row: &[u32]) -> Option<(u32, u32)> {
        let mut word = *self.words.get(cell.index())?;
        loop {
            let link = self.links[word.write.checked_sub(1)? as usize];
            let write = &self.records[link.record as usize];
            if write.index <= row[write.access.thread.index()] {
                return Some((link.record, word.read));
            }
            word = Word { write: link.before, read: link.reads };
        }
    }

    /// Whether another thread has accessed any part of a store in a past: it leaves as a whole.
    #[cold]
    fn is_seen(&self, number: u32, row: &[u32]) -> bool {
        let write = &self.records[number as usize];
        let cells = self.cells.touched(write.access.addr, write.access.bytes);
        cells.iter().any(|cell| match self.newest(*cell, row) {
            Some((newest, read)) => newest != number || self.is_read(read, row, write),
            None => false,
        })
    }

    /// Whether a read by another thread than the write's is in a past.
    fn is_read(&self, mut read: u32, row: &[u32], write: &Record) -> bool {
        while let Some(link) = read.checked_sub(1).map(|n| self.links[n as usize]) {
            let reader = &self.records[link.record as usize];
            let thread = reader.access.thread;
            if thread != write.access.thread && reader.index <= row[thread.index()] {
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
