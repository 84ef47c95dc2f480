//! When to stop: executions, time, memory, interruption.

use raddle_engine::{Limits, Stopped};

#[derive(Clone, Debug)]
pub(crate) struct Watch {
    limits: Limits,
    executions: u64,
    stopped: Option<Stopped>,
}

impl Watch {
    pub(crate) fn new(limits: &Limits) -> Watch {
        Watch { limits: limits.clone(), executions: 0, stopped: None }
    }

    /// Counts an execution. True if no further one is allowed.
    #[inline]
    pub(crate) fn is_over(&mut self) -> bool {
        self.executions += 1;
        if self.limits.executions.is_some_and(|most| self.executions >= most) {
            self.stopped = Some(Stopped::Executions);
        }
        self.stopped.is_some() || self.is_spent()
    }

    /// Stops the search because the visitor has seen enough.
    pub(crate) fn see_enough(&mut self) {
        self.stopped = Some(Stopped::Enough);
    }

    pub(crate) fn has_seen_enough(&self) -> bool {
        self.stopped == Some(Stopped::Enough)
    }

    /// Whether time or memory is used up. The current execution is then abandoned and not counted.
    #[inline]
    pub(crate) fn is_spent(&mut self) -> bool {
        match self.limits.budget.spent() {
            None => false,
            Some(spent) => {
                self.stopped.get_or_insert(spent.into());
                true
            }
        }
    }

    pub(crate) fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }
}
