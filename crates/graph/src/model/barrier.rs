//! What fences and access orders become.

/// What is asked for at a point of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Barrier(u8);

impl Barrier {
    pub const NOTHING: Barrier = Barrier(0);
    /// Orders everything.
    pub const FULL: Barrier = Barrier(1);
    /// Orders everything but stores with later loads: `lwsync`.
    pub const LIGHT: Barrier = Barrier(2);
    /// Orders stores with stores: `eieio`, `dmb.st`.
    pub const STORES: Barrier = Barrier(4);
    /// Makes control dependencies count for loads: `isync`, `isb`.
    pub const CONTEXT: Barrier = Barrier(8);
    /// A branch on what was just loaded, then [`Barrier::CONTEXT`].
    pub const ACQUIRE: Barrier = Barrier(16);

    pub const fn has(self, part: Barrier) -> bool {
        self.0 & part.0 != 0
    }
}
