//! What stories need besides events: the calls on the stacks of threads, and what threads do without an event.
//!
//! Threads run ahead of what is told of them, so a replay notes the calls where an event is fetched or an
//! object made, and in program order the starts and joins of threads and the lives of objects. A search does not.

use super::event::EventId;
use super::frames::header;
use super::sets::ClockId;
use super::{Threads, field};
use raddle_engine::{Calls, Frame};
use raddle_ir::LocId;
use raddle_machine::code::Pc;
use raddle_machine::layout::ObjectId;
use raddle_machine::{Ending, ThreadId, Word};
use rustc_hash::FxHashMap;

/// The largest number of frames at the inner end.
const INNERMOST: usize = 48;

/// What a thread does without an event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PassedOp {
    Spawn(ThreadId),
    Join(ThreadId),
    Allocate { object: ObjectId, heap: bool },
    End(ObjectId, Ending),
}

/// Something that a thread has fetched past.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub op: PassedOp,
    pub at: LocId,
    pub calls: Calls,
    /// How many events of its thread are before it, and those of others.
    pub events: u32,
    clock: ClockId,
}

/// The calls by which events were fetched and objects made, and what was done without an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    events: FxHashMap<EventId, Calls>,
    objects: FxHashMap<ObjectId, Calls>,
    /// By thread, in program order.
    passed: FxHashMap<ThreadId, Vec<Passed>>,
    /// The addresses at which threads have failed.
    faults: FxHashMap<ThreadId, u64>,
}

impl Threads<'_> {
    /// Notes calls from now on.
    pub(crate) fn note_calls(&mut self) {
        self.noted = Some(Box::default());
    }

    pub(super) fn note_event(&mut self, thread: ThreadId, event: EventId) {
        if self.noted.is_some() {
            let calls = self.stack(thread);
            if let Some(noted) = &mut self.noted {
                noted.events.insert(event, calls);
            }
        }
    }

    pub(super) fn note_object(&mut self, thread: ThreadId, object: ObjectId) {
        if self.noted.is_some() {
            let calls = self.stack(thread);
            if let Some(noted) = &mut self.noted {
                noted.objects.insert(object, calls);
            }
        }
    }

    pub(super) fn note_passed(&mut self, thread: ThreadId, op: PassedOp) {
        if self.noted.is_some() {
            let (at, calls) = (self.place(thread), self.stack(thread));
            let (events, clock) = (self.fetched(thread), self.clock(thread));
            if let Some(noted) = &mut self.noted {
                let passed = noted.passed.entry(thread).or_default();
                passed.push(Passed { op, at, calls, events, clock });
            }
        }
    }

    pub(super) fn note_fault(&mut self, thread: ThreadId, addr: Option<u64>) {
        if let (Some(noted), Some(addr)) = (&mut self.noted, addr) {
            noted.faults.insert(thread, addr);
        }
    }

    /// What a thread has done without an event, from the `nth` on.
    pub(crate) fn passed(&self, thread: ThreadId, nth: usize) -> &[Passed] {
        let noted = self.noted.as_ref().and_then(|noted| noted.passed.get(&thread));
        noted.and_then(|passed| passed.get(nth..)).unwrap_or(&[])
    }

    /// Whether a thread gets to what it has fetched past.
    pub(crate) fn gets_to(&self, thread: ThreadId, passed: &Passed) -> bool {
        passed.events <= self.events_before_failure(thread)
            && self.has_reached(thread, passed.events, passed.clock)
    }

    /// The address at which a thread has failed, if its failure has to do with one.
    pub(crate) fn failed_at(&self, thread: ThreadId) -> Option<u64> {
        self.noted.as_ref()?.faults.get(&thread).copied()
    }

    /// The calls by which an event was fetched, if they were noted.
    pub(crate) fn calls_of(&self, event: EventId) -> Calls {
        let noted = self.noted.as_ref().and_then(|noted| noted.events.get(&event));
        noted.cloned().unwrap_or_else(|| Calls::from([]))
    }

    pub(super) fn calls_for(&self, object: ObjectId) -> Calls {
        let noted = self.noted.as_ref().and_then(|noted| noted.objects.get(&object));
        noted.cloned().unwrap_or_else(|| Calls::from([]))
    }

    /// The calls on the stack of a thread, the innermost first.
    pub(super) fn stack(&self, thread: ThreadId) -> Calls {
        let (mut pc, mut frame) = (self.pc(thread), self.frame(thread));
        let mut calls: Vec<Frame> = Vec::new();
        let mut depth = self.get(thread, field::DEPTH);
        while depth > 0 {
            if let Some(func) = self.code.function_at(pc) {
                let here = Frame { func, at: self.code.loc(pc) };
                match calls.len() < INNERMOST {
                    true => calls.push(here),
                    // The outermost frame is kept.
                    false => calls[INNERMOST - 1] = here,
                }
            }
            depth -= 1;
            if depth > 0 {
                let call = (self.trail.get(frame.at(header::RETURN_PC)) as u32).saturating_sub(1);
                pc = Pc(call);
                frame = Word::from_index(self.trail.get(frame.at(header::CALLER)));
            }
        }
        calls.into()
    }

    /// The position of the operation that a thread is at, or of the innermost call on the way there
    /// that has one.
    pub(crate) fn place(&self, thread: ThreadId) -> LocId {
        let (mut at, mut frame) = (self.code.loc(self.pc(thread)), self.frame(thread));
        let mut depth = self.get(thread, field::DEPTH);
        while at == LocId::NONE && depth > 1 {
            let call = (self.trail.get(frame.at(header::RETURN_PC)) as u32).saturating_sub(1);
            at = self.code.loc(Pc(call));
            frame = Word::from_index(self.trail.get(frame.at(header::CALLER)));
            depth -= 1;
        }
        at
    }
}
