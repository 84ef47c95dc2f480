//! Reachability of goals, or of failures in programs without goals, under SC and TSO.
//!
//! The reachability engine answers. Each state that it reports as reachable is replayed on the interleaving
//! engine, which shares nothing with the search, before it is reported to the user.

use crate::fallible::may_fail;
use crate::shorten::{Allowance, Candidate, Finding, shorten};
use crate::why::complete;
use crate::witness::{Witness, finding};
use raddle_engine::{
    BoundKind, BoundMet, Engine, FailureKind, FailureSite, Options, ReplayEnd, Replayed, Spent,
    Step, Stopped, Summary,
};
use raddle_interleave::replay_reach;
use raddle_ir::Verified;
use raddle_reach::{Answer, Effort, End, FinalState, Reachability, Unknown, final_states};
use std::time::Duration;

/// A state that was reached, and its witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The failure; `None` for a goal.
    pub failure: Option<FailureSite>,
    pub witness: Witness,
}

#[derive(Clone, Debug, Default)]
pub struct ReachResult {
    /// `None` if it is not known; [`ReachResult::unknown`] has the reason.
    pub reachable: Option<bool>,
    pub reached: Option<Reached>,
    pub unknown: Option<Unknown>,
    /// A finding whose schedule does not replay: a defect of raddle.
    pub unconfirmed: Option<raddle_reach::Reached>,
    pub effort: Effort,
}

impl ReachResult {
    /// The answer for a program that was not searched, with the reason.
    pub fn unsearched(spent: Spent) -> ReachResult {
        ReachResult { unknown: Some(Unknown::Spent(spent)), ..ReachResult::default() }
    }
}

/// Decides whether a goal of the program, or a failure, can be reached.
pub fn reach(program: &Verified, options: &Options) -> ReachResult {
    let asks_for_failures = !options.checks.goals || program.goals.is_empty();
    let pointless = asks_for_failures && !may_fail(program, &options.limits.budget);
    let Reachability { answer, effort } = match pointless {
        true => Reachability { answer: Answer::Unreachable, effort: Effort::default() },
        false => raddle_reach::reach(program, options),
    };
    let mut result = ReachResult { effort, ..ReachResult::default() };
    match answer {
        // A program that cannot fail by its text cannot fail for other inputs either.
        Answer::Unreachable if !pointless && !program.partial_inputs().is_empty() => {
            result.unknown = Some(Unknown::Inputs);
        }
        Answer::Unreachable => result.reachable = Some(false),
        Answer::Unknown(unknown) => result.unknown = Some(unknown),
        Answer::Reachable(found) => {
            let budget = options.limits.budget.for_report();
            let options = options.clone().within(budget.clone());
            match (confirmed(program, &options, &found, result.effort.elapsed), budget.spent()) {
                (Some(reached), _) => {
                    result.reached = Some(reached);
                    result.reachable = Some(true);
                }
                (None, Some(spent)) => result.unknown = Some(Unknown::Spent(spent)),
                (None, None) => result.unconfirmed = Some(found),
            }
        }
    }
    result
}

/// Replays a witness, and looks for a shorter one; `None` if it does not end as expected.
fn confirmed(
    program: &Verified,
    options: &Options,
    found: &raddle_reach::Reached,
    search: Duration,
) -> Option<Reached> {
    let mut options = options.clone();
    options.checks.goals = found.end == End::Goal;
    let (failure, first) = candidate(program, &options, &found.end, &found.schedule)?;
    let again = |schedule: &[Step]| {
        let (same, candidate) = candidate(program, &options, &found.end, schedule)?;
        (same == failure).then_some(candidate)
    };
    let allowance = Allowance::after(search, &options.limits.budget);
    let mut witness = shorten(first, Engine::Reach, program.threads.len(), &allowance, again);
    let mut failure = failure;
    if let Some(failure) = &mut failure {
        complete(program, failure, &mut witness.events);
    }
    Some(Reached { failure, witness })
}

/// Replays a schedule; `None` if it does not end as expected. Also the failure, if it is one.
fn candidate(
    program: &Verified,
    options: &Options,
    end: &End,
    schedule: &[Step],
) -> Option<(Option<FailureSite>, Candidate)> {
    let (replayed, at_goal) = replay_reach(program, options, schedule);
    let steps = replayed.steps();
    let Replayed { end: ended, events, origins, .. } = replayed;
    let failure = match (end, ended) {
        (End::Goal, _) if at_goal => None,
        (End::Failure(found), ReplayEnd::Failed(sites)) => {
            Some(sites.into_iter().find(|site| site.kind == found.kind)?)
        }
        _ => return None,
    };
    let finding = failure.as_ref().map_or(Finding::State, |failure| finding(failure, &events));
    let witness = Witness { schedule: schedule.to_vec(), events, origins, why: None };
    Some((failure, Candidate { witness, steps, finding }))
}

/// Runs a schedule from outside, such as a file; it must end at a goal. The error describes what happens
/// instead.
pub fn rerun(program: &Verified, options: &Options, schedule: &[Step]) -> Result<Witness, String> {
    if options.strategy.engine() != Engine::Reach {
        return Err("goals are reached by schedules of the reachability engine".to_owned());
    }
    let mut options = options.clone();
    options.checks.goals = true;
    let (replayed, at_goal) = replay_reach(program, &options, schedule);
    match (at_goal, replayed.end) {
        (true, _) => Ok(Witness {
            schedule: schedule.to_vec(),
            events: replayed.events,
            origins: replayed.origins,
            why: None,
        }),
        (false, ReplayEnd::Spent(spent)) => Err(Stopped::from(spent).phrase().to_owned()),
        (false, ReplayEnd::Stuck(step)) => {
            Err(format!("step {} of the schedule cannot happen", step + 1))
        }
        (false, _) => Err("it does not end at a goal".to_owned()),
    }
}

/// The failures of a program, for `check`: assertions and other failures are the goals, and loops need
/// not end. Also the final states, if the program has a condition. Data races are not checked.
pub(crate) fn explore(program: &Verified, options: &Options) -> Summary {
    let mut summary = Summary::default();
    let result = reach(program, options);
    if let Some(Reached { failure: Some(site), witness }) = result.reached {
        summary.failures.push(site.shown_by(1, witness.schedule));
        summary.stopped = Some(Stopped::Failure);
    }
    summary.events = result.effort.states;
    let mut unknown = result.unknown;
    // The caller replays it again with all other findings, and reports it as a defect of raddle.
    if let Some(raddle_reach::Reached { end: End::Failure(site), schedule }) = result.unconfirmed {
        summary.failures.push(site.shown_by(1, schedule));
    }
    if program.condition.is_some()
        && matches!(unknown, None | Some(Unknown::Inputs))
        && summary.failures.is_empty()
    {
        let finals = final_states(program, options);
        unknown = finals.unknown;
        summary.events += finals.effort.states;
        for FinalState { values, schedule } in finals.states {
            summary.states.push((values, 1));
            summary.witnesses.push(schedule);
        }
    }
    match unknown {
        // `search::explore` adds untried inputs to the bounds of every search.
        None | Some(Unknown::Inputs) => {}
        Some(Unknown::Spent(spent)) => summary.stopped = Some(spent.into()),
        Some(Unknown::States) => summary.stopped = Some(Stopped::Memory),
        Some(Unknown::LocalSteps(loc)) => {
            summary.cut = 1;
            summary.bounds.push(BoundMet { kind: BoundKind::LocalSteps, loc, count: 1 });
        }
        Some(Unknown::Waiting(_)) => summary.stopped = Some(Stopped::Waiting),
        Some(Unknown::Delayed(_)) => summary.stopped = Some(Stopped::Delays),
        Some(Unknown::Lost) => summary.stopped = Some(Stopped::Lost),
        Some(Unknown::Unsupported(what, loc)) => {
            let site = FailureSite::new(FailureKind::Unsupported, "", loc, what);
            summary.failures.push(site.shown_by(1, Vec::new()));
        }
    }
    summary
}
