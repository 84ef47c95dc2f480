//! The calls on the stacks of threads, for stories.
//!
//! Threads run ahead of what is told of them, so a replay notes the calls where an event is fetched or an
//! object made. A search does not.

use super::event::EventId;
use super::frames::header;
use super::{Threads, field};
use raddle_engine::{Calls, Frame};
use raddle_ir::LocId;
use raddle_machine::code::Pc;
use raddle_machine::layout::ObjectId;
use raddle_machine::{ThreadId, Word};
use rustc_hash::FxHashMap;

/// The largest number of frames at the inner end.
const INNERMOST: usize = 48;

/// The calls by which events were fetched and objects made.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    events: FxHashMap<EventId, Calls>,
    objects: FxHashMap<ObjectId, Calls>,
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
