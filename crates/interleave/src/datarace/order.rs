//! Synchronisation.
//!
//! A thread has three clocks: its own (the accesses that happen before its next one), the clock of the
//! messages that it has read without acquiring them (for a later acquire fence), and the clock of its last
//! release fence (for later stores without release). A value in memory carries a *message*: the clock that a
//! reader joins when it acquires the value. A thread's own entry of its clock counts how often the thread
//! published the clock. So an access happens before everything that acquires a later publication, and before
//! nothing else of other threads.

use super::DataRaces;
use crate::clock::{Chain, ClockId};
use crate::system::field;
use raddle_ir::{FenceKind, Order};
use raddle_machine::{Machine, ThreadId, word};

/// Whether a load of this order acquires.
const fn acquires(order: Order) -> bool {
    use Order::*;
    matches!(order, Acquire | AcqRel | SeqCst | AsmAcquire | AsmAcquirePc)
}

/// Whether a store of this order releases.
const fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst | Order::AsmRelease)
}

/// Whether a fence acquires, and whether it releases. A machine fence counts as the C11 fence of the same
/// strength.
const fn sides(kind: FenceKind) -> (bool, bool) {
    use FenceKind::*;
    match kind {
        Full | CSeqCst | CAcqRel | Mfence | Sync | Lwsync | Dmb | Dsb => (true, true),
        CAcquire | Lfence | DmbLd | DsbLd => (true, false),
        CRelease => (false, true),
        StoreStore | Compiler | Sfence | Isync | Eieio | DmbSt | DsbSt | Isb => (false, false),
    }
}

impl DataRaces {
    fn get(machine: &Machine<'_>, thread: ThreadId, field: u32) -> ClockId {
        ClockId(machine.trail.get(word(thread, field)) as u32)
    }

    fn set(machine: &mut Machine<'_>, thread: ThreadId, field: u32, clock: ClockId) {
        machine.trail.set(word(thread, field), clock.0.into());
    }

    /// The clock of the accesses that happen before a thread's next one.
    pub(super) fn clock(machine: &Machine<'_>, thread: ThreadId) -> ClockId {
        Self::get(machine, thread, field::C11_CLOCK)
    }

    /// The number of times that a thread has published its clock, as seen by `clock`.
    pub(super) fn time(&self, clock: ClockId, thread: ThreadId) -> u32 {
        self.clocks.get(clock, Chain(thread.0))
    }

    /// Starts a thread, or its next period between publications, after the accesses that `seen` has seen.
    pub(super) fn begin(&mut self, machine: &mut Machine<'_>, thread: ThreadId, seen: ClockId) {
        if !self.clocks.widen(machine.thread_count() as usize, machine.trail.budget()) {
            return;
        }
        let (clock, _) = self.clocks.next([seen], Chain(thread.0));
        Self::set(machine, thread, field::C11_CLOCK, clock);
    }

    pub(super) fn spawn(&mut self, machine: &mut Machine<'_>, parent: ThreadId, child: ThreadId) {
        let published = self.publish(machine, parent);
        self.begin(machine, child, published);
    }

    pub(super) fn join(&mut self, machine: &mut Machine<'_>, thread: ThreadId, ended: ThreadId) {
        let clock = Self::clock(machine, ended);
        self.see(machine, thread, field::C11_CLOCK, clock);
    }

    pub(super) fn fence(&mut self, machine: &mut Machine<'_>, thread: ThreadId, kind: FenceKind) {
        let (acquires, releases) = sides(kind);
        if acquires {
            let read = Self::get(machine, thread, field::C11_READ);
            self.see(machine, thread, field::C11_CLOCK, read);
        }
        if releases {
            let published = self.publish(machine, thread);
            Self::set(machine, thread, field::C11_FENCED, published);
        }
    }

    /// Publishes the thread's current clock: the clock does not include the later accesses of the thread.
    fn publish(&mut self, machine: &mut Machine<'_>, thread: ThreadId) -> ClockId {
        let published = Self::clock(machine, thread);
        self.begin(machine, thread, published);
        published
    }

    fn see(&mut self, machine: &mut Machine<'_>, thread: ThreadId, field: u32, other: ClockId) {
        if other != ClockId::NONE {
            let joined = self.clocks.joined(Self::get(machine, thread, field), other);
            Self::set(machine, thread, field, joined);
        }
    }

    /// Called when a thread has read a value that carries `message`.
    pub(super) fn read_from(
        &mut self,
        machine: &mut Machine<'_>,
        thread: ThreadId,
        message: ClockId,
        order: Order,
    ) {
        match order {
            Order::Plain => {}
            order if acquires(order) => self.see(machine, thread, field::C11_CLOCK, message),
            _ => self.see(machine, thread, field::C11_READ, message),
        }
    }

    /// The message of a store of the thread.
    pub(super) fn message(
        &mut self,
        machine: &mut Machine<'_>,
        thread: ThreadId,
        order: Order,
    ) -> ClockId {
        match order {
            Order::Plain => ClockId::NONE,
            order if releases(order) => self.publish(machine, thread),
            _ => Self::get(machine, thread, field::C11_FENCED),
        }
    }
}
