//! Operations that wait for a value in memory: locks, `await`, read-modify-writes with `when`.
//!
//! They are one thing: an operation that is enabled while the value compares so, and otherwise like
//! any other of its kind. Where an operation would fail (a bad address, memory that was never
//! written, a lock that was destroyed) it does not wait: it is let through, to fail.
//!
//! Such an operation cannot be moved before the write that gave it its value; it races with the
//! newest write before which it could have happened. If it still waits when an execution ends, that
//! race is looked for then.

use crate::clock::ClockId;
use crate::event::{Action, CellWord, Class, Detail};
use crate::race::Race;
use crate::record::Needed;
use crate::system::{System, field};
use raddle_machine::memory::Purpose;
use raddle_machine::{Fault, Needs, ThreadId, Word};

impl System<'_> {
    /// The newest write that an operation which waits for a value could have happened before, not
    /// being ordered after it otherwise. Such writes are to all of its bytes
    /// ([`System::waits_among_others`]), so that one of its cells stands for all.
    pub(crate) fn last_chance(
        &self,
        action: &Action,
        cells: &[Word],
        base: ClockId,
        needs: Needs,
    ) -> Option<u32> {
        let cell = cells.first()?;
        let mut link = CellWord::unpack(self.machine.trail.get(*cell)).write;
        // The end of an object leaves its bytes as they were.
        let mut ended = self.left_behind(action);
        while let Some(write) = self.link(link) {
            let event = &self.events[write.point.event as usize];
            let earlier = &event.action;
            // Before an update of its own thread, it would see the store in the buffer.
            if self.has_seen(base, &write.point) || earlier.thread == action.thread {
                return None;
            }
            let Detail { old, fresh, .. } = self.detail(event);
            let same = (earlier.addr, earlier.bytes) == (action.addr, action.bytes);
            let before = if same { Some(old) } else { ended };
            if fresh || before.is_some_and(|before| needs.met_by(before)) {
                return Some(write.point.event);
            }
            ended = None;
            link = write.before;
        }
        None
    }

    /// The bytes of an action, whatever has become of their object.
    fn left_behind(&self, action: &Action) -> Option<u128> {
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let slice = memory.remains(trail, action.addr, action.bytes)?;
        Some(memory.read(trail, slice))
    }

    /// Whether an operation that waits for a value, having seen `base`, could have come before
    /// writes of other bytes than its own: what it would have found then is not known.
    pub fn waits_among_others(&mut self, action: &Action, base: ClockId) -> bool {
        let (memory, trail) = (&self.machine.memory, &mut self.machine.trail);
        let Ok(slice) = memory.access(trail, action.addr, action.bytes, Purpose::Copy) else {
            return false;
        };
        if let Some(cell) = memory.single_cell(trail, slice) {
            return self.is_among_others(action, base, cell);
        }
        let mut cells = Vec::new();
        memory.cells(trail, slice, &mut cells);
        cells.into_iter().any(|cell| self.is_among_others(action, base, cell))
    }

    fn is_among_others(&self, action: &Action, base: ClockId, cell: Word) -> bool {
        let mut link = CellWord::unpack(self.machine.trail.get(cell)).write;
        while let Some(write) = self.link(link) {
            let event = &self.events[write.point.event as usize];
            let earlier = &event.action;
            if self.has_seen(base, &write.point) || earlier.thread == action.thread {
                return false;
            }
            if (earlier.addr, earlier.bytes) != (action.addr, action.bytes) {
                return true;
            }
            link = write.before;
        }
        false
    }

    /// What an operation that waits is after, when it has not happened.
    fn waiting_base(&mut self, action: &Action) -> ClockId {
        let mut base = self.clock(action.thread, field::CLOCK);
        if action.class == Class::Write {
            // A lock: it waits for the thread's updates, and for the signal if it is a wake-up.
            let updates = self.updates(action.thread);
            for clock in [updates, self.clock(action.thread, field::WOKEN_BY)] {
                base = self.clocks.joined(base, clock);
            }
        }
        base
    }

    /// Fails a thread that waits at the end of an execution among writes of other bytes.
    pub fn check_wait(&mut self, action: &Action) {
        let base = self.waiting_base(action);
        if self.waits_among_others(action, base) {
            self.fail_mixed(action.thread);
        }
    }

    pub fn fail_mixed(&mut self, thread: ThreadId) {
        let message =
            "waits for a value at bytes that are also accessed in part or as part of more";
        self.fail(thread, Fault::unsupported(message));
    }

    /// The race of an operation that waits at the end of an execution.
    pub fn waiting_race(&mut self, action: &Action, needs: Needs) -> Option<Race> {
        let (memory, trail) = (&self.machine.memory, &mut self.machine.trail);
        let slice = memory.access(trail, action.addr, action.bytes, Purpose::Read).ok()?;
        let mut cells = Vec::new();
        memory.cells(trail, slice, &mut cells);
        let base = self.waiting_base(action);
        let earlier = self.last_chance(action, &cells, base, needs)?;
        Some(Race { earlier, needs: Needed::of(base), happened: None })
    }
}
