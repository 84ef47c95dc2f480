//! The time and memory that a command has left, and whether it was interrupted.
//!
//! All work on one program shares one [`Budget`]: loading, every engine, every analysis. Code that may take
//! long checks [`Budget::is_spent`] in its loops. The check is one relaxed load: a watchdog thread compares
//! the clock and the resident memory of the process with the limits, and stores the reason to stop.
//!
//! A spent budget stays spent. So work can be abandoned anywhere, if the user of its result checks the budget
//! afterwards: a result is complete if the budget is not spent then.
//!
//! | module | subject |
//! |---|---|
//! | `watch` | the watchdog thread |
//! | `memory` | resident memory, and the default limit |

mod memory;
mod watch;

pub use memory::{default_memory, machine_memory, peak_memory, resident_memory};

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The reason why work has to stop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spent {
    Time = 1,
    Memory,
    /// A signal interrupted it.
    Interrupted,
}

/// The time and memory that is left. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Budget(Option<Arc<Shared>>);

/// Smaller allocations are not checked in advance: the watchdog sees them.
const LARGE: u64 = 1 << 18;
/// The time for a report after the time limit: this fraction of the limit, and at least [`REPORT_TIME`].
const REPORT_PART: u32 = 32;
const REPORT_TIME: Duration = Duration::from_millis(120);
/// The time for a report after an interruption.
const REPORT_TIME_INTERRUPTED: Duration = Duration::from_secs(2);
/// The limit on memory counts as reached when all but this fraction of it is used. Between two checks of the
/// watchdog, and while a growing array is copied, the process takes some more.
const MEMORY_PART: u64 = 16;

/// [`Shared::state`] while the budget is not spent.
const RUNNING: u8 = 0;
/// Not spent, without a watchdog thread: each check compares the clock and the memory itself.
const UNWATCHED: u8 = u8::MAX;

#[derive(Debug)]
struct Shared {
    /// [`RUNNING`], [`UNWATCHED`], or the reason why the budget is spent.
    state: AtomicU8,
    started: Instant,
    /// The time limit, from `started` on.
    time: Option<Duration>,
    /// The most bytes that the process may hold.
    memory: Option<u64>,
    /// The number of bytes at which `memory` counts as reached.
    full: Option<u64>,
    interrupted: Arc<AtomicBool>,
    /// When an interruption was first seen.
    interrupted_at: OnceLock<Instant>,
    /// Whether this budget is for a report: it lasts for some time after an interruption.
    reports: bool,
}

impl Budget {
    /// A budget without limits that cannot be interrupted.
    pub const UNLIMITED: Budget = Budget(None);

    /// A budget that starts now: a time limit, and a limit on the resident memory of the process in bytes.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Budget {
        let full = memory.map(|memory| memory - memory / MEMORY_PART);
        Budget::shared(Shared {
            state: AtomicU8::new(RUNNING),
            started: Instant::now(),
            time,
            memory,
            full,
            interrupted: Arc::default(),
            interrupted_at: OnceLock::new(),
            reports: false,
        })
    }

    fn shared(shared: Shared) -> Budget {
        let shared = Arc::new(shared);
        shared.check(Instant::now(), shared.memory.and_then(|_| memory::resident_memory()));
        watch::add(&shared);
        Budget(Some(shared))
    }

    /// The reason to stop, if the budget is spent.
    #[inline]
    pub fn spent(&self) -> Option<Spent> {
        let shared = self.0.as_deref()?;
        match shared.state.load(Ordering::Relaxed) {
            RUNNING => None,
            state => shared.spent(state),
        }
    }

    #[inline]
    pub fn is_spent(&self) -> bool {
        self.spent().is_some()
    }

    /// The flag that a signal handler sets to interrupt all work on this budget and its parts.
    pub fn interruption(&self) -> Arc<AtomicBool> {
        self.0.as_ref().map_or_else(Arc::default, |shared| Arc::clone(&shared.interrupted))
    }

    /// The most bytes that the process may hold; `None` without a limit.
    pub fn memory(&self) -> Option<u64> {
        self.0.as_deref()?.memory
    }

    /// The time that is left; `None` without a limit.
    pub fn time_left(&self) -> Option<Duration> {
        let shared = self.0.as_deref()?;
        shared.time.map(|time| time.saturating_sub(shared.started.elapsed()))
    }

    /// Whether this many bytes can be allocated; if not, the budget is spent. To be checked before every
    /// allocation whose size depends on an input.
    #[must_use]
    pub fn affords(&self, bytes: u64) -> bool {
        let Some(shared) = self.0.as_deref() else { return true };
        let Some(memory) = shared.memory.filter(|_| bytes >= LARGE) else { return true };
        let affords = memory::resident_memory().unwrap_or(0).saturating_add(bytes) <= memory;
        if !affords {
            shared.end(Spent::Memory);
        }
        affords
    }

    /// A budget with the same limits that starts now, for another program.
    #[must_use]
    pub fn afresh(&self) -> Budget {
        self.0.as_deref().map_or(Budget::UNLIMITED, |shared| Budget::shared(shared.afresh()))
    }

    /// A budget for the first of this many jobs that share the rest of the time.
    #[must_use]
    pub fn share(&self, jobs: usize) -> Budget {
        let Some(shared) = self.0.as_deref() else { return Budget::UNLIMITED };
        let jobs = u32::try_from(jobs).unwrap_or(u32::MAX).max(1);
        Budget::shared(Shared {
            state: AtomicU8::new(shared.state.load(Ordering::Relaxed)),
            time: self.time_left().map(|time| time / jobs),
            ..shared.afresh()
        })
    }

    /// A budget for a part of the work: what is left of this one, and this much time at most.
    #[must_use]
    pub fn at_most(&self, time: Duration) -> Budget {
        let Some(shared) = self.0.as_deref() else { return Budget::new(Some(time), None) };
        Budget::shared(Shared {
            state: AtomicU8::new(shared.state.load(Ordering::Relaxed)),
            time: Some(self.time_left().map_or(time, |left| left.min(time))),
            ..shared.afresh()
        })
    }

    /// A budget for confirming and reporting findings. If this one is spent, the new one has a little more of
    /// the resource that ran out.
    #[must_use]
    pub fn for_report(&self) -> Budget {
        let Some(shared) = self.0.as_deref() else { return Budget::UNLIMITED };
        let extra = shared.time.map(|time| REPORT_TIME.max(time / REPORT_PART));
        let full = shared.memory.zip(shared.full).map(|(memory, full)| {
            full.max(memory::resident_memory().unwrap_or(0)) + memory / MEMORY_PART
        });
        Budget::shared(Shared {
            time: self.time_left().zip(extra).map(|(left, extra)| left + extra),
            memory: full,
            full,
            reports: true,
            ..shared.afresh()
        })
    }
}

/// Two budgets are equal if they share the same state.
impl PartialEq for Budget {
    fn eq(&self, other: &Budget) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl Eq for Budget {}

impl Shared {
    /// The same limits, from now on. Both are interrupted together.
    fn afresh(&self) -> Shared {
        Shared {
            state: AtomicU8::new(RUNNING),
            started: Instant::now(),
            interrupted: Arc::clone(&self.interrupted),
            interrupted_at: OnceLock::new(),
            ..*self
        }
    }

    #[cold]
    fn spent(&self, state: u8) -> Option<Spent> {
        let state = match state {
            UNWATCHED => {
                self.check(Instant::now(), self.memory.and_then(|_| memory::resident_memory()));
                self.state.load(Ordering::Relaxed)
            }
            state => state,
        };
        [Spent::Time, Spent::Memory, Spent::Interrupted].into_iter().find(|s| *s as u8 == state)
    }

    /// Compares time and memory with the limits, and ends the budget if one is reached.
    fn check(&self, now: Instant, resident: Option<u64>) {
        let elapsed = now.saturating_duration_since(self.started);
        if self.interrupted.load(Ordering::Relaxed) {
            let at = *self.interrupted_at.get_or_init(|| now);
            if !self.reports || now.saturating_duration_since(at) >= REPORT_TIME_INTERRUPTED {
                return self.end(Spent::Interrupted);
            }
        }
        if self.time.is_some_and(|time| elapsed >= time) {
            self.end(Spent::Time);
        } else if self.full.zip(resident).is_some_and(|(full, resident)| resident >= full) {
            self.end(Spent::Memory);
        }
    }

    /// Ends the budget. The first reason stays.
    fn end(&self, why: Spent) {
        for open in [RUNNING, UNWATCHED] {
            let (to, order) = (why as u8, Ordering::Relaxed);
            if self.state.compare_exchange(open, to, order, order).is_ok() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits until the budget is spent, for ten seconds at most.
    fn outcome(budget: &Budget) -> Option<Spent> {
        let start = Instant::now();
        while !budget.is_spent() && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        budget.spent()
    }

    #[test]
    fn time_runs_out() {
        let (start, limit) = (Instant::now(), Duration::from_millis(50));
        let budget = Budget::new(Some(limit), None);
        assert_eq!(budget.spent(), None);
        assert_eq!(outcome(&budget), Some(Spent::Time));
        assert!(start.elapsed() >= limit);
        assert_eq!(budget.time_left(), Some(Duration::ZERO));
    }

    #[test]
    fn a_share_ends_before_the_whole() {
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let share = budget.share(2000);
        assert_eq!(outcome(&share), Some(Spent::Time));
        assert_eq!(budget.spent(), None);
    }

    #[test]
    fn a_part_has_no_more_than_the_whole() {
        let part = Budget::new(None, None).at_most(Duration::from_millis(20));
        assert_eq!(outcome(&part), Some(Spent::Time));
        let left = Budget::new(Some(Duration::from_secs(5)), None).at_most(Duration::from_secs(9));
        assert!(left.time_left() <= Some(Duration::from_secs(5)));
    }

    #[test]
    fn interruption_reaches_every_part_and_leaves_time_to_report() {
        let budget = Budget::new(None, None);
        let (share, report) = (budget.share(1), budget.for_report());
        budget.interruption().store(true, Ordering::Relaxed);
        assert_eq!(outcome(&budget), Some(Spent::Interrupted));
        assert_eq!(outcome(&share), Some(Spent::Interrupted));
        assert_eq!(report.spent(), None);
        assert_eq!(outcome(&report), Some(Spent::Interrupted));
    }

    #[test]
    fn memory_that_is_not_there_is_refused() {
        let budget = Budget::new(None, Some(1 << 40));
        assert!(budget.affords(1 << 20));
        assert!(!budget.affords(1 << 41));
        assert_eq!(budget.spent(), Some(Spent::Memory));
        assert_eq!(Budget::new(None, Some(1)).spent(), Some(Spent::Memory));
    }

    #[test]
    fn limits_hold_from_the_first_moment() {
        let none = Budget::new(Some(Duration::ZERO), None);
        assert_eq!((none.spent(), none.afresh().spent()), (Some(Spent::Time), Some(Spent::Time)));
        let fresh = Budget::new(Some(Duration::from_millis(1)), None);
        assert_eq!(outcome(&fresh), Some(Spent::Time));
        assert_eq!(fresh.share(1).spent(), Some(Spent::Time));
    }

    #[test]
    fn a_report_has_some_time_left() {
        let budget = Budget::new(Some(Duration::from_millis(1)), None);
        assert_eq!(outcome(&budget), Some(Spent::Time));
        let report = budget.for_report();
        assert_eq!(report.spent(), None);
        assert_eq!(outcome(&report), Some(Spent::Time));
    }

    #[test]
    fn nothing_limits_the_unlimited() {
        let budget = Budget::default();
        assert!(budget.affords(u64::MAX) && !budget.is_spent());
        assert_eq!(budget, Budget::UNLIMITED);
        assert_ne!(Budget::new(None, None), Budget::new(None, None));
    }
}
