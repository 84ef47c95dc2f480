//! Vector clocks in one flat slab.
//!
//! A clock has one entry per *chain*. A chain is a sequence of events that happens-before orders totally: the
//! steps of a thread, or a sequence of updates from its buffer. A clock has *seen* an event if its entry for
//! the chain of the event is at least the number of the event. Paper 000 (appendix B) has a clock entry per
//! auxiliary thread, which for PSO means one per thread and location. Chains are fewer, because an update may
//! extend any chain of its thread whose last update happens before it.
//!
//! Invariants: clocks are immutable once made, and they are dropped newest first. So a moment to go back to
//! needs only the number of clocks.

use raddle_engine::Budget;

/// A clock, by its row in the slab. The first one has seen nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClockId(pub u32);

impl ClockId {
    /// The clock that has seen nothing.
    pub(crate) const NONE: ClockId = ClockId(0);
}

/// A chain of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chain(pub u32);

/// Initial number of entries per clock. Loops over clocks of `FEW` or `MORE` entries are unrolled: most
/// programs need no more.
const FEW: usize = 4;
const MORE: usize = 8;

/// The most entries that are allocated before they are used.
const MOST_FREE_ENTRIES: usize = 1 << 17;

#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    /// Rows of `width` entries. Rows from `count` on are free, with arbitrary contents.
    slab: Vec<u32>,
    /// Number of clocks.
    count: u32,
    /// Entries per clock.
    width: usize,
}

impl Clocks {
    pub(crate) fn new() -> Clocks {
        Clocks { slab: vec![0; FEW], count: 1, width: FEW }
    }

    /// Widens every clock to at least `chains` entries. False if the memory does not suffice: then the budget
    /// is spent, and nothing has changed.
    pub(crate) fn widen(&mut self, chains: usize, budget: &Budget) -> bool {
        if chains <= self.width {
            return true;
        }
        let wider = chains.next_power_of_two();
        let (len, more) = (self.len() * wider, self.len() * (wider - self.width));
        if !budget.affords((more * size_of::<u32>()) as u64) {
            return false;
        }
        self.slab.truncate(self.len() * self.width);
        self.slab.resize(len, 0);
        // The last row first: rows only move up, so none is overwritten before it has moved.
        for row in (0..self.len()).rev() {
            let from = row * self.width;
            self.slab.copy_within(from..from + self.width, row * wider);
            self.slab[row * wider + self.width..][..wider - self.width].fill(0);
        }
        self.width = wider;
        true
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.count = len as u32;
    }

    /// Ensures that the slab has a row for one more clock.
    #[inline(always)]
    fn make_room(&mut self) {
        if self.slab.len() < (self.count as usize + 1) * self.width {
            self.grow();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        // The capacity of the array doubles, but only rows that are needed soon are written, so only
        // they occupy memory.
        let more = self.slab.len().min(MOST_FREE_ENTRIES).max(self.width);
        self.slab.resize(self.slab.len() + more, 0);
    }

    #[inline]
    pub(crate) fn get(&self, clock: ClockId, chain: Chain) -> u32 {
        self.slab[clock.0 as usize * self.width + chain.0 as usize]
    }

    /// A new clock, equal to `from`.
    #[inline]
    pub(crate) fn copy(&mut self, from: ClockId) -> ClockId {
        self.make_room();
        let (start, end) = (from.0 as usize * self.width, self.count as usize * self.width);
        self.slab.copy_within(start..start + self.width, end);
        self.count += 1;
        ClockId(self.count - 1)
    }

    /// A clock that has seen all that `a` or `b` has. Unlike [`Clocks::joined`], does not compare the two.
    #[inline]
    pub(crate) fn both(&mut self, a: ClockId, b: ClockId) -> ClockId {
        if a == b || b.0 == 0 {
            return a;
        }
        let id = self.copy(a);
        self.join(id, b);
        id
    }

    /// A clock that has seen all that `a` or `b` has: one of the two if it suffices, else a new one.
    #[inline]
    pub(crate) fn joined(&mut self, a: ClockId, b: ClockId) -> ClockId {
        if self.le(b, a) {
            return a;
        }
        if self.le(a, b) {
            return b;
        }
        let id = self.copy(a);
        self.join(id, b);
        id
    }

    /// A new clock that has seen all that any of `seen` has, and the next event of `chain`. Also returns the
    /// number of that event.
    #[inline(always)]
    pub(crate) fn next<const K: usize>(
        &mut self,
        seen: [ClockId; K],
        chain: Chain,
    ) -> (ClockId, u32) {
        match self.width {
            FEW => self.next_row::<FEW>(&seen, chain),
            MORE => self.next_row::<MORE>(&seen, chain),
            _ => self.next_wide(&seen, chain),
        }
    }

    #[inline(never)]
    fn next_wide(&mut self, seen: &[ClockId], chain: Chain) -> (ClockId, u32) {
        let id = self.copy(seen[0]);
        for other in &seen[1..] {
            self.join(id, *other);
        }
        let index = self.get(id, chain) + 1;
        self.set(id, chain, index);
        (id, index)
    }

    /// [`Clocks::next`] where a clock has `N` entries.
    #[inline(always)]
    fn next_row<const N: usize>(&mut self, seen: &[ClockId], chain: Chain) -> (ClockId, u32) {
        self.make_room();
        // Arrays of a constant size, so that the compiler unrolls the loops. The row is computed in a local
        // copy and stored once.
        let (rows, _) = self.slab.as_chunks_mut::<N>();
        let mut row = rows[seen[0].0 as usize];
        for other in &seen[1..] {
            if *other != ClockId::NONE {
                let other = &rows[other.0 as usize];
                for n in 0..N {
                    row[n] = later(row[n], other[n]);
                }
            }
        }
        let new = &mut rows[self.count as usize];
        *new = row;
        // `% N` changes nothing, since there are at most N chains; it saves the bounds check.
        let own = &mut new[chain.0 as usize % N];
        *own += 1;
        let id = ClockId(self.count);
        self.count += 1;
        (id, *own)
    }

    /// Joins `other` into `newest`. Only the newest clock may change, and `other` is older.
    #[inline]
    pub(crate) fn join(&mut self, newest: ClockId, other: ClockId) {
        let (before, own) = self.slab.split_at_mut(newest.0 as usize * self.width);
        let other = &before[other.0 as usize * self.width..][..self.width];
        match self.width {
            FEW => join_row::<FEW>(own, other),
            MORE => join_row::<MORE>(own, other),
            width => {
                for (mine, theirs) in own[..width].iter_mut().zip(other) {
                    *mine = later(*mine, *theirs);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, clock: ClockId, chain: Chain, value: u32) {
        self.slab[clock.0 as usize * self.width + chain.0 as usize] = value;
    }

    /// Whether `b` has seen all that `a` has.
    #[inline]
    pub(crate) fn le(&self, a: ClockId, b: ClockId) -> bool {
        let a = &self.slab[a.0 as usize * self.width..][..self.width];
        let b = &self.slab[b.0 as usize * self.width..][..self.width];
        a.iter().zip(b).all(|(a, b)| a <= b)
    }
}

/// The later of two entries. Entries never reach 2³¹, and signed numbers compare in fewer instructions.
#[inline(always)]
fn later(a: u32, b: u32) -> u32 {
    (a as i32).max(b as i32) as u32
}

#[inline]
fn join_row<const N: usize>(own: &mut [u32], other: &[u32]) {
    if let (Some(own), Some(other)) = (own.first_chunk_mut::<N>(), other.first_chunk::<N>()) {
        for n in 0..N {
            own[n] = later(own[n], other[n]);
        }
    }
}
