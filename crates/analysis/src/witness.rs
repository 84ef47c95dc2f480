//! Witnesses: schedules that were replayed.
//!
//! The search claims that a schedule ends in a failure or in a final state. [`confirm`] runs the schedule
//! again from the start, on a fresh system and without the search: no backtracking, no reduction, no sleep
//! sets. The user sees the witness only if the replay ends in the same failure at the same place, or in a
//! final state that contradicts the condition. [`crate::shorten`] then looks for a schedule that is better to
//! read, which is replayed in the same way.

use crate::check::{Offence, Violation};
use crate::condition::{self, Outcome};
use crate::search::replay;
use crate::shorten::{Allowance, Candidate, Finding, shorten};
use crate::why::{Why, failing, graph, why};
use raddle_engine::{
    Deed, Engine, Failure, FailureKind, FailureSite, Options, Origin, ReplayEnd, ReplayEvent,
    Replayed, Spent, Step, Stopped,
};
use raddle_ir::{LocId, Program, Verified};

/// A schedule and the events along it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub schedule: Vec<Step>,
    /// The events of the replay, in order: the steps, and the actions of threads between them.
    pub events: Vec<ReplayEvent>,
    /// Where the objects of the heap come from, if their types are known.
    pub origins: Vec<Origin>,
    /// The cause, if it can be determined.
    pub why: Option<Why>,
}

/// Why an offence was not confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unconfirmed {
    /// The replay ends differently.
    Differs,
    /// The budget ran out.
    Spent(Spent),
}

/// Replays an offence's schedule, and looks for a shorter one.
pub(crate) fn confirm(
    program: &Verified,
    options: &Options,
    offence: &Offence,
    allowance: &Allowance,
) -> Result<Witness, Unconfirmed> {
    let budget = &options.limits.budget;
    // There may be thousands of offences, and even starting a replay takes time.
    if let Some(spent) = budget.spent() {
        return Err(Unconfirmed::Spent(spent));
    }
    let schedule = offence.schedule();
    let replayed = replay(program, options, schedule);
    match (shown(program, offence, &replayed.end), budget.spent()) {
        (Some(end), _) => {
            let first = candidate(program, options, schedule, replayed, offence);
            let again = |schedule: &[Step]| {
                let replayed = replay(program, options, schedule);
                let same = shown(program, offence, &replayed.end)? == end;
                same.then(|| candidate(program, options, schedule, replayed, offence))
            };
            let engine = options.strategy.engine();
            Ok(shorten(first, engine, program.threads.len(), allowance, again))
        }
        // The budget may have ended the search in the middle of the schedule.
        (None, Some(spent)) => Err(Unconfirmed::Spent(spent)),
        (None, None) => Err(Unconfirmed::Differs),
    }
}

/// The end of a replay that shows an offence.
#[derive(PartialEq, Eq)]
enum Shown {
    Failure(FailureSite),
    State(Vec<u64>),
}

/// `None` if the end does not show the offence.
fn shown(program: &Program, offence: &Offence, end: &ReplayEnd) -> Option<Shown> {
    match (offence, end) {
        (Offence::Failed(failure), ReplayEnd::Failed(sites)) => {
            let site = sites.iter().find(|site| is_same(failure, site))?;
            Some(Shown::Failure(site.clone()))
        }
        (Offence::Condition(_), ReplayEnd::Complete { state }) => {
            condition::is_refuted(program, state).then(|| Shown::State(state.clone()))
        }
        _ => None,
    }
}

/// The witness of a replay that shows an offence, with what is needed to look for a shorter one.
fn candidate(
    program: &Program,
    options: &Options,
    schedule: &[Step],
    replayed: Replayed,
    offence: &Offence,
) -> Candidate {
    let mut steps = replayed.steps();
    let (events, why) = match options.strategy.engine() {
        _ if options.limits.budget.is_spent() => (replayed.events, None),
        Engine::Graph => {
            let explained = graph::explained(program, schedule, &replayed, offence);
            steps = explained.order.iter().map(|event| steps[*event]).collect();
            (explained.events, explained.why)
        }
        Engine::Interleave | Engine::Reach => {
            let why = why(program, &replayed.events, offence);
            (replayed.events, why)
        }
    };
    let origins = replayed.origins;
    let finding = match offence {
        Offence::Failed(failure) => finding(&failure.site, &events),
        Offence::Condition(_) => Finding::End,
    };
    let witness = Witness { schedule: schedule.to_vec(), events, origins, why };
    Candidate { witness, steps, finding }
}

/// The events that a failure is about.
pub(crate) fn finding(failure: &FailureSite, events: &[ReplayEvent]) -> Finding {
    let Some(event) = failing(failure, events) else { return Finding::End };
    let is_other = |other: &ReplayEvent| {
        other.loc == failure.against
            && other.number != events[event].number
            && !matches!(other.deed, Deed::Update { .. })
    };
    let against = match failure.kind {
        FailureKind::Race => events[..event].iter().rposition(is_other),
        _ => None,
    };
    Finding::Failure { event, against }
}

/// Whether a failure is the expected one. Messages are not compared: they may contain addresses, which a
/// replay numbers differently.
fn is_same(failure: &Failure, site: &FailureSite) -> bool {
    failure.kind == site.kind
        && (failure.loc, failure.against) == (site.loc, site.against)
        && failure.thread == site.thread
}

/// The expected end of a schedule from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    pub kind: ExpectedEnd,
    pub thread: Option<String>,
    /// File and line.
    pub place: Option<(String, u32)>,
    /// The same for the other access of a race.
    pub against: Option<(String, u32)>,
    /// The number of executions that showed it.
    pub count: u64,
}

/// The kind of end of a witness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedEnd {
    Failure(FailureKind),
    /// A final state that contradicts the condition.
    Condition,
    /// A goal, which is not an offence.
    Goal,
}

impl ExpectedEnd {
    /// The word in witness files.
    pub const fn name(self) -> &'static str {
        match self {
            ExpectedEnd::Failure(kind) => kind.name(),
            ExpectedEnd::Condition => "condition",
            ExpectedEnd::Goal => "goal",
        }
    }

    pub fn named(name: &str) -> Option<ExpectedEnd> {
        let failures = FailureKind::NAMES.map(|(kind, _)| ExpectedEnd::Failure(kind));
        let mut all = failures.into_iter().chain([ExpectedEnd::Condition, ExpectedEnd::Goal]);
        all.find(|end| end.name() == name)
    }
}

/// Runs a schedule from outside, such as a file; it must end as expected. The error describes what
/// happens instead.
pub fn rerun(
    program: &Verified,
    options: &Options,
    schedule: &[Step],
    expected: &Expected,
) -> Result<Violation, String> {
    let replayed = replay(program, options, schedule);
    let offence = match &replayed.end {
        ReplayEnd::Failed(sites) => {
            let site = sites.iter().find(|site| expected.is_met(program, site));
            let site = site.ok_or_else(|| format!("it ends in another error: {}", said(sites)))?;
            Offence::Failed(site.clone().shown_by(expected.count, schedule.to_vec()))
        }
        ReplayEnd::Complete { state }
            if expected.kind == ExpectedEnd::Condition && condition::is_refuted(program, state) =>
        {
            let (values, count) = (state.clone(), expected.count);
            Offence::Condition(Outcome { values, count, schedule: schedule.to_vec() })
        }
        ReplayEnd::Complete { .. } => return Err("it ends without an error".to_owned()),
        ReplayEnd::Blocked => return Err("an assumption does not hold".to_owned()),
        ReplayEnd::Cut => return Err("a bound is met".to_owned()),
        ReplayEnd::Stuck(step) => {
            return Err(format!("step {} of the schedule cannot happen", step + 1));
        }
        ReplayEnd::Spent(spent) => return Err(Stopped::from(*spent).phrase().to_owned()),
        ReplayEnd::Short => return Err("the schedule ends before the program does".to_owned()),
    };
    let witness = candidate(program, options, schedule, replayed, &offence).witness;
    Ok(Violation::of(program, offence, witness, expected.count))
}

fn said(sites: &[FailureSite]) -> String {
    let said: Vec<String> =
        sites.iter().map(|site| format!("{}: {}", site.kind.name(), site.message)).collect();
    said.join("; ")
}

impl Expected {
    fn is_met(&self, program: &Program, site: &FailureSite) -> bool {
        let place = |loc: LocId| {
            let loc = program.loc(loc)?;
            let file = program.files.get(loc.file as usize)?;
            Some((file.clone(), loc.line))
        };
        self.kind == ExpectedEnd::Failure(site.kind)
            && self.thread.as_deref() == Some(site.thread.as_str())
            && self.place == place(site.loc)
            && self.against == place(site.against)
    }
}
