//! What threads and bytes of memory know: how many stores of each thread must have left its buffer.

/// How many threads are followed.
pub(super) const THREADS: usize = 16;

/// The number of stores for each thread. Small, so that two are joined in a few instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Known([i16; THREADS]);

impl Known {
    /// How many stores can be counted.
    pub const MOST: u32 = i16::MAX as u32;

    #[inline]
    pub fn get(&self, thread: usize) -> u32 {
        self.0[thread] as u32
    }

    #[inline]
    pub fn set(&mut self, thread: usize, stores: u32) {
        self.0[thread] = stores.min(Known::MOST) as i16;
    }

    #[inline]
    pub fn join(&mut self, other: &Known) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }
}

/// Eight bytes of memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// Which of them were written last, by which thread, and what is known to who sees that.
    pub written: u8,
    pub writer: u32,
    pub known: Known,
    /// The newest [`Exposure`] of these bytes, plus 1.
    pub exposed: u32,
}

/// An access with which a thread ran ahead of stores of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exposure {
    pub bytes: u8,
    pub writes: bool,
    pub thread: u32,
    /// How many stores its thread had made.
    pub stores: u32,
    /// The one before of the same cell, plus 1.
    pub before: u32,
}

impl Exposure {
    /// Whether who may come after this one may come after an earlier one, too.
    pub fn stands_for(&self, earlier: &Exposure) -> bool {
        let (bytes, writes) = (self.bytes & earlier.bytes, self.writes || !earlier.writes);
        self.thread == earlier.thread && bytes == earlier.bytes && writes
    }
}
