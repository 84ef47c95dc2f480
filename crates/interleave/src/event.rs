//! Actions and events.
//!
//! An *action* is a possible next step: the visible operation of a thread, or an update from its buffer, with
//! the bytes that it touches. An *event* is an action that happened, with its place in happens-before. Sleep
//! sets and wakeup trees hold actions; executions hold events.

use crate::clock::{Chain, ClockId};
use raddle_machine::ThreadId;
use serde::{Deserialize, Serialize};

/// How an action accesses its bytes, as other threads observe it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Class {
    /// Accesses nothing shared.
    Local,
    Read,
    Write,
}

/// Any of the alternatives of an action that has several.
pub(crate) const ANY: u32 = u32::MAX;
/// The choice of an action that has no alternatives.
pub(crate) const ONLY: u32 = u32::MAX - 1;

/// The part of an action that is needed to perform it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub thread: ThreadId,
    /// Which alternative, [`ANY`] of them, or the [`ONLY`] one.
    pub choice: u32,
    /// An update from the thread's buffer, of the store at this address; not a step of the thread
    /// itself.
    pub update: bool,
    pub addr: u64,
}

impl Turn {
    /// The next step of a thread.
    #[inline(always)]
    pub(crate) fn step(thread: ThreadId, choice: u32) -> Turn {
        Turn { thread, choice, update: false, addr: 0 }
    }

    /// An update of a thread.
    #[inline(always)]
    pub(crate) fn update(thread: ThreadId, addr: u64) -> Turn {
        Turn { thread, choice: ONLY, update: true, addr }
    }

    /// Whether this is one of several alternatives, so that another may take its place.
    pub(crate) fn is_alternative(&self) -> bool {
        self.choice < ONLY
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Action {
    pub thread: ThreadId,
    /// An update from the thread's buffer, not a step of the thread itself.
    pub update: bool,
    pub class: Class,
    pub bytes: u32,
    pub addr: u64,
    /// For a load: the number of buffered stores of its own thread that cover its bytes. While it is not 0,
    /// the load does not read memory.
    pub forwarded: u32,
    /// Which alternative, [`ANY`] of them, or the [`ONLY`] one.
    pub choice: u32,
}

impl Action {
    /// Whether both are the next step of the same thread or of the same queue of updates, and the same
    /// alternative of it. [`ANY`] is the same as every alternative.
    #[inline]
    pub(crate) fn same_process(&self, other: &Action) -> bool {
        self.is_turn(&other.turn())
    }

    /// The part that is needed to perform the action.
    #[inline(always)]
    pub(crate) fn turn(&self) -> Turn {
        let Action { thread, choice, update, addr, .. } = *self;
        Turn { thread, choice, update, addr }
    }

    /// An action of which only the turn is known.
    #[inline(always)]
    pub(crate) fn of(turn: Turn) -> Action {
        let Turn { thread, choice, update, addr } = turn;
        Action { thread, update, class: Class::Local, bytes: 0, addr, forwarded: 0, choice }
    }

    /// [`Action::same_process`] for a turn.
    #[inline(always)]
    pub(crate) fn is_turn(&self, turn: &Turn) -> bool {
        self.thread == turn.thread
            && self.update == turn.update
            && (!self.update || self.addr == turn.addr)
            && (self.choice == turn.choice || self.choice == ANY || turn.choice == ANY)
    }

    /// Whether this is one of several alternatives, so that another may take its place.
    pub(crate) fn is_alternative(&self) -> bool {
        self.choice < ONLY
    }

    #[inline]
    fn end(&self) -> u64 {
        self.addr.saturating_add(self.bytes.into())
    }

    #[inline]
    pub(crate) fn overlaps(&self, other: &Action) -> bool {
        self.addr < other.end() && other.addr < self.end()
    }

    /// Whether this action touches all bytes of `other`.
    pub(crate) fn covers(&self, other: &Action) -> bool {
        self.addr <= other.addr && other.end() <= self.end()
    }

    /// Whether the order of two enabled actions matters. They conflict if they touch common bytes and one of
    /// them writes, with two exceptions (the rules of chronological traces, paper 000, section 2): a load
    /// does not conflict with an update of its own thread, and a load that is served by the buffer conflicts
    /// with nothing. The alternatives of one step count as steps of different processes, each of which
    /// disables the others.
    #[inline]
    pub(crate) fn conflicts(&self, other: &Action) -> bool {
        if self.thread == other.thread && self.update == other.update && !self.update {
            // Alternatives of one step exclude each other.
            return self.choice != other.choice;
        }
        self.touches(other)
            && !(self.class == Class::Read && self.forwarded > 0
                || other.class == Class::Read && other.forwarded > 0)
    }

    /// [`Action::conflicts`] without the exception for loads that are served by the buffer.
    #[inline]
    pub(crate) fn may_conflict(&self, other: &Action) -> bool {
        if self.thread == other.thread && self.update == other.update && !self.update {
            return self.choice != other.choice;
        }
        self.touches(other)
    }

    /// Whether they touch common bytes, one of them writes, and they are not a step and an update of
    /// one thread.
    #[inline(always)]
    fn touches(&self, other: &Action) -> bool {
        (self.class == Class::Write && other.class != Class::Local
            || other.class == Class::Write && self.class != Class::Local)
            && self.overlaps(other)
            && (self.thread != other.thread || self.update == other.update)
    }
}

/// The condition under which a conditional event writes, if it is moved before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// No condition: the class is fixed.
    Fixed,
    /// Writes unless it finds memory that was never written: read-modify-write, lock.
    FindsSomething,
    /// Writes iff it finds this value: compare-and-exchange, try-lock.
    Finds(u128),
    /// An access that failed. Its class if it did not fail.
    Unless(Class),
    /// Writes iff the last write is this one (0 for the initial value): store-conditional.
    After(u32),
}

/// An identity of an event that is the same in every execution: its thread, and the number of the step or
/// store in that thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Identity(pub u64);

impl Identity {
    /// The initial value.
    pub(crate) const INITIAL: Identity = Identity(0);

    /// The identity of a combined source, for an access to several cells: a hash.
    pub(crate) fn and(self, other: Identity) -> Identity {
        match self {
            Identity::INITIAL => other,
            Identity(own) => {
                Identity(own.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.0)
            }
        }
    }

    #[inline(always)]
    fn new(thread: ThreadId, update: bool, index: u32) -> Identity {
        Identity(u64::from(thread.0 + 1) << 33 | u64::from(update) << 32 | u64::from(index))
    }

    pub(crate) fn store(thread: ThreadId, index: u32) -> Identity {
        Identity::new(thread, true, index)
    }

    /// Whether it is a store of the thread, performed as an update.
    #[inline]
    pub(crate) fn is_store_of(self, thread: ThreadId) -> bool {
        self.0 >> 32 == u64::from(thread.0 + 1) << 1 | 1
    }

    /// Whether it is an event of the thread, or of its buffer.
    #[inline]
    pub(crate) fn is_of(self, thread: ThreadId) -> bool {
        self.0 >> 33 == u64::from(thread.0 + 1)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub action: Action,
    pub chain: Chain,
    /// Which event of its chain it is, from 1.
    pub index: u32,
    pub clock: ClockId,
    /// Its entry in [`crate::system::System::details`], plus 1; 0 for the default.
    pub detail: u32,
    /// For a read: the write that it read from. For a write: the write that it overwrote.
    pub source: Identity,
    /// The number of the step in its thread; for an update, the number of the store.
    pub nth: u32,
    /// The access before it in the list of its one cell, as [`CellWord`] names accesses.
    pub before: u32,
}

impl Event {
    #[inline(always)]
    pub(crate) fn identity(&self) -> Identity {
        Identity::new(self.action.thread, self.action.update, self.nth)
    }
}

/// Facts that only some events have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// For a write: the value that was there before.
    pub old: u128,
    /// For a write: the bytes were never written before. A read of them would have failed.
    pub fresh: bool,
    pub condition: Condition,
    /// Whether it is one alternative of several.
    pub open: bool,
}

impl Detail {
    pub(crate) const NONE: Detail =
        Detail { old: 0, fresh: false, condition: Condition::Fixed, open: false };
}

/// An event's place in happens-before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Position of the event in the execution.
    pub event: u32,
    pub chain: Chain,
    pub index: u32,
    pub clock: ClockId,
}

impl Point {
    /// Stands for an absent event: no clock has seen it, and its clock has seen nothing.
    pub(crate) const NONE: Point =
        Point { event: u32::MAX, chain: Chain(0), index: u32::MAX, clock: ClockId::NONE };

    #[inline]
    pub(crate) fn is_some(&self) -> bool {
        self.index != u32::MAX
    }
}

/// An entry of a cell's list of accesses. An event that touches one cell is its own entry. An event that
/// touches several cells has one entry for each in [`crate::system::System::links`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub point: Point,
    pub identity: Identity,
    /// The previous entry, by name.
    pub before: u32,
}

/// The word of a cell: the newest write and the newest read since. A *name* of an access is the position of
/// its event plus 1, or the index of a [`Link`] with [`CellWord::LINK`] set; 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CellWord {
    pub write: u32,
    pub read: u32,
}

impl CellWord {
    pub(crate) const LINK: u32 = 1 << 31;

    #[inline]
    pub(crate) fn unpack(word: u64) -> CellWord {
        CellWord { write: word as u32, read: (word >> 32) as u32 }
    }

    #[inline]
    pub(crate) fn pack(self) -> u64 {
        u64::from(self.read) << 32 | u64::from(self.write)
    }
}
