//! The barriers that fences and access orders are.

/// The order that is imposed at a point of a thread: a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Barrier(u8);

impl Barrier {
    pub(crate) const NOTHING: Barrier = Barrier(0);
    /// Orders everything.
    pub(crate) const FULL: Barrier = Barrier(1);
    /// Orders everything but stores with later loads: `lwsync`.
    pub(crate) const LIGHT: Barrier = Barrier(2);
    /// Orders stores with stores: `eieio`, `dmb.st`.
    pub(crate) const STORES: Barrier = Barrier(4);
    /// Makes control dependencies count for loads: `isync`, `isb`.
    pub(crate) const CONTEXT: Barrier = Barrier(8);
    /// A branch on the value that was just loaded, then [`Barrier::CONTEXT`].
    pub(crate) const ACQUIRE: Barrier = Barrier(16);

    pub(crate) const fn has(self, part: Barrier) -> bool {
        self.0 & part.0 != 0
    }
}
