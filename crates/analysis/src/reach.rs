//! Reachability: goals, or failures of programs without, under SC and TSO.
//!
//! The reachability engine answers; what it says is reachable is replayed on the interleaving engine,
//! a path that shares nothing with the search, before anyone is told. A program that takes the sole
//! right to write memory is the exception: only the reachability engine runs it, which has made
//! the steps of the witness again on a fresh system.

use crate::witness::Witness;
use raddle_engine::{FailureSite, ReplayEnd};
use raddle_interleave::{Model, replay_reach};
use raddle_ir::Program;
use raddle_reach::{Answer, Effort, End, Options, ReachModel, Unknown};

/// What was reached, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The failure that it is, unless it is a goal.
    pub failure: Option<FailureSite>,
    pub witness: Witness,
}

#[derive(Clone, Debug)]
pub struct ReachResult {
    pub model: ReachModel,
    /// `None`: not known; [`ReachResult::unknown`] says why.
    pub reachable: Option<bool>,
    pub reached: Option<Reached>,
    pub unknown: Option<Unknown>,
    /// Something was found whose schedule does not replay: a defect of raddle.
    pub unconfirmed: bool,
    pub effort: Effort,
}

/// The model as the interleaving engine knows it.
pub const fn replayed_under(model: ReachModel) -> Model {
    match model {
        ReachModel::Sc => Model::Sc,
        ReachModel::Tso => Model::Tso,
    }
}

/// Asks whether a goal of the program, or a failure, can be reached.
pub fn reach(program: &Program, model: ReachModel, options: &Options) -> ReachResult {
    let raddle_reach::Reachability { answer, effort } =
        raddle_reach::reach(program, model, options);
    let mut result = ReachResult {
        model,
        reachable: None,
        reached: None,
        unknown: None,
        unconfirmed: false,
        effort,
    };
    match answer {
        Answer::Unreachable => result.reachable = Some(false),
        Answer::Unknown(unknown) => result.unknown = Some(unknown),
        Answer::Reachable(witness) => {
            result.reached = confirmed(program, model, &witness);
            result.unconfirmed = result.reached.is_none();
            result.reachable = result.reached.is_some().then_some(true);
        }
    }
    result
}

/// Replays a witness; `None` if it does not end as it should.
fn confirmed(
    program: &Program,
    model: ReachModel,
    found: &raddle_reach::Witness,
) -> Option<Reached> {
    let (replayed, at_goal) = replay_reach(program, replayed_under(model), true, &found.schedule);
    let schedule = found.schedule.clone();
    let witness = Witness { schedule, events: replayed.events, why: None };
    let failure = match (&found.end, replayed.end) {
        (End::Goal, _) if at_goal || program.memory_lock.is_some() => None,
        (End::Failure { kind, .. }, ReplayEnd::Failed(sites)) => {
            Some(sites.into_iter().find(|site| site.kind == *kind)?)
        }
        _ => return None,
    };
    Some(Reached { failure, witness })
}
