//! A litmus result as text, line by line as the usual simulators print it. Then follow the number of
//! executions and, if any, failures, bounds, and the reason why the search ended early.

use crate::{Run, check, condition, counted, printable, value, written};
use raddle_analysis::LitmusResult;
use raddle_ir::Quantifier;
use std::fmt::Write;

/// The complete report of one test under one model, with the final blank line.
pub fn text(run: &Run<'_>, result: &LitmusResult) -> String {
    written(|out| write_report(out, run, result))
}

fn write_report(out: &mut String, run: &Run<'_>, result: &LitmusResult) -> std::fmt::Result {
    let name = printable(&run.program.name);
    let judged = &result.condition;
    let states = state_lines(run, result);
    writeln!(out, "Test {name} {}", kind(judged.quantifier))?;
    writeln!(out, "States {}", states.len())?;
    for line in states {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", if judged.holds() { "Ok" } else { "No" })?;
    writeln!(out, "Witnesses")?;
    writeln!(out, "Positive: {} Negative: {}", judged.positive, judged.negative)?;
    writeln!(out, "Condition {}", condition::spelled(run.program))?;
    let observation = result.observation.name();
    writeln!(out, "Observation {name} {observation} {} {}", judged.positive, judged.negative)?;
    writeln!(out, "Executions {} {}", result.check.summary.executions, run.manner())?;
    write_exceptions(out, run, result)?;
    writeln!(out)
}

const fn kind(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    }
}

fn state_lines(run: &Run<'_>, result: &LitmusResult) -> Vec<String> {
    let states = &result.check.summary.states;
    let mut lines: Vec<String> =
        states.iter().map(|(values, _)| value::state_line(run.program, values)).collect();
    lines.sort();
    lines
}

/// Writes the parts that only unusual results have.
fn write_exceptions(out: &mut String, run: &Run<'_>, result: &LitmusResult) -> std::fmt::Result {
    let summary = &result.check.summary;
    if summary.blocked > 0 {
        writeln!(out, "Blocked {}", summary.blocked)?;
    }
    for failure in &summary.failures {
        let place = run.place(failure.loc);
        let times = counted(failure.count, "execution");
        let words = format!("{} at {place}", failure.message);
        writeln!(out, "Failure {}: {} ({times})", failure.kind.name(), printable(&words))?;
    }
    for offence in &result.check.unconfirmed {
        writeln!(out, "Warning: {}", check::defect_phrase(run, offence))?;
    }
    for offence in &result.check.unreplayed {
        writeln!(out, "Warning: {}", check::unreplayed_phrase(run, offence))?;
    }
    for bound in &summary.bounds {
        writeln!(out, "Bound {}", check::bound_phrase(run, bound))?;
    }
    if let Some(stopped) = summary.stopped {
        writeln!(out, "Stopped: {}", stopped.phrase())?;
    }
    if result.check.shows_nothing {
        writeln!(out, "Nothing was shown: no execution ran to its end")?;
    }
    Ok(())
}
