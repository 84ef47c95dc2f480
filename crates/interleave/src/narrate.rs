//! The story of a schedule, told while it runs.
//!
//! A step is told from what the thread was about to do before it and the event it became (see
//! [`crate::describe`]). In between, threads perform operations that are not events but matter to a reader;
//! those are read off the machine's undo log ([`raddle_machine::Passed`]), in the order in which
//! they happened. That is also where the source position of a buffered store is known, for when it
//! reaches memory.

use crate::buffer::Entry;
use crate::describe::describe;
use crate::model::Barrier;
use crate::outcome::stuck;
use crate::system::{System, field};
use raddle_engine::{
    Buffering, Bytes, Calls, Cast, Cell, Deed, FailureKind, Names, Origin, ReplayEnd, ReplayEvent,
    Replayed, Step,
};
use raddle_ir::{LocId, Mnemonic};
use raddle_machine::layout::object_address;
use raddle_machine::{Machine, Mark, Passed, PassedOp, ThreadId, Visible};

pub(crate) struct Narrator {
    pub events: Vec<ReplayEvent>,
    names: Names,
    pub origins: Vec<Origin>,
    /// Up to where the undo log is told.
    told: Mark,
    /// How many failures are told.
    failures: usize,
    /// How many data races are told.
    races: usize,
    /// For each thread, where its buffered stores are in the source, by their number.
    stores: Vec<Vec<(LocId, Calls)>>,
    /// How much of the output is told.
    printed: usize,
}

/// A step that is about to be performed.
pub(crate) struct Before {
    thread: ThreadId,
    at: (LocId, Calls),
    doing: Doing,
}

enum Doing {
    /// An operation, and what the thread would see at its address.
    Operation(Visible, Option<u128>),
    Update(Entry),
}

impl Narrator {
    /// Tells what threads do before the first step.
    pub(crate) fn new(system: &System<'_>) -> Narrator {
        let mut narrator = Narrator {
            events: Vec::new(),
            names: Names::new(system.machine.program),
            origins: Vec::new(),
            told: Mark::START,
            failures: 0,
            races: 0,
            stores: Vec::new(),
            printed: 0,
        };
        narrator.catch_up(system, None);
        narrator
    }

    /// Looks at a step that can happen, before it does.
    pub(crate) fn before(&self, system: &System<'_>, step: &Step) -> Before {
        let thread = step.thread();
        let trail = &system.machine.trail;
        let buffer = &system.process(thread).buffer;
        let leaving = match step {
            Step::Update { store, .. } => buffer.get(trail, *store),
            _ => None,
        };
        match leaving {
            Some(entry) => {
                let at = self.stored_by(thread, entry.index);
                Before { thread, at, doing: Doing::Update(entry) }
            }
            None => {
                let visible = system.machine.visible(thread);
                let seen = match visible {
                    Visible::Load { addr, ty, .. } | Visible::Await { addr, ty, .. } => {
                        system.value_seen(thread, addr, ty.bytes())
                    }
                    _ => None,
                };
                let at = (system.machine.loc(thread), system.machine.calls(thread));
                Before { thread, at, doing: Doing::Operation(visible, seen) }
            }
        }
    }

    /// Tells of a step that was performed, and of what threads went on to do.
    pub(crate) fn after(&mut self, system: &System<'_>, before: &Before) {
        let mut leaving = None;
        let deed = match (&before.doing, system.events.last()) {
            (Doing::Update(entry), _) => {
                leaving = Some(*entry);
                Deed::Update { cell: self.cell(system, entry), store: entry.index }
            }
            (Doing::Operation(visible, seen), Some(event)) => {
                let deed = describe(system, &self.names, event, *visible, *seen);
                match (deed, system.failures.get(self.failures)) {
                    // A failure at the operation itself: it was not carried out.
                    (Deed::Unlock(at) | Deed::StartWaiting(at), Some(failed))
                        if failed.thread == before.thread
                            && failed.fault.kind == FailureKind::LockMisuse =>
                    {
                        Deed::Touch(at)
                    }
                    (deed, _) => deed,
                }
            }
            (Doing::Operation(..), None) => return,
        };
        self.tell(system, before.thread, before.at.clone(), deed);
        self.catch_up(system, leaving);
    }

    /// Tells, at the end of a deadlock, who waits for what and who spins.
    pub(crate) fn deadlock(&mut self, system: &mut System<'_>) {
        let left = system.left().unwrap_or_default().stuck;
        for thread in left {
            self.events.push(stuck(system, thread).event(&system.machine, &self.names));
        }
    }

    fn tell(&mut self, system: &System<'_>, thread: ThreadId, at: (LocId, Calls), deed: Deed) {
        self.events.push(ReplayEvent::new(&system.machine, thread, at, deed));
    }

    fn stored_by(&self, thread: ThreadId, store: u32) -> (LocId, Calls) {
        let stores = self.stores.get(thread.0 as usize);
        let at = stores.and_then(|stores| stores.get(store as usize));
        at.cloned().unwrap_or((LocId::NONE, Calls::from([])))
    }

    /// Tells what was done without an event, and what failed; `leaving` is the store that has just
    /// left its buffer.
    fn catch_up(&mut self, system: &System<'_>, leaving: Option<Entry>) {
        let passed = system.machine.passed(self.told);
        self.told = system.machine.trail.mark();
        self.stores.resize(system.machine.thread_count() as usize, Vec::new());
        let mut last = vec![0; self.stores.len()];
        for (n, op) in passed.iter().enumerate() {
            last[op.thread.0 as usize] = n;
        }
        for (n, op) in passed.iter().enumerate() {
            let is_last = last[op.thread.0 as usize] == n;
            let drains = is_last && system.get(op.thread, field::DRAINING) != 0;
            let Some(deed) = self.passed(system, op, drains) else { continue };
            self.tell(system, op.thread, (op.loc, op.calls.clone()), deed);
        }
        for failed in &system.failures[self.failures..] {
            let kind = failed.fault.kind;
            let at = match (kind, leaving) {
                (
                    FailureKind::Memory | FailureKind::LockMisuse | FailureKind::Uninitialised,
                    Some(entry),
                ) => Some(self.names.bytes(&system.machine, entry.addr, entry.bytes)),
                (
                    FailureKind::Memory | FailureKind::LockMisuse | FailureKind::Uninitialised,
                    None,
                ) => self.touched(system, failed.thread),
                _ => None,
            };
            let message = failed.fault.message.clone();
            let by = (failed.loc, system.machine.calls(failed.thread));
            self.tell(system, failed.thread, by, Deed::Fail { kind, message, at });
        }
        self.failures = system.failures.len();
        let races = system.races_found();
        for race in &races[self.races..] {
            let message = race.message(&system.machine, &self.names);
            let at = Some(self.names.bytes(&system.machine, race.addr, 0));
            let deed = Deed::Fail { kind: FailureKind::Race, message, at };
            let by = (race.later.loc, system.machine.calls(race.later.thread));
            self.tell(system, race.later.thread, by, deed);
        }
        self.races = races.len();
    }

    /// The story, with its end and the first event of each step.
    pub(crate) fn replayed(self, end: ReplayEnd, starts: Vec<usize>) -> Replayed {
        Replayed::of(end, self.events, starts, self.origins)
    }

    /// The names of the objects so far.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// The bytes that the next operation of a thread would touch.
    fn touched(&self, system: &System<'_>, thread: ThreadId) -> Option<Bytes> {
        let addr = system.machine.address_at(thread)?;
        Some(self.names.bytes(&system.machine, addr, 0))
    }

    /// The effect of an operation without an event; `None` if it has none under the model.
    fn passed(&mut self, system: &System<'_>, passed: &Passed, drains: bool) -> Option<Deed> {
        match passed.op {
            // Without buffers a store is an event.
            PassedOp::Store(_) if system.rules.buffering == Buffering::None => None,
            PassedOp::Store(addr) => {
                let stores = &mut self.stores[passed.thread.0 as usize];
                let store = stores.len() as u32;
                let buffer = &system.process(passed.thread).buffer;
                // Stores to private objects go by as well, and never were in the buffer.
                let entry = buffer.get(&system.machine.trail, store);
                let entry = entry.filter(|entry| entry.addr == addr)?;
                stores.push((passed.loc, passed.calls.clone()));
                Some(Deed::Buffer { cell: self.cell(system, &entry), store, drains })
            }
            PassedOp::Fence(kind) => match system.rules.fence(kind) {
                Barrier::Nothing => None,
                Barrier::StoreStore | Barrier::Drain => {
                    Some(Deed::Fence { kind: kind.mnemonic().to_owned(), drains })
                }
            },
            PassedOp::Spawn(child) => Some(Deed::Spawn(system.machine.other(child))),
            PassedOp::Join(target) => {
                Some(Deed::Join(target.map(|target| system.machine.other(target))))
            }
            PassedOp::Allocate(made) => {
                let machine = &system.machine;
                let origin = self.names.made(machine, passed.thread, &made, &passed.calls);
                self.origins.extend(origin);
                let (size, _) = machine.memory.header(&machine.trail, made.object);
                let at = self.names.whole(machine, object_address(made.object), size);
                Some(Deed::Allocate { at, heap: made.heap })
            }
            PassedOp::Print => {
                let text = system.machine.output().get(self.printed).cloned();
                self.printed += 1;
                text.map(Deed::Print)
            }
        }
    }

    fn cell(&self, system: &System<'_>, entry: &Entry) -> Cell {
        self.names.cell(&system.machine, entry.addr, entry.bytes, entry.value)
    }
}

impl System<'_> {
    /// Where a store of a thread that went through its buffer is in the source. This is looked up in
    /// the undo log when something went wrong with it, so that nothing is kept for those that are well.
    #[cold]
    pub(crate) fn stored_at(&self, thread: ThreadId, store: u32) -> LocId {
        let buffer = &self.process(thread).buffer;
        let passed = self.machine.passed(Mark::START).into_iter();
        let mut stores = passed.filter(|passed| passed.thread == thread);
        for n in 0..=store {
            // Stores to private objects go by as well, and are nowhere else.
            let (addr, _) = buffer.bytes_of(&self.machine.trail, n);
            let found = stores.find(|passed| passed.op == PassedOp::Store(addr));
            match found {
                Some(found) if n == store => return found.loc,
                Some(_) => {}
                None => break,
            }
        }
        LocId::NONE
    }
}

/// The names of all objects of an execution.
pub(crate) fn names_of(machine: &Machine<'_>) -> Names {
    let mut names = Names::new(machine.program);
    for passed in machine.passed(Mark::START) {
        if let PassedOp::Allocate(made) = &passed.op {
            names.made(machine, passed.thread, made, &passed.calls);
        }
    }
    names
}
