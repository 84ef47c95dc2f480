//! Witnesses: schedules that were replayed.
//!
//! The search says "this schedule fails so"; [`confirm`] runs the schedule again, from the start,
//! on a fresh system, without the search: no backtracking, no reduction, no sleep sets. Only if that
//! ends in the same failure at the same place does anyone get to see it.

use raddle_interleave::{Failure, Model, ReplayEnd, ReplayEvent, Step, replay};
use raddle_ir::Program;

/// A schedule and what happens along it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub schedule: Vec<Step>,
    /// The events of the replay, in order.
    pub events: Vec<ReplayEvent>,
}

/// Replays a failure's schedule; `None` if it does not end in that failure.
pub fn confirm(program: &Program, model: Model, failure: &Failure) -> Option<Witness> {
    let replayed = replay(program, model, &failure.schedule);
    let confirmed = match &replayed.end {
        ReplayEnd::Failed { kind, loc, .. } => *kind == failure.kind && *loc == failure.loc,
        _ => false,
    };
    confirmed.then(|| Witness { schedule: failure.schedule.clone(), events: replayed.events })
}
