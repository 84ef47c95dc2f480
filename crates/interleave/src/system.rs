//! The system under a model: the machine, the store buffers, and the execution so far with its
//! happens-before.
//!
//! Paper 000, section 3 (operational TSO), appendix B (clocks), appendix C (PSO). Deviations:
//! - Stores into a buffer, fences, spawns and joins are not events. They conflict with nothing, so a
//!   thread performs them as soon as it can, together with its local steps. The clocks hold the order that
//!   they impose: a buffered store keeps its thread's clock, and a fence joins the clock of the earlier
//!   updates into the thread's clock.
//! - Under SC a store is an event of its thread.
//!
//! Invariant: between two calls from outside, no thread can continue without an event.

use crate::bound::Slots;
use crate::buffer::{Buffer, is_empty_span};
use crate::clock::{Chain, ClockId, Clocks};
use crate::datarace::DataRaces;
use crate::event::{Detail, Event, Link};
use crate::model::Rules;
use crate::observe::Notes;
use raddle_engine::{Budget, Failed, Options};
use raddle_ir::{LocId, Verified};
use raddle_machine::{FailureKind, Fault, Machine, Mark, Status, ThreadId, Word, word};

/// The words of the trail that this engine keeps for each thread.
pub(crate) mod field {
    use raddle_machine::thread::{ENGINE, RECORD};

    /// The thread's clock.
    pub(crate) const CLOCK: u32 = ENGINE;
    /// The epoch of its next store.
    pub(crate) const EPOCH: u32 = ENGINE + 1;
    /// 1 if the thread waits for its buffer to become empty.
    pub(crate) const DRAINING: u32 = ENGINE + 2;
    /// The epoch of its newest update; the clock of all updates of earlier epochs; with one queue, the
    /// clock of all updates.
    pub(crate) const LEFT_EPOCH: u32 = ENGINE + 3;
    pub(crate) const EARLIER_UPDATES: u32 = ENGINE + 4;
    pub(crate) const UPDATES: u32 = ENGINE + 5;
    /// The clock of the signal that woke the thread.
    pub(crate) const WOKEN_BY: u32 = ENGINE + 6;
    /// A reservation: address, bytes, and the write that it saw (position plus 1).
    pub(crate) const RESERVED: u32 = ENGINE + 7;
    pub(crate) const RESERVED_BYTES: u32 = ENGINE + 8;
    pub(crate) const RESERVED_AFTER: u32 = ENGINE + 9;
    /// The word of the buffer.
    pub(crate) const BUFFER: u32 = ENGINE + 10;
    /// For data races: the thread's clock, the clock of the messages that it has read without acquiring
    /// them, and the clock of its last release fence.
    pub(crate) const C11_CLOCK: u32 = ENGINE + 11;
    pub(crate) const C11_READ: u32 = ENGINE + 12;
    pub(crate) const C11_FENCED: u32 = ENGINE + 13;
    /// The source position, plus 1, of the first store of the thread that found its buffer full.
    pub(crate) const FULL_AT: u32 = ENGINE + 14;
    const _: () = assert!(FULL_AT < RECORD);
}

/// The data of a thread that backtracking does not change.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub buffer: Buffer,
    pub chain: Chain,
    /// Chains of updates, each with the word that holds its newest clock.
    pub update_chains: Vec<(Chain, Word)>,
}

/// A moment of the execution to go back to: the lengths of all logs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    trail: Mark,
    pub events: u32,
    links: u32,
    clocks: u32,
    details: u32,
    failures: u32,
}

/// The purpose of a system.
#[derive(Debug)]
pub(crate) enum Watched {
    /// A search of its executions.
    Search,
    /// A visitor that sees everything that happens.
    Notes(Box<Notes>),
    /// A narrated replay: the output of the program is kept.
    Story,
}

#[derive(Clone, Debug)]
pub(crate) struct System<'p> {
    pub machine: Machine<'p>,
    /// The options that the system was made with.
    pub options: Options,
    pub rules: Rules,
    /// The capacity of the buffers, if it is bounded.
    pub slots: Option<Slots>,
    pub processes: Vec<Process>,
    pub chains: u32,
    pub clocks: Clocks,
    pub events: Vec<Event>,
    pub links: Vec<Link>,
    pub details: Vec<Detail>,
    pub failures: Vec<Failed>,
    /// Whether reversible races are collected.
    pub wants_races: bool,
    /// The detector of data races, if they are checked.
    pub data_races: Option<Box<DataRaces>>,
    /// The notes for a visitor, if there is one.
    pub notes: Option<Box<Notes>>,
    /// Whether overwritten values are recorded: for conditional operations, and for narrated replays.
    pub keeps_old: bool,
    /// Whether [`crate::quick`] is used. Replays do not use it: they check the search with less code.
    pub quick: bool,
}

impl<'p> System<'p> {
    /// The system before the first event.
    pub(crate) fn new(
        program: &'p Verified,
        options: &Options,
        watched: Watched,
    ) -> Result<System<'p>, Fault> {
        let Some(rules) = Rules::of(options.model, options.buffer_bound) else {
            return Err(Fault::new(FailureKind::Unsupported, "a model without store buffers"));
        };
        let mut machine = Machine::new(program, options.limits.bounds())?;
        let mut notes = None;
        match watched {
            Watched::Search => {}
            Watched::Notes(mut taken) => {
                taken.set_count_word(machine.trail.reserve(1));
                notes = Some(taken);
            }
            Watched::Story => {
                machine.keep_output();
                if options.checks.goals {
                    machine.pause_at_goals();
                }
            }
        }
        let races = options.checks.races;
        let most = options.buffer_bound.filter(|_| options.model.is_buffered());
        let mut system = System {
            data_races: races.then(|| Box::new(DataRaces::new(&mut machine))),
            keeps_old: machine.code().has_conditions || machine.keeps_output(),
            quick: !machine.keeps_output() && !races,
            notes,
            machine,
            options: options.clone(),
            rules,
            slots: most.map(|most| Slots { most, stores: u32::MAX }),
            processes: Vec::new(),
            chains: 0,
            clocks: Clocks::new(),
            events: Vec::new(),
            links: Vec::new(),
            details: Vec::new(),
            failures: Vec::new(),
            wants_races: false,
        };
        system.add_threads();
        for thread in system.machine.thread_ids() {
            system.settle(thread);
        }
        Ok(system)
    }

    /// The system of a search.
    pub(crate) fn for_search(
        program: &'p Verified,
        options: &Options,
        watched: Watched,
    ) -> Result<System<'p>, Fault> {
        let mut system = System::new(program, options, watched)?;
        if let Some(slots) = &mut system.slots {
            slots.stores = options.limits.events;
        }
        Ok(system)
    }

    /// Gives a buffer and a chain to every thread that the machine has numbered.
    pub(crate) fn add_threads(&mut self) {
        while self.processes.len() < self.machine.thread_count() as usize {
            let thread = ThreadId(self.processes.len() as u32);
            let buffer = Buffer::new(word(thread, field::BUFFER));
            let chain = self.new_chain();
            self.processes.push(Process { buffer, chain, update_chains: Vec::new() });
        }
    }

    /// Whether a thread waits behind a fence until its buffer is empty. Such a thread is not at a visible
    /// operation.
    pub(crate) fn is_draining(&self, thread: ThreadId) -> bool {
        self.get(thread, field::DRAINING) != 0
    }

    /// A chain without events. If memory does not suffice, the budget is spent, and the newest chain is
    /// returned again: all work from then on is abandoned.
    pub(crate) fn new_chain(&mut self) -> Chain {
        if self.clocks.widen(self.chains as usize + 1, self.machine.trail.budget()) {
            self.chains += 1;
        }
        Chain(self.chains - 1)
    }

    pub(crate) fn moment(&self) -> Moment {
        Moment {
            trail: self.machine.trail.mark(),
            events: self.events.len() as u32,
            links: self.links.len() as u32,
            clocks: self.clocks.len() as u32,
            details: self.details.len() as u32,
            failures: self.failures.len() as u32,
        }
    }

    pub(crate) fn go_back(&mut self, moment: Moment) {
        self.machine.trail.backtrack(moment.trail);
        self.events.truncate(moment.events as usize);
        self.links.truncate(moment.links as usize);
        self.clocks.truncate(moment.clocks as usize);
        self.details.truncate(moment.details as usize);
        if self.failures.len() > moment.failures as usize {
            self.failures.truncate(moment.failures as usize);
        }
        if self.notes.is_some() {
            self.go_back_in_notes();
        }
    }

    /// The facts that only some events have.
    #[inline]
    pub(crate) fn detail(&self, event: &Event) -> Detail {
        event.detail.checked_sub(1).map_or(Detail::NONE, |n| self.details[n as usize])
    }

    #[inline]
    pub(crate) fn process(&self, thread: ThreadId) -> &Process {
        &self.processes[thread.0 as usize]
    }

    #[inline]
    pub(crate) fn get(&self, thread: ThreadId, field: u32) -> u64 {
        self.machine.trail.get(word(thread, field))
    }

    #[inline]
    pub(crate) fn set(&mut self, thread: ThreadId, field: u32, value: u64) {
        self.machine.trail.set(word(thread, field), value);
    }

    #[inline]
    pub(crate) fn clock(&self, thread: ThreadId, field: u32) -> ClockId {
        ClockId(self.get(thread, field) as u32)
    }

    #[inline]
    pub(crate) fn is_drained(&self, thread: ThreadId) -> bool {
        is_empty_span(self.get(thread, field::BUFFER))
    }

    /// Whether every started thread has finished or has ended the program, without failures. Buffers need not
    /// be empty.
    #[inline]
    pub(crate) fn all_finished(&self) -> bool {
        self.machine.thread_ids().all(|thread| {
            matches!(
                self.machine.status(thread),
                Status::Finished | Status::Absent | Status::Halted
            )
        }) && self.failures.is_empty()
    }

    /// Fails a thread at its current position.
    pub(crate) fn fail(&mut self, thread: ThreadId, fault: Fault) {
        let loc = self.machine.loc(thread);
        self.fail_at(thread, fault, loc);
    }

    /// Fails a thread because of an earlier operation, at `loc`.
    pub(crate) fn fail_at(&mut self, thread: ThreadId, fault: Fault, loc: LocId) {
        self.machine.set_status(thread, Status::Failed);
        self.failures.push(Failed { thread, fault, loc });
    }

    /// The budget of the search.
    #[inline]
    pub(crate) fn budget(&self) -> &Budget {
        self.machine.trail.budget()
    }

    /// Stops the thread of the newest event if the bound allows it no further event.
    #[inline]
    pub(crate) fn apply_event_bound(&mut self, most: u32) {
        let Some(event) = self.events.last() else { return };
        let (thread, update) = (event.action.thread, event.action.update);
        if event.index >= most && !update && self.machine.status(thread) == Status::Ready {
            self.machine.set_status(thread, Status::OutOfEvents);
        }
    }
}
