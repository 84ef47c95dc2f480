//! Which loads of its thread a value came from.

/// A set of memory accesses of one thread, by their number in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Deps(u64);

impl Deps {
    /// Accesses of one thread that can be told apart.
    pub const MAX_ACCESSES: usize = 64;
    pub const NONE: Deps = Deps(0);

    pub fn on(access: usize) -> Deps {
        debug_assert!(access < Deps::MAX_ACCESSES);
        Deps(1 << access)
    }

    pub fn and(self, other: Deps) -> Deps {
        Deps(self.0 | other.0)
    }

    pub fn has(self, access: usize) -> bool {
        self.0 >> access & 1 == 1
    }
}
