//! What locks and condition variables do: taking, giving back, waiting, waking, and their misuse.

use crate::event::{Action, Class, Condition, Detail};
use crate::race::Race;
use crate::record::Recording;
use crate::system::{System, field};
use crate::wait::Needs;
use raddle_machine::layout::global_address;
use raddle_machine::memory::Purpose;
use raddle_machine::visible::{DESTROYED, LOCK_BYTES, UNLOCKED, held_by};
use raddle_machine::{Fault, FaultKind, ThreadId};

impl System<'_> {
    /// Whether the thread holds a lock. Nobody else can change that.
    fn holds(&self, thread: ThreadId, mutex: u64) -> bool {
        self.in_memory(mutex, LOCK_BYTES) == Some(held_by(thread))
    }

    /// Whether others' writes wait for this lock. They would be events at two places at once, which
    /// no race here is about.
    fn is_memory_lock(&self, addr: u64) -> bool {
        self.machine.program.memory_lock.is_some_and(|lock| addr == global_address(lock))
    }

    /// Takes a lock that is free, or fails on one that was destroyed; one that is held, which only
    /// a try finds, stays as it is.
    pub(crate) fn lock(
        &mut self,
        action: Action,
        condition: Condition,
        needs: Option<Needs>,
        races: &mut Vec<Race>,
    ) {
        if self.in_memory(action.addr, action.bytes) == Some(DESTROYED) {
            return self.failing_access(action, use_of_destroyed(), condition, needs, races);
        }
        if self.is_memory_lock(action.addr) {
            let message = "takes the sole right to write memory, which only reach knows about";
            return self.failing_alone(action, FaultKind::Unsupported, message);
        }
        let mine = held_by(action.thread);
        self.modify(action, condition, needs, races, |old| (mine, 0, old == UNLOCKED));
    }

    /// A lock given back, or waited with, that the thread does not hold.
    fn failing_lock(&mut self, action: Action, message: &str, races: &mut Vec<Race>) {
        if self.in_memory(action.addr, action.bytes) == Some(DESTROYED) {
            let condition = Condition::Unless(Class::Read);
            return self.failing_access(action, use_of_destroyed(), condition, None, races);
        }
        // A lock that is not there is held by nobody, but that is not what is wrong.
        let trail = &self.machine.trail;
        let slice = self.machine.memory.access(trail, action.addr, action.bytes, Purpose::Update);
        if let Err(fault) = slice {
            let condition = Condition::Unless(Class::Write);
            return self.failing_access(action, fault, condition, None, races);
        }
        self.failing_alone(action, FaultKind::LockMisuse, message);
    }

    pub(crate) fn unlock(&mut self, action: Action, races: &mut Vec<Race>) {
        if !self.holds(action.thread, action.addr) {
            return self.failing_lock(action, "unlocks a lock that it does not hold", races);
        }
        self.modify(action, Condition::Fixed, None, races, |_| (UNLOCKED, 0, true));
    }

    pub(crate) fn enqueue(&mut self, action: Action, mutex: u64, races: &mut Vec<Race>) {
        if !self.holds(action.thread, mutex) {
            let action = Action { addr: mutex, bytes: LOCK_BYTES, ..action };
            let message = "waits on a condition with a lock that it does not hold";
            return self.failing_lock(action, message, races);
        }
        let Some(slice) = self.checked(&action, Purpose::Read, None, races) else { return };
        self.record_step(action, Some(slice), Recording::NONE, races);
        self.machine.complete(action.thread, 0, true);
    }

    pub(crate) fn signal(&mut self, action: Action, all: bool, races: &mut Vec<Race>) {
        let waiters: Vec<ThreadId> = self.waiters(action.addr).collect();
        let Some(slice) = self.checked(&action, Purpose::Update, None, races) else { return };
        // It changes no value: whoever waits there for one finds what was there before.
        let old = self.machine.memory.read(&self.machine.trail, slice);
        let detail = Detail { old, open: !all, ..Detail::NONE };
        self.record_step(action, Some(slice), Recording { detail, needs: None }, races);
        let clock = self.events[self.events.len() - 1].clock;
        for waiter in waiters {
            if all || waiter.0 + 1 == action.choice {
                self.machine.wake(waiter);
                self.set(waiter, field::WOKEN_BY, clock.0.into());
            }
        }
        self.machine.complete(action.thread, 0, true);
    }
}

fn use_of_destroyed() -> Fault {
    Fault::new(FaultKind::LockMisuse, "uses a mutex that was destroyed")
}
