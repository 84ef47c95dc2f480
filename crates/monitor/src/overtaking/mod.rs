//! A cheap test: does any thread overtake a store of its own, and can another thread observe it? If not, a
//! monitor has nothing to find.
//!
//! For an access to miss a store that it comes after, the store's own thread must have an operation that
//! comes after the store and does not wait for it to leave the buffer: under TSO a load, under PSO any
//! access ([`own`]). A load of exactly the bytes that its thread stored last does not count: another thread
//! comes after that load only by overwriting these bytes, and then the store has left, under TSO with all
//! stores before it. An overtaking access is *exposed* until another thread makes an access that conflicts
//! with it. The store can be missed only if that thread need not know by then that the store has left. So an
//! execution, in any order of its events, shows no violation if all threads have a fence between every store
//! and the next such access, or if they overtake only where no other thread follows: in private memory, in
//! read-only memory, or under a lock. So programs with the necessary fences and locks cost only a few
//! instructions per operation.
//!
//! The recorded knowledge of a thread is an underapproximation: a thread learns from the newest write to the
//! same eight bytes, not from reads, and it learns nothing before the first exposure. Cases that are not
//! tracked (many threads, very long accesses, very many stores) count as found.

mod known;
mod own;

use crate::event::{Access, Buffers, Kind, Op};
use known::{Cell, Exposure, Known, THREADS};
use own::Own;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A change to undo: the previous value.
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

/// Tracks the operations of threads; they can be undone.
#[derive(Clone, Debug)]
pub struct Overtaking {
    buffers: Buffers,
    threads: Vec<Own>,
    /// What each thread knows.
    known: [Known; THREADS],
    cells: Vec<Cell>,
    /// The cells by their first byte.
    places: FxHashMap<u64, u32>,
    /// A direct-mapped cache of `places`.
    recent: Box<[(u64, u32); RECENT]>,
    exposures: Vec<Exposure>,
    /// The number of threads that were started and not joined.
    running: u32,
    /// Whether a thread may have observed that another has overtaken a store.
    found: bool,
    undo: Vec<Undo>,
    /// The length of `undo` before each step.
    steps: Vec<u32>,
}

/// The size of the cache: a power of two.
const RECENT: usize = 64;

/// The longest access that is tracked.
const LONGEST: u32 = 1024;

/// A cell and a mask of its bytes.
type Part = (u32, u8);

impl Overtaking {
    /// A tracker for a program that starts with `running` threads.
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

    /// Whether a thread may have overtaken a store of its own, and another thread may have observed it.
    pub fn is_found(&self) -> bool {
        self.found
    }

    /// Whether a thread may have overtaken a store of its own.
    pub fn is_exposed(&self) -> bool {
        self.found || !self.exposures.is_empty()
    }

    /// Begins a step: the operations until the next one are undone together.
    #[inline]
    pub fn step(&mut self) {
        self.steps.push(self.undo.len() as u32);
    }

    /// Undoes all but the first `steps` steps.
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

    /// Records the next operation of a thread.
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
                let overtakes =
                    self.running > 1 && self.threads[at].overtakes(self.buffers, kind, access);
                match (kind, self.buffers) {
                    (Kind::Write, _) => self.own(at).store(access),
                    (Kind::Interlocked, Buffers::PerThread) => self.drain(at),
                    (Kind::Read | Kind::Interlocked, _) => {}
                }
                if overtakes || !self.exposures.is_empty() && access.bytes > 0 {
                    self.access(access, kind, overtakes);
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

    /// The state of a thread, to be changed: saves it for undo.
    #[inline]
    fn own(&mut self, at: usize) -> &mut Own {
        self.undo.push(Undo::Own(at as u32, self.threads[at]));
        &mut self.threads[at]
    }

    /// Records that all stores of a thread have left. Threads that observe its later operations know this.
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

    /// Passes the knowledge of a thread that starts or ends another to that one. Its stores have left.
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

    /// Whether an access would observe an overtaken store if it were the next one of its thread.
    pub fn would(&mut self, access: &Access) -> bool {
        access.thread.index() >= THREADS
            || access.bytes > LONGEST
            || self.all_touched(access).iter().any(|part| self.observes(access, *part))
    }

    /// Records an access when exposures exist, or when the access itself is one.
    #[inline(never)]
    fn access(&mut self, access: &Access, kind: Kind, overtakes: bool) {
        let at = access.thread.index();
        if at >= THREADS || self.threads[at].stores >= Known::MOST {
            return self.find();
        }
        // `observes` comes before `learn_from_write`: the thread does not know yet what this access
        // teaches it, and may miss exactly that.
        match self.touched(access) {
            Some(part) if self.observes(access, part) => self.find(),
            Some(part) => {
                self.learn_from_write(at, part);
                self.record_effects(access, kind, overtakes, part);
            }
            None => self.long_access(access, kind, overtakes),
        }
    }

    /// Like `access`, for an access to several cells, such as a free.
    #[cold]
    fn long_access(&mut self, access: &Access, kind: Kind, overtakes: bool) {
        if access.bytes > LONGEST {
            return self.find();
        }
        let parts = self.all_touched(access);
        if parts.iter().any(|part| self.observes(access, *part)) {
            return self.find();
        }
        parts.iter().for_each(|part| self.learn_from_write(access.thread.index(), *part));
        parts.iter().for_each(|part| self.record_effects(access, kind, overtakes, *part));
    }

    /// A thread learns from the newest write to the bytes it accesses, if another thread wrote them.
    #[inline]
    fn learn_from_write(&mut self, at: usize, (cell, bytes): Part) {
        let Cell { written, writer, .. } = self.cells[cell as usize];
        if written & bytes != 0 && writer as usize != at {
            self.learn(at, self.cells[cell as usize].known);
        }
    }

    /// Records the exposure and the write of an access, for the threads that come after it.
    #[inline]
    fn record_effects(&mut self, access: &Access, kind: Kind, overtakes: bool, part: Part) {
        if overtakes {
            self.expose(access, part);
        }
        if kind != Kind::Read {
            self.write(access.thread.index(), kind, part);
        }
    }

    /// Whether an access conflicts with an exposure of another thread whose stores need not have left, as far
    /// as the thread of the access knows.
    #[inline]
    fn observes(&self, access: &Access, (cell, bytes): Part) -> bool {
        let exposed = self.cells[cell as usize].exposed;
        exposed != 0 && self.observes_any(access, exposed, bytes)
    }

    fn observes_any(&self, access: &Access, mut next: u32, bytes: u8) -> bool {
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

    /// The list of exposures without the one that `other` replaces. So lists stay about as short as the number
    /// of threads. The entries above the removed one are copied, because undo needs the old list.
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

    /// Records a write to a cell. A thread that observes it knows what the writer knew. It also knows that
    /// stores of the writer have left: under TSO all, under PSO those before its last store fence, and the
    /// write itself if it is the first since that fence.
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

    /// Joins knowledge into that of a thread, except about the thread's own stores.
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

    /// The part of a cell that an access touches, if it touches only one cell.
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

    /// The parts of all cells that an access touches.
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

/// The slot of a cell in the cache.
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
