//! A verdict as text: what, why, and for a violation the replayed schedule, step by step.

use crate::{Run, condition, counted, stopped_phrase, value};
use raddle_analysis::{CheckResult, Offence, Verdict, Violation, Witness};
use raddle_interleave::{BoundMet, Failure, FailureKind, ReplayEvent, Stopped};
use std::fmt::{Result, Write};

/// The whole report of one program under one model.
pub fn text(run: &Run<'_>, result: &CheckResult) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_report(&mut out, run, result);
    out
}

fn write_report(out: &mut String, run: &Run<'_>, result: &CheckResult) -> Result {
    writeln!(out, "{} under {}: {}", run.file, run.options.model, phrase(result.verdict))?;
    for violation in &result.violations {
        write_violation(out, run, violation)?;
    }
    for failure in &result.unsupported {
        writeln!(out, "  reached something unsupported: {}", failure_phrase(run, failure))?;
    }
    for offence in &result.unconfirmed {
        writeln!(out, "  {}", defect_phrase(run, offence))?;
    }
    for bound in &result.summary.bounds {
        writeln!(out, "  bound met: {}", bound_phrase(run, bound))?;
    }
    if let Some(stopped) = result.summary.stopped.filter(|s| *s != Stopped::Failure) {
        writeln!(out, "  stopped early: {}", stopped_phrase(stopped))?;
    }
    write_counts(out, run, result)
}

const fn phrase(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "safe",
        Verdict::SafeBounded => "safe up to bounds",
        Verdict::Violation => "violation",
        Verdict::Unknown => "unknown",
    }
}

fn write_violation(out: &mut String, run: &Run<'_>, violation: &Violation) -> Result {
    match &violation.offence {
        Offence::Failed(failure) => writeln!(out, "  {}", failure_phrase(run, failure))?,
        Offence::Condition(outcome) => {
            let times = counted(violation.count, "execution");
            writeln!(out, "  condition {} fails in {times}", condition::spelled(run.program))?;
            writeln!(out, "  a final state: {}", value::state_line(run.program, &outcome.values))?;
        }
    }
    write_witness(out, run, &violation.witness)
}

/// An offence that nobody can be accused of.
pub(crate) fn defect_phrase(run: &Run<'_>, offence: &Offence) -> String {
    let what = match offence {
        Offence::Failed(failure) => failure_phrase(run, failure),
        Offence::Condition(outcome) => {
            format!("final state {}", value::state_line(run.program, &outcome.values))
        }
    };
    format!("a defect of raddle: this did not replay: {what}")
}

/// `assertion in thread P0 at f.rir:3: message (2 executions)`
fn failure_phrase(run: &Run<'_>, failure: &Failure) -> String {
    let place = run.place(failure.loc);
    let times = counted(failure.count, "execution");
    let kind = failure.kind.name();
    let whose = if failure.kind == FailureKind::Deadlock { "of" } else { "in thread" };
    format!("{kind} {whose} {} at {place}: {} ({times})", failure.thread, failure.message)
}

/// `events at f.rir:3 (2 executions cut)`
pub(crate) fn bound_phrase(run: &Run<'_>, bound: &BoundMet) -> String {
    let times = counted(bound.count, "execution");
    format!("{} at {} ({times} cut)", bound.kind.name(), run.place(bound.loc))
}

/// The steps as a table: number, thread, place, what happened.
fn write_witness(out: &mut String, run: &Run<'_>, witness: &Witness) -> Result {
    writeln!(out, "  a schedule that leads there, replayed:")?;
    let place = |event: &ReplayEvent| run.program.place(event.loc).unwrap_or_default();
    let places: Vec<String> = witness.events.iter().map(place).collect();
    let widest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
    let thread_width = widest(&mut witness.events.iter().map(|e| e.thread.chars().count()));
    let place_width = widest(&mut places.iter().map(|place| place.chars().count()));
    for (number, (event, place)) in witness.events.iter().zip(&places).enumerate() {
        let (thread, what) = (&event.thread, event.what());
        let number = number + 1;
        writeln!(out, "  {number:4}  {thread:thread_width$}  {place:place_width$}  {what}")?;
    }
    Ok(())
}

fn write_counts(out: &mut String, run: &Run<'_>, result: &CheckResult) -> Result {
    let summary = &result.summary;
    write!(out, "  {}", counted(summary.executions, "execution"))?;
    let others = [
        (summary.blocked, "blocked by assume"),
        (summary.redundant, "redundant"),
        (summary.cut, "cut"),
    ];
    for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
        write!(out, ", {count} {what}")?;
    }
    let seconds = result.elapsed.as_secs_f64();
    writeln!(out, ", {} {} {seconds:.3} s", counted(summary.events, "event"), run.manner())
}
