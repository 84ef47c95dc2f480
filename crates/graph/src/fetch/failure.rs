//! Failures of threads.

use super::event::{Check, Event, EventId};
use super::value::Val;
use super::{Status, Threads, field};
use raddle_engine::Failed;
use raddle_ir::LocId;
use raddle_machine::code::Source;
use raddle_machine::visible::{DESTROYED, held_by};
use raddle_machine::{FailureKind, Fault, ThreadId};

impl Threads<'_> {
    /// Fails a thread where it is.
    pub(super) fn fail(&mut self, thread: ThreadId, loc: LocId, fault: Fault) {
        let count = self.trail.get(self.failure_count) as usize;
        self.trail.set(self.failure_count, count as u64 + 1);
        self.failures.truncate(count);
        self.failures.push(Failed { thread, fault, loc });
        self.set_status(thread, Status::Failed);
    }

    /// The failures of threads. The newest one of a thread counts: a load is found to fail when it is committed,
    /// and failures that its thread had fetched ahead of it never happen.
    pub(crate) fn failures(&self) -> impl Iterator<Item = &Failed> {
        let all = &self.failures[..self.trail.get(self.failure_count) as usize];
        let newest = |n: usize| all[n + 1..].iter().all(|later| later.thread != all[n].thread);
        all.iter().enumerate().filter(move |(n, _)| newest(*n)).map(|(_, failed)| failed)
    }

    /// Fails the thread of a load that found an invalid value. Later events of the thread that are not committed
    /// never happen.
    pub(super) fn fail_at(&mut self, id: EventId, fault: Fault) {
        let event = self.events[id];
        let mut kept = self.fetched(event.thread);
        while kept > 0 && self.committed(self.event_at(event.thread, kept - 1)).is_none() {
            kept -= 1;
        }
        self.set(event.thread, field::EVENTS, kept.into());
        self.set(event.thread, field::FAILED_AT, u64::from(event.po) + 1);
        self.note_fault(event.thread, self.value(event.addr).map(|addr| addr as u64));
        self.fail(event.thread, event.at, fault);
    }

    /// The address that the operation a thread is at would touch, if it is known.
    pub(super) fn address_at(&self, thread: ThreadId) -> Option<u64> {
        let addr = self.code.op(self.pc(thread)).address()?;
        let value = match addr.get() {
            Source::Slot(slot) => self.own_register(thread, slot, false),
            Source::Constant(index) => Val::known(self.code.constants[index as usize].into()),
            Source::Wide(_) | Source::ThreadLocal(_) => return None,
        };
        self.value(value).map(|addr| addr as u64)
    }

    /// The fault of a load that finds this value, if it is an invalid one.
    pub(crate) fn misuse(&self, event: &Event, value: u128) -> Option<Fault> {
        match event.load()?.check? {
            _ if value == DESTROYED => Some(Fault::lock_destroyed()),
            Check::NotHeld if value != held_by(event.thread) => {
                Some(Fault::unlocks_without_holding())
            }
            Check::NotHeld | Check::Destroyed => None,
        }
    }
}

pub(super) fn unsupported(message: impl Into<String>) -> Fault {
    Fault::new(FailureKind::Unsupported, message)
}
