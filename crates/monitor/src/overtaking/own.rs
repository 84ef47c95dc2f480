//! What is known of each thread: which stores of its own it may run ahead of.

use crate::event::{Access, Buffers, Kind};

/// What is known of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    /// Whether it has stored since it last drained its buffer, and since its last store fence, too.
    pub stored: bool,
    pub loose: bool,
    /// The bytes of the last such store, and whether all were to these.
    alone: bool,
    addr: u64,
    bytes: u32,
    /// How many stores it has made, and had made at its last store fence.
    pub stores: u32,
    pub fenced: u32,
}

impl Own {
    /// Whether an access passes a store that may wait.
    #[inline]
    pub fn runs_ahead(&self, buffers: Buffers, kind: Kind, access: &Access) -> bool {
        // Nobody sees what touches nothing.
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

    /// What is known after a store.
    #[inline]
    pub fn store(&mut self, access: &Access) {
        let Access { addr, bytes, .. } = *access;
        self.alone = !self.stored || self.alone && (self.addr, self.bytes) == (addr, bytes);
        (self.addr, self.bytes) = (addr, bytes);
        (self.stored, self.loose) = (true, true);
        self.stores += 1;
    }

    /// What is known when all stores have left.
    #[inline]
    pub fn drain(&mut self) {
        let stores = self.stores;
        *self = Own { stores, fenced: stores, ..Own::default() };
    }
}
