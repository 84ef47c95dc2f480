//! Bounded store buffers: `--buffer-bound`.
//!
//! Paper 002, section 5: whenever a store buffer is full, a new store forces it to flush. The machine
//! with buffers of K stores is a model of its own:
//!
//! - TSO: a thread's buffer holds K stores. Its `n`-th store waits for the update of the `n - K`-th.
//! - PSO: the paper has a buffer for each thread and location, and the bound applies to each of them. A
//!   location is a byte: a store waits until each of its bytes has less than K stores in the buffer.
//! - K = 0 is SC: a store goes to memory in the same step.
//!
//! Stores to one location leave in order, so the program, not the schedule, determines which update frees the
//! slot of a store. Hence the edge from that update to the store exists in *every* execution, whether the
//! thread had to wait or not. It is joined into the thread's clock, like the edges of a fence. So
//! happens-before is still a function of the Shasha-Snir trace, the equivalence of executions stays the same,
//! and the search does not depend on bounds. (A bound on all stores of a thread under PSO would not have this
//! property: any of several updates could free the slot.)
//!
//! The bound is *met* at a store if the thread has not seen that update otherwise. This holds iff some
//! execution of the bounded machine reaches the store with a full buffer: the one in which the update comes
//! as late as possible. If the bound is met in no trace, then every execution of the unbounded machine is one
//! of the bounded machine: otherwise its first store that the bound forbids would find the buffer full, after
//! a prefix that both machines have. Then the result holds without the bound. It is not enough that one more
//! slot adds no traces: `x = 1; y = 1; z = 1; r = f` against `f = 1; fence; s = x` has the same three traces
//! under TSO for K = 0, 1 and 2, and four for K = 3.

use crate::buffer::Buffer;
use crate::system::{System, field};
use raddle_engine::Buffering;
use raddle_ir::LocId;
use raddle_machine::{Status, ThreadId, Trail};
use smallvec::SmallVec;

/// The capacity of the buffers of a system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    pub most: u32,
    /// The most stores of a thread in one execution. Unbounded buffers need no such limit, because the number
    /// of operations without an event is limited; here updates come in between.
    pub stores: u32,
}

/// The widest store, in bytes.
const WIDEST: usize = 16;

impl System<'_> {
    /// Takes a slot in the buffer for the thread's next store. The store happens after the updates that freed
    /// the slot. False if it has to wait for one of them.
    #[cold]
    pub(crate) fn take_slot(&mut self, thread: ThreadId, addr: u64, bytes: u32) -> bool {
        let Some(slots) = self.slots else { return true };
        let (trail, buffer) = (&self.machine.trail, &self.process(thread).buffer);
        if buffer.stores(trail) >= slots.stores {
            self.machine.set_status(thread, Status::OutOfEvents);
            return false;
        }
        let freeing = match self.rules.buffering {
            Buffering::PerLocation => freeing_bytes(buffer, trail, addr, bytes, slots.most),
            _ => buffer.stores(trail).checked_sub(slots.most).into_iter().collect(),
        };
        if freeing.iter().any(|store| buffer.has(trail, *store)) {
            return false;
        }
        for store in freeing {
            let update = self.process(thread).buffer.clock(&self.machine.trail, store);
            if !self.clocks.le(update, self.clock(thread, field::CLOCK)) {
                self.note_full(thread);
                self.see(thread, update);
            }
        }
        true
    }

    /// Notes that the thread meets the bound at its current store. Only the first such store is kept.
    pub(crate) fn note_full(&mut self, thread: ThreadId) {
        if self.get(thread, field::FULL_AT) == 0 {
            let loc = self.machine.loc(thread);
            self.set(thread, field::FULL_AT, u64::from(loc.0) + 1);
        }
    }

    /// The source positions where the bound was met in this execution: at most one per thread, without
    /// duplicates.
    pub(crate) fn full_at(&self) -> SmallVec<[LocId; 2]> {
        let mut places = SmallVec::new();
        for thread in self.machine.thread_ids() {
            let place = self.get(thread, field::FULL_AT).checked_sub(1);
            let place = place.map(|loc| LocId(loc as u32));
            places.extend(place.filter(|place| !places.contains(place)));
        }
        places
    }

    /// Called when the newest event has taken a store out of its buffer. A thread that waits to store may
    /// have waited for that.
    #[cold]
    pub(crate) fn free_slot(&mut self, thread: ThreadId, store: u32) {
        if let Some(update) = self.events.last() {
            let buffer = &self.processes[thread.0 as usize].buffer;
            buffer.left_with(&mut self.machine.trail, store, update.clock);
        }
        if self.machine.status(thread) == Status::Ready && self.machine.at_any_store(thread) {
            self.settle(thread);
        }
    }
}

/// For each byte of a store, the `most`-th previous store of the thread to that byte: its update frees the
/// slot.
fn freeing_bytes(
    buffer: &Buffer,
    trail: &Trail,
    addr: u64,
    bytes: u32,
    most: u32,
) -> SmallVec<[u32; 2]> {
    let bytes = (bytes as usize).min(WIDEST);
    let (mut passed, mut left) = ([0; WIDEST], bytes);
    let mut freeing = SmallVec::new();
    for store in (0..buffer.stores(trail)).rev() {
        if left == 0 {
            break;
        }
        let (start, length) = buffer.bytes_of(trail, store);
        for (n, passed) in passed[..bytes].iter_mut().enumerate() {
            let touches = (addr + n as u64).wrapping_sub(start) < u64::from(length);
            if touches && *passed < most {
                *passed += 1;
                if *passed == most {
                    left -= 1;
                    if !freeing.contains(&store) {
                        freeing.push(store);
                    }
                }
            }
        }
    }
    freeing
}
