//! The system under a model: the machine, the store buffers, and the execution so far with its
//! happens-before.
//!
//! Paper 000, section 3 (operational TSO), appendix B (clocks), appendix C (PSO). Deviations:
//! - Stores into a buffer, fences, spawns and joins are not events. They conflict with nothing, so a
//!   thread performs them as soon as it can, together with its local steps; what they order is in
//!   the clocks (a buffered store keeps its thread's clock, a fence makes the thread's clock see
//!   the updates before it).
//! - Under SC a store is an event of its thread.
//!
//! Invariant: between two calls from outside, every thread that can go on without an event has.

use crate::bound::Slots;
use crate::buffer::{Buffer, is_empty_span};
use crate::clock::{Chain, ClockId, Clocks};
use crate::datarace::DataRaces;
use crate::event::{Detail, Event, Link};
use crate::model::Rules;
use crate::observe::Notes;
use raddle_engine::{Budget, Options};
use raddle_ir::{LocId, Verified};
use raddle_machine::{Fault, FaultKind, Machine, Mark, Status, ThreadId, Word, word};

/// The engine's words for a thread.
pub(crate) mod field {
    use raddle_machine::thread::{ENGINE, RECORD};

    /// The thread's clock.
    pub const CLOCK: u32 = ENGINE;
    /// The epoch that its next store belongs to.
    pub const EPOCH: u32 = ENGINE + 1;
    /// The thread waits for its buffer to empty before anything else.
    pub const DRAINING: u32 = ENGINE + 2;
    /// The epoch of its newest update; the clock of all updates of earlier epochs; where there is one
    /// queue, that of all updates.
    pub const LEFT_EPOCH: u32 = ENGINE + 3;
    pub const EARLIER_UPDATES: u32 = ENGINE + 4;
    pub const UPDATES: u32 = ENGINE + 5;
    /// The clock of the signal that woke it.
    pub const WOKEN_BY: u32 = ENGINE + 6;
    /// A reservation: address, bytes, and the write it saw (position plus 1).
    pub const RESERVED: u32 = ENGINE + 7;
    pub const RESERVED_BYTES: u32 = ENGINE + 8;
    pub const RESERVED_AFTER: u32 = ENGINE + 9;
    /// The word of the buffer.
    pub const BUFFER: u32 = ENGINE + 10;
    /// For data races: the thread's clock, the clock of what it has read without acquiring it, and
    /// that of its last release fence.
    pub const C11_CLOCK: u32 = ENGINE + 11;
    pub const C11_READ: u32 = ENGINE + 12;
    pub const C11_FENCED: u32 = ENGINE + 13;
    /// Where its buffer was first full when it wanted to store: the source position, plus 1.
    pub const FULL_AT: u32 = ENGINE + 14;
    const _: () = assert!(FULL_AT < RECORD);
}

/// What the engine knows of a thread for good.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub buffer: Buffer,
    pub chain: Chain,
    /// Chains of updates, each with the word that holds its newest clock.
    pub update_chains: Vec<(Chain, Word)>,
}

/// A fault of a thread, in the current execution.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub thread: ThreadId,
    pub fault: Fault,
    pub loc: LocId,
}

impl Moment {
    /// How many events there were.
    pub fn events(&self) -> usize {
        self.events as usize
    }
}

/// A moment of the execution to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    trail: Mark,
    events: u32,
    links: u32,
    clocks: u32,
    details: u32,
    failures: u32,
}

/// What a system is run for.
#[derive(Debug)]
pub(crate) enum Watched {
    /// Its executions.
    Search,
    /// A visitor, who is shown everything that happens.
    Notes(Box<Notes>),
    /// A reader: what the program prints is kept.
    Story,
}

#[derive(Clone, Debug)]
pub(crate) struct System<'p> {
    pub machine: Machine<'p>,
    /// What it was asked to be.
    pub options: Options,
    pub rules: Rules,
    /// How much the buffers hold, if there is a bound.
    pub slots: Option<Slots>,
    pub processes: Vec<Process>,
    pub chains: u32,
    pub clocks: Clocks,
    pub events: Vec<Event>,
    pub links: Vec<Link>,
    pub details: Vec<Detail>,
    pub failures: Vec<Failed>,
    /// Whether reversible races are looked for.
    pub wants_races: bool,
    /// The data races of the execution, if they are asked for.
    pub data_races: Option<Box<DataRaces>>,
    /// What happens, if someone looks on.
    pub notes: Option<Box<Notes>>,
    /// Whether what was overwritten is kept: some operation may depend on it, or it is told.
    pub keeps_old: bool,
    /// Whether ordinary loads and stores go the short way. Replays do not, so that they depend on less.
    pub quick: bool,
}

impl<'p> System<'p> {
    /// The system before the first event.
    pub fn new(
        program: &'p Verified,
        options: &Options,
        watched: Watched,
    ) -> Result<System<'p>, Fault> {
        let Some(rules) = Rules::of(options.model, options.buffer_bound) else {
            return Err(Fault::new(FaultKind::Unsupported, "a model without store buffers"));
        };
        let mut machine = Machine::new(program, options.limits.bounds())?;
        let mut notes = None;
        match watched {
            Watched::Search => {}
            Watched::Notes(mut taken) => {
                taken.settle_in(machine.trail.reserve(1));
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
            keeps_old: machine.has_conditions() || machine.keeps_output(),
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
        system.know_threads();
        for thread in system.machine.thread_ids() {
            system.settle(thread);
        }
        Ok(system)
    }

    /// Gives every thread that the machine has named its words and chain.
    pub fn know_threads(&mut self) {
        while self.processes.len() < self.machine.thread_count() as usize {
            let thread = ThreadId(self.processes.len() as u32);
            let buffer = Buffer::new(word(thread, field::BUFFER));
            let chain = self.new_chain();
            self.processes.push(Process { buffer, chain, update_chains: Vec::new() });
        }
    }

    /// Whether a thread waits behind a fence until its buffer is empty. It is not at a visible operation then.
    pub fn is_draining(&self, thread: ThreadId) -> bool {
        self.get(thread, field::DRAINING) != 0
    }

    /// A chain without events. Where there is no memory for one, the budget is spent, and any other
    /// chain will do for work that is abandoned.
    pub fn new_chain(&mut self) -> Chain {
        if self.clocks.widen(self.chains as usize + 1, self.machine.trail.budget()) {
            self.chains += 1;
        }
        Chain(self.chains - 1)
    }

    pub fn moment(&self) -> Moment {
        Moment {
            trail: self.machine.mark(),
            events: self.events.len() as u32,
            links: self.links.len() as u32,
            clocks: self.clocks.len() as u32,
            details: self.details.len() as u32,
            failures: self.failures.len() as u32,
        }
    }

    pub fn go_back(&mut self, moment: Moment) {
        self.machine.backtrack(moment.trail);
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

    /// What only some events have to tell.
    #[inline]
    pub fn detail(&self, event: &Event) -> Detail {
        event.detail.checked_sub(1).map_or(Detail::NONE, |n| self.details[n as usize])
    }

    #[inline]
    pub fn process(&self, thread: ThreadId) -> &Process {
        &self.processes[thread.0 as usize]
    }

    #[inline]
    pub fn get(&self, thread: ThreadId, field: u32) -> u64 {
        self.machine.trail.get(word(thread, field))
    }

    #[inline]
    pub fn set(&mut self, thread: ThreadId, field: u32, value: u64) {
        self.machine.trail.set(word(thread, field), value);
    }

    #[inline]
    pub fn clock(&self, thread: ThreadId, field: u32) -> ClockId {
        ClockId(self.get(thread, field) as u32)
    }

    #[inline]
    pub fn is_drained(&self, thread: ThreadId) -> bool {
        is_empty_span(self.get(thread, field::BUFFER))
    }

    /// Whether every thread that was started has come to its end, or has ended the program. (What is left in buffers is not
    /// asked.)
    #[inline]
    pub fn all_finished(&self) -> bool {
        self.machine.thread_ids().all(|thread| {
            matches!(
                self.machine.status(thread),
                Status::Finished | Status::Absent | Status::Halted
            )
        }) && self.failures.is_empty()
    }

    /// Fails a thread where it is.
    pub fn fail(&mut self, thread: ThreadId, fault: Fault) {
        let loc = self.machine.loc(thread);
        self.fail_at(thread, fault, loc);
    }

    /// Fails a thread by something that it did elsewhere.
    pub fn fail_at(&mut self, thread: ThreadId, fault: Fault, loc: LocId) {
        self.machine.set_status(thread, Status::Failed);
        self.failures.push(Failed { thread, fault, loc });
    }

    /// What is left for the search.
    #[inline]
    pub fn budget(&self) -> &Budget {
        self.machine.trail.budget()
    }

    /// Stops the thread of the newest event if that was the last that the bound allows it.
    #[inline]
    pub fn heed_bound(&mut self, most: u32) {
        let Some(event) = self.events.last() else { return };
        let (thread, update) = (event.action.thread, event.action.update);
        if event.index >= most && !update && self.machine.status(thread) == Status::Ready {
            self.machine.set_status(thread, Status::OutOfEvents);
        }
    }
}
