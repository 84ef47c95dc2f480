//! Joins. A thread that is joined must have run ahead to its end; that it comes there is not known until all of
//! it is committed. So joins are remembered, for whoever asks at the end who waits for whom.

use super::fetch::Next;
use super::sets::ClockId;
use super::{Ahead, Status, field};
use raddle_ir::LocId;
use raddle_machine::Fault;
use raddle_machine::code::{Slot, Src};

/// A join that a thread has run past.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    target: u32,
    at: LocId,
    /// How many events of its own are before it, and those of others.
    events: u32,
    clock: ClockId,
}

impl Ahead<'_> {
    pub(super) fn join_step(
        &mut self,
        thread: u32,
        dst: Option<Slot>,
        joined: Src,
    ) -> Result<Next, Fault> {
        let Some(joined) = self.now(thread, joined)? else { return Ok(Next::Wait) };
        let target = self.thread_of(joined.into()).filter(|target| *target != thread);
        let target = target.ok_or_else(Fault::joins_no_thread)?;
        if self.status(target) != Status::Finished {
            self.set(thread, field::JOINING, u64::from(target) + 1);
            return Ok(Next::Wait);
        }
        self.set(thread, field::JOINING, 0);
        self.remember_join(thread, target);
        let (own, theirs) = (self.get(thread, field::CLOCK), self.get(target, field::CLOCK));
        let clock = self.clocks.join(ClockId(own as u32), ClockId(theirs as u32));
        let clock = self.clocks.raise(clock, target, self.fetched(target));
        self.set(thread, field::CLOCK, clock.0.into());
        self.full_fence(thread);
        self.note_change(thread);
        if let Some(dst) = dst {
            let value = self.result(target);
            self.put(thread, dst, value, false);
        }
        Ok(Next::Go)
    }

    fn remember_join(&mut self, thread: u32, target: u32) {
        let clock = ClockId(self.get(thread, field::CLOCK) as u32);
        let (at, events) = (self.place(thread), self.fetched(thread));
        let count = self.get(thread, field::JOINS);
        self.set(thread, field::JOINS, count + 1);
        let joins = &mut self.threads[thread as usize].joins;
        joins.truncate(count as usize);
        joins.push(Joined { target, at, events, clock });
    }

    /// The thread that a thread has to see end before it can fetch more.
    pub fn joining(&self, thread: u32) -> Option<u32> {
        let target = self.get(thread, field::JOINING).checked_sub(1)?;
        Some(target as u32)
    }

    /// The thread whose end another waits for, and where it does, if it has come there.
    pub fn waits_for_end(&self, thread: u32) -> Option<(u32, LocId)> {
        let past = &self.threads[thread as usize].joins[..self.get(thread, field::JOINS) as usize];
        let has_ended =
            |target: u32| self.status(target) == Status::Finished && self.has_arrived(target);
        if let Some(join) = past.iter().find(|join| !has_ended(join.target)) {
            let has_come = self.has_come(thread, join.events, join.clock);
            return has_come.then_some((join.target, join.at));
        }
        let waits = self.status(thread) == Status::Ready && self.has_arrived(thread);
        let target = self.joining(thread).filter(|_| waits)?;
        Some((target, self.place(thread)))
    }
}
