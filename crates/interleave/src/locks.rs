//! The effects of locks and condition variables: taking, releasing, waiting, waking, and their misuse.

use crate::event::{Action, Class, Condition, Detail};
use crate::race::Race;
use crate::record::Recording;
use crate::system::{System, field};
use raddle_machine::layout::global_address;
use raddle_machine::visible::LOCK_BYTES;
use raddle_machine::{Fault, LockFault, Needs, Visible};

impl System<'_> {
    /// Whether this is the lock that the writes of other threads wait for. Such a write would be an event at
    /// two places at once, which the races of this engine do not cover.
    fn is_memory_lock(&self, addr: u64) -> bool {
        self.machine.program.memory_lock.is_some_and(|lock| addr == global_address(lock))
    }

    /// Takes a free lock, or fails on a destroyed one. A lock that is held, which only a try-lock finds,
    /// stays unchanged.
    #[inline]
    pub(crate) fn lock(
        &mut self,
        action: Action,
        visible: &Visible,
        condition: Condition,
        races: &mut Vec<Race>,
    ) {
        if let Some(fault) = self.machine.lock_fault(action.thread, visible) {
            let needs = visible.needs().map(|(_, needs)| needs);
            return self.failing_lock(action, fault, condition, needs, races);
        }
        if self.is_memory_lock(action.addr) {
            return self.failing_alone(action, Fault::takes_memory_lock());
        }
        self.modify(action, visible, condition, races);
    }

    fn failing_lock(
        &mut self,
        action: Action,
        fault: LockFault,
        condition: Condition,
        needs: Option<Needs>,
        races: &mut Vec<Race>,
    ) {
        match fault {
            LockFault::Destroyed => {
                self.failing_access(action, fault.into(), condition, needs, races);
            }
            LockFault::Access(fault) => {
                self.failing_access(action, fault, Condition::Unless(Class::Write), needs, races);
            }
            LockFault::NotHeld(fault) => self.failing_alone(action, fault),
        }
    }

    #[inline]
    pub(crate) fn unlock(&mut self, action: Action, visible: &Visible, races: &mut Vec<Race>) {
        if let Some(fault) = self.machine.lock_fault(action.thread, visible) {
            return self.failing_lock(action, fault, Condition::Unless(Class::Read), None, races);
        }
        self.modify(action, visible, Condition::Fixed, races);
    }

    pub(crate) fn enqueue(
        &mut self,
        action: Action,
        visible: &Visible,
        mutex: u64,
        races: &mut Vec<Race>,
    ) {
        if let Some(fault) = self.machine.lock_fault(action.thread, visible) {
            let action = Action { addr: mutex, bytes: LOCK_BYTES, ..action };
            return self.failing_lock(action, fault, Condition::Unless(Class::Read), None, races);
        }
        self.read_only(action, visible, races);
    }

    pub(crate) fn signal(&mut self, action: Action, visible: &Visible, races: &mut Vec<Race>) {
        let woken = self.machine.woken_by(visible, action.choice);
        let Some(slice) = self.checked(&action, visible.purpose(), None, races) else { return };
        // A signal changes no value: a thread that waits here for a value could have found this one.
        let old = self.machine.memory.read(&self.machine.trail, slice);
        let open = matches!(visible, Visible::Signal { .. });
        let detail = Detail { old, open, ..Detail::NONE };
        self.record_step(action, Some(slice), Recording { detail, needs: None }, races);
        let clock = self.events[self.events.len() - 1].clock;
        for waiter in woken {
            self.machine.wake(waiter);
            self.set(waiter, field::WOKEN_BY, clock.0.into());
        }
        self.machine.complete(action.thread, 0, true);
    }
}
