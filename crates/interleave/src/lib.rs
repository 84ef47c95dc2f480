//! The interleaving engine: SC, TSO and PSO, explored optimally.
//!
//! Paper 000: Abdulla, Aronis, Atig, Jonsson, Leonardsson, Sagonas, *Stateless Model Checking for
//! TSO and PSO* (TACAS 2015). Executions are sequences of events of threads and of updates from
//! their store buffers; happens-before comes from chronological traces, so that two executions are
//! equivalent iff they are the same Shasha-Snir trace; the search visits one of each.
//!
//! | module | subject |
//! |---|---|
//! | `api` | what the engine is asked and what it answers |
//! | `model` | how SC, TSO and PSO differ |
//! | `buffer` | store buffers |
//! | `bound` | buffers that hold only so much |
//! | `clock` | vector clocks |
//! | `event` | actions, events, when two conflict |
//! | `system` | the machine under a model, and the execution so far |
//! | `settle` | what needs no event |
//! | `enabled` | what can happen next |
//! | `perform`, `locks`, `update` | what an event does |
//! | `quick` | the commonest events, the short way |
//! | `wait` | what operations wait for, and the races of those that do |
//! | `record`, `chains` | happens-before |
//! | `race` | conflicts, and races of events with earlier ones |
//! | `datarace` | data races, as C11 has them |
//! | `wakeup` | wakeup sequences and trees |
//! | `search` | the depth-first search |
//! | `reverse` | what a race asks to be explored |
//! | `persistent` | the same, by persistent sets |
//! | `random` | random schedules |
//! | `outcome` | how executions end |
//! | `schedule` | from events to schedules and back |
//! | `replay` | running a schedule again |
//! | `observe` | showing each execution to a visitor |
//! | `delay` | an execution under SC in which a store is delayed |
//! | `narrate` | what happens along a schedule, told as it happens |
//! | `describe` | what an event did |
//! | `names` | names instead of addresses |
//!
//! Invariants: an execution is determined by its schedule; `System::go_back` undoes everything that
//! came after a moment; the wakeup tree and the sleep set of a level change only when it is the
//! newest, but for insertions into the tree.

mod api;
mod bound;
mod buffer;
mod chains;
mod clock;
mod datarace;
mod delay;
mod describe;
mod enabled;
mod event;
mod limits;
mod locks;
mod model;
mod names;
mod narrate;
mod observe;
mod outcome;
mod perform;
mod persistent;
mod quick;
mod race;
mod random;
mod record;
mod replay;
mod reverse;
mod schedule;
mod search;
mod settle;
mod spin;
mod system;
mod update;
mod wait;
mod wakeup;
#[cfg(test)]
mod walk_tests;

pub use api::{BoundedModel, Model, Options, Strategy};
pub use delay::{Delay, Undelayed, delayed};
pub use model::Barrier;
pub use observe::{Execution, Happening, Visitor, What, observe};
pub use raddle_engine::{
    BoundKind, BoundMet, Budget, Checks, Failure, FailureKind, FailureSite, Limits, Step, Stopped,
    Summary, Unroll,
};
pub use raddle_engine::{
    Bytes, Cell, Datum, Deed, Other, ReplayEnd, ReplayEvent, Replayed, Wants, Writing,
};
pub use replay::{replay, replay_reach, replay_within};

use observe::Notes;
use raddle_ir::Program;
use system::System;

/// Searches the executions of a verified program.
pub fn explore(program: &Program, options: &Options) -> Summary {
    search_with(program, options, None)
}

fn search_with<'a>(
    program: &Program,
    options: &'a Options,
    visitor: Option<(Box<Notes>, Visitor<'a>)>,
) -> Summary {
    let (model, bounds, checks) =
        (options.bounded_model(), options.limits.bounds(), options.checks);
    let (system, visitor) = match visitor {
        None => (System::new(program, model, bounds, checks), None),
        Some((notes, visit)) => {
            (System::noting(program, model, bounds, checks, notes), Some(visit))
        }
    };
    let mut system = match system {
        Ok(system) => system,
        Err(fault) => return cannot_start(fault, &options.limits),
    };
    if let Some(slots) = &mut system.slots {
        slots.stores = options.limits.events;
    }
    match options.strategy {
        Strategy::Random { seed, runs } => random::sample(system, options, seed, runs, visitor),
        _ => search::Search::new(system, options, visitor).run(),
    }
}

/// The program asks for more than the machine has, or than the budget allows, before its first
/// instruction.
fn cannot_start(fault: raddle_machine::Fault, limits: &Limits) -> Summary {
    if let Some(spent) = limits.budget.spent() {
        return Summary { stopped: Some(spent.into()), ..Summary::default() };
    }
    let failure = FailureSite::before_start(fault).shown_by(1, Vec::new());
    Summary { failures: vec![failure], stopped: Some(Stopped::Failure), ..Summary::default() }
}
