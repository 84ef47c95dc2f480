//! Results as JSON, one object per line.
//!
//! Field names are an interface for scripts: fields may be added, but not renamed. Values of observables
//! are numbers; an address of a global is the name of the global.

use crate::bounds::{self, Bound};
use crate::value::{self, Value};
use crate::{Run, Subject, condition, story};
use raddle_analysis::reach::Reached;
use raddle_analysis::witness::{ExpectedEnd, Witness};
use raddle_analysis::{Cause, CheckResult, Iterated, LitmusResult, Offence, Violation};
use raddle_budget::peak_memory;
use raddle_engine::{Failure, FailureKind, FailureSite, Origin, Step, Stopped};
use raddle_ir::Program;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A litmus result as JSON.
#[derive(Serialize, Debug)]
pub struct Litmus<'a> {
    test: &'a str,
    file: &'a str,
    model: &'static str,
    /// The capacity of a buffer in stores; null if it is not bounded.
    buffer_bound: Option<u32>,
    strategy: &'static str,
    observation: &'static str,
    /// Whether the search was complete, so that the observation is final.
    complete: bool,
    verdict: &'static str,
    executions: u64,
    blocked: u64,
    redundant: u64,
    states: Vec<State>,
    positive: u64,
    negative: u64,
    condition: String,
    condition_holds: bool,
    errors: Vec<Error<'a>>,
    bounds: Vec<Bound>,
    stopped: Option<&'static str>,
    /// Whether no execution completed, failed or was cut, so that the result proves nothing.
    shows_nothing: bool,
    events: u64,
    /// The peak memory of the process so far, in bytes; null if it is not known.
    peak: Option<u64>,
    seconds: f64,
}

/// A verdict as JSON.
#[derive(Serialize, Debug)]
pub struct Check<'a> {
    file: &'a str,
    /// The optimisation that the program was compiled with; null if none.
    pub optimised: Option<&'a str>,
    /// The functions that the user stands in for, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stubs: Option<&'a [String]>,
    model: &'static str,
    /// Kinds of errors that are not checked, and a requested check that is not available under this model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<&'static str>,
    /// The capacity of a buffer in stores; null if it is not bounded.
    buffer_bound: Option<u32>,
    strategy: &'static str,
    verdict: &'static str,
    executions: u64,
    blocked: u64,
    redundant: u64,
    cut: u64,
    /// If the bound on buffers was raised: the number of executions for each bound, from 0 up.
    #[serde(skip_serializing_if = "Option::is_none")]
    executions_by_bound: Option<Vec<u64>>,
    /// Distinct traces (complete, blocked and cut), if the search counted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<u64>,
    errors: Vec<Error<'a>>,
    /// Errors that are known and not counted as violations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressed: Vec<Suppressed<'a>>,
    /// Suppressions that match nothing, if the search was complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmatched: Vec<String>,
    /// Errors of kinds that are not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unchecked: Vec<Unchecked>,
    bounds: Vec<Bound>,
    stopped: Option<&'static str>,
    /// Whether no execution completed, failed or was cut, so that the result proves nothing.
    shows_nothing: bool,
    events: u64,
    longest: u32,
    /// The peak memory of the process so far, in bytes; null if it is not known.
    peak: Option<u64>,
    seconds: f64,
}

/// A schedule that was read from a file and ended in the same error.
#[derive(Serialize, Debug)]
pub struct Replayed<'a> {
    file: &'a str,
    model: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer_bound: Option<u32>,
    replayed: bool,
    error: Error<'a>,
}

/// An error that is known, with the reason why it is accepted.
#[derive(Serialize, Debug)]
struct Suppressed<'a> {
    /// The suppression: `memory@queue.c:12`.
    by: String,
    reason: &'a str,
    #[serde(flatten)]
    error: Error<'a>,
}

/// An error of a kind that is not checked.
#[derive(Serialize, Debug)]
struct Unchecked {
    kind: &'static str,
    file: String,
    line: Option<u32>,
    count: u64,
}

#[derive(Serialize, Debug)]
struct State {
    values: BTreeMap<String, Value>,
    count: u64,
}

#[derive(Serialize, Debug)]
pub(crate) struct Error<'a> {
    kind: &'static str,
    thread: Option<String>,
    file: String,
    line: Option<u32>,
    /// The other access of a race.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<SourceLine>,
    message: String,
    count: u64,
    /// Whether the schedule was replayed to the same end.
    confirmed: bool,
    schedule: &'a [Step],
    /// The events along the schedule, if it was replayed.
    witness: story::Events<'a>,
    /// The cause in words, and the events of the witness that it refers to.
    why: Option<&'a str>,
    causes: &'a [Cause],
    /// Where the objects of the heap come from, if their types are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    objects: Vec<Object>,
    /// The final state, for a condition that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<BTreeMap<String, Value>>,
}

/// An object of the heap, by the call that allocated it.
#[derive(Serialize, Debug)]
struct Object {
    name: String,
    thread: String,
    file: String,
    line: Option<u32>,
}

impl Object {
    fn of(subject: &Subject<'_>, origin: &Origin) -> Object {
        let SourceLine { file, line } = subject.line(origin.loc);
        Object { name: origin.name.clone(), thread: origin.thread.name.clone(), file, line }
    }
}

/// A line of a file.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SourceLine {
    pub file: String,
    /// `None` for the file as a whole.
    pub line: Option<u32>,
}

impl<'a> Error<'a> {
    /// An error of the whole program that one schedule shows, before it is confirmed.
    fn new(run: &Run<'a>, kind: ExpectedEnd, message: String, schedule: &'a [Step]) -> Error<'a> {
        Error {
            kind: kind.name(),
            thread: None,
            file: run.file.to_owned(),
            line: None,
            against: None,
            message,
            count: 1,
            confirmed: false,
            schedule,
            witness: story::Events { subject: run.subject(), events: &[] },
            why: None,
            causes: &[],
            objects: Vec::new(),
            state: None,
        }
    }

    /// The error after its schedule was replayed.
    fn confirmed(mut self, witness: &'a Witness) -> Error<'a> {
        self.confirmed = true;
        self.schedule = &witness.schedule;
        self.witness.events = &witness.events;
        let subject = self.witness.subject;
        self.objects = witness.origins.iter().map(|origin| Object::of(&subject, origin)).collect();
        if let Some(why) = &witness.why {
            self.why = Some(&why.words);
            self.causes = &why.causes;
        }
        self
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Int { signed, .. } => serializer.serialize_i64(*signed),
            // JSON has no such numbers.
            Value::Float(value) if !value.is_finite() => serializer.collect_str(value),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::Address(name) => serializer.serialize_str(name),
        }
    }
}

/// One line, with its newline.
pub fn line(object: &impl Serialize) -> String {
    let mut line = serde_json::to_string(object).expect("keys are strings, values are plain");
    line.push('\n');
    line
}

/// Writes one line, with its newline, piece by piece.
pub fn write_line(mut out: impl Write, object: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut out, object)?;
    out.write_all(b"\n")
}

pub fn litmus<'a>(run: &Run<'a>, result: &'a LitmusResult) -> Litmus<'a> {
    let check = &result.check;
    let summary = &check.summary;
    Litmus {
        test: &run.program.name,
        file: run.file,
        model: run.options.model.name(),
        buffer_bound: run.options.buffer_bound,
        strategy: run.options.strategy.name(),
        observation: result.observation.name(),
        complete: check.is_complete(),
        verdict: check.verdict.name(),
        executions: summary.executions,
        blocked: summary.blocked,
        redundant: summary.redundant,
        states: states(run.program, &summary.states),
        positive: result.condition.positive,
        negative: result.condition.negative,
        condition: condition::spelled(run.program),
        condition_holds: result.condition.holds(),
        errors: errors(run, check),
        bounds: bounds(run, check),
        stopped: summary.stopped.map(Stopped::name),
        shows_nothing: check.shows_nothing,
        events: summary.events,
        peak: peak_memory(),
        seconds: check.elapsed.as_secs_f64(),
    }
}

/// A verdict, with the bounds on buffers that were tried, if the bound was raised.
pub fn iterated<'a>(run: &Run<'a>, iterated: &'a Iterated) -> Check<'a> {
    let executions = Some(iterated.executions.clone()).filter(|counts| !counts.is_empty());
    Check { executions_by_bound: executions, ..check(run, &iterated.result) }
}

pub fn check<'a>(run: &Run<'a>, result: &'a CheckResult) -> Check<'a> {
    let summary = &result.summary;
    Check {
        file: run.file,
        optimised: None,
        stubs: None,
        model: run.options.model.name(),
        not_checked: run.options.ignored.unchecked().collect(),
        buffer_bound: run.options.buffer_bound,
        strategy: run.options.strategy.name(),
        verdict: result.verdict.name(),
        executions: summary.executions,
        blocked: summary.blocked,
        redundant: summary.redundant,
        cut: summary.cut,
        executions_by_bound: None,
        traces: summary.traces,
        errors: errors(run, result),
        suppressed: suppressed(run, result),
        unmatched: unmatched(run, result),
        unchecked: result.unchecked.iter().map(|failure| unchecked(run, failure)).collect(),
        bounds: bounds(run, result),
        stopped: summary.stopped.map(Stopped::name),
        shows_nothing: result.shows_nothing,
        events: summary.events,
        longest: summary.longest,
        peak: peak_memory(),
        seconds: result.elapsed.as_secs_f64(),
    }
}

pub fn replayed<'a>(run: &Run<'a>, found: &'a Violation) -> Replayed<'a> {
    replayed_to(run, violation(run, found))
}

/// Like [`replayed`], for a goal.
pub fn replayed_goal<'a>(run: &Run<'a>, witness: &'a Witness) -> Replayed<'a> {
    replayed_to(run, goal(run, witness))
}

fn replayed_to<'a>(run: &Run<'a>, error: Error<'a>) -> Replayed<'a> {
    let (file, model) = (run.file, run.options.model.name());
    let buffer_bound = run.options.buffer_bound;
    Replayed { file, model, buffer_bound, replayed: true, error }
}

fn states(program: &Program, states: &[(Vec<u64>, u64)]) -> Vec<State> {
    let state = |(values, count): &(Vec<u64>, u64)| State {
        values: value::named(program, values).into_iter().collect(),
        count: *count,
    };
    states.iter().map(state).collect()
}

fn errors<'a>(run: &Run<'a>, result: &'a CheckResult) -> Vec<Error<'a>> {
    let violations = result.violations.iter().map(|found| violation(run, found));
    let unsupported = result.unsupported.iter().map(|failure| failed(run, failure));
    let unconfirmed = result.unconfirmed.iter().chain(&result.unreplayed);
    let unconfirmed = unconfirmed.map(|offence| accused(run, offence));
    violations.chain(unsupported).chain(unconfirmed).collect()
}

fn suppressed<'a>(run: &Run<'a>, result: &'a CheckResult) -> Vec<Suppressed<'a>> {
    let known = &run.options.ignored.known;
    let found = result.suppressed.iter().filter_map(|(number, found)| {
        let known = known.get(*number)?;
        let error = violation(run, found);
        Some(Suppressed { by: known.to_string(), reason: &known.reason, error })
    });
    found.collect()
}

fn unmatched(run: &Run<'_>, result: &CheckResult) -> Vec<String> {
    let known = run.options.ignored.known.iter().enumerate();
    let matches = |n: usize| result.suppressed.iter().any(|(number, _)| *number == n);
    let unmatched = known.filter(|(n, _)| result.summary.stopped.is_none() && !matches(*n));
    unmatched.map(|(_, known)| known.to_string()).collect()
}

fn unchecked(run: &Run<'_>, failure: &Failure) -> Unchecked {
    let SourceLine { file, line } = run.subject().line(failure.loc);
    Unchecked { kind: failure.kind.name(), file, line, count: failure.count }
}

/// An offence that was replayed.
pub(crate) fn violation<'a>(run: &Run<'a>, violation: &'a Violation) -> Error<'a> {
    let accused = Error { count: violation.count, ..accused(run, &violation.offence) };
    accused.confirmed(&violation.witness)
}

/// A goal that was reached.
pub(crate) fn goal<'a>(run: &Run<'a>, witness: &'a Witness) -> Error<'a> {
    let message = "a goal is reached".to_owned();
    Error::new(run, ExpectedEnd::Goal, message, &witness.schedule).confirmed(witness)
}

/// An offence before it is confirmed.
fn accused<'a>(run: &Run<'a>, offence: &'a Offence) -> Error<'a> {
    match offence {
        Offence::Failed(failure) => failed(run, failure),
        Offence::Condition(outcome) => {
            let message = format!("{} fails", condition::spelled(run.program));
            Error {
                count: outcome.count,
                state: Some(value::named(run.program, &outcome.values).into_iter().collect()),
                ..Error::new(run, ExpectedEnd::Condition, message, &outcome.schedule)
            }
        }
    }
}

fn failed<'a>(run: &Run<'a>, failure: &'a Failure) -> Error<'a> {
    Error { count: failure.count, ..failed_at(run, failure.site.clone(), &failure.schedule) }
}

/// A failure that a schedule leads to, before it is confirmed.
fn failed_at<'a>(run: &Run<'a>, site: FailureSite, schedule: &'a [Step]) -> Error<'a> {
    let SourceLine { file, line } = run.subject().line(site.loc);
    let against = (site.kind == FailureKind::Race).then(|| run.subject().line(site.against));
    Error {
        thread: Some(site.thread),
        file,
        line,
        against,
        ..Error::new(run, ExpectedEnd::Failure(site.kind), site.message, schedule)
    }
}

/// A failure or a goal that was reached.
pub(crate) fn reached<'a>(run: &Run<'a>, reached: &'a Reached) -> Error<'a> {
    let Reached { failure, witness } = reached;
    match failure {
        None => goal(run, witness),
        Some(site) => failed_at(run, site.clone(), &witness.schedule).confirmed(witness),
    }
}

fn bounds(run: &Run<'_>, result: &CheckResult) -> Vec<Bound> {
    bounds::listed(&run.subject(), &result.summary.bounds)
}
