//! The loads of its thread from which a value was computed.

/// A set of memory accesses of one thread, by their number in the thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Deps(u64);

impl Deps {
    /// The maximum number of accesses of one thread.
    pub(crate) const MAX_ACCESSES: usize = 64;
    pub(crate) const NONE: Deps = Deps(0);

    pub(crate) fn on(access: usize) -> Deps {
        assert!(access < Deps::MAX_ACCESSES);
        Deps(1 << access)
    }

    pub(crate) fn and(self, other: Deps) -> Deps {
        Deps(self.0 | other.0)
    }

    pub(crate) fn has(self, access: usize) -> bool {
        self.0 >> access & 1 == 1
    }
}
