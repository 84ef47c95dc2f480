//! An answer about reachability, as text and as JSON.

use crate::paint::{Ink, paint};
use crate::{Look, Run, counted, printable, story, witness, written};
use raddle_analysis::reach::{ReachResult, Reached};
use raddle_engine::{FailureKind, FailureSite, Step};
use serde::Serialize;
use std::fmt::Write;

/// The answer as JSON.
#[derive(Serialize, Debug)]
pub struct Reach<'a> {
    file: &'a str,
    model: &'static str,
    /// `null` if it is not known.
    reachable: Option<bool>,
    queries: u32,
    /// States of all queries together.
    states: u64,
    states_per_second: f64,
    /// The bytes per state of the largest query.
    bytes_per_state: f64,
    /// Why it is not known.
    unknown: Option<String>,
    seconds: f64,
    witness: Option<ReachedJson<'a>>,
}

#[derive(Serialize, Debug)]
struct ReachedJson<'a> {
    /// `goal`, or the kind of failure.
    end: &'static str,
    message: Option<String>,
    schedule: &'a [Step],
    events: story::Events<'a>,
}

pub fn json<'a>(run: &Run<'a>, result: &'a ReachResult) -> Reach<'a> {
    let effort = &result.effort;
    Reach {
        file: run.file,
        model: run.options.model.name(),
        reachable: result.reachable,
        queries: effort.queries,
        states: effort.states,
        states_per_second: effort.states_per_second().round(),
        bytes_per_state: (effort.bytes_per_state() * 10.0).round() / 10.0,
        unknown: reason(result),
        seconds: effort.elapsed.as_secs_f64(),
        witness: result.reached.as_ref().map(|reached| json_witness(run, reached)),
    }
}

fn json_witness<'a>(run: &Run<'a>, reached: &'a Reached) -> ReachedJson<'a> {
    ReachedJson {
        end: reached.failure.as_ref().map_or("goal", |failure| failure.kind.name()),
        message: reached.failure.as_ref().map(|failure| failure.message.clone()),
        schedule: &reached.witness.schedule,
        events: story::Events { subject: run.subject(), events: &reached.witness.events },
    }
}

/// Why the answer is unknown, in words.
pub(crate) fn reason(result: &ReachResult) -> Option<String> {
    if result.unconfirmed.is_some() {
        return Some("what was found does not replay: a defect of raddle".to_owned());
    }
    result.unknown.as_ref().map(ToString::to_string)
}

/// A schedule that was read from a file and reached a goal again.
pub fn replayed(run: &Run<'_>, look: &Look<'_>, found: &raddle_analysis::Witness) -> String {
    let word = paint(look.colour, Ink::Bad, "reachable");
    let story = witness::story(run, look, &found.events);
    let model = run.options.model.name();
    format!("{} under {model}: {word}\n{story}  replayed: a goal is reached\n", printable(run.file))
}

/// The answer as text.
pub fn text(run: &Run<'_>, look: &Look<'_>, result: &ReachResult) -> String {
    written(|out| write_answer(out, run, look, result))
}

fn write_answer(
    out: &mut String,
    run: &Run<'_>,
    look: &Look<'_>,
    result: &ReachResult,
) -> std::fmt::Result {
    let (word, ink) = match result.reachable {
        Some(true) => ("reachable", Ink::Bad),
        Some(false) => ("unreachable", Ink::Good),
        None => ("unknown", Ink::Heading),
    };
    let model = run.options.model.name();
    let file = printable(run.file);
    writeln!(out, "{file} under {model}: {}", paint(look.colour, ink, word))?;
    if let Some(reason) = reason(result) {
        writeln!(out, "  {}", printable(&reason))?;
    }
    if let Some(reached) = &result.reached {
        match &reached.failure {
            Some(failure) => writeln!(out, "  {}\n", failed(run, failure))?,
            None => writeln!(out, "  {SHORTEST}:\n")?,
        }
        out.push_str(&witness::story(run, look, &reached.witness.events));
        out.push('\n');
    }
    writeln!(out, "  {}", effort(result))
}

pub(crate) const SHORTEST: &str = "the shortest way to a goal";

/// `assertion at f.c:3: x == 1`
pub(crate) fn failed(run: &Run<'_>, failure: &FailureSite) -> String {
    let message = printable(&failure.message);
    // A deadlock names the position of each waiting thread itself.
    let place = match failure.kind {
        FailureKind::Deadlock => String::new(),
        _ => format!(" at {}", run.place_of(failure)),
    };
    format!("{}{place}: {message}", failure.kind.name())
}

/// `12 states in 1 search, up to 40 bytes a state, 0.001 s`
pub(crate) fn effort(result: &ReachResult) -> String {
    let effort = &result.effort;
    let searches = match effort.queries {
        1 => "1 search".to_owned(),
        more => format!("{more} searches"),
    };
    let (states, bytes) = (counted(effort.states, "state"), effort.bytes_per_state());
    let seconds = effort.elapsed.as_secs_f64();
    format!("{states} in {searches}, up to {bytes:.0} bytes a state, {seconds:.3} s")
}
