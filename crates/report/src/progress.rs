//! How far a search is, in one line, and how large it is going to be.

use crate::{Run, counted, grouped, json, printable, several, written};
use raddle_analysis::estimate::Forecast;
use raddle_engine::{Estimate, Failure, Phase, Snapshot};
use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;

/// Numbers of a moment that the search does not know.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moment {
    /// Since the command has started.
    pub elapsed: Duration,
    /// Bytes that the process holds.
    pub memory: Option<u64>,
}

/// The phase of a command: one line without its newline. The most important parts come first, since a terminal may
/// be too narrow for all of it.
pub fn line(shot: &Snapshot, moment: &Moment) -> String {
    let mut line = String::new();
    if shot.judged > 0 {
        line += &fencing(shot, moment);
    }
    if let Some(bound) = shot.bound {
        line += &format!("buffers of {}: ", counted(bound, "store"));
    }
    let passed = duration(shot.elapsed.as_secs_f64());
    line += &match shot.phase {
        Phase::Loading => format!("loading, {passed}"),
        Phase::Replaying => {
            format!("replaying, {}, {passed}", several(shot.executions, "execution"))
        }
        Phase::Editing => format!("finding edits of the source, {passed}"),
        Phase::Choosing => format!("choosing fences, {passed}"),
        Phase::SearchingStates => format!("{passed}: {}", states(shot)),
        Phase::Searching(model) => format!("{model}, {passed}: {}", executions(shot)),
    };
    if let Some(bytes) = moment.memory {
        line += &format!(", {} MiB", grouped(bytes >> 20));
    }
    line
}

/// `program 12 after 40 s, 3 clauses, 2 to 5 fences: `
fn fencing(shot: &Snapshot, moment: &Moment) -> String {
    let passed = duration(moment.elapsed.as_secs_f64());
    let mut text = format!("program {} after {passed}", grouped(shot.judged));
    if shot.clauses > 0 {
        text += &format!(", {}", counted(shot.clauses, "clause"));
    }
    text += &match (shot.at_least, shot.enough) {
        (least, Some(enough)) if enough == least => format!(", {}", counted(enough, "fence")),
        (least, Some(enough)) => format!(", {least} to {}", counted(enough, "fence")),
        (0, None) => String::new(),
        (least, None) => format!(", at least {}", counted(least, "fence")),
    };
    text + ": "
}

fn states(shot: &Snapshot) -> String {
    let Snapshot { states, frontier, level, .. } = *shot;
    let rate = rate(states, shot);
    let (states, frontier) = (several(states, "state"), grouped(frontier));
    format!("{states}, {frontier} of them at depth {}, {rate}/s", grouped(level))
}

fn executions(shot: &Snapshot) -> String {
    let mut text = several(shot.executions, "execution");
    if let Some(estimate) = &shot.estimate {
        text += &remaining(shot, estimate);
    }
    for (count, what) in
        [(shot.blocked, "blocked"), (shot.cut, "cut"), (shot.redundant, "redundant")]
    {
        if count > 0 {
            text += &format!(", {} {what}", grouped(count));
        }
    }
    text + &format!(", {}/s", rate(shot.counted() + shot.redundant, shot))
}

/// The whole, and the time that is left.
fn remaining(shot: &Snapshot, estimate: &Estimate) -> String {
    let done = shot.counted();
    let Estimate { executions, high, .. } = *estimate;
    if done as f64 >= high {
        return format!(", more than the estimate of {}", quantity(executions));
    }
    let rate = done as f64 / shot.elapsed.as_secs_f64().max(1e-6);
    let left = |whole: f64| estimated((whole - done as f64) / rate);
    if done as f64 >= executions {
        return format!(" of up to {}, up to {} left", quantity(high), left(high));
    }
    let text = format!(" of about {}", range(&estimate.at_least(done)));
    if done > 0 { text + &format!(", {} left", left(executions)) } else { text }
}

fn rate(count: u64, shot: &Snapshot) -> String {
    let rate = count as f64 / shot.elapsed.as_secs_f64().max(0.001);
    grouped(rate as u64)
}

/// `2.4 million (1.1 million to 6 million)`
fn range(estimate: &Estimate) -> String {
    let Estimate { executions, low, high, .. } = *estimate;
    let (low, high, middle) = (quantity(low), quantity(high), quantity(executions));
    match low == high {
        true => middle,
        false => format!("{middle} ({low} to {high})"),
    }
}

/// A number to two digits, in words if it is large.
fn quantity(number: f64) -> String {
    const NAMES: [(f64, &str); 3] = [(1e12, "trillion"), (1e9, "billion"), (1e6, "million")];
    if number >= 1e15 {
        return format!("{number:.0e}");
    }
    let digits = number.max(1.0).log10().floor() as i32 - 1;
    let unit = 10f64.powi(digits.max(0));
    let rounded = (number / unit).round() * unit;
    match NAMES.into_iter().find(|(unit, _)| rounded >= *unit) {
        Some((unit, name)) => format!("{} {name}", (rounded / unit * 10.0).round() / 10.0),
        None => grouped(rounded as u64),
    }
}

/// A time in its largest unit.
fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(365.0 * 86400.0, "years"), (86400.0, "days"), (3600.0, "h"), (60.0, "min")];
    if seconds >= 1000.0 * UNITS[0].0 {
        return "over 1,000 years".to_owned();
    }
    match UNITS.into_iter().find(|(unit, _)| seconds >= 2.0 * unit) {
        Some((unit, name)) => format!("{:.0} {name}", seconds / unit),
        None => format!("{seconds:.0} s"),
    }
}

/// A time that is not over.
fn estimated(seconds: f64) -> String {
    if seconds < 1.0 { "less than 1 s".to_owned() } else { duration(seconds) }
}

/// `1 execution was`, `12 executions were`
fn were(count: u64, noun: &str) -> String {
    format!("{} {}", counted(count, noun), if count == 1 { "was" } else { "were" })
}

/// The size of a search, as text. `purpose` is what is searched for, if that is not a check.
pub fn forecast(run: &Run<'_>, purpose: Option<&str>, found: &Forecast) -> String {
    written(|out| {
        let (file, model) = (printable(run.file), run.options.model);
        let purpose = purpose.map_or(String::new(), |purpose| format!("{purpose}: "));
        writeln!(out, "{file} under {model}: {purpose}{}", size(found))?;
        let searched = were(found.counted(), "execution");
        let took = found.elapsed.as_secs_f64();
        let probes = found.estimate.map_or(0, |estimate| estimate.probes);
        if probes > 0 {
            let probes = counted(probes, "random probe");
            writeln!(out, "  estimated from {probes}, while {searched} searched in {took:.1} s")?;
        } else if !found.is_complete() {
            writeln!(out, "  {searched} searched in {took:.1} s")?;
        }
        if let Some(failure) = found.summary.failures.first() {
            let message = printable(&failure.message);
            let (kind, thread) = (failure.kind.name(), printable(&failure.thread));
            let line = run.subject().line(failure.loc);
            let line =
                line.line.map_or(String::new(), |n| format!(" at {}:{n}", printable(&line.file)));
            writeln!(
                out,
                "  an error was met on the way: {kind} in thread {thread}{line}: {message}"
            )?;
            writeln!(out, "  a search that ends at the first error is shorter")?;
        }
        Ok(())
    })
}

fn size(found: &Forecast) -> String {
    if found.is_complete() {
        let all = counted(found.counted(), "execution");
        return format!("{all}, all searched in {:.3} s", found.elapsed.as_secs_f64());
    }
    let Some(estimate) = &found.estimate else {
        return "the number of executions cannot be estimated (docs/progress.md)".to_owned();
    };
    let Estimate { executions, low, high, .. } = *estimate;
    let about = quantity(executions);
    let mut text = format!("about {about} execution{}", if about == "1" { "" } else { "s" });
    if quantity(low) != quantity(high) {
        text += &format!(" ({} to {})", quantity(low), quantity(high));
    }
    if let Some([_, time, _]) = found.time() {
        let each = (found.summary.events as f64 / found.counted() as f64).round() as u64;
        let (each, rate) = (several(each, "event"), quantity(found.rate()));
        text += &format!(", {each} each; at {rate} a second {}", estimated(time));
    }
    text
}

/// The size of a search, as JSON.
#[derive(Serialize, Debug)]
pub struct Size<'a> {
    file: &'a str,
    model: &'static str,
    strategy: &'static str,
    purpose: Option<&'a str>,
    /// The number of executions of the whole search, and the range that it is probably in.
    estimate: Option<Range>,
    exact: bool,
    probes: u64,
    /// What was searched meanwhile.
    searched: u64,
    events_each: Option<f64>,
    executions_per_second: f64,
    /// How long the whole search takes.
    total_seconds: Option<Range>,
    errors: Vec<Met<'a>>,
    seconds: f64,
}

#[derive(Serialize, Debug)]
struct Range {
    about: f64,
    low: f64,
    high: f64,
}

/// An error on the way. Its schedule was not replayed.
#[derive(Serialize, Debug)]
struct Met<'a> {
    kind: &'static str,
    thread: &'a str,
    #[serde(flatten)]
    at: json::SourceLine,
    message: &'a str,
    count: u64,
}

pub fn forecast_json<'a>(run: &Run<'a>, purpose: Option<&'a str>, found: &'a Forecast) -> Size<'a> {
    let met = |failure: &'a Failure| Met {
        kind: failure.kind.name(),
        thread: &failure.thread,
        at: run.subject().line(failure.loc),
        message: &failure.message,
        count: failure.count,
    };
    let range = |[low, about, high]: [f64; 3]| Range { about, low, high };
    let searched = found.counted();
    Size {
        file: run.file,
        model: run.options.model.name(),
        strategy: run.options.strategy.name(),
        purpose,
        estimate: found.estimate.map(|e| range([e.low, e.executions, e.high])),
        exact: found.is_complete(),
        probes: found.estimate.map_or(0, |estimate| estimate.probes),
        searched,
        events_each: (searched > 0).then(|| found.summary.events as f64 / searched as f64),
        executions_per_second: found.rate(),
        total_seconds: found.time().map(range),
        errors: found.summary.failures.iter().map(met).collect(),
        seconds: found.elapsed.as_secs_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_engine::Model;

    const MOMENT: Moment = Moment { elapsed: Duration::from_secs(200), memory: Some(40 << 20) };

    fn shown(shot: Snapshot) -> String {
        line(&Snapshot { elapsed: Duration::from_secs(10), ..shot }, &MOMENT)
    }

    #[test]
    fn a_search_of_executions() {
        let shot = Snapshot {
            phase: Phase::Searching(Model::Tso),
            executions: 1_234_567,
            blocked: 3,
            ..Snapshot::default()
        };
        let rest = ", 3 blocked, 123,457/s, 40 MiB";
        assert_eq!(shown(shot), format!("tso, 10 s: 1,234,567 executions{rest}"));
        let estimate = Estimate { executions: 2.44e6, low: 1.1e6, high: 6e6, probes: 9 };
        let estimated = Snapshot { estimate: Some(estimate), ..shot };
        let about = " of about 2.4 million (1.2 million to 6 million), 10 s left";
        assert_eq!(shown(estimated), format!("tso, 10 s: 1,234,567 executions{about}{rest}"));
        let estimate = Estimate { executions: 9e5, low: 8e5, high: 2.469134e6, probes: 9 };
        let beyond = Snapshot { estimate: Some(estimate), ..shot };
        let about = " of up to 2.5 million, up to 10 s left";
        assert_eq!(shown(beyond), format!("tso, 10 s: 1,234,567 executions{about}{rest}"));
        let estimate = Estimate { executions: 1.24e6, low: 8e5, high: 2.469134e6, probes: 9 };
        let nearly = Snapshot { estimate: Some(estimate), ..shot };
        let about = " of about 1.2 million (1.2 million to 2.5 million), less than 1 s left";
        assert_eq!(shown(nearly), format!("tso, 10 s: 1,234,567 executions{about}{rest}"));
        let estimate = Estimate { executions: 5.0, low: 4.0, high: 6.0, probes: 9 };
        let passed = Snapshot { estimate: Some(estimate), ..shot };
        let about = ", more than the estimate of 5";
        assert_eq!(shown(passed), format!("tso, 10 s: 1,234,567 executions{about}{rest}"));
    }

    #[test]
    fn other_phases() {
        assert_eq!(shown(Snapshot::default()), "loading, 10 s, 40 MiB");
        let shot = Snapshot { phase: Phase::Replaying, executions: 2, ..Snapshot::default() };
        assert_eq!(shown(shot), "replaying, 2 executions, 10 s, 40 MiB");
        let shot = Snapshot {
            phase: Phase::SearchingStates,
            states: 5000,
            frontier: 70,
            level: 6,
            judged: 12,
            bound: Some(1),
            ..Snapshot::default()
        };
        let expected = "program 12 after 3 min: buffers of 1 store: 10 s: 5,000 states, 70 of them at depth 6, \
                        500/s, 40 MiB";
        assert_eq!(shown(shot), expected);
    }

    #[test]
    fn one_is_singular() {
        let shot = Snapshot { executions: 1, states: 1, frontier: 1, ..Snapshot::default() };
        let one = |phase| shown(Snapshot { phase, ..shot });
        assert_eq!(one(Phase::Searching(Model::Sc)), "sc, 10 s: 1 execution, 0/s, 40 MiB");
        assert_eq!(one(Phase::Replaying), "replaying, 1 execution, 10 s, 40 MiB");
        let states = "10 s: 1 state, 1 of them at depth 0, 0/s, 40 MiB";
        assert_eq!(one(Phase::SearchingStates), states);
        assert_eq!(were(1, "execution"), "1 execution was");
        assert_eq!(were(2, "execution"), "2 executions were");
    }

    #[test]
    fn what_is_known_of_fences() {
        let known = |clauses, at_least, enough| {
            let phase = Phase::Editing;
            let judged = 1234;
            let shot = Snapshot { phase, judged, clauses, at_least, enough, ..Snapshot::default() };
            let rest = ": finding edits of the source, 10 s, 40 MiB";
            let line = shown(shot);
            line.strip_suffix(rest).unwrap_or_else(|| panic!("{line}")).to_owned()
        };
        assert_eq!(known(0, 0, None), "program 1,234 after 3 min");
        assert_eq!(known(0, 1, Some(36)), "program 1,234 after 3 min, 1 to 36 fences");
        assert_eq!(known(1, 2, None), "program 1,234 after 3 min, 1 clause, at least 2 fences");
        assert_eq!(known(3, 2, Some(2)), "program 1,234 after 3 min, 3 clauses, 2 fences");
    }

    #[test]
    fn numbers_and_times_in_words() {
        for (number, text) in [
            (1.0, "1"),
            (47.4, "47"),
            (32768.0, "33,000"),
            (999_999.0, "1 million"),
            (2.44e6, "2.4 million"),
            (6.2e9, "6.2 billion"),
            (3e13, "30 trillion"),
            (4e17, "4e17"),
        ] {
            assert_eq!(quantity(number), text);
        }
        for (seconds, text) in [
            (0.2, "0 s"),
            (119.0, "119 s"),
            (180.0, "3 min"),
            (1e4, "3 h"),
            (1e6, "12 days"),
            (1e9, "32 years"),
            (1e30, "over 1,000 years"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
