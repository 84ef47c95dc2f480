//! Operations that wait for a value in memory: locks, `await`, read-modify-writes with `when`.
//!
//! All of them are operations that are enabled only while the value in memory meets a condition. An operation
//! that would fail (a bad address, memory that was never written, a destroyed lock) does not wait: it is
//! enabled, and fails.
//!
//! Such an operation cannot be moved before the write that gave it its value. It races with the newest write
//! before which it could have happened. If it still waits when an execution ends, its race is found then.

use crate::clock::ClockId;
use crate::event::{Action, CellWord, Class, Detail};
use crate::race::Race;
use crate::record::Needed;
use crate::system::{System, field};
use raddle_machine::memory::Purpose;
use raddle_machine::{Fault, Needs, ThreadId, Word};

impl System<'_> {
    /// The newest write before which a waiting operation could have happened: one that `base` has not seen.
    /// All such writes touch exactly the bytes of the operation ([`System::waits_among_others`] rejects
    /// others), so one of its cells stands for all.
    pub(crate) fn last_chance(
        &self,
        action: &Action,
        cells: &[Word],
        base: ClockId,
        needs: Needs,
    ) -> Option<u32> {
        let cell = cells.first()?;
        let mut link = CellWord::unpack(self.machine.trail.get(*cell)).write;
        // A free is a write that leaves the bytes as they were. If it is the newest write, the value before
        // it is still in memory.
        let mut ended = self.left_behind(action);
        while let Some(write) = self.link(link) {
            let event = &self.events[write.point.event as usize];
            let earlier = &event.action;
            // Moved before an update of its own thread, the operation would read the store in the buffer.
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

    /// The bytes of an action, even if their object was freed.
    fn left_behind(&self, action: &Action) -> Option<u128> {
        let (memory, trail) = (&self.machine.memory, &self.machine.trail);
        let slice = memory.remains(trail, action.addr, action.bytes)?;
        Some(memory.read(trail, slice))
    }

    /// Whether a waiting operation with this `base` could have happened before a write whose bytes are not
    /// exactly its own. The value that it would have found then is not recorded.
    pub(crate) fn waits_among_others(&mut self, action: &Action, base: ClockId) -> bool {
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

    /// The clock of the events before an operation that still waits.
    fn waiting_base(&mut self, action: &Action) -> ClockId {
        let mut base = self.clock(action.thread, field::CLOCK);
        if action.class == Class::Write {
            // A lock waits for the thread's updates, and after a condition variable also for the signal.
            let updates = self.updates(action.thread);
            for clock in [updates, self.clock(action.thread, field::WOKEN_BY)] {
                base = self.clocks.joined(base, clock);
            }
        }
        base
    }

    /// Fails a thread that waits at the end of an execution, if [`System::waits_among_others`].
    pub(crate) fn check_wait(&mut self, action: &Action) {
        let base = self.waiting_base(action);
        if self.waits_among_others(action, base) {
            self.fail_mixed(action.thread);
        }
    }

    pub(crate) fn fail_mixed(&mut self, thread: ThreadId) {
        let message =
            "waits for a value at bytes that are also accessed in part or as part of more";
        self.fail(thread, Fault::unsupported(message));
    }

    /// The race of an operation that waits at the end of an execution.
    pub(crate) fn waiting_race(&mut self, action: &Action, needs: Needs) -> Option<Race> {
        let (memory, trail) = (&self.machine.memory, &mut self.machine.trail);
        let slice = memory.access(trail, action.addr, action.bytes, Purpose::Read).ok()?;
        let mut cells = Vec::new();
        memory.cells(trail, slice, &mut cells);
        let base = self.waiting_base(action);
        let earlier = self.last_chance(action, &cells, base, needs)?;
        Some(Race { earlier, needs: Needed::of(base), happened: None })
    }
}
