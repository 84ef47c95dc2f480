//! Vector clocks in one flat slab.
//!
//! A clock has one entry per *chain*, a sequence of events that are totally ordered by
//! happens-before: each thread is one, and so is each sequence of updates from a thread's buffer.
//! Paper 000 (appendix B) has a clock entry per auxiliary thread, which for PSO means one per thread
//! and location; chains are fewer, because an update may extend any chain of its thread whose last
//! update happens before it.
//!
//! Clocks are immutable once made and are dropped in the order they were made.

use raddle_engine::Budget;

/// A clock, by its place in the slab. The first one has seen nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockId(pub u32);

impl ClockId {
    /// The clock that has seen nothing.
    pub const NONE: ClockId = ClockId(0);
}

/// A chain of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chain(pub u32);

/// Entries of a clock to begin with. Loops over clocks of so many entries, or twice as many, are
/// unrolled: that is what most programs need.
const FEW: usize = 4;
const MORE: usize = 8;

/// How many entries are made ahead of their use.
const MOST_FREE_ENTRIES: usize = 1 << 17;

#[derive(Clone, Debug)]
pub struct Clocks {
    /// Rows of `width` entries. Those from `count` on are free: what is in them means nothing.
    slab: Vec<u32>,
    /// How many clocks there are.
    count: u32,
    /// Entries per clock.
    width: usize,
}

impl Clocks {
    pub fn new() -> Clocks {
        Clocks { slab: vec![0; FEW], count: 1, width: FEW }
    }

    /// Makes room for `chains` entries in every clock. False if there is no memory for that: then the
    /// budget is spent, and nothing has changed.
    pub fn widen(&mut self, chains: usize, budget: &Budget) -> bool {
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
    pub fn len(&self) -> usize {
        self.count as usize
    }

    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.count = len as u32;
    }

    /// Makes room for one more clock.
    #[inline(always)]
    fn make_room(&mut self) {
        if self.slab.len() < (self.count as usize + 1) * self.width {
            self.grow();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        // The capacity of the array doubles; only the rows that are needed soon take memory.
        let more = self.slab.len().min(MOST_FREE_ENTRIES).max(self.width);
        self.slab.resize(self.slab.len() + more, 0);
    }

    #[inline]
    pub fn get(&self, clock: ClockId, chain: Chain) -> u32 {
        self.slab[clock.0 as usize * self.width + chain.0 as usize]
    }

    /// A new clock, equal to `from`.
    #[inline]
    pub fn copy(&mut self, from: ClockId) -> ClockId {
        self.make_room();
        let (start, end) = (from.0 as usize * self.width, self.count as usize * self.width);
        self.slab.copy_within(start..start + self.width, end);
        self.count += 1;
        ClockId(self.count - 1)
    }

    /// A clock that has seen what either has, without a look at whether one of the two will do.
    #[inline]
    pub fn both(&mut self, a: ClockId, b: ClockId) -> ClockId {
        if a == b || b.0 == 0 {
            return a;
        }
        let id = self.copy(a);
        self.join(id, b);
        id
    }

    /// A new clock that has seen what either has; one of the two if that will do.
    #[inline]
    pub fn joined(&mut self, a: ClockId, b: ClockId) -> ClockId {
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

    /// A new clock that has seen what any of `seen` has, and one more event of `chain`; with the
    /// number of that event.
    #[inline(always)]
    pub fn next<const K: usize>(&mut self, seen: [ClockId; K], chain: Chain) -> (ClockId, u32) {
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
        let own = &mut new[chain.0 as usize % N];
        *own += 1;
        let id = ClockId(self.count);
        self.count += 1;
        (id, *own)
    }

    /// Lets the newest clock see what `other` has.
    #[inline]
    pub fn join(&mut self, newest: ClockId, other: ClockId) {
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
    pub fn set(&mut self, clock: ClockId, chain: Chain, value: u32) {
        self.slab[clock.0 as usize * self.width + chain.0 as usize] = value;
    }

    /// Whether `b` has seen all that `a` has.
    #[inline]
    pub fn le(&self, a: ClockId, b: ClockId) -> bool {
        let a = &self.slab[a.0 as usize * self.width..][..self.width];
        let b = &self.slab[b.0 as usize * self.width..][..self.width];
        a.iter().zip(b).all(|(a, b)| a <= b)
    }
}

/// The later of two entries. They never reach 2³¹, and signed numbers compare in fewer instructions.
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
