//! A verdict as text: the verdict, the violations with their witnesses, the limits of the answer, and the
//! effort.

use crate::paint::{Ink, paint};
use crate::source::Sources;
use crate::{Look, Run, bounds, buffer, condition, counted, printable, value, witness, written};
use raddle_analysis::{CheckResult, Offence, Verdict, Violation};
use raddle_engine::{
    BoundKind, BoundMet, Engine, Failure, FailureKind, MAX_SILENT, Model, Options, Stopped,
};
use raddle_ir::LocId;
use std::fmt::{Result, Write};

/// The complete report of one program under one model.
pub fn text(run: &Run<'_>, look: &Look<'_>, result: &CheckResult) -> String {
    written(|out| write_report(out, run, look, result))
}

fn write_report(out: &mut String, run: &Run<'_>, look: &Look<'_>, result: &CheckResult) -> Result {
    write_verdict(out, run, look, result.verdict)?;
    for violation in &result.violations {
        write_violation(out, run, look, violation)?;
    }
    write_notes(out, run, look.sources, result)
}

/// Writes what there is to say beside the verdict and the violations.
fn write_notes(out: &mut String, run: &Run<'_>, sources: &Sources, result: &CheckResult) -> Result {
    if let Some(line) = condition_phrase(run, result) {
        writeln!(out, "  {line}")?;
    }
    write_ignored(out, run, result)?;
    for failure in &result.unsupported {
        writeln!(out, "  reached something unsupported: {}", failure_phrase(run, failure))?;
    }
    for offence in &result.unconfirmed {
        writeln!(out, "  {}", defect_phrase(run, offence))?;
    }
    for offence in &result.unreplayed {
        writeln!(out, "  {}", unreplayed_phrase(run, offence))?;
    }
    for bound in &result.summary.bounds {
        let source = sources.line(run.program, bound.loc);
        let source = source.map_or(String::new(), |line| format!(": {line}"));
        writeln!(out, "  bound met: {}{source}", bound_phrase(run, bound))?;
    }
    if let Some(stopped) = result.summary.stopped.filter(|s| *s != Stopped::Failure) {
        writeln!(out, "  stopped early: {}", stopped.phrase())?;
    }
    if result.shows_nothing {
        writeln!(out, "  nothing was shown: no execution ran to its end")?;
    } else if result.verdict == Verdict::SafeBounded && result.summary.executions == 0 {
        writeln!(out, "  no execution ran to its end: what comes after the bounds was not shown")?;
    }
    if let Some(line) = endless_phrase(run.options, result) {
        writeln!(out, "  {line}")?;
    }
    write_counts(out, run, result)
}

/// The remarks beside the verdict and the violations, in lines.
pub(crate) fn notes(run: &Run<'_>, sources: &Sources, result: &CheckResult) -> Vec<String> {
    let notes = written(|out| write_notes(out, run, sources, result));
    notes.lines().map(|line| line.trim().to_owned()).collect()
}

fn write_verdict(out: &mut String, run: &Run<'_>, look: &Look<'_>, verdict: Verdict) -> Result {
    let (ink, phrase) = match verdict {
        Verdict::Safe => (Ink::Good, "safe"),
        Verdict::SafeBounded => (Ink::Good, "safe up to bounds"),
        Verdict::Violation => (Ink::Bad, "violation"),
        Verdict::Unknown => (Ink::Reason, "unknown"),
    };
    let (model, verdict) = (buffer::model(run.options), paint(look.colour, ink, phrase));
    writeln!(out, "{} under {model}: {verdict}", printable(run.file))
}

/// The report of a schedule that was read from a file and ended in the same error.
pub fn replayed(run: &Run<'_>, look: &Look<'_>, violation: &Violation) -> String {
    written(|out| {
        write_verdict(out, run, look, Verdict::Violation)?;
        write_violation(out, run, look, violation)?;
        writeln!(out, "  replayed: same error")
    })
}

/// Writes a violation and its witness, between blank lines.
fn write_violation(
    out: &mut String,
    run: &Run<'_>,
    look: &Look<'_>,
    violation: &Violation,
) -> Result {
    writeln!(out, "  {}", paint(look.colour, Ink::Heading, &violation_phrase(run, violation)))?;
    if let Offence::Condition(outcome) = &violation.offence {
        writeln!(out, "  a final state: {}", value::state_line(run.program, &outcome.values))?;
    }
    writeln!(out, "\n{}", witness::text(run, look, violation))
}

/// Says what is not reported as a violation: kinds that are not checked, and errors that are known.
fn write_ignored(out: &mut String, run: &Run<'_>, result: &CheckResult) -> Result {
    let ignored = &run.options.ignored;
    let kinds: Vec<&str> = ignored.unchecked().collect();
    if !kinds.is_empty() {
        writeln!(out, "  not checked: {} (--no-check)", kinds.join(", "))?;
    }
    for failure in &result.unchecked {
        let (kind, place) = (failure.kind.name(), run.place(failure.loc));
        let times = counted(failure.count, "execution");
        writeln!(out, "    {times} showed {kind} at {}", printable(&place))?;
    }
    for (number, found) in &result.suppressed {
        let phrase = violation_phrase(run, found);
        let reason = ignored.known.get(*number).map_or("", |known| &known.reason);
        writeln!(out, "  suppressed: {phrase}: {}", printable(reason))?;
    }
    match result.summary.cut_by_ignored {
        0 => Ok(()),
        count => {
            let executions = counted(count, "execution");
            writeln!(out, "  {executions} ended at these: what comes after was not explored")
        }
    }
}

/// Describes a violation, with the number of executions.
pub(crate) fn violation_phrase(run: &Run<'_>, violation: &Violation) -> String {
    match &violation.offence {
        // The cause at the end says in more detail which thread waits for what.
        Offence::Failed(failure)
            if failure.kind == FailureKind::Deadlock && violation.witness.why.is_some() =>
        {
            let times = counted(failure.count, "execution");
            printable(&format!("deadlock of {} ({times})", failure.thread))
        }
        Offence::Failed(failure) => failure_phrase(run, failure),
        Offence::Condition(_) => {
            let times = counted(violation.count, "execution");
            format!("condition {} fails in {times}", condition::spelled(run.program))
        }
    }
}

/// The result of a condition that no state violates.
fn condition_phrase(run: &Run<'_>, result: &CheckResult) -> Option<String> {
    let found = result.condition.as_ref().filter(|found| found.counterexample.is_none())?;
    let ends = counted(found.positive + found.negative, "execution");
    let spelled = condition::spelled(run.program);
    Some(format!("condition {spelled}: the proposition holds in {} of {ends}", found.positive))
}

/// Advice about endless loops, if executions seem to have them.
fn endless_phrase(options: &Options, result: &CheckResult) -> Option<String> {
    let summary = &result.summary;
    let has_long = summary.bounds.iter().any(|bound| bound.kind == BoundKind::Events);
    let stopped = matches!(summary.stopped, Some(Stopped::Time | Stopped::Memory));
    let seems_endless = has_long || stopped && summary.executions == 0;
    let of_states = options.strategy.engine() == Engine::Reach;
    if !seems_endless || of_states || result.verdict == Verdict::Violation {
        return None;
    }
    let bounded = "--unroll N bounds loops that do not end";
    let by_states = Engine::Reach.strategy().name();
    Some(match options.model {
        _ if options.checks.races => bounded.to_owned(),
        model if Engine::Reach.has(model) => {
            format!("{bounded}; --strategy {by_states}, and raddle reach for goals, need no bound")
        }
        model => {
            let models = Model::names(Engine::Reach.models()).replace(" or ", " and ");
            format!(
                "{bounded}; --strategy {by_states} and raddle reach need no bound, and have {models} but not {model}"
            )
        }
    })
}

/// Describes an offence that did not replay: a defect of raddle.
pub(crate) fn defect_phrase(run: &Run<'_>, offence: &Offence) -> String {
    format!("a defect of raddle: this did not replay: {}", offence_phrase(run, offence))
}

/// Describes an offence that was not replayed because of the limits.
pub(crate) fn unreplayed_phrase(run: &Run<'_>, offence: &Offence) -> String {
    format!("found, but the limits left no room to replay it: {}", offence_phrase(run, offence))
}

fn offence_phrase(run: &Run<'_>, offence: &Offence) -> String {
    match offence {
        Offence::Failed(failure) => failure_phrase(run, failure),
        Offence::Condition(outcome) => {
            format!("final state {}", value::state_line(run.program, &outcome.values))
        }
    }
}

/// `assertion in thread P0 at f.rir:3: message (2 executions)`
fn failure_phrase(run: &Run<'_>, failure: &Failure) -> String {
    let place = run.place_of(failure);
    let times = counted(failure.count, "execution");
    let kind = failure.kind.name();
    let whose = if failure.kind == FailureKind::Deadlock { "of" } else { "in thread" };
    let (thread, message) = (&failure.thread, &failure.message);
    if thread.is_empty() {
        // A failure of the program as a whole has no thread.
        return printable(&format!("{kind}: {message}"));
    }
    printable(&format!("{kind} {whose} {thread} at {place}: {message} ({times})"))
}

/// `a loop went back 4 times (--unroll) at f.rir:3 (2 executions cut)`
pub(crate) fn bound_phrase(run: &Run<'_>, bound: &BoundMet) -> String {
    if bound.kind == BoundKind::Inputs {
        let at = match bound.loc {
            LocId::NONE => String::new(),
            loc => format!(" at {}", run.place(loc)),
        };
        return format!("{}{at}", bounds::INPUTS);
    }
    let times = counted(bound.count, "execution");
    let cut = if bound.kind == BoundKind::Buffer { "" } else { " cut" };
    format!("{} at {} ({times}{cut})", bound_words(run.options, bound.kind), run.place(bound.loc))
}

/// Describes a bound: its subject, its limit, and the option that changes it, if any.
fn bound_words(options: &Options, kind: BoundKind) -> String {
    let limits = &options.limits;
    match kind {
        BoundKind::Events => {
            let events = counted(u64::from(limits.events), "event");
            format!("{events} of one thread (--max-events)")
        }
        BoundKind::LocalSteps => {
            let instructions = counted(limits.local_steps, "instruction");
            format!("{instructions} without an event")
        }
        BoundKind::Operations => {
            let operations = counted(MAX_SILENT.into(), "store");
            format!("{operations}, fences, spawns or joins of one thread without an event")
        }
        BoundKind::Iterations => {
            // If single loops have bounds of their own, the limit is not known here.
            let most = limits.unroll.most.filter(|_| limits.unroll.at.is_empty());
            let most = most.map(|most| counted(u64::from(most), "time"));
            let times = most.unwrap_or_else(|| "as often as it may".to_owned());
            format!("a loop went back {times} (--unroll)")
        }
        BoundKind::Buffer => buffer::full(options),
        BoundKind::Endless => "a thread goes on for ever in a loop without a way out".to_owned(),
        BoundKind::Inputs => bounds::INPUTS.to_owned(),
    }
}

fn write_counts(out: &mut String, run: &Run<'_>, result: &CheckResult) -> Result {
    let summary = &result.summary;
    write!(out, "  {}", counted(summary.executions, "execution"))?;
    let others = [
        (summary.blocked, "blocked (an assume, or a loop that spins)"),
        (summary.redundant, "redundant"),
        (summary.cut, "cut"),
    ];
    for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
        write!(out, ", {count} {what}")?;
    }
    let seconds = result.elapsed.as_secs_f64();
    writeln!(out, ", {} {} {seconds:.3} s", counted(summary.events, "event"), run.manner())
}
