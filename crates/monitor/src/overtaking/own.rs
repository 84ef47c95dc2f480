//! The state of each thread: which of its own stores a later access may overtake.

use crate::event::{Access, Buffers, Kind};

/// The state of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    /// Whether it has stored since it last drained its buffer.
    pub stored: bool,
    /// Whether it has stored since its last store fence, too.
    pub loose: bool,
    /// Whether all stores since the last drain were to the same bytes.
    alone: bool,
    /// The bytes of the last store.
    addr: u64,
    bytes: u32,
    /// The number of its stores, and their number at its last store fence.
    pub stores: u32,
    pub fenced: u32,
}

impl Own {
    /// Whether an access may overtake a store of the thread that is still in the buffer.
    #[inline]
    pub(super) fn overtakes(&self, buffers: Buffers, kind: Kind, access: &Access) -> bool {
        // An access without bytes is not visible to other threads.
        self.stored && access.bytes > 0 && {
            let last = (self.addr, self.bytes) == (access.addr, access.bytes);
            match (kind, buffers) {
                (Kind::Read, Buffers::PerThread) => !last,
                (Kind::Read, Buffers::PerAddress) => !(self.alone && last),
                (Kind::Write, Buffers::PerAddress) => self.loose && !(self.alone && last),
                (Kind::Interlocked, Buffers::PerAddress) => true,
                (Kind::Write | Kind::Interlocked, Buffers::PerThread) => false,
            }
        }
    }

    /// Records a store.
    #[inline]
    pub(super) fn store(&mut self, access: &Access) {
        let Access { addr, bytes, .. } = *access;
        self.alone = !self.stored || self.alone && (self.addr, self.bytes) == (addr, bytes);
        (self.addr, self.bytes) = (addr, bytes);
        (self.stored, self.loose) = (true, true);
        self.stores += 1;
    }

    /// Records that all stores have left the buffer.
    #[inline]
    pub(super) fn drain(&mut self) {
        let stores = self.stores;
        *self = Own { stores, fenced: stores, ..Own::default() };
    }
}
