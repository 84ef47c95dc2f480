//! Events: accesses that threads have fetched, committed or not.

use super::sets::{ClockId, DepsId};
use super::value::{NodeId, Val};
use crate::table::impl_id;
use raddle_ir::{IntPred, LocId, Type};
use raddle_machine::{ThreadId, Word};

/// A fetched event of the current execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct EventId(pub u32);

/// Bytes of memory that are read and written as a whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Location(pub u32);

impl_id!(EventId);
impl_id!(Location);

/// Whether a load has a write that follows it in one step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pairing {
    None,
    Always,
    /// Always, by a thread that starts or stops waiting for a condition variable. The order of such
    /// updates among each other is irrelevant: see [`queue`](crate::queue).
    Queue,
    /// Always, by a signal on a condition variable.
    Signal {
        all: bool,
    },
    /// If it reads this value.
    If(Val),
}

/// Which values a load accepts; for others it waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    Compares(IntPred, Val),
    /// A lock that is free, or was destroyed: to take a destroyed lock fails.
    Free,
    /// The store of a signal that cleared this bit.
    Woken(u128),
}

/// The values that make a load fail.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// A lock that was destroyed.
    Destroyed,
    /// A lock that another thread, or none, holds.
    NotHeld,
}

/// The part of an event that only loads have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub node: NodeId,
    /// The values that it waits for.
    pub when: Option<When>,
    pub check: Option<Check>,
    pub pairing: Pairing,
    /// Takes bytes that were never written.
    pub raw: bool,
    /// Makes a reservation.
    pub reserves: bool,
}

/// The part of an event that only stores have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store {
    pub value: Val,
    /// The load of the same read-modify-write.
    pub read: Option<EventId>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Load(Load),
    Store(Store),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub thread: ThreadId,
    /// Its place in program order, counted from 0.
    pub po: u32,
    pub kind: Kind,
    pub ty: Type,
    pub addr: Val,
    pub at: LocId,
    /// The loads that its address and its value came from.
    pub dd: DepsId,
    /// Those of branches before it, and of the addresses of accesses before it.
    pub cc: DepsId,
    /// Those of branches before an `isync` or `isb` before it.
    pub ci: DepsId,
    /// `dd` and `cc`: the loads that must be committed before the event is certain to happen.
    pub before: DepsId,
    pub full: ClockId,
    /// How many events of its thread are before a lightweight fence before it, and how many before a
    /// fence of stores.
    pub light: u32,
    pub stores: u32,
    /// See [`word`].
    pub words: Word,
}

impl Event {
    pub(crate) fn is_store(&self) -> bool {
        matches!(self.kind, Kind::Store(_))
    }

    /// Whether it is the load of a read-modify-write.
    pub(crate) fn is_paired(&self) -> bool {
        self.load().is_some_and(|load| !matches!(load.pairing, Pairing::None))
    }

    pub(crate) fn load(&self) -> Option<&Load> {
        match &self.kind {
            Kind::Load(load) => Some(load),
            Kind::Store(_) => None,
        }
    }
}

/// Offsets of an event's words.
pub(crate) mod word {
    /// Its number in the graph plus 1; 0 before it is committed.
    pub(crate) const COMMIT: u32 = 0;
    /// Its location plus 1; 0 while the address is not known.
    pub(crate) const LOCATION: u32 = 1;
    /// For a load that reads from a store that is yet to come: the number of stores to its location
    /// that it was not to read from, plus 1.
    pub(crate) const DEFERRED: u32 = 2;
    pub(crate) const ALL: u32 = 3;
}
