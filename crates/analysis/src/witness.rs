//! Witnesses: schedules that were replayed.
//!
//! The search claims that a schedule ends in a failure or in a final state. [`confirm`] runs the schedule
//! again from the start, on a fresh system and without the search: no backtracking, no reduction, no sleep
//! sets. The user sees the witness only if the replay ends in the same failure at the same place, or in a
//! final state that contradicts the condition.

use crate::check::{Offence, Violation};
use crate::condition::{self, Outcome};
use crate::search::replay;
use crate::why::{Why, graph, why};
use raddle_engine::{
    Engine, Failure, FailureKind, FailureSite, Options, Origin, ReplayEnd, ReplayEvent, Replayed,
    Spent, Step, Stopped,
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

/// Replays an offence's schedule.
pub fn confirm(
    program: &Verified,
    options: &Options,
    offence: &Offence,
) -> Result<Witness, Unconfirmed> {
    let budget = &options.limits.budget;
    // There may be thousands of offences, and even starting a replay takes time.
    if let Some(spent) = budget.spent() {
        return Err(Unconfirmed::Spent(spent));
    }
    let schedule = offence.schedule();
    let replayed = replay(program, options, schedule);
    let confirmed = match (offence, &replayed.end) {
        (Offence::Failed(failure), ReplayEnd::Failed(sites)) => {
            sites.iter().any(|site| is_same(failure, site))
        }
        (Offence::Condition(_), ReplayEnd::Complete { state }) => {
            condition::is_refuted(program, state)
        }
        _ => false,
    };
    match (confirmed, budget.spent()) {
        (true, _) => Ok(witness(program, options, schedule, replayed, offence)),
        // The budget may have ended the search in the middle of the schedule.
        (false, Some(spent)) => Err(Unconfirmed::Spent(spent)),
        (false, None) => Err(Unconfirmed::Differs),
    }
}

/// The maximal number of events of a witness for which the cause is computed, because that takes time.
const MOST_EVENTS: usize = 20_000;

/// A witness: a schedule with its events and the cause.
fn witness(
    program: &Program,
    options: &Options,
    schedule: &[Step],
    replayed: Replayed,
    offence: &Offence,
) -> Witness {
    let Replayed { events, origins, .. } = replayed;
    let (events, why) = match options.strategy.engine() {
        _ if options.limits.budget.is_spent() || events.len() > MOST_EVENTS => (events, None),
        Engine::Graph => graph::explained(program, schedule, events, offence),
        Engine::Interleave | Engine::Reach => {
            let why = why(program, &events, offence);
            (events, why)
        }
    };
    Witness { schedule: schedule.to_vec(), events, origins, why }
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
    let witness = witness(program, options, schedule, replayed, &offence);
    Ok(Violation { offence, witness, count: expected.count })
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
