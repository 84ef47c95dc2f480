//! Witnesses: schedules that were replayed.
//!
//! The search says "this schedule fails so" or "this schedule ends so"; [`confirm`] runs the schedule
//! again, from the start, on a fresh system, without the search: no backtracking, no reduction, no
//! sleep sets. Only if that ends in the same failure at the same place, or in a final state that
//! speaks against the condition, does anyone get to see it.

use crate::check::Offence;
use crate::condition;
use crate::why::{Why, why};
use raddle_interleave::{Failure, FailureSite, Model, ReplayEnd, ReplayEvent, Step, replay};
use raddle_ir::Program;

/// A schedule and what happens along it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub schedule: Vec<Step>,
    /// What happens in the replay, in order: the steps, and what threads do in between.
    pub events: Vec<ReplayEvent>,
    /// What made the difference, if that can be said.
    pub why: Option<Why>,
}

/// Replays an offence's schedule; `None` if it does not end in that offence.
pub fn confirm(program: &Program, model: Model, offence: &Offence) -> Option<Witness> {
    let schedule = offence.schedule();
    let replayed = replay(program, model, schedule);
    let confirmed = match (offence, &replayed.end) {
        (Offence::Failed(failure), ReplayEnd::Failed(sites)) => {
            sites.iter().any(|site| is_same(failure, site))
        }
        (Offence::Condition(_), ReplayEnd::Complete { state }) => {
            condition::is_refuted(program, state)
        }
        _ => false,
    };
    confirmed.then(|| Witness {
        schedule: schedule.to_vec(),
        why: why(program, &replayed.events, offence),
        events: replayed.events,
    })
}

/// The message is left out: it may hold addresses, which are numbered anew.
fn is_same(failure: &Failure, site: &FailureSite) -> bool {
    failure.kind == site.kind && failure.loc == site.loc && failure.thread == site.thread
}
