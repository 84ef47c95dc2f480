//! Worlds: the state of the machine together with the history that led to it.
//!
//! The history is a canonical form of the trace so far. Each thread has the list of its visible
//! events, with the values they read and wrote and, for a read, the event it reads from. Each
//! place has the order of its writes (a mutex: of its successful lock, try-lock and unlock
//! operations). Each condition variable has the order of its signals, and each wait records the number of
//! signals before it. Events are named by their thread and their number in it, threads by their
//! ancestry, so the history does not depend on the order of independent steps: two interleavings have
//! the same trace exactly if their histories are equal.

use crate::layout::Extent;
use crate::local::{Context, End, Thread};
use crate::outcome::{Model, Trouble};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A thread, named by its ancestry: the initial threads are 0, 1, …; child `k` of thread `p` is
/// `(p + 1) · 2⁸ + k`. The handle in the program is one more, so that 0 is never a handle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ThreadName(u64);

impl ThreadName {
    const CHILDREN: u64 = 1 << 8;

    pub(super) fn initial(index: usize) -> ThreadName {
        ThreadName(index as u64)
    }

    pub(super) fn child(self, spawned_before: u64) -> Result<ThreadName, Trouble> {
        let name = (self.0 + 1).checked_mul(ThreadName::CHILDREN).map(|n| n + spawned_before);
        let name = name.filter(|_| spawned_before < ThreadName::CHILDREN);
        name.map(ThreadName).ok_or(Trouble::Budget)
    }

    pub(super) fn handle(self) -> u64 {
        self.0 + 1
    }

    /// The thread that a handle names, whether it exists or not.
    pub(super) fn from_handle(handle: u64) -> ThreadName {
        ThreadName(handle.wrapping_sub(1))
    }
}

/// An event, by its thread and its number in the thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct EventRef {
    pub thread: ThreadName,
    pub index: usize,
}

/// The write from which a read takes its value; `None` for the initial value.
pub(super) type From = Option<EventRef>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Event {
    Read {
        place: Extent,
        value: u128,
        from: From,
    },
    Write {
        place: Extent,
        value: u128,
    },
    /// A read-modify-write; a failed compare-and-swap if it wrote nothing.
    Update {
        place: Extent,
        read: u128,
        from: From,
        wrote: Option<u128>,
    },
    /// Also a successful try-lock.
    Lock {
        mutex: Extent,
    },
    LockFailed {
        mutex: Extent,
        from: From,
    },
    Unlock {
        mutex: Extent,
    },
    /// Unlocking a mutex, or waiting with a mutex, that the thread does not hold.
    Misuse {
        mutex: Extent,
    },
    /// Entering the queue of a condition variable, after this many signals.
    Enqueue {
        cond: u64,
        signals_before: usize,
    },
    /// Taking the mutex again after being woken.
    Relock {
        mutex: Extent,
        woken_by: EventRef,
    },
    Signal {
        cond: u64,
        wakes: Option<ThreadName>,
    },
    Broadcast {
        cond: u64,
    },
    Spawn(ThreadName),
    Join(ThreadName),
    Choice(u64),
}

/// A buffered store.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Entry {
    pub place: Extent,
    pub value: u128,
    pub event: usize,
    /// The number of store-store barriers of the thread before this store.
    pub epoch: u32,
}

/// The progress of a thread that waits on a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Waiting {
    /// In the queue, still holding the mutex.
    Queued,
    /// In the queue, the mutex released.
    Asleep,
    /// Woken by a signal; the mutex may not be released yet.
    Woken { by: EventRef, released: bool },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Running {
    pub local: Thread,
    pub events: Vec<Event>,
    /// The number of executed visible instructions, including fences.
    pub steps: usize,
    /// Oldest first.
    pub buffer: Vec<Entry>,
    pub epoch: u32,
    /// A full barrier follows the last store: the thread does nothing until its buffer is empty.
    pub draining: bool,
    pub waiting: Option<Waiting>,
    pub spawned: u64,
    /// The mutexes that the thread holds.
    pub held: BTreeSet<Extent>,
}

impl Running {
    pub(super) fn new(local: Thread) -> Running {
        Running {
            local,
            events: Vec::new(),
            steps: 0,
            buffer: Vec::new(),
            epoch: 0,
            draining: false,
            waiting: None,
            spawned: 0,
            held: BTreeSet::new(),
        }
    }

    /// The buffered stores that may reach memory next.
    pub(super) fn leaving(&self, model: Model) -> Vec<usize> {
        let may_leave = |i: &usize| {
            let (before, entry) = (&self.buffer[..*i], &self.buffer[*i]);
            match model {
                Model::Sc | Model::Tso => before.is_empty(),
                Model::Pso => {
                    before.iter().all(|b| b.place != entry.place && b.epoch == entry.epoch)
                }
            }
        };
        (0..self.buffer.len()).filter(may_leave).collect()
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cell {
    pub value: u128,
    /// The events that wrote it, first to last.
    pub writers: Vec<EventRef>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Condition {
    pub queue: BTreeSet<ThreadName>,
    /// Signals and broadcasts, first to last.
    pub signals: Vec<EventRef>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct World {
    /// Shared between worlds until one of them changes it.
    pub threads: BTreeMap<ThreadName, Rc<Running>>,
    pub cells: BTreeMap<Extent, Cell>,
    pub conditions: BTreeMap<u64, Condition>,
}

/// The canonical form of a finished interleaving.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Trace {
    threads: BTreeMap<ThreadName, (Vec<Event>, Option<End>)>,
    coherence: BTreeMap<Extent, Vec<EventRef>>,
    signals: BTreeMap<u64, Vec<EventRef>>,
}

impl World {
    pub(super) fn new(cx: &Context) -> Result<World, Trouble> {
        let mut threads = BTreeMap::new();
        for (index, id) in cx.program.threads.keys().enumerate() {
            let local = Thread::initial(cx, id)?;
            threads.insert(ThreadName::initial(index), Rc::new(Running::new(local)));
        }
        Ok(World { threads, cells: BTreeMap::new(), conditions: BTreeMap::new() })
    }

    pub(super) fn trace(&self) -> Trace {
        let thread = |t: &Running| (t.events.clone(), t.local.end());
        Trace {
            threads: self.threads.iter().map(|(name, t)| (*name, thread(t))).collect(),
            coherence: self.cells.iter().map(|(p, c)| (*p, c.writers.clone())).collect(),
            signals: self.conditions.iter().map(|(c, q)| (*c, q.signals.clone())).collect(),
        }
    }

    pub(super) fn ends(&self) -> Vec<Option<End>> {
        self.threads.values().map(|thread| thread.local.end()).collect()
    }

    pub(super) fn initial_threads(&self, count: usize) -> Vec<&Thread> {
        (0..count).map(|i| &self.threads[&ThreadName::initial(i)].local).collect()
    }

    pub(super) fn memory(&self) -> BTreeMap<Extent, u128> {
        self.cells.iter().map(|(place, cell)| (*place, cell.value)).collect()
    }

    pub(super) fn thread_mut(&mut self, name: ThreadName) -> &mut Running {
        Rc::make_mut(self.threads.get_mut(&name).expect("threads are never removed"))
    }

    /// The name of the thread's next event.
    pub(super) fn next_event(&self, name: ThreadName) -> EventRef {
        EventRef { thread: name, index: self.threads[&name].events.len() }
    }

    /// The value in memory, and the event that wrote it.
    pub(super) fn read(&self, cx: &Context, place: Extent) -> (u128, From) {
        match self.cells.get(&place) {
            Some(cell) => (cell.value, cell.writers.last().copied()),
            None => (cx.layout.initial(place), None),
        }
    }

    pub(super) fn write(&mut self, place: Extent, value: u128, event: EventRef) {
        let cell = self.cells.entry(place).or_insert(Cell { value, writers: Vec::new() });
        cell.value = value;
        cell.writers.push(event);
    }

    /// A buffered store of a thread reaches memory.
    pub(super) fn leave_buffer(&mut self, name: ThreadName, index: usize) {
        let thread = self.thread_mut(name);
        let entry = thread.buffer.remove(index);
        thread.draining &= !thread.buffer.is_empty();
        self.write(entry.place, entry.value, EventRef { thread: name, index: entry.event });
    }
}
