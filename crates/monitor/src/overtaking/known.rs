//! The knowledge of threads and of memory: how many stores of each thread must have left its buffer.

/// The maximal number of threads.
pub(super) const THREADS: usize = 16;

/// The number of stores for each thread. The entries are small, so that a join takes a few instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Known([i16; THREADS]);

impl Known {
    /// The maximal number of stores of a thread.
    pub(super) const MOST: u32 = i16::MAX as u32;

    #[inline]
    pub(super) fn get(&self, thread: usize) -> u32 {
        self.0[thread] as u32
    }

    #[inline]
    pub(super) fn set(&mut self, thread: usize, stores: u32) {
        self.0[thread] = stores.min(Known::MOST) as i16;
    }

    #[inline]
    pub(super) fn join(&mut self, other: &Known) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }
}

/// Eight bytes of memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// The bytes of the newest write, as a mask, and its thread.
    pub written: u8,
    pub writer: u32,
    /// What a thread that observes the newest write must know.
    pub known: Known,
    /// The newest [`Exposure`] of these bytes, plus 1.
    pub exposed: u32,
}

/// An access that may have overtaken stores of its own thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exposure {
    pub bytes: u8,
    pub writes: bool,
    pub thread: u32,
    /// The number of stores of its thread before it.
    pub stores: u32,
    /// The previous exposure of the same cell, plus 1.
    pub before: u32,
}

impl Exposure {
    /// Whether every access that conflicts with `earlier` conflicts with this one too, so that `earlier` can
    /// be dropped.
    pub(super) fn stands_for(&self, earlier: &Exposure) -> bool {
        let (bytes, writes) = (self.bytes & earlier.bytes, self.writes || !earlier.writes);
        self.thread == earlier.thread && bytes == earlier.bytes && writes
    }
}
