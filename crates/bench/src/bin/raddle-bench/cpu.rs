//! Processor time of this thread if the system reports it; otherwise elapsed time.

use std::time::{Duration, Instant};

/// The time that `work` takes.
pub(crate) fn time(work: impl FnOnce()) -> Duration {
    let (before, start) = (on_processor(), Instant::now());
    work();
    let elapsed = start.elapsed();
    match (before, on_processor()) {
        // The system counts processor time coarsely: for short times the clock is more precise.
        (Some(before), Some(after)) if elapsed > Duration::from_millis(10) => after - before,
        _ => elapsed,
    }
}

/// The first number of `/proc/thread-self/schedstat`, in nanoseconds.
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
