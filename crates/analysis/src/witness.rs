//! Witnesses: schedules that were replayed.
//!
//! The search says "this schedule fails so" or "this schedule ends so"; [`confirm`] runs the schedule
//! again, from the start, on a fresh system, without the search: no backtracking, no reduction, no
//! sleep sets. Only if that ends in the same failure at the same place, or in a final state that
//! speaks against the condition, does anyone get to see it.

use crate::check::{Offence, Violation};
use crate::condition::{self, Outcome};
use crate::search::replay;
use crate::why::{Why, graph, why};
use raddle_engine::{
    Engine, Failure, FailureKind, FailureSite, Options, ReplayEnd, ReplayEvent, Spent, Step,
    Stopped,
};
use raddle_ir::{LocId, Program, Verified};

/// A schedule and what happens along it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub schedule: Vec<Step>,
    /// What happens in the replay, in order: the steps, and what threads do in between.
    pub events: Vec<ReplayEvent>,
    /// What made the difference, if that can be said.
    pub why: Option<Why>,
}

/// Why an offence is not confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unconfirmed {
    /// The replay ends in something else.
    Differs,
    /// The budget did not last.
    Spent(Spent),
}

/// Replays an offence's schedule.
pub fn confirm(
    program: &Verified,
    options: &Options,
    offence: &Offence,
) -> Result<Witness, Unconfirmed> {
    let budget = &options.limits.budget;
    // There may be thousands of offences, and to begin a replay takes time.
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
        (true, _) => Ok(witness(program, options, schedule, replayed.events, offence)),
        // The search may have had no time for the whole schedule.
        (false, Some(spent)) => Err(Unconfirmed::Spent(spent)),
        (false, None) => Err(Unconfirmed::Differs),
    }
}

/// Reasons are looked for in stories of at most so many events: that takes time.
const MOST_EVENTS: usize = 20_000;

/// A schedule with its story and the reason.
fn witness(
    program: &Program,
    options: &Options,
    schedule: &[Step],
    events: Vec<ReplayEvent>,
    offence: &Offence,
) -> Witness {
    let (events, why) = match options.strategy.engine() {
        _ if options.limits.budget.is_spent() || events.len() > MOST_EVENTS => (events, None),
        Engine::Graph => graph::explained(program, schedule, events, offence),
        Engine::Interleave | Engine::Reach => {
            let why = why(program, &events, offence);
            (events, why)
        }
    };
    Witness { schedule: schedule.to_vec(), events, why }
}

/// The message is left out: it may hold addresses, which are numbered anew.
fn is_same(failure: &Failure, site: &FailureSite) -> bool {
    failure.kind == site.kind
        && (failure.loc, failure.against) == (site.loc, site.against)
        && failure.thread == site.thread
}

/// What a schedule from elsewhere is said to end in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    pub kind: ExpectedEnd,
    pub thread: Option<String>,
    /// File and line.
    pub place: Option<(String, u32)>,
    /// The same for the other access of a race.
    pub against: Option<(String, u32)>,
    /// How many executions showed it.
    pub count: u64,
}

/// What a witness is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedEnd {
    Failure(FailureKind),
    /// A final state that contradicts the condition.
    Condition,
    /// A goal, which is not an offence.
    Goal,
}

impl ExpectedEnd {
    /// The word of witness files.
    pub const fn name(self) -> &'static str {
        match self {
            ExpectedEnd::Failure(kind) => kind.name(),
            ExpectedEnd::Condition => "condition",
            ExpectedEnd::Goal => "goal",
        }
    }

    pub fn named(name: &str) -> Option<ExpectedEnd> {
        let failures = FailureKind::ALL.map(ExpectedEnd::Failure);
        let mut all = failures.into_iter().chain([ExpectedEnd::Condition, ExpectedEnd::Goal]);
        all.find(|end| end.name() == name)
    }
}

/// Runs a schedule that comes from elsewhere; it must end in what is expected. The error says, in
/// words, what happens instead.
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
    let witness = witness(program, options, schedule, replayed.events, &offence);
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
