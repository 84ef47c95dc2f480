//! The monitors of paper 001, figures 4 (TSO) and 5 (PSO), with interlocked operations.
//!
//! The figures keep buffers. By lemmas 1 and 2 of the paper, a pending store to an address is the newest
//! write there. So it is enough to keep, for each address, that write and whether it is pending, and for
//! each thread, how many of its stores have left the buffer. An event costs O(threads). Memory grows with
//! threads and addresses, never with the length of the run.
//!
//! Beyond the paper: fences, store fences, and threads that start and join each other. An event that is not
//! the first of its thread has a *prev*. Here the start of a thread counts as a *prev* too: the events that
//! the start has seen are ordered before the thread's first access.
//!
//! As in the paper, an interlocked operation under PSO commits only the pending stores to its own address.
//! For a machine that drains the whole buffer there, the caller adds a fence before it.

use crate::event::{Address, Buffers, Kind, Op, Site, Thread};
use raddle_budget::Budget;
use std::sync::{Mutex, PoisonError};

/// An access that a pending store of another thread could have been delayed past.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    pub address: Address,
    /// The store, *e* of the paper.
    pub store: (Thread, Site),
    /// The previous event of the access's thread, *prev*. It happens after the store.
    pub prev: Site,
    /// The access, *e_i*.
    pub access: (Thread, Site),
}

impl Violation {
    /// The three instructions involved. Violations with the same three count as one.
    pub fn sites(&self) -> [Site; 3] {
        [self.store.1, self.prev, self.access.1]
    }
}

/// The newest write to an address.
#[derive(Clone, Copy, Debug)]
struct Newest {
    thread: Thread,
    site: Site,
    /// Its index among the events of its thread.
    event: u64,
    /// Its index among the stores of its thread; 0 for an interlocked operation.
    store: u64,
    /// PSO: the number of stores of its thread before the last store fence.
    fenced: u64,
    /// PSO: no other thread has accessed the address since.
    unseen: bool,
}

/// The state of a thread.
#[derive(Clone, Debug)]
struct Local {
    /// Its last access.
    site: Site,
    stores: u64,
    /// How many of its stores, from the first on, have left the buffer.
    committed: u64,
    /// The number of its stores at the last store fence.
    fenced: u64,
}

/// The newest access to an address, by thread and event.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    thread: u32,
    event: u64,
    /// Whether it happens after all earlier accesses to the address. If not, the rest is not used.
    of_all: bool,
}

/// A monitor for one run.
#[derive(Clone, Debug)]
pub struct Monitor {
    buffers: Buffers,
    threads: Vec<Local>,
    newest: Vec<Option<Newest>>,
    last: Vec<Last>,
    /// Vector clocks of the threads, a row of `width` entries each.
    clocks: Vec<u64>,
    /// The clock of the newest write to each address.
    writes: Vec<u64>,
    /// The join of the clocks of all accesses to each address.
    accesses: Vec<u64>,
    width: usize,
    budget: Budget,
    /// Whether an event was skipped.
    incomplete: bool,
}

impl Monitor {
    pub fn new(buffers: Buffers) -> Monitor {
        Monitor {
            buffers,
            threads: Vec::new(),
            newest: Vec::new(),
            last: Vec::new(),
            clocks: Vec::new(),
            writes: Vec::new(),
            accesses: Vec::new(),
            width: 0,
            budget: Budget::UNLIMITED,
            incomplete: false,
        }
    }

    /// Limits the memory by a budget. If no memory is left for the clock of a thread, its events are skipped.
    #[must_use]
    pub fn within(self, budget: &Budget) -> Monitor {
        Monitor { budget: budget.clone(), ..self }
    }

    /// Whether no event was skipped. If one was, the budget is spent.
    pub fn is_complete(&self) -> bool {
        !self.incomplete
    }

    /// Forgets the run, and keeps the allocated memory for the next one.
    pub fn restart(&mut self) {
        self.threads.clear();
        self.newest.clear();
        self.last.clear();
        self.clocks.clear();
        self.writes.clear();
        self.accesses.clear();
    }

    /// Processes the next operation of a thread; an access touches each of `addresses` in full. Passes the
    /// violations to `report`.
    pub fn step(
        &mut self,
        thread: Thread,
        op: Op,
        addresses: &[Address],
        site: Site,
        mut report: impl FnMut(Violation),
    ) {
        if !self.ensure_thread(thread) {
            return;
        }
        match op {
            Op::Access(kind) => {
                // All addresses are judged before the access changes any of them.
                for address in addresses {
                    self.ensure_address(*address);
                    if let Some(found) = self.judge(thread, *address, site) {
                        report(found);
                    }
                }
                self.access(thread, kind, addresses, site);
            }
            Op::Fence => self.drain(thread),
            Op::StoreFence => {
                let local = &mut self.threads[thread.index()];
                local.fenced = local.stores;
            }
            Op::Spawn(child) => {
                self.drain(thread);
                if self.ensure_thread(child) {
                    self.learn(child, thread);
                }
            }
            Op::Join(child) => {
                self.drain(thread);
                if self.ensure_thread(child) {
                    self.drain(child);
                    self.learn(thread, child);
                }
            }
            Op::Woken(other) => {
                if self.ensure_thread(other) {
                    self.learn(thread, other);
                }
            }
        }
    }

    /// Lines 3 to 7 of the figures: a violation if the access comes after a store that is still pending.
    #[inline]
    fn judge(&self, thread: Thread, address: Address, site: Site) -> Option<Violation> {
        let write = self.newest[address.index()]?;
        // The clock has seen the write iff the write happens before *prev*.
        let seen = self.clocks[thread.index() * self.width + write.thread.index()];
        if write.thread == thread || seen < write.event || !self.is_pending(&write) {
            return None;
        }
        Some(Violation {
            address,
            store: (write.thread, write.site),
            prev: self.threads[thread.index()].site,
            access: (thread, site),
        })
    }

    #[inline]
    fn is_pending(&self, write: &Newest) -> bool {
        write.unseen && write.store > self.threads[write.thread.index()].committed
    }

    /// Lines 8 to 11: commits the pending store of another thread, and the stores that must leave before it.
    #[inline]
    fn commit(&mut self, thread: Thread, address: Address) {
        let Some(write) = &mut self.newest[address.index()] else { return };
        if write.thread == thread {
            return;
        }
        let first = match self.buffers {
            Buffers::PerThread => write.store,
            Buffers::PerAddress => {
                write.unseen = false;
                write.fenced
            }
        };
        let committed = &mut self.threads[write.thread.index()].committed;
        *committed = first.max(*committed);
    }

    /// The transitions of figures 2 and 3, and happens-before. A clock that has seen an event has seen
    /// everything before it, so most joins reduce to one comparison.
    fn access(&mut self, thread: Thread, kind: Kind, addresses: &[Address], site: Site) {
        if kind == Kind::Interlocked {
            let local = &mut self.threads[thread.index()];
            local.committed = match self.buffers {
                Buffers::PerThread => local.stores,
                // The stores before the last store fence leave first.
                Buffers::PerAddress => local.committed.max(local.fenced),
            };
        }
        for address in addresses {
            self.commit(thread, *address);
            match kind {
                Kind::Read => self.see_write(thread, *address),
                Kind::Write | Kind::Interlocked => self.see_all(thread, *address),
            }
        }
        // Only now does the clock count the event itself: the joins above are with earlier events.
        let (own, width) = (thread.index() * self.width, self.width);
        self.clocks[own + thread.index()] += 1;
        let event = self.clocks[own + thread.index()];
        let local = &mut self.threads[thread.index()];
        local.site = site;
        local.stores += u64::from(kind == Kind::Write);
        let store = if kind == Kind::Write { local.stores } else { 0 };
        let newest = Newest { thread, site, event, store, fenced: local.fenced, unseen: true };
        for address in addresses {
            let (row, clock) = (address.index() * width, &self.clocks[own..own + width]);
            if kind != Kind::Read {
                self.writes[row..row + width].copy_from_slice(clock);
                self.newest[address.index()] = Some(newest);
            }
            let last = &mut self.last[address.index()];
            let accesses = &mut self.accesses[row..row + width];
            // If this access happens after the last one, and that after all others, then the clock of this
            // access dominates, and a copy replaces the join.
            if last.of_all && clock[last.thread as usize] >= last.event {
                accesses.copy_from_slice(clock);
                *last = Last { thread: thread.0, event, of_all: true };
            } else {
                join(accesses, clock);
                last.of_all = false;
            }
            // A write has seen all accesses (`see_all`), so it happens after all of them.
            if kind != Kind::Read {
                *last = Last { thread: thread.0, event, of_all: true };
            }
        }
    }

    /// Joins the clock of the newest write to an address into the thread's clock.
    #[inline]
    fn see_write(&mut self, thread: Thread, address: Address) {
        let (own, width) = (thread.index() * self.width, self.width);
        if let Some(write) = &self.newest[address.index()]
            && self.clocks[own + write.thread.index()] < write.event
        {
            let row = address.index() * width;
            join(&mut self.clocks[own..own + width], &self.writes[row..row + width]);
        }
    }

    /// Joins the clocks of all accesses to an address into the thread's clock.
    #[inline]
    fn see_all(&mut self, thread: Thread, address: Address) {
        let (own, width) = (thread.index() * self.width, self.width);
        let last = self.last[address.index()];
        if !last.of_all || self.clocks[own + last.thread as usize] < last.event {
            let row = address.index() * width;
            join(&mut self.clocks[own..own + width], &self.accesses[row..row + width]);
        }
    }

    /// Commits all stores of a thread.
    fn drain(&mut self, thread: Thread) {
        let local = &mut self.threads[thread.index()];
        local.committed = local.stores;
    }

    /// Joins the clock of the thread `from` into that of `thread`.
    fn learn(&mut self, thread: Thread, from: Thread) {
        for n in 0..self.width {
            let seen = self.clocks[from.index() * self.width + n];
            let clock = &mut self.clocks[thread.index() * self.width + n];
            *clock = seen.max(*clock);
        }
    }

    /// Allocates the state of a thread if it is new. Returns false if no memory is left for its clock.
    #[inline]
    fn ensure_thread(&mut self, thread: Thread) -> bool {
        thread.index() < self.threads.len() || self.add_thread(thread)
    }

    #[cold]
    fn add_thread(&mut self, thread: Thread) -> bool {
        let count = thread.index() + 1;
        if count > self.width {
            let width = count.next_power_of_two().max(4);
            // Other monitors may grow at the same time in other threads. The lock makes each see the
            // memory that the others have taken.
            let _growing = GROWING.lock().unwrap_or_else(PoisonError::into_inner);
            let rows = [&mut self.clocks, &mut self.writes, &mut self.accesses];
            let entries: usize = rows.iter().map(|rows| rows.len()).sum();
            let more = entries / self.width.max(1) * (width - self.width);
            if !self.budget.affords((more * size_of::<u64>()) as u64) {
                self.incomplete = true;
                return false;
            }
            rows.into_iter().for_each(|rows| widen(rows, self.width, width));
            self.width = width;
        }
        let local = Local { site: Site::NONE, stores: 0, committed: 0, fenced: 0 };
        self.threads.resize(count, local);
        self.clocks.resize(count * self.width, 0);
        true
    }

    /// Allocates the state of an address if it is new.
    #[inline]
    fn ensure_address(&mut self, address: Address) {
        if address.index() >= self.newest.len() {
            self.newest.resize(address.index() + 1, None);
            self.last.resize(address.index() + 1, Last { of_all: true, ..Last::default() });
            self.writes.resize((address.index() + 1) * self.width, 0);
            self.accesses.resize((address.index() + 1) * self.width, 0);
        }
    }
}

/// Joins a clock into another: the maximum of each entry.
#[inline]
fn join(clock: &mut [u64], other: &[u64]) {
    for (entry, other) in clock.iter_mut().zip(other) {
        *entry = (*entry).max(*other);
    }
}

/// Held while a monitor checks the budget for memory and allocates it.
static GROWING: Mutex<()> = Mutex::new(());

/// Widens all rows in place.
fn widen(rows: &mut Vec<u64>, from: usize, to: usize) {
    let count = rows.len() / from.max(1);
    rows.resize(count * to, 0);
    // The last row first: rows only move up, so none is overwritten before it has moved.
    for row in (0..count).rev() {
        rows.copy_within(row * from..row * from + from, row * to);
        rows[row * to + from..][..to - from].fill(0);
    }
}
