//! `--timeout` and `--max-memory` hold everywhere: hostile programs under every command and strategy.
//!
//! The test runs some of them with small limits. With `RADDLE_LIMITS=FILE` it runs all of them and writes
//! a table of limits and measurements to the file: see `scripts/limits`.

mod hostile;
mod measure;

use hostile::{Job, jobs};
use measure::{Measured, measure};
use std::fmt::Write;

/// How far a limit may be exceeded: by this fraction of it, or by this many seconds.
const PART: f64 = 0.05;
const SECONDS: f64 = 0.25;
/// Ordinary test runs are unoptimised, and share the machine with other tests.
const BUSY_SECONDS: f64 = 2.0;
const BUSY_PART: f64 = 0.3;

#[test]
fn limits_hold_for_hostile_programs() {
    if !measure::has_clang() {
        raddle_testing::missing("clang");
        return;
    }
    match std::env::var_os("RADDLE_LIMITS") {
        None => {
            for job in jobs(false) {
                let measured = measure(&job.arguments());
                assert!(is_report(&measured), "{}: {measured:?}", job.name());
                let over = overrun(&job, &measured, BUSY_PART, BUSY_SECONDS);
                assert!(!over, "{} goes beyond its limits: {measured:?}", job.name());
            }
        }
        Some(path) => {
            let (text, bad) = table();
            std::fs::write(&path, text).expect("the table can be written");
            assert_eq!(bad, 0, "see {}", path.display());
        }
    }
}

/// Whether the command ended by itself, with a verdict.
fn is_report(measured: &Measured) -> bool {
    matches!(measured.status, Some(0 | 1 | 3)) && !measured.out.is_empty()
}

fn overrun(job: &Job, measured: &Measured, part: f64, seconds: f64) -> bool {
    let late = measured.seconds - job.seconds;
    late > (job.seconds * part).max(seconds) || measured.mib > job.mib * (1.0 + part)
}

/// The table of all jobs, and the number of jobs that exceeded a limit or did not end with a report.
fn table() -> (String, usize) {
    let mut text = String::from(
        "| program | command | seconds asked | measured | MiB asked | measured | ends with |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut bad = 0;
    for job in jobs(true) {
        let measured = measure(&job.arguments());
        let fine = is_report(&measured) && !overrun(&job, &measured, PART, SECONDS);
        bad += usize::from(!fine);
        let Measured { seconds, mib, .. } = measured;
        let mark = if fine { "" } else { " **over**" };
        let end = measured.end();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {seconds:.2} | {} | {mib:.0} | {end}{mark} |",
            job.program,
            job.command.join(" "),
            job.seconds,
            job.mib,
        );
    }
    (text, bad)
}
