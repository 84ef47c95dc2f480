//! Findings of monitors, as text and as JSON: for random runs of a program, and for a log.

use crate::bounds::{self, Bound};
use crate::{Subject, counted, printable, written};
use raddle_analysis::robust::Sample;
use raddle_engine::Stopped;
use raddle_ir::LocId;
use raddle_monitor::log::Reading;
use raddle_monitor::{Site, Violation};
use serde::Serialize;
use std::fmt::{Result, Write};
use std::time::Duration;

/// The maximal number of violations that are listed; JSON has them all.
const MOST_TOLD: usize = 20;

/// The table of paper 001, section 5: a row for each model.
pub fn table(subject: &Subject<'_>, samples: &[Sample]) -> String {
    written(|out| write_table(out, subject, samples))
}

fn write_table(out: &mut String, subject: &Subject<'_>, samples: &[Sample]) -> Result {
    writeln!(out, "{}", printable(subject.file))?;
    writeln!(
        out,
        "  {:<5} {:>9} {:>8} {:>12} {:>9} {:>13}",
        "model", "runs", "length", "violating", "distinct", "monitor/run"
    )?;
    for sample in samples {
        writeln!(
            out,
            "  {:<5} {:>9} {:>8} {:>12} {:>9} {:>10.1} us",
            sample.model.name(),
            sample.runs,
            sample.events / sample.runs.max(1),
            sample.violating,
            sample.violations.len(),
            per_run(sample).as_secs_f64() * 1e6
        )?;
    }
    if samples.iter().all(|sample| sample.violating == 0) {
        writeln!(out, "  no violation on these runs; `raddle robust` looks at all there are")?;
    }
    for sample in samples {
        for (pattern, count) in sample.violations.iter().take(MOST_TOLD) {
            let place = |loc: LocId| match subject.program.short_place(loc) {
                Some(place) => printable(&place),
                None => "?".to_owned(),
            };
            writeln!(
                out,
                "  {}: the store at {} may be delayed past the access at {}, which comes after {} \
                 ({})",
                sample.model,
                place(pattern.store),
                place(pattern.access),
                place(pattern.prev),
                counted(*count, "time")
            )?;
        }
        write_rest(out, &format!("{}: ", sample.model), sample.violations.len(), sample.others)?;
        write_limits(out, subject, sample)?;
    }
    Ok(())
}

/// Writes the limits that cut runs, or that prevented them.
fn write_limits(out: &mut String, subject: &Subject<'_>, sample: &Sample) -> Result {
    let model = sample.model;
    for met in &sample.summary.bounds {
        let told = printable(&bounds::told(subject.program, met));
        writeln!(out, "  {model}: bound met: {told}")?;
    }
    let unsupported = sample.unsupported();
    if unsupported > 0 {
        let runs = counted(unsupported, "run");
        writeln!(out, "  {model}: {runs} reached something unsupported: `raddle check` says what")?;
    }
    match sample.stopped() {
        Some(stopped) => writeln!(out, "  {model}: stopped early: {}", stopped.phrase()),
        None => Ok(()),
    }
}

/// Writes the number of violations that are not listed.
fn write_rest(out: &mut String, before: &str, distinct: usize, others: u64) -> Result {
    if distinct > MOST_TOLD {
        let more = counted((distinct - MOST_TOLD) as u64, "more distinct violation");
        writeln!(out, "  {before}{more}: --json lists them")?;
    }
    if others > 0 {
        let others = counted(others, "more violation");
        writeln!(out, "  {before}{others}, of kinds beyond the {distinct} that are told apart")?;
    }
    Ok(())
}

fn per_run(sample: &Sample) -> Duration {
    sample.monitoring.div_f64(sample.runs.max(1) as f64)
}

/// A sample as JSON.
#[derive(Serialize, Debug)]
pub struct Sampled<'a> {
    file: &'a str,
    model: &'static str,
    runs: u64,
    events: u64,
    /// The number of runs with violations.
    violating: u64,
    distinct: usize,
    violations: Vec<Seen>,
    /// The number of violations that are not in the list because it was full.
    others: u64,
    /// Bounds that were met.
    bounds: Vec<Bound>,
    /// The number of runs that reached an unsupported operation.
    unsupported: u64,
    /// Why fewer runs were made than requested, or null.
    stopped: Option<&'static str>,
    /// The time of the monitor alone.
    monitor_seconds: f64,
    seconds: f64,
}

/// A violation by its three instructions; in a program, by position.
#[derive(Serialize, Debug)]
struct Seen {
    store: Option<String>,
    prev: Option<String>,
    access: Option<String>,
    /// In a log: the address and the threads of store and access.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<[u32; 2]>,
    count: u64,
}

pub fn json<'a>(subject: &Subject<'a>, sample: &Sample) -> Sampled<'a> {
    let place = |loc| subject.program.place(loc);
    let seen = sample.violations.iter().map(|(pattern, count)| Seen {
        store: place(pattern.store),
        prev: place(pattern.prev),
        access: place(pattern.access),
        address: None,
        threads: None,
        count: *count,
    });
    Sampled {
        file: subject.file,
        model: sample.model.name(),
        runs: sample.runs,
        events: sample.events,
        violating: sample.violating,
        distinct: sample.violations.len(),
        violations: seen.collect(),
        others: sample.others,
        bounds: bounds::listed(subject, &sample.summary.bounds),
        unsupported: sample.unsupported(),
        stopped: sample.stopped().map(Stopped::name),
        monitor_seconds: sample.monitoring.as_secs_f64(),
        seconds: sample.elapsed.as_secs_f64(),
    }
}

/// The result for a log file, its model, and the time it took.
#[derive(Clone, Copy, Debug)]
pub struct Logged<'a> {
    pub file: &'a str,
    pub model: &'static str,
    pub reading: &'a Reading,
    /// Why the log was not read to its end.
    pub stopped: Option<Stopped>,
    pub elapsed: Duration,
}

pub fn log_text(logged: &Logged<'_>) -> String {
    written(|out| write_log(out, logged))
}

fn write_log(out: &mut String, logged: &Logged<'_>) -> Result {
    let Logged { file, model, reading, stopped, elapsed } = logged;
    let distinct = counted(reading.violations.len() as u64, "distinct violation");
    writeln!(out, "{} under {model}: {distinct}", printable(file))?;
    for (found, count) in reading.violations.iter().take(MOST_TOLD) {
        let site = |site: Site| match reading.names.site(site) {
            Some(name) => format!(" at {}", printable(name)),
            None => String::new(),
        };
        let Violation { store, prev, access, address } = *found;
        let prev = if prev == Site::NONE {
            String::new()
        } else {
            format!(", after its step{}", site(prev))
        };
        writeln!(
            out,
            "  thread {}'s store to {}{} may be delayed past thread {}'s access{}{prev} ({})",
            store.0.0,
            printable(reading.names.address(address)),
            site(store.1),
            access.0.0,
            site(access.1),
            counted(*count, "time")
        )?;
    }
    write_rest(out, "", reading.violations.len(), reading.others)?;
    if let Some(stopped) = stopped {
        writeln!(out, "  stopped before the end of the log: {}", stopped.phrase())?;
    }
    let seconds = elapsed.as_secs_f64();
    let rate = reading.events as f64 / seconds.max(1e-9) / 1e6;
    let events = counted(reading.events, "event");
    writeln!(out, "  {events} in {seconds:.3} s, {rate:.1} million a second")
}

/// The result of a monitor for a log, as JSON.
#[derive(Serialize, Debug)]
pub struct LoggedJson<'a> {
    file: &'a str,
    model: &'static str,
    events: u64,
    distinct: usize,
    violations: Vec<Seen>,
    /// The number of violations that are not in the list because it was full.
    others: u64,
    /// Why the log was not read to its end, or null.
    stopped: Option<&'static str>,
    seconds: f64,
}

pub fn log_json<'a>(logged: &Logged<'a>) -> LoggedJson<'a> {
    let names = &logged.reading.names;
    let seen = logged.reading.violations.iter().map(|(found, count)| {
        let [store, prev, access] = found.sites().map(|site| names.site(site).map(str::to_owned));
        let address = Some(names.address(found.address).to_owned());
        let threads = Some([found.store.0.0, found.access.0.0]);
        Seen { store, prev, access, address, threads, count: *count }
    });
    LoggedJson {
        file: logged.file,
        model: logged.model,
        events: logged.reading.events,
        distinct: logged.reading.violations.len(),
        violations: seen.collect(),
        others: logged.reading.others,
        stopped: logged.stopped.map(Stopped::name),
        seconds: logged.elapsed.as_secs_f64(),
    }
}
