//! Data races of C11.
//!
//! Two accesses of different threads race if they touch common bytes, one of them writes, one of them is not
//! atomic, and neither happens before the other (C11, 5.1.2.4). This is the happens-before of the language,
//! not that of the model, which [`crate::record`] keeps. It consists of program order, spawns, joins and
//! synchronisation (locks, release and acquire, fences); conflicts do not order anything. The method is that
//! of vector-clock detectors (Flanagan, Freund, *FastTrack*, PLDI 2009).
//!
//! | module | subject |
//! |---|---|
//! | [`order`] | the clocks: synchronisation |
//! | [`history`] | the accesses to each byte, and the races of a new one |
//! | [`found`] | the races found, and their messages |
//!
//! Deviations from FastTrack: for each byte, the newest access of each thread, place and kind is kept, not
//! only the newest write. So every pair of places is found that races in an execution. Release sequences are
//! those of C++20: only read-modify-writes continue them.
//!
//! A store counts at the moment when its thread performs it, even if it enters a buffer. Its message for
//! threads that read it from memory is kept beside the buffer until the update. So under every model,
//! accesses are processed in an order that extends happens-before.
//!
//! The detector exists only if races are checked. Its vectors grow only at their ends. The lengths that
//! belong to the current execution are on the machine's trail, and the rest is dropped before the next use.
//! So backtracking does not involve the detector.
//!
//! Not covered: the reads and writes of formatting, which are not events; accesses that fail; the end of a
//! frame's object, which is not an access.

mod found;
mod history;
mod order;

pub(crate) use found::{Found, site};

use crate::buffer::Entry;
use crate::clock::{ClockId, Clocks};
use crate::event::{Class, Turn};
use crate::race::Race;
use crate::system::System;
use history::{Kind, Link, Rooms};
use raddle_ir::{FenceKind, LocId, Order};
use raddle_machine::{Ending, Machine, Status, ThreadId, Trail, Visible, Word};

/// The accesses of the current execution, and their order.
#[derive(Clone, Debug)]
pub(crate) struct DataRaces {
    /// Indexed by threads, not by chains.
    clocks: Clocks,
    links: Vec<Link>,
    found: Vec<Found>,
    /// Three words: the lengths of the above that belong to the current execution.
    lengths: Word,
    rooms: Rooms,
    /// For each thread, the messages of its stores, by number. Entries from the number of the next store on
    /// are meaningless.
    carried: Vec<Vec<ClockId>>,
}

/// An access as its thread performs it.
#[derive(Clone, Copy, Debug)]
struct Access {
    thread: ThreadId,
    loc: LocId,
    addr: u64,
    bytes: u32,
    kind: Kind,
    plain: bool,
    /// Whether it is plain and the source says `volatile`.
    volatile: bool,
}

/// The effect of an access on synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Nothing,
    Load(Order),
    Store(Order),
    Update(Order),
}

impl DataRaces {
    pub(crate) fn new(machine: &mut Machine<'_>) -> DataRaces {
        let mut races = DataRaces {
            clocks: Clocks::new(),
            links: Vec::new(),
            found: Vec::new(),
            lengths: machine.trail.reserve(3),
            rooms: Rooms::default(),
            carried: Vec::new(),
        };
        for thread in machine.thread_ids() {
            races.begin(machine, thread, ClockId::NONE);
        }
        races.keep(&mut machine.trail);
        races
    }

    /// Drops everything that does not belong to the current execution.
    fn rewind(&mut self, trail: &Trail) {
        let [clocks, links, found] = [0, 1, 2].map(|n| trail.get(self.lengths.at(n)) as usize);
        self.clocks.truncate(clocks);
        self.links.truncate(links);
        self.found.truncate(found);
    }

    /// Writes the current lengths to the trail.
    fn keep(&self, trail: &mut Trail) {
        let lengths = [self.clocks.len(), self.links.len(), self.found.len()];
        for (word, length) in [0, 1, 2].map(|n| self.lengths.at(n)).into_iter().zip(lengths) {
            trail.set(word, length as u64);
        }
    }

    /// The races of the current execution.
    pub(crate) fn found(&self, trail: &Trail) -> &[Found] {
        &self.found[..trail.get(self.lengths.at(2)) as usize]
    }

    /// Processes an access that takes effect at once; `events` is the number of events including it.
    fn access(&mut self, machine: &mut Machine<'_>, access: Access, effect: Effect, events: u32) {
        let Access { thread, addr, bytes, .. } = access;
        let source = self.message_at(machine, addr, bytes);
        if let Effect::Load(order) | Effect::Update(order) = effect {
            self.read_from(machine, thread, source, order);
        }
        self.check_access(machine, access, events);
        let message = match effect {
            Effect::Nothing | Effect::Load(_) => return,
            Effect::Store(order) => self.message(machine, thread, order),
            // A read-modify-write continues the release sequences that it reads.
            Effect::Update(order) => {
                let message = self.message(machine, thread, order);
                self.clocks.joined(source, message)
            }
        };
        self.put_message(machine, addr, bytes, message);
    }

    /// Processes a store that enters its thread's buffer.
    fn buffered(
        &mut self,
        machine: &mut Machine<'_>,
        access: Access,
        (order, index): (Order, u32),
        events: u32,
    ) {
        self.check_access(machine, access, events);
        let message = self.message(machine, access.thread, order);
        let (thread, index) = (access.thread.0 as usize, index as usize);
        if self.carried.len() <= thread {
            self.carried.resize(thread + 1, Vec::new());
        }
        let carried = &mut self.carried[thread];
        carried.truncate(index);
        carried.resize(index, ClockId::NONE);
        carried.push(message);
    }

    /// Processes a store that leaves the buffer: memory gets its message.
    fn updated(&mut self, machine: &mut Machine<'_>, thread: ThreadId, store: &Entry) {
        let carried = self.carried.get(thread.0 as usize);
        let message = carried.and_then(|carried| carried.get(store.index as usize)).copied();
        self.put_message(machine, store.addr, store.bytes, message.unwrap_or(ClockId::NONE));
    }
}

impl System<'_> {
    /// Calls the detector, if there is one. Not once the budget is spent: then clocks may lack entries for
    /// new threads, and results no longer count.
    fn watched(&mut self, tell: impl FnOnce(&mut DataRaces, &mut Machine<'_>, u32)) {
        if let Some(races) = &mut self.data_races
            && !self.machine.trail.budget().is_spent()
        {
            races.rewind(&self.machine.trail);
            tell(races, &mut self.machine, self.events.len() as u32);
            races.keep(&mut self.machine.trail);
        }
    }

    /// The data races of the current execution.
    pub(crate) fn races_found(&self) -> &[Found] {
        self.data_races.as_ref().map_or(&[], |races| races.found(&self.machine.trail))
    }

    /// Called when a store is about to leave its thread's buffer.
    #[cold]
    pub(crate) fn watch_update(&mut self, turn: Turn) {
        if let Some(entry) = self.leaving(turn.thread, turn.addr) {
            self.watched(|races, machine, _| races.updated(machine, turn.thread, &entry));
        }
    }

    /// Performs a step of a thread, and checks it for data races.
    #[cold]
    pub(crate) fn perform_watched(&mut self, turn: Turn, races: &mut Vec<Race>) {
        let thread = turn.thread;
        let visible = self.machine.visible(thread);
        let orders = [false, true].map(|done| self.machine.order(thread, done));
        let volatile = self.machine.is_volatile(thread);
        let (loc, position) = (self.machine.loc(thread), self.events.len());
        self.perform_step(thread, visible, turn.choice, races);
        if self.machine.status(thread) != Status::Failed {
            let action = self.events[position].action;
            let done = action.class == Class::Write;
            let order = orders[usize::from(done)].unwrap_or(Order::Asm);
            // A value from the thread's own buffer brings no new order.
            let forwarded = action.forwarded > 0;
            if let Some((kind, effect)) = kind_and_effect(visible, order, done, forwarded) {
                let plain = kind == Kind::Free || order == Order::Plain;
                let (addr, bytes) = (action.addr, action.bytes);
                let volatile = plain && volatile;
                let access = Access { thread, loc, addr, bytes, kind, plain, volatile };
                self.watched(|races, machine, events| {
                    races.access(machine, access, effect, events);
                });
            }
        }
    }

    /// Called when the thread is about to put its store into its buffer.
    #[cold]
    pub(crate) fn watch_store(&mut self, thread: ThreadId, addr: u64, bytes: u32, order: Order) {
        let loc = self.machine.loc(thread);
        let index = self.process(thread).buffer.stores(&self.machine.trail);
        let plain = order == Order::Plain;
        let volatile = plain && self.machine.is_volatile(thread);
        let access = Access { thread, loc, addr, bytes, kind: Kind::Write, plain, volatile };
        self.watched(|races, machine, events| {
            races.buffered(machine, access, (order, index), events);
        });
    }

    #[cold]
    pub(crate) fn watch_fence(&mut self, thread: ThreadId, kind: FenceKind) {
        self.watched(|races, machine, _| races.fence(machine, thread, kind));
    }

    #[cold]
    pub(crate) fn watch_spawn(&mut self, parent: ThreadId, child: ThreadId) {
        self.watched(|races, machine, _| races.spawn(machine, parent, child));
    }

    #[cold]
    pub(crate) fn watch_join(&mut self, thread: ThreadId, ended: ThreadId) {
        self.watched(|races, machine, _| races.join(machine, thread, ended));
    }
}

/// The kind and the effect of an operation that happened; `None` if it is not an access. `done` says whether
/// it wrote.
fn kind_and_effect(
    visible: Visible,
    order: Order,
    done: bool,
    forwarded: bool,
) -> Option<(Kind, Effect)> {
    let load = if forwarded { Effect::Nothing } else { Effect::Load(order) };
    Some(match visible {
        Visible::Load { .. } | Visible::Await { .. } => (Kind::Read, load),
        Visible::Store { .. } => (Kind::Write, Effect::Store(order)),
        Visible::Rmw { .. } | Visible::CmpXchg { .. } | Visible::StoreCond { .. } if done => {
            (Kind::Write, Effect::Update(order))
        }
        Visible::CmpXchg { .. } => (Kind::Read, load),
        Visible::Lock { .. } | Visible::Relock { .. } => {
            (Kind::Write, Effect::Update(Order::Acquire))
        }
        Visible::TryLock { .. } if done => (Kind::Write, Effect::Update(Order::Acquire)),
        Visible::Unlock { .. } => (Kind::Write, Effect::Store(Order::Release)),
        // A failed try-lock changes nothing and orders nothing. Signals change nothing in memory and order
        // nothing: the lock does.
        Visible::TryLock { .. }
        | Visible::CondEnqueue { .. }
        | Visible::CondLeave { .. }
        | Visible::Signal { .. }
        | Visible::Broadcast { .. } => (Kind::Read, Effect::Nothing),
        Visible::Free { addr, by: Ending::Free } if addr != 0 => (Kind::Free, Effect::Nothing),
        Visible::Free { .. }
        | Visible::Rmw { .. }
        | Visible::StoreCond { .. }
        | Visible::Fence { .. }
        | Visible::Spawn
        | Visible::Join { .. }
        | Visible::Choose { .. }
        | Visible::Format => return None,
    })
}
