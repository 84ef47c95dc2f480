//! When to stop: executions, time, memory.

use raddle_engine::{Limits, Stopped};
use std::time::Instant;

/// How many executions pass between looks at the clock and the memory.
const INTERVAL: u64 = 256;

#[derive(Clone, Debug)]
pub(crate) struct Watch {
    limits: Limits,
    start: Instant,
    executions: u64,
    stopped: Option<Stopped>,
}

impl Watch {
    pub fn new(limits: &Limits) -> Watch {
        Watch { limits: limits.clone(), start: Instant::now(), executions: 0, stopped: None }
    }

    /// Counts an execution and says whether it was the last that is allowed. `bytes` is asked for
    /// now and then.
    #[inline]
    pub fn is_over(&mut self, bytes: impl FnOnce() -> usize) -> bool {
        self.executions += 1;
        if self.limits.executions.is_some_and(|most| self.executions >= most) {
            self.stopped = Some(Stopped::Executions);
        } else if self.executions.is_multiple_of(INTERVAL) {
            self.is_late(bytes);
        }
        self.stopped.is_some()
    }

    /// Whoever looks on has seen enough.
    pub fn see_enough(&mut self) {
        self.stopped = Some(Stopped::Enough);
    }

    pub fn has_seen_enough(&self) -> bool {
        self.stopped == Some(Stopped::Enough)
    }

    /// Whether the time or the memory is used up.
    pub fn is_late(&mut self, bytes: impl FnOnce() -> usize) -> bool {
        if self.limits.time.is_some_and(|most| self.start.elapsed() >= most) {
            self.stopped = Some(Stopped::Time);
        } else if self.limits.memory.is_some_and(|most| bytes() as u64 >= most) {
            self.stopped = Some(Stopped::Memory);
        }
        self.stopped.is_some()
    }

    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }
}
