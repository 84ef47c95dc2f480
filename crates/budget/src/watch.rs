//! The watchdog: one thread for all budgets of the process. It runs while one of them exists.

use crate::{RUNNING, Shared, UNWATCHED, memory};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The pause between two checks; shorter when memory runs short, as programs can take a megabyte in a
/// millisecond.
const PAUSE: Duration = Duration::from_millis(5);
const SHORT_PAUSE: Duration = Duration::from_millis(1);

struct Watched {
    budgets: Vec<Weak<Shared>>,
    /// Whether the thread runs.
    runs: bool,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { budgets: Vec::new(), runs: false });

fn watched() -> MutexGuard<'static, Watched> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches a budget. If no thread can be started, each check of the budget does the work itself.
pub(crate) fn add(shared: &Arc<Shared>) {
    let mut watched = watched();
    watched.budgets.push(Arc::downgrade(shared));
    if !watched.runs {
        let thread = std::thread::Builder::new().name("watchdog".to_owned()).spawn(watch);
        watched.runs = thread.is_ok();
    }
    if !watched.runs {
        let order = Ordering::Relaxed;
        // A spent budget stays spent.
        let _ = shared.state.compare_exchange(RUNNING, UNWATCHED, order, order);
    }
}

fn watch() {
    while let Some(pause) = check_all() {
        std::thread::sleep(pause);
    }
}

/// Checks every budget, and returns the pause until the next check; `None` if no budget is left.
fn check_all() -> Option<Duration> {
    let mut watched = watched();
    let mut live = Vec::with_capacity(watched.budgets.len());
    watched.budgets.retain(|budget| {
        let budget = budget.upgrade();
        let keeps = budget.is_some();
        live.extend(budget);
        keeps
    });
    watched.runs = !live.is_empty();
    drop(watched);
    let resident =
        live.iter().any(|budget| budget.full.is_some()).then(memory::resident_memory).flatten();
    let now = Instant::now();
    let mut pause = PAUSE;
    for budget in &live {
        budget.check(now, resident);
        pause = pause.min(until_next(budget, now, resident));
    }
    (!live.is_empty()).then_some(pause)
}

/// The time until the next check of a budget.
fn until_next(budget: &Shared, now: Instant, resident: Option<u64>) -> Duration {
    if budget.state.load(Ordering::Relaxed) != RUNNING {
        return PAUSE;
    }
    let end = budget.time.map(|time| time.saturating_sub(now - budget.started));
    let end = end.map_or(PAUSE, |left| left.max(SHORT_PAUSE));
    let short = budget.full.zip(resident).is_some_and(|(full, resident)| resident > full / 2);
    if short { SHORT_PAUSE } else { end }
}
