//! When to stop: executions, time, memory, interruption.

use raddle_engine::{Limits, Reporter, Stopped, Summary};

#[derive(Clone, Debug)]
pub(crate) struct Watch {
    limits: Limits,
    executions: u64,
    /// The number of executions at which the limit or the next report is due.
    next: u64,
    reporter: Reporter,
    stopped: Option<Stopped>,
}

impl Watch {
    pub(crate) fn new(limits: &Limits) -> Watch {
        let reporter = Reporter::new(&limits.progress);
        let limits = limits.clone();
        let mut watch = Watch { limits, executions: 0, next: 0, reporter, stopped: None };
        watch.next = watch.due();
        watch
    }

    fn due(&self) -> u64 {
        self.limits.executions.map_or(self.reporter.due(), |most| most.min(self.reporter.due()))
    }

    /// The search goes on after so many executions.
    pub(crate) fn count(&mut self, executions: u64) {
        self.executions += executions;
        self.next = self.due();
    }

    /// Counts an execution. True if no further one is allowed.
    #[inline]
    pub(crate) fn is_over(&mut self, summary: &Summary) -> bool {
        self.executions += 1;
        if self.executions >= self.next {
            self.pause(summary);
        }
        self.stopped.is_some() || self.is_spent()
    }

    /// Compares the executions with the limit, and reports.
    #[cold]
    fn pause(&mut self, summary: &Summary) {
        if self.limits.executions.is_some_and(|most| self.executions >= most) {
            self.stopped = Some(Stopped::Executions);
        }
        if self.reporter.is_due(self.executions) {
            self.reporter.report(self.executions, summary);
        }
        self.next = self.due();
    }

    /// Reports the numbers of the whole search, or of a part that another worker goes on with.
    pub(crate) fn finish(&mut self, summary: &Summary) {
        self.reporter.finish(summary);
    }

    /// The numbers now include those of a part that another worker has reported.
    pub(crate) fn include(&mut self, reported: &Summary) {
        self.reporter.include(reported);
    }

    /// Another part of the search begins: its numbers start at 0.
    pub(crate) fn begin(&mut self) {
        self.reporter.begin();
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
