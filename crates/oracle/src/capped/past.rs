//! Detects during an execution that its trace is impossible under SC.
//!
//! A trace has a cycle iff some store is still pending when a later load of its thread is performed,
//! and the store happens after that load: all other edges of the trace go forward in time. So for each
//! pending store, [`After`] records the events that happen after the loads that have overtaken it. The trace
//! is impossible under SC if the store itself is one of them when it reaches memory. Any number of
//! threads may delay any number of stores; the theory of attacks is not used.

use crate::layout::Extent;
use std::collections::{BTreeMap, VecDeque};

/// The events that happen after the loads that overtook one store.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct After {
    /// Threads whose events from now on belong to the set, as bits.
    threads: u32,
    /// Places that the set accessed, and whether by a write.
    touched: BTreeMap<Extent, bool>,
    /// For each thread, its pending stores in the set, as bits: the oldest is the lowest.
    pending: BTreeMap<usize, u32>,
    /// For each thread, its pending stores from which loads of the set have read. A later write that replaces
    /// such a store in memory happens after the load, but the store itself does not.
    served: BTreeMap<usize, u32>,
}

impl After {
    fn follows(&self, thread: usize) -> bool {
        self.threads >> thread & 1 == 1
    }

    fn follow(&mut self, thread: usize) {
        self.threads |= 1 << thread;
    }

    fn touch(&mut self, place: Extent, writes: bool) {
        *self.touched.entry(place).or_default() |= writes;
    }

    /// Whether an access happens after one of the recorded accesses.
    fn conflicts(&self, place: Extent, writes: bool) -> bool {
        self.touched.get(&place).is_some_and(|written| *written || writes)
    }

    fn has_pending(&self, thread: usize) -> bool {
        self.pending.get(&thread).is_some_and(|bits| bits & 1 == 1)
    }

    fn union(&mut self, other: &After) {
        self.threads |= other.threads;
        other.touched.iter().for_each(|(place, written)| self.touch(*place, *written));
        for (thread, bits) in &other.pending {
            *self.pending.entry(*thread).or_default() |= bits;
        }
        for (thread, bits) in &other.served {
            *self.served.entry(*thread).or_default() |= bits;
        }
    }

    /// Removes the oldest store of a thread, which reached memory; returns whether a load had read from it.
    fn shift(&mut self, thread: usize) -> bool {
        let served = self.served.get(&thread).is_some_and(|bits| bits & 1 == 1);
        for bits in [&mut self.pending, &mut self.served] {
            let left = bits.remove(&thread).unwrap_or_default() >> 1;
            if left != 0 {
                bits.insert(thread, left);
            }
        }
        served
    }
}

/// For each thread, one entry for each of its pending stores, oldest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Past(Vec<VecDeque<After>>);

impl Past {
    pub(super) fn new(threads: usize) -> Past {
        Past(vec![VecDeque::new(); threads])
    }

    fn others(&mut self, thread: usize) -> impl Iterator<Item = &mut After> {
        let others = self.0.iter_mut().enumerate().filter(move |(other, _)| *other != thread);
        others.flat_map(|(_, stores)| stores)
    }

    /// A store enters the buffer.
    pub(super) fn buffer(&mut self, thread: usize) {
        let position = self.0[thread].len();
        for after in self.others(thread).filter(|after| after.follows(thread)) {
            *after.pending.entry(thread).or_default() |= 1 << position;
        }
        self.0[thread].push_back(After::default());
    }

    /// A load reads memory.
    pub(super) fn read(&mut self, thread: usize, place: Extent) {
        for after in self.others(thread) {
            if after.follows(thread) || after.conflicts(place, false) {
                after.follow(thread);
                after.touch(place, false);
            }
        }
        self.0[thread].iter_mut().for_each(|after| after.touch(place, false));
    }

    /// A load reads a pending store of its own thread.
    pub(super) fn read_own(&mut self, thread: usize, position: usize) {
        let reached = self.0.iter_mut().enumerate().flat_map(|(owner, stores)| {
            stores.iter_mut().filter(move |after| owner == thread || after.follows(thread))
        });
        for after in reached {
            *after.served.entry(thread).or_default() |= 1 << position;
        }
    }

    /// A write goes directly to memory. The thread's buffer is empty.
    pub(super) fn write(&mut self, thread: usize, place: Extent) {
        for after in self.others(thread) {
            if after.follows(thread) || after.conflicts(place, true) {
                after.follow(thread);
                after.touch(place, true);
            }
        }
    }

    /// The thread's oldest store reaches memory; true if it happens after a load that overtook it.
    pub(super) fn update(&mut self, thread: usize, place: Extent) -> bool {
        let Some(own) = self.0[thread].pop_front() else { return false };
        if own.conflicts(place, true) || own.has_pending(thread) {
            return true;
        }
        for after in self.others(thread) {
            if after.has_pending(thread) || after.conflicts(place, true) {
                after.follow(thread);
                after.touch(place, true);
                after.union(&own);
            }
        }
        for after in self.0.iter_mut().flatten() {
            if after.shift(thread) {
                after.touch(place, false);
            }
        }
        false
    }
}
