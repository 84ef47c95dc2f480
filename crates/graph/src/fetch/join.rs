//! Joins. A join is passed when the joined thread has fetched up to its end. Whether that thread reaches its end
//! is known only when all of its events are committed. So joins are recorded, and the end of an execution finds
//! the threads that wait at one.

use super::calls::PassedOp;
use super::sets::ClockId;
use super::step::Next;
use super::{Status, Threads, field};
use crate::table::{from_word, to_word};
use raddle_ir::LocId;
use raddle_machine::code::{Slot, Src};
use raddle_machine::{Fault, ThreadId};

/// A join that a thread has fetched past.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    target: ThreadId,
    at: LocId,
    /// How many events of its own are before it, and those of others.
    events: u32,
    clock: ClockId,
}

impl Threads<'_> {
    pub(super) fn join_step(
        &mut self,
        thread: ThreadId,
        dst: Option<Slot>,
        joined: Src,
    ) -> Result<Next, Fault> {
        let Some(joined) = self.now(thread, joined)? else { return Ok(Next::Wait) };
        let target = self.thread_of(joined.into()).filter(|target| *target != thread);
        let target = target.ok_or_else(Fault::joins_no_thread)?;
        if self.status(target) != Status::Finished {
            self.set(thread, field::JOINING, to_word(Some(target)));
            return Ok(Next::Wait);
        }
        self.set(thread, field::JOINING, 0);
        self.remember_join(thread, target);
        let clock = self.clocks.join(self.clock(thread), self.clock(target));
        let clock = self.clocks.raise(clock, target, self.fetched(target));
        self.set(thread, field::CLOCK, clock.0.into());
        self.note_passed(thread, PassedOp::Join(target));
        self.full_fence(thread);
        self.note_change(thread);
        if let Some(dst) = dst {
            let value = self.result(target);
            self.put(thread, dst, value, false);
        }
        Ok(Next::Go)
    }

    fn remember_join(&mut self, thread: ThreadId, target: ThreadId) {
        let clock = self.clock(thread);
        let (at, events) = (self.place(thread), self.fetched(thread));
        let count = self.get(thread, field::JOINS);
        self.set(thread, field::JOINS, count + 1);
        let joins = &mut self.records[thread].joins;
        joins.truncate(count as usize);
        joins.push(Joined { target, at, events, clock });
    }

    /// The thread that must fetch up to its end before another can fetch more.
    pub(crate) fn joining(&self, thread: ThreadId) -> Option<ThreadId> {
        from_word(self.get(thread, field::JOINING))
    }

    /// The thread whose end another one waits for, and the place of that join, if the thread reaches it.
    pub(crate) fn waits_for_end(&self, thread: ThreadId) -> Option<(ThreadId, LocId)> {
        let past = &self.records[thread].joins[..self.get(thread, field::JOINS) as usize];
        let has_ended =
            |target: ThreadId| self.status(target) == Status::Finished && self.has_arrived(target);
        if let Some(join) = past.iter().find(|join| !has_ended(join.target)) {
            let has_reached = self.has_reached(thread, join.events, join.clock);
            return has_reached.then_some((join.target, join.at));
        }
        let waits = self.status(thread) == Status::Ready && self.has_arrived(thread);
        let target = self.joining(thread).filter(|_| waits)?;
        Some((target, self.place(thread)))
    }
}
