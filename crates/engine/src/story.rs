//! The events of a replay, as values for analyses and as words for people.
//!
//! A story is the steps of a schedule and, between them, what threads do on their way to the next
//! (stores into their buffers, fences, spawns, joins, allocations, failures). Everything that a
//! reader is told comes from here: the words are made from the values, never the other way round.

use crate::failure::FailureSite;
use crate::names::{Cast, Origin};
use crate::need::Need;
use crate::tally::End;
use raddle_budget::Spent;
use raddle_ir::LocId;
use raddle_ir::text::quoted;
use raddle_machine::{Calls, Ending, FailureKind, Fault, ThreadId, in_bytes};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How a replayed execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayEnd {
    /// Every thread ran to its end.
    Complete {
        /// The final values of the observables, in the program's order.
        state: Vec<u64>,
    },
    Blocked,
    Cut,
    /// Everything that failed, in order.
    Failed(Vec<FailureSite>),
    /// The schedule does not fit the program: this step of it cannot happen.
    Stuck(usize),
    /// The schedule ends before the execution does.
    Short,
    /// The budget did not last to the end.
    Spent(Spent),
}

impl ReplayEnd {
    /// The end of an execution; `state` writes the final values of the observables.
    pub fn of(end: End, state: impl FnOnce(&mut Vec<u64>)) -> ReplayEnd {
        match end {
            End::Complete => {
                let mut values = Vec::new();
                state(&mut values);
                ReplayEnd::Complete { state: values }
            }
            End::Blocked => ReplayEnd::Blocked,
            End::Cut(..) | End::Endless(_) => ReplayEnd::Cut,
            End::Failed(sites) => ReplayEnd::Failed(sites),
        }
    }

    /// Whether threads wait for ever.
    pub fn is_deadlock(&self) -> bool {
        let ReplayEnd::Failed(sites) = self else { return false };
        sites.iter().any(|site| site.kind == FailureKind::Deadlock)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    pub end: ReplayEnd,
    pub events: Vec<ReplayEvent>,
    /// For each step that was performed, the position of its first event.
    pub starts: Vec<usize>,
    /// The events that are not of a step, where steps are not in the order of time.
    pub asides: Vec<Aside>,
    /// Where the objects of the heap come from, if their types are known.
    pub origins: Vec<Origin>,
}

impl Replayed {
    /// As [`crate::Summary::cannot_start`].
    pub fn cannot_start(fault: Fault) -> Replayed {
        let end = ReplayEnd::Failed(vec![FailureSite::before_start(fault)]);
        Replayed::of(end, Vec::new(), Vec::new(), Vec::new())
    }

    /// An execution whose steps are in the order of time.
    pub fn of(
        end: ReplayEnd,
        events: Vec<ReplayEvent>,
        starts: Vec<usize>,
        origins: Vec<Origin>,
    ) -> Replayed {
        Replayed { end, events, starts, asides: Vec::new(), origins }
    }

    /// The step of each event: for an event that is not a step, the one before it, of its own thread where steps
    /// are not in the order of time. `None` before the first step.
    pub fn steps(&self) -> Vec<Option<usize>> {
        let before =
            |event: usize| self.starts.partition_point(|start| *start <= event).checked_sub(1);
        let asides: BTreeSet<usize> = self.asides.iter().map(|aside| aside.event).collect();
        let mut newest = BTreeMap::new();
        let own = |(event, told): (usize, &ReplayEvent)| {
            if asides.contains(&event) {
                return newest.get(&told.number).copied();
            }
            let step = before(event)?;
            newest.insert(told.number, step);
            Some(step)
        };
        self.events.iter().enumerate().map(own).collect()
    }
}

/// An event that is not of a step: a thread is started, joined, or an object made or ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aside {
    /// Its place among the events.
    pub event: usize,
    /// How many events of its thread come before it in program order, as steps count them.
    pub before: u32,
}

/// Something that a thread does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayEvent {
    /// Number of the thread, as in [`crate::Step`].
    pub number: u32,
    /// Its name.
    pub thread: String,
    pub loc: LocId,
    /// The calls on its stack.
    pub calls: Calls,
    pub deed: Deed,
}

impl ReplayEvent {
    pub fn new(
        cast: &impl Cast,
        thread: ThreadId,
        (loc, calls): (LocId, Calls),
        deed: Deed,
    ) -> ReplayEvent {
        let Other { number, name } = cast.other(thread);
        ReplayEvent { number, thread: name, loc, calls, deed }
    }

    /// What happens, in words: `reads x = 1`.
    pub fn what(&self) -> String {
        self.deed.to_string()
    }
}

/// Bytes of memory, by their address and by their name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bytes {
    pub addr: u64,
    pub bytes: u32,
    /// How the program calls them: `flag`, `flag+4`, `heap object 1 of main+8`.
    pub name: String,
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A value as bits and as people write it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Datum {
    pub bits: u128,
    pub shown: String,
}

/// Beyond this, a number is more likely a bit pattern than a count.
const SMALL: u128 = 1 << 31;

impl Datum {
    /// A number of so many bytes: signed while it is small, or else a bit pattern.
    pub fn number(bits: u128, bytes: u32) -> Datum {
        let unused = 128 - 8 * bytes.clamp(1, 16);
        let signed = ((bits << unused) as i128) >> unused;
        let shown = match signed.unsigned_abs() <= SMALL {
            true => signed.to_string(),
            false => format!("{:#x}", bits << unused >> unused),
        };
        Datum { bits, shown }
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// A value at its place: `x = 1`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub at: Bytes,
    pub value: Datum,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.at, self.value)
    }
}

/// How a write that is an event of its thread came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writing {
    /// A store without buffers.
    Store,
    Rmw,
    /// A compare-and-exchange that found what it expected.
    Exchange,
    /// A store-conditional whose reservation held.
    Conditional,
}

/// Another thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Other {
    pub number: u32,
    pub name: String,
}

impl fmt::Display for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deed {
    Read {
        cell: Cell,
        /// It came from the thread's own store buffer.
        forwarded: bool,
    },
    /// Memory changes in the same step.
    Write {
        cell: Cell,
        old: Datum,
        how: Writing,
    },
    /// A compare-and-exchange that changes nothing.
    Mismatch {
        cell: Cell,
        expected: Datum,
    },
    /// A store-conditional that changes nothing.
    LostReservation(Bytes),
    /// A store goes into the buffer: which of its thread's stores it is, from 0.
    Buffer {
        cell: Cell,
        store: u32,
        drains: bool,
    },
    /// It leaves the buffer.
    Update {
        cell: Cell,
        store: u32,
    },
    Fence {
        kind: String,
        drains: bool,
    },
    Lock {
        at: Bytes,
        /// After a wait on a condition variable.
        woken: bool,
    },
    FindsLocked(Bytes),
    Unlock(Bytes),
    StartWaiting(Bytes),
    /// A wait that may time out ends, by a signal or not.
    StopWaiting(Bytes),
    Signal {
        at: Bytes,
        woken: Option<Other>,
    },
    Broadcast(Bytes),
    Spawn(Other),
    Join(Option<Other>),
    Allocate {
        at: Bytes,
        heap: bool,
    },
    Free {
        at: Bytes,
        by: Ending,
    },
    /// Which value; engines count from 0.
    Choose(i128),
    /// Output of the program.
    Print(String),
    /// An access that fails; the failure is told next.
    Touch(Bytes),
    Fail {
        kind: FailureKind,
        message: String,
        /// The bytes that it was about to touch, if the failure has to do with them.
        at: Option<Bytes>,
    },
    /// Waits or spins for ever.
    Stuck(Need<Bytes, Other>),
}

impl Deed {
    /// Whether it reads and writes memory in one step.
    pub fn is_update(&self) -> bool {
        matches!(self, Deed::Write { how: Writing::Rmw | Writing::Exchange, .. })
    }

    /// Whether only a reader who looks for the end of an object needs the event.
    pub fn is_routine(&self) -> bool {
        match self {
            Deed::Free { by, .. } => by.is_implicit(),
            Deed::Allocate { heap, .. } => !heap,
            _ => false,
        }
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DRAINS: &str = " and waits until the store buffer is empty";
        let draining = |drains: &bool| if *drains { DRAINS } else { "" };
        match self {
            Deed::Read { cell, forwarded: false } => write!(f, "reads {cell}"),
            Deed::Read { cell, .. } => write!(f, "reads {cell} (from its own store buffer)"),
            Deed::Write { cell, old, how } => match how {
                Writing::Store => write!(f, "writes {cell}"),
                Writing::Rmw => write!(f, "updates {} from {old} to {}", cell.at, cell.value),
                Writing::Exchange => {
                    write!(f, "exchanges {} from {old} to {}", cell.at, cell.value)
                }
                Writing::Conditional => write!(f, "writes {cell} conditionally"),
            },
            Deed::Mismatch { cell, expected } => {
                write!(f, "finds {cell}, not {expected}, and does not exchange it")
            }
            Deed::LostReservation(at) => {
                write!(f, "fails to write {at}: its reservation is lost")
            }
            Deed::Buffer { cell, drains, .. } => {
                write!(f, "writes {cell} (buffered){}", draining(drains))
            }
            Deed::Update { cell, .. } => write!(f, "{cell} reaches memory"),
            Deed::Fence { kind, drains } => {
                write!(f, "comes to a fence ({kind}){}", draining(drains))
            }
            Deed::Lock { at, woken: false } => write!(f, "locks {at}"),
            Deed::Lock { at, .. } => write!(f, "wakes up and locks {at}"),
            Deed::FindsLocked(at) => write!(f, "finds {at} locked"),
            Deed::Unlock(at) => write!(f, "unlocks {at}"),
            Deed::StartWaiting(at) => write!(f, "starts to wait for {at}"),
            Deed::StopWaiting(at) => write!(f, "stops waiting for {at}"),
            Deed::Signal { at, woken: None } => write!(f, "signals {at}; nobody waits"),
            Deed::Signal { at, woken: Some(who) } => write!(f, "signals {at} and wakes {who}"),
            Deed::Broadcast(at) => write!(f, "wakes all that wait for {at}"),
            Deed::Spawn(child) => write!(f, "starts {child}"),
            Deed::Join(Some(child)) => write!(f, "joins {child}"),
            Deed::Join(None) => f.write_str("joins a thread that has ended"),
            Deed::Allocate { at, .. } => write!(f, "allocates {at} ({})", in_bytes(at.bytes)),
            Deed::Free { at, by: Ending::Free } => write!(f, "frees {at}"),
            Deed::Free { at, .. } => write!(f, "ends {at}"),
            Deed::Choose(value) => write!(f, "chooses {value}"),
            Deed::Print(text) => write!(f, "prints {}", quoted(text)),
            Deed::Touch(at) => write!(f, "accesses {at}"),
            Deed::Fail { kind: FailureKind::Assertion, message, .. } => {
                write!(f, "assertion fails: {message}")
            }
            Deed::Fail { message, .. } => write!(f, "fails: {message}"),
            Deed::Stuck(Need::Change) => f.write_str("spins for ever"),
            Deed::Stuck(need) => write!(f, "waits for {need}, for ever"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_signed_while_small() {
        let shown = |bits, bytes| Datum::number(bits, bytes).shown;
        assert_eq!(shown(0xffff_ffff, 4), "-1");
        assert_eq!(shown(0xff, 4), "255");
        assert_eq!(shown(1 << 31, 4), "-2147483648");
        assert_eq!(shown(1 << 40, 8), "0x10000000000");
        assert_eq!(shown(u128::MAX, 16), "-1");
    }
    #[test]
    fn events_are_of_the_step_before_them() {
        let event = |number: &u32| ReplayEvent {
            number: *number,
            thread: String::new(),
            loc: LocId::NONE,
            calls: Calls::from([]),
            deed: Deed::Choose(0),
        };
        let events = |threads: &[u32]| threads.iter().map(event).collect();
        let end = || ReplayEnd::Blocked;
        let mut replayed = Replayed::of(end(), events(&[0; 4]), vec![1, 1, 3], Vec::new());
        assert_eq!(replayed.steps(), [None, Some(1), Some(1), Some(2)]);
        // The third event is of thread 0, and is no step.
        replayed = Replayed::of(end(), events(&[0, 1, 0, 1]), vec![0, 1, 3], Vec::new());
        replayed.asides = vec![Aside { event: 2, before: 1 }];
        assert_eq!(replayed.steps(), [Some(0), Some(1), Some(0), Some(2)]);
    }
}
