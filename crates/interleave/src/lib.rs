//! The interleaving engine: SC, TSO and PSO, explored optimally.
//!
//! Paper 000: Abdulla, Aronis, Atig, Jonsson, Leonardsson, Sagonas, *Stateless Model Checking for
//! TSO and PSO* (TACAS 2015). An execution is a sequence of events: steps of threads, and updates from their
//! store buffers. Happens-before is that of chronological traces, so two executions are equivalent iff they
//! have the same Shasha-Snir trace. The search visits one execution per trace.
//!
//! | module | subject |
//! |---|---|
//! | `model` | how SC, TSO and PSO differ |
//! | `buffer` | store buffers |
//! | `bound` | buffers of bounded size |
//! | `clock` | vector clocks |
//! | `event` | actions, events, conflicts |
//! | `system` | the machine under a model, and the execution so far |
//! | `settle` | steps that are not events |
//! | `enabled` | the actions that can happen next |
//! | `perform`, `locks`, `update` | the effects of events |
//! | `quick` | short implementations of the most common events |
//! | `wait` | operations that wait for a value, and their races |
//! | `spin` | threads that spin when an execution ends |
//! | `record`, `chains` | happens-before |
//! | `race` | conflicts and races of events with earlier ones |
//! | `datarace` | data races, as C11 has them |
//! | `wakeup` | wakeup sequences and trees |
//! | `search` | the depth-first search |
//! | `segment` | one search by several workers |
//! | `reverse` | sequences that reverse a race |
//! | `strategy` | the plans of each strategy |
//! | `limits` | when a search stops |
//! | `outcome` | how executions end |
//! | `schedule` | from events to schedules and back |
//! | `replay` | running a schedule again |
//! | `observe` | showing each execution to a visitor |
//! | `delay` | an execution under SC in which a store is delayed |
//! | `narrate` | the story of a schedule |
//! | `describe` | descriptions of single events |
//!
//! Invariants: a schedule determines its execution. `System::go_back` undoes everything that came after a
//! moment. The sleep set of a level changes only while the level is the newest; its wakeup tree may also
//! receive insertions later.

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
mod narrate;
mod observe;
mod outcome;
mod perform;
mod quick;
mod race;
mod record;
mod replay;
mod reverse;
mod schedule;
mod search;
mod segment;
#[cfg(test)]
mod segment_tests;
mod settle;
mod spin;
mod strategy;
mod system;
mod update;
mod wait;
mod wakeup;
#[cfg(test)]
mod walk_tests;

pub use delay::{Delay, Undelayed, delayed};
pub use model::{Barrier, Rules};
pub use observe::{Execution, Happening, Visitor, Visitors, What, observe, observe_by_all};
pub use replay::{replay, replay_reach};

use observe::{Notes, Observers};
use raddle_engine::{Engine, Options, Summary};
use raddle_ir::Verified;
use raddle_machine::{FailureKind, Fault};
use system::{System, Watched};

/// Searches the executions of a program.
pub fn explore(program: &Verified, options: &Options) -> Summary {
    search_with(program, options, None).0
}

/// Searches the executions of a program. Also returns the number that a visitor has given to what it has found, if
/// that has ended the search.
fn search_with<'a>(
    program: &Verified,
    options: &'a Options,
    observers: Option<Observers<'a>>,
) -> (Summary, Option<usize>) {
    let cannot_start = |fault| (Summary::cannot_start(fault, &options.limits), None);
    if let Some(fault) = Engine::Interleave.lacks(options.model) {
        return cannot_start(fault);
    }
    let Some(explore) = strategy::explorer(options.strategy) else {
        let message = format!("'{}' is a strategy of another engine", options.strategy.name());
        return cannot_start(Fault::new(FailureKind::Unsupported, message));
    };
    let watched = match &observers {
        None => Watched::Search,
        Some(observers) => Watched::Notes(Notes::new(observers.locs)),
    };
    let system = match System::for_search(program, options, watched) {
        Ok(system) => system,
        Err(fault) => return cannot_start(fault),
    };
    options.limits.progress.search(options.model);
    let outcomes = explore(system, options, observers);
    let found = outcomes.found();
    (outcomes.finish(options.strategy), found)
}
