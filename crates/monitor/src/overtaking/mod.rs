//! Does any thread run ahead of a store of its own, and can another tell? If not, a monitor has nothing
//! to find.
//!
//! For a store to be missed by an access that comes after it, something of the store's own thread must
//! come after the store and not wait for it to leave: under TSO a load, under PSO any access ([`own`]).
//! A load of just what its thread stored last is seen only by who overwrites that: then the store has
//! left, under TSO with all before it. What runs ahead is *exposed* until another thread makes an
//! access that conflicts with it; the store can be missed only if that thread need not know by then
//! that the store has left. So an execution shows no violation, and no other order of its events does,
//! if all threads have a fence between every store and the next such access, or run ahead only where
//! nobody follows them: in memory of their own, in what is only read, under a lock. Programs with
//! their fences and locks are done with at the price of a few instructions an operation.
//!
//! What a thread knows is less than what is so: it learns from the newest write to the same eight
//! bytes, not from reads, and before anything is exposed it learns nothing. What is not followed
//! (many threads, very long accesses, very many stores) counts as found.

mod known;
mod own;

use crate::event::{Access, Buffers, Kind, Op};
use known::{Cell, Exposure, Known, THREADS};
use own::Own;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What was there before.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Own(u32, Own),
    Known(u32, Known),
    Cell(u32, Cell),
    /// The cell, its newest exposure, and how many exposures there were.
    Exposed(u32, u32, u32),
    Running(u32),
    Found,
}

/// Follows what threads do; can be taken back.
#[derive(Clone, Debug)]
pub struct Overtaking {
    buffers: Buffers,
    threads: Vec<Own>,
    /// Of each thread.
    known: [Known; THREADS],
    cells: Vec<Cell>,
    /// By their first byte; and those that were looked up lately, each in a place of its own.
    places: FxHashMap<u64, u32>,
    recent: Box<[(u64, u32); RECENT]>,
    exposures: Vec<Exposure>,
    /// Threads that run: started, and not joined.
    running: u32,
    /// Whether another thread may tell that one has run ahead.
    found: bool,
    undo: Vec<Undo>,
    /// How much of `undo` there was before each step.
    steps: Vec<u32>,
}

/// How many: a power of two.
const RECENT: usize = 64;

/// The longest access that is followed.
const LONGEST: u32 = 1024;

/// A cell, and which of its bytes.
type Part = (u32, u8);

impl Overtaking {
    /// With so many threads that run from the start.
    pub fn new(buffers: Buffers, running: u32) -> Overtaking {
        Overtaking {
            buffers,
            threads: Vec::new(),
            known: [Known::default(); THREADS],
            cells: Vec::new(),
            places: FxHashMap::default(),
            recent: Box::new([(u64::MAX, 0); RECENT]),
            exposures: Vec::new(),
            running,
            found: false,
            undo: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Whether some thread has run ahead of a store of its own, and another has followed.
    pub fn is_found(&self) -> bool {
        self.found
    }

    /// Whether some thread has run ahead of a store of its own.
    pub fn is_exposed(&self) -> bool {
        self.found || !self.exposures.is_empty()
    }

    /// Begins a step: the operations until the next are taken back together.
    #[inline]
    pub fn step(&mut self) {
        self.steps.push(self.undo.len() as u32);
    }

    /// Takes back all but the first steps.
    pub fn truncate(&mut self, steps: usize) {
        let Some(len) = self.steps.get(steps).map(|len| *len as usize) else { return };
        self.steps.truncate(steps);
        while self.undo.len() > len {
            match self.undo.pop() {
                Some(Undo::Own(thread, own)) => self.threads[thread as usize] = own,
                Some(Undo::Known(thread, known)) => self.known[thread as usize] = known,
                Some(Undo::Cell(cell, was)) => self.cells[cell as usize] = was,
                Some(Undo::Exposed(cell, newest, count)) => {
                    self.exposures.truncate(count as usize);
                    self.cells[cell as usize].exposed = newest;
                }
                Some(Undo::Running(running)) => self.running = running,
                Some(Undo::Found) => self.found = false,
                None => {}
            }
        }
    }

    /// A thread's next operation.
    #[inline(always)]
    pub fn push(&mut self, access: &Access) {
        if self.found {
            return;
        }
        let (at, op) = (access.thread.index(), access.op);
        if at >= self.threads.len() {
            self.threads.resize(at + 1, Own::default());
        }
        match op {
            Op::Access(kind) => {
                let runs_ahead =
                    self.running > 1 && self.threads[at].runs_ahead(self.buffers, kind, access);
                match (kind, self.buffers) {
                    (Kind::Write, _) => self.own(at).store(access),
                    (Kind::Interlocked, Buffers::PerThread) => self.drain(at),
                    (Kind::Read | Kind::Interlocked, _) => {}
                }
                if runs_ahead || !self.exposures.is_empty() && access.bytes > 0 {
                    self.access(access, kind, runs_ahead);
                }
            }
            Op::Fence => self.drain(at),
            Op::StoreFence if self.threads[at].loose => {
                let own = self.own(at);
                (own.loose, own.fenced) = (false, own.stores);
            }
            Op::Spawn(child) => {
                self.drain(at);
                self.set_running(self.running + 1);
                self.pass_on(at, child.index());
            }
            Op::Join(child) => {
                self.drain(at);
                self.set_running(self.running.saturating_sub(1));
                self.pass_on(child.index(), at);
            }
            Op::StoreFence | Op::Woken(_) => {}
        }
    }

    /// What is known of a thread, to be changed.
    #[inline]
    fn own(&mut self, at: usize) -> &mut Own {
        self.undo.push(Undo::Own(at as u32, self.threads[at]));
        &mut self.threads[at]
    }

    /// A thread's stores leave, and whoever sees what it does from now on knows.
    #[inline]
    fn drain(&mut self, at: usize) {
        if self.threads[at].stored {
            self.own(at).drain();
            if !self.exposures.is_empty() && at < THREADS {
                let mut known = self.known[at];
                known.set(at, self.threads[at].stores);
                self.change(at, known);
            }
        }
    }

    fn set_running(&mut self, running: u32) {
        self.undo.push(Undo::Running(self.running));
        self.running = running;
    }

    /// One thread starts or ends, its stores have left, and another knows.
    fn pass_on(&mut self, from: usize, to: usize) {
        if self.exposures.is_empty() {
            return;
        }
        if from.max(to) >= THREADS {
            return self.find();
        }
        let mut known = self.known[from];
        known.set(from, self.threads.get(from).map_or(0, |own| own.stores));
        self.learn(to, known);
    }

    /// Whether another thread could tell if this access were its thread's next.
    pub fn would(&mut self, access: &Access) -> bool {
        access.thread.index() >= THREADS
            || access.bytes > LONGEST
            || self.all_touched(access).iter().any(|part| self.tells(access, *part))
    }

    /// An access where something is exposed, or will be.
    #[inline(never)]
    fn access(&mut self, access: &Access, kind: Kind, runs_ahead: bool) {
        let at = access.thread.index();
        if at >= THREADS || self.threads[at].stores >= Known::MOST {
            return self.find();
        }
        // What it learns here it does not know yet: it could miss just that.
        match self.touched(access) {
            Some(part) if self.tells(access, part) => self.find(),
            Some(part) => {
                self.look(at, part);
                self.leave(access, kind, runs_ahead, part);
            }
            None => self.long_access(access, kind, runs_ahead),
        }
    }

    /// The same, of several cells: a free, for one.
    #[cold]
    fn long_access(&mut self, access: &Access, kind: Kind, runs_ahead: bool) {
        if access.bytes > LONGEST {
            return self.find();
        }
        let parts = self.all_touched(access);
        if parts.iter().any(|part| self.tells(access, *part)) {
            return self.find();
        }
        parts.iter().for_each(|part| self.look(access.thread.index(), *part));
        parts.iter().for_each(|part| self.leave(access, kind, runs_ahead, *part));
    }

    /// A thread learns from who wrote what it accesses; from itself nothing.
    #[inline]
    fn look(&mut self, at: usize, (cell, bytes): Part) {
        let Cell { written, writer, .. } = self.cells[cell as usize];
        if written & bytes != 0 && writer as usize != at {
            self.learn(at, self.cells[cell as usize].known);
        }
    }

    /// What others find when they come after an access.
    #[inline]
    fn leave(&mut self, access: &Access, kind: Kind, runs_ahead: bool, part: Part) {
        if runs_ahead {
            self.expose(access, part);
        }
        if kind != Kind::Read {
            self.write(access.thread.index(), kind, part);
        }
    }

    /// Whether an access shows its thread what another has exposed and need not have left.
    #[inline]
    fn tells(&self, access: &Access, (cell, bytes): Part) -> bool {
        let exposed = self.cells[cell as usize].exposed;
        exposed != 0 && self.tells_one(access, exposed, bytes)
    }

    fn tells_one(&self, access: &Access, mut next: u32, bytes: u8) -> bool {
        let (thread, known) = (access.thread.0, &self.known[access.thread.index()]);
        let writes = access.op != Op::Access(Kind::Read);
        while let Some(number) = next.checked_sub(1) {
            let exposure = &self.exposures[number as usize];
            let conflicts = exposure.bytes & bytes != 0 && (writes || exposure.writes);
            let foreign = exposure.thread != thread;
            if conflicts && foreign && known.get(exposure.thread as usize) < exposure.stores {
                return true;
            }
            next = exposure.before;
        }
        false
    }

    fn expose(&mut self, access: &Access, (cell, bytes): Part) {
        let (thread, own) = (access.thread.0, &self.threads[access.thread.index()]);
        let writes = access.op != Op::Access(Kind::Read);
        let newest = self.cells[cell as usize].exposed;
        let exposure = Exposure { bytes, writes, thread, stores: own.stores, before: newest };
        let last = newest.checked_sub(1).map(|n| &self.exposures[n as usize]);
        if last.is_some_and(|last| Exposure { before: newest, ..*last } == exposure) {
            return;
        }
        self.undo.push(Undo::Exposed(cell, newest, self.exposures.len() as u32));
        let before = self.without(newest, &exposure);
        self.exposures.push(Exposure { before, ..exposure });
        self.cells[cell as usize].exposed = self.exposures.len() as u32;
    }

    /// The list from its newest on without the one that another stands for, so that it stays as short
    /// as there are threads. What is above that is copied: the list as it was is wanted again.
    fn without(&mut self, newest: u32, other: &Exposure) -> u32 {
        let mut above: SmallVec<[Exposure; 8]> = SmallVec::new();
        let mut next = newest;
        while let Some(exposure) = next.checked_sub(1).map(|n| self.exposures[n as usize]) {
            next = exposure.before;
            if other.stands_for(&exposure) {
                for kept in above.into_iter().rev() {
                    self.exposures.push(Exposure { before: next, ..kept });
                    next = self.exposures.len() as u32;
                }
                return next;
            }
            above.push(exposure);
        }
        newest
    }

    /// Who sees a write knows what its thread knew; under TSO its stores have left, too, under PSO those
    /// before its last store fence, and the write itself if that is the first since.
    #[inline]
    fn write(&mut self, at: usize, kind: Kind, (number, bytes): Part) {
        let (own, mut known) = (&self.threads[at], self.known[at]);
        let left = match self.buffers {
            Buffers::PerThread => own.stores,
            Buffers::PerAddress if kind == Kind::Write && own.fenced + 1 == own.stores => {
                own.stores
            }
            Buffers::PerAddress => own.fenced.max(known.get(at)),
        };
        known.set(at, left);
        let cell = &mut self.cells[number as usize];
        let writer = at as u32;
        if (cell.writer, cell.written, cell.known) != (writer, bytes, known) {
            self.undo.push(Undo::Cell(number, *cell));
            (cell.writer, cell.written, cell.known) = (writer, bytes, known);
        }
    }

    /// A thread learns what is known elsewhere, but for its own stores: what others have seen of them
    /// may still be ahead of it.
    #[inline]
    fn learn(&mut self, at: usize, known: Known) {
        let before = self.known[at];
        let mut after = before;
        after.join(&known);
        after.set(at, before.get(at));
        if after != before {
            self.change(at, after);
        }
    }

    #[inline(never)]
    fn change(&mut self, at: usize, known: Known) {
        self.undo.push(Undo::Known(at as u32, self.known[at]));
        self.known[at] = known;
    }

    #[cold]
    fn find(&mut self) {
        self.undo.push(Undo::Found);
        self.found = true;
    }

    /// What an access touches, if that is in one cell.
    #[inline]
    fn touched(&mut self, access: &Access) -> Option<Part> {
        let Access { addr, bytes, .. } = *access;
        let from = addr % 8;
        if u64::from(bytes) > 8 - from {
            return None;
        }
        let mask = ((1u32 << bytes) - 1) << from;
        Some((self.cell(addr - from), mask as u8))
    }

    /// The same in any number of cells.
    fn all_touched(&mut self, access: &Access) -> SmallVec<[Part; 2]> {
        let (mut addr, mut left) = (access.addr, access.bytes);
        let mut parts = SmallVec::new();
        while left > 0 {
            let bytes = left.min(8 - (addr % 8) as u32);
            parts.extend(self.touched(&Access { addr, bytes, ..*access }));
            addr = addr.saturating_add(bytes.into());
            left -= bytes;
        }
        parts
    }

    #[inline]
    fn cell(&mut self, first: u64) -> u32 {
        let recent = self.recent[place(first)];
        if recent.0 == first { recent.1 } else { self.look_up(first) }
    }

    #[cold]
    fn look_up(&mut self, first: u64) -> u32 {
        let fresh = self.cells.len() as u32;
        let cell = *self.places.entry(first).or_insert(fresh);
        if cell == fresh {
            self.cells.push(Cell::default());
        }
        self.recent[place(first)] = (first, cell);
        cell
    }
}

/// Where a cell is kept that was looked up lately.
#[inline]
fn place(first: u64) -> usize {
    ((first >> 3) ^ (first >> 27)) as usize % RECENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Thread;

    #[test]
    fn lists_of_exposures_stay_short() {
        let mut overtaking = Overtaking::new(Buffers::PerThread, 3);
        let access = |thread, kind, addr| Access {
            thread: Thread(thread),
            op: Op::Access(kind),
            addr,
            bytes: 4,
        };
        for _ in 0..100 {
            for thread in 0..3 {
                overtaking.step();
                overtaking.push(&access(thread, Kind::Write, 64 + 8 * u64::from(thread)));
                overtaking.push(&access(thread, Kind::Read, 0));
            }
        }
        let (cell, mut length) = (overtaking.cell(0), 0);
        let mut next = overtaking.cells[cell as usize].exposed;
        while let Some(exposure) = next.checked_sub(1).map(|n| overtaking.exposures[n as usize]) {
            (next, length) = (exposure.before, length + 1);
        }
        assert_eq!(length, 3);
        overtaking.truncate(0);
        assert!(!overtaking.is_exposed() && overtaking.cells[cell as usize].exposed == 0);
    }
}
