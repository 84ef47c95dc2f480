//! Does any thread run ahead of a store of its own? If none does, a monitor has nothing to find.
//!
//! For a store to be missed by an access that comes after it, something of the store's own thread must
//! come after the store, be seen by others, and not wait for the store to leave: under TSO a load, under
//! PSO any access. A load of just what its thread stored last is seen only by who overwrites that: then
//! the store has left, under TSO with all before it. So an execution in which all threads have a fence
//! between every store and the next such access shows no violation, nor does any other order of its
//! events. Nor does one in which this happens only while no other thread runs. Programs with their
//! fences, or whose threads store last, are done with at the price of a few instructions an operation.

use crate::event::{Access, Buffers, Kind, Op};

/// What is known of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    /// Whether it has stored since it last drained its buffer, and since its last store fence, too.
    stored: bool,
    loose: bool,
    /// The bytes of the last such store, and whether all were to these.
    addr: u64,
    bytes: u32,
    alone: bool,
}

/// What was known before an operation.
#[derive(Clone, Copy, Debug)]
struct Undo {
    thread: u32,
    own: Own,
    running: u32,
    found: bool,
}

/// Follows what threads do; can be taken back.
#[derive(Clone, Debug)]
pub struct Ahead {
    buffers: Buffers,
    threads: Vec<Own>,
    /// Threads that run: started, and not joined.
    running: u32,
    /// Whether a thread has run ahead.
    found: bool,
    undo: Vec<Undo>,
}

impl Ahead {
    /// With so many threads that run from the start.
    pub fn new(buffers: Buffers, running: u32) -> Ahead {
        Ahead { buffers, threads: Vec::new(), running, found: false, undo: Vec::new() }
    }

    /// Whether some thread has run ahead of a store of its own while another ran.
    pub fn is_found(&self) -> bool {
        self.found
    }

    /// Takes back all but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        for undo in self.undo.drain(len.min(self.undo.len())..).rev() {
            let Undo { thread, own, running, found } = undo;
            self.threads[thread as usize] = own;
            (self.running, self.found) = (running, found);
        }
    }

    #[inline]
    pub fn push(&mut self, access: &Access) {
        let at = access.thread.index();
        if at >= self.threads.len() {
            self.threads.resize(at + 1, Own::default());
        }
        let (running, found) = (self.running, self.found);
        let own = &mut self.threads[at];
        self.undo.push(Undo { thread: access.thread.0, own: *own, running, found });
        match access.op {
            Op::Spawn(_) => self.running += 1,
            Op::Join(_) => self.running = running.saturating_sub(1),
            _ => {}
        }
        if running > 1 && own.runs_ahead(self.buffers, access) {
            self.found = true;
        }
        own.add(self.buffers, access);
    }
}

impl Own {
    /// Whether an access passes a store that may wait.
    #[inline]
    fn runs_ahead(&self, buffers: Buffers, access: &Access) -> bool {
        let last = (self.addr, self.bytes) == (access.addr, access.bytes);
        match (access.op, buffers) {
            // Nobody sees what touches nothing.
            (Op::Access(_), _) if access.bytes == 0 => false,
            (Op::Access(Kind::Read), Buffers::PerThread) => self.stored && !last,
            (Op::Access(Kind::Read), Buffers::PerAddress) => self.stored && !(self.alone && last),
            (Op::Access(Kind::Write), Buffers::PerAddress) => self.loose && !(self.alone && last),
            (Op::Access(Kind::Interlocked), Buffers::PerAddress) => self.stored,
            _ => false,
        }
    }

    #[inline]
    fn add(&mut self, buffers: Buffers, access: &Access) {
        match (access.op, buffers) {
            (Op::Access(Kind::Write), _) => {
                let last = (self.addr, self.bytes) == (access.addr, access.bytes);
                let alone = !self.stored || self.alone && last;
                let Access { addr, bytes, .. } = *access;
                *self = Own { stored: true, loose: true, addr, bytes, alone };
            }
            (Op::Access(Kind::Interlocked), Buffers::PerThread)
            | (Op::Fence | Op::Spawn(_) | Op::Join(_), _) => *self = Own::default(),
            (Op::StoreFence, _) => self.loose = false,
            (Op::Access(_) | Op::Woken(_), _) => {}
        }
    }
}
