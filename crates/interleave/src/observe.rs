//! Shows the executions that a search visits to a visitor.
//!
//! [`observe`] is [`crate::explore`] with a visitor that sees every execution which is not covered by
//! another: complete, failed, blocked or cut, with the actions of its threads in order. Actions that are not
//! events of the search (stores into buffers, fences, spawns, joins) are included, so the happenings of each
//! thread are its program order. The search goes back from one execution to get to the next.
//! [`Execution::same`] is the length of the common part, so a visitor can keep its results for that part.
//!
//! Notes are taken only for a visitor. Their number is a word of the trail, so backtracking restores it.

use crate::event::{Class, Turn};
use crate::schedule::schedule;
use crate::search::waits_for_value;
use crate::system::System;
use raddle_engine::{Options, Step, Summary};
use raddle_ir::{FenceKind, LocId, Order, Verified};
use raddle_machine::{Status, ThreadId, Visible, Word};
use std::ops::ControlFlow;

/// The kind of a happening, as memory and other threads observe it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    Read,
    /// A store straight to memory, under SC.
    Write(Order),
    /// An access that waits for an empty buffer: read-modify-writes, locks, frees, signals.
    Locked {
        writes: bool,
    },
    /// A choice between alternatives; touches no memory.
    Choice,
    /// A store into the buffer, with its number in the thread, from 0.
    Buffer {
        store: u32,
        order: Order,
    },
    /// The store leaves the buffer.
    Update {
        store: u32,
    },
    Fence(FenceKind),
    Spawn(u32),
    /// The join of a thread that has ended, with an empty buffer.
    Join(u32),
    /// This thread is woken by the signal of another thread, which is the happening right before.
    Woken(u32),
}

/// One action of a thread in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Happening {
    /// Number of the thread, the same in all executions of a search.
    pub thread: u32,
    pub what: What,
    /// The bytes it touches; none if `bytes` is 0.
    pub addr: u64,
    pub bytes: u32,
    /// Which alternative, where there are several.
    pub choice: u32,
    /// The source position, if positions are requested.
    pub loc: LocId,
}

/// An execution at its end.
#[derive(Debug)]
pub struct Execution<'a, 'p> {
    system: &'a System<'p>,
    pub happened: &'a [Happening],
    /// The number of leading happenings that the previously visited execution has too.
    pub same: usize,
}

impl Execution<'_, '_> {
    /// A schedule that leads here.
    pub fn schedule(&self) -> Vec<Step> {
        schedule(self.system, &self.system.events)
    }

    /// The operations of the threads that wait for a value in memory.
    pub fn waiting(&self) -> Vec<Happening> {
        let system = self.system;
        let waits = |thread: ThreadId| {
            let (action, _) = waits_for_value(system, thread)?;
            let what = match system.machine.visible(thread) {
                Visible::Await { .. } => What::Read,
                _ => What::Locked { writes: true },
            };
            let loc = system.machine.loc(thread);
            let (thread, addr, bytes, choice) = (thread.0, action.addr, action.bytes, 0);
            Some(Happening { thread, what, addr, bytes, choice, loc })
        };
        system.machine.thread_ids().filter_map(waits).collect()
    }
}

/// Sees each execution, and says whether the search continues. If not, it gives a number to what it has found.
pub type Visitor<'v> = Box<dyn FnMut(&Execution<'_, '_>) -> ControlFlow<usize> + 'v>;

/// Makes a visitor for each worker of a search.
pub type Visitors<'v> = &'v (dyn Fn() -> Visitor<'v> + Sync);

/// The visitors of a search; with source positions if `locs`.
pub(crate) struct Observers<'v> {
    pub visitors: Watching<'v>,
    pub locs: bool,
}

pub(crate) enum Watching<'v> {
    /// One visitor sees all executions, in the order of the search.
    All(Visitor<'v>),
    Each(Visitors<'v>),
}

/// Searches the executions of a program and shows each to a visitor; with source positions if `locs`. One worker searches.
pub fn observe<'a>(
    program: &Verified,
    options: &'a Options,
    locs: bool,
    visit: &'a mut dyn FnMut(&Execution<'_, '_>) -> ControlFlow<()>,
) -> Summary {
    let visitor: Visitor<'a> = Box::new(move |execution| match visit(execution) {
        ControlFlow::Continue(()) => ControlFlow::Continue(()),
        ControlFlow::Break(()) => ControlFlow::Break(0),
    });
    let observers = Observers { visitors: Watching::All(visitor), locs };
    crate::search_with(program, options, Some(observers)).0
}

/// Searches the executions of a program, and shows each to the visitor of the worker that has come to it. Also returns
/// the number of what was found first in the order of the search by one worker.
pub fn observe_by_all<'a>(
    program: &Verified,
    options: &'a Options,
    visitors: Visitors<'a>,
) -> (Summary, Option<usize>) {
    let observers = Observers { visitors: Watching::Each(visitors), locs: false };
    crate::search_with(program, options, Some(observers))
}

/// The notes of the current execution.
#[derive(Clone, Debug)]
pub(crate) struct Notes {
    happened: Vec<Happening>,
    /// The word of the trail that holds their number.
    count: Option<Word>,
    /// The number of notes that are unchanged since the last visit.
    same: usize,
    locs: bool,
}

/// The kind of a step; the most common kinds without operands.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Load,
    Store(Order),
    Other(Visible),
}

/// The facts about a step that must be read before it is performed.
#[derive(Clone, Debug)]
pub(crate) struct About {
    kind: Kind,
    loc: LocId,
    waiters: Vec<ThreadId>,
    position: usize,
}

impl Notes {
    pub(crate) fn new(locs: bool) -> Box<Notes> {
        Box::new(Notes { happened: Vec::new(), count: None, same: 0, locs })
    }

    /// Sets the word that holds the number of notes.
    pub(crate) fn set_count_word(&mut self, word: Word) {
        self.count = Some(word);
    }
}

impl<'p> System<'p> {
    /// Shows the execution to a visitor.
    pub(crate) fn visited(&mut self, visit: &mut Visitor<'_>) -> ControlFlow<usize> {
        let Some(notes) = &self.notes else { return ControlFlow::Continue(()) };
        let (happened, same) = (&*notes.happened, notes.same);
        let flow = visit(&Execution { system: self, happened, same });
        if let Some(notes) = &mut self.notes {
            notes.same = notes.happened.len();
        }
        flow
    }

    /// Drops the notes of undone happenings.
    #[cold]
    pub(crate) fn go_back_in_notes(&mut self) {
        if let Some(notes) = &mut self.notes
            && let Some(word) = notes.count
        {
            let count = self.machine.trail.get(word) as usize;
            notes.happened.truncate(count);
            notes.same = notes.same.min(count);
        }
    }

    #[inline]
    fn noted(&mut self, happening: Happening) {
        if let Some(notes) = &mut self.notes
            && let Some(word) = notes.count
        {
            notes.happened.push(happening);
            self.machine.trail.set(word, notes.happened.len() as u64);
        }
    }

    #[inline]
    fn noted_loc(&self, thread: ThreadId) -> LocId {
        let wanted = self.notes.as_ref().is_some_and(|notes| notes.locs);
        if wanted { self.machine.loc(thread) } else { LocId::NONE }
    }

    /// Notes an action that touches no memory.
    #[cold]
    pub(crate) fn note(&mut self, thread: ThreadId, what: What) {
        self.note_plain(thread, what, 0, 0);
    }

    /// Notes the ordinary load or store that its thread is at.
    #[inline]
    pub(crate) fn note_plain(&mut self, thread: ThreadId, what: What, addr: u64, bytes: u32) {
        let loc = self.noted_loc(thread);
        self.noted(Happening { thread: thread.0, what, addr, bytes, choice: 0, loc });
    }

    /// Notes a store that enters the buffer.
    #[cold]
    pub(crate) fn note_store(&mut self, thread: ThreadId, addr: u64, bytes: u32, order: Order) {
        let store = self.process(thread).buffer.stores(&self.machine.trail);
        self.note_plain(thread, What::Buffer { store, order }, addr, bytes);
    }

    #[cold]
    pub(crate) fn note_leaving(&mut self, thread: ThreadId, store: u32, addr: u64, bytes: u32) {
        let (what, loc) = (What::Update { store }, LocId::NONE);
        self.noted(Happening { thread: thread.0, what, addr, bytes, choice: 0, loc });
    }

    /// Reads the facts about a step before it is performed.
    pub(crate) fn about(&self, turn: Turn) -> About {
        let thread = turn.thread;
        let (loc, position) = (self.noted_loc(thread), self.events.len());
        let mut waiters = Vec::new();
        let kind = if self.machine.at_load(thread).is_some() {
            Kind::Load
        } else if self.machine.at_store(thread).is_some() {
            Kind::Store(self.machine.order(thread, true).unwrap_or(Order::Asm))
        } else {
            let visible = self.machine.visible(thread);
            if let Visible::Signal { addr } | Visible::Broadcast { addr } = visible {
                waiters.extend(self.machine.waiters(addr));
            }
            Kind::Other(visible)
        };
        About { kind, loc, waiters, position }
    }

    /// Notes a step that was performed.
    pub(crate) fn note_step(&mut self, about: About) {
        let Some(event) = self.events.get(about.position) else { return };
        let action = event.action;
        let writes = action.class == Class::Write;
        let what = match about.kind {
            Kind::Load => What::Read,
            Kind::Store(order) if writes => What::Write(order),
            Kind::Store(_) => What::Read,
            Kind::Other(Visible::Choose { .. }) => What::Choice,
            Kind::Other(Visible::Load { access, .. }) if !access.exclusive => What::Read,
            Kind::Other(Visible::Await { .. }) => What::Read,
            Kind::Other(Visible::Store { access, .. }) if writes => What::Write(access.order),
            Kind::Other(Visible::Store { .. }) => What::Read,
            Kind::Other(_) => What::Locked { writes },
        };
        let bytes = if action.class == Class::Local { 0 } else { action.bytes };
        let choice = if action.is_alternative() { action.choice } else { 0 };
        let (thread, addr, loc) = (action.thread.0, action.addr, about.loc);
        self.noted(Happening { thread, what, addr, bytes, choice, loc });
        if self.machine.status(action.thread) == Status::Failed {
            return;
        }
        let all = matches!(about.kind, Kind::Other(Visible::Broadcast { .. }));
        for woken in about.waiters {
            if all || woken.0 + 1 == action.choice {
                self.note(woken, What::Woken(thread));
            }
        }
    }
}
