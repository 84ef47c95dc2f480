//! Does any thread run ahead of a store of its own? If none does, a monitor has nothing to find.
//!
//! For a store to be missed by an access that comes after it, something of the store's own thread must
//! come after the store, be seen by others, and not wait for the store to leave: under TSO a load, under
//! PSO any access. So an execution in which all threads have a fence between every store and the next
//! such access shows no violation, nor does any other order of its events. Nor does one in which this
//! happens only while no other thread runs. Programs with their fences, or whose threads store last,
//! are done with at the price of a few instructions an operation.

use crate::event::{Access, Buffers, Kind, Op};

/// What is known after an operation.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Threads with a store since they last drained their buffer.
    stored: u64,
    /// Threads with a store since then and since their last store fence.
    loose: u64,
    /// Threads that run: started, and not joined.
    running: u32,
    /// Whether a thread has run ahead.
    found: bool,
}

/// Follows what threads do; can be taken back.
#[derive(Clone, Debug)]
pub struct Ahead {
    buffers: Buffers,
    /// First the state before anything happened.
    states: Vec<State>,
}

impl Ahead {
    /// With so many threads that run from the start.
    pub fn new(buffers: Buffers, threads: u32) -> Ahead {
        Ahead { buffers, states: vec![State { running: threads, ..State::default() }] }
    }

    /// Whether some thread has run ahead of a store of its own while another ran.
    pub fn is_found(&self) -> bool {
        self.states.last().is_some_and(|state| state.found)
    }

    /// Takes back all but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.states.truncate(len + 1);
    }

    #[inline]
    pub fn push(&mut self, access: &Access) {
        let mut state = self.states.last().copied().unwrap_or_default();
        match 1_u64.checked_shl(access.thread.0) {
            Some(thread) => state.add(self.buffers, thread, access),
            // More threads than bits: assume the worst.
            None => state.found = true,
        }
        self.states.push(state);
    }
}

impl State {
    #[inline]
    fn add(&mut self, buffers: Buffers, thread: u64, access: &Access) {
        match access.op {
            // Nobody sees what touches nothing.
            Op::Access(_) if access.bytes == 0 => {}
            Op::Access(Kind::Read) => self.pass(self.stored & thread),
            Op::Access(Kind::Write) => {
                if buffers == Buffers::PerAddress {
                    self.pass(self.loose & thread);
                }
                self.stored |= thread;
                self.loose |= thread;
            }
            Op::Access(Kind::Interlocked) => match buffers {
                Buffers::PerThread => self.drain(thread),
                Buffers::PerAddress => self.pass(self.stored & thread),
            },
            Op::Fence => self.drain(thread),
            Op::StoreFence => self.loose &= !thread,
            Op::Spawn(_) => {
                self.drain(thread);
                self.running += 1;
            }
            Op::Join(_) => {
                self.drain(thread);
                self.running = self.running.saturating_sub(1);
            }
            Op::Woken(_) => {}
        }
    }

    fn pass(&mut self, passed: u64) {
        self.found |= passed != 0 && self.running > 1;
    }

    fn drain(&mut self, thread: u64) {
        self.stored &= !thread;
        self.loose &= !thread;
    }
}
