//! Running a schedule again: a sequence of commits, each with its parameter.
//!
//! No search, no deferral: a step says which event of which thread is committed next, and which store it
//! reads from or follows; the model is asked whether that is allowed. A failure or a final state
//! that a search found is confirmed by this.

use crate::ahead::Ahead;
use crate::graph::Graph;
use crate::model::Rules;
use crate::outcome::{end_of, final_state};
use crate::state::{Refused, act, perform};
use crate::stuck::{left, waiting};
use crate::tell::{self, Teller};
use raddle_engine::{End, FailureKind, Options, ReplayEnd, Replayed, Step};
use raddle_ir::Verified;

/// Runs a program along a schedule.
pub fn replay(program: &Verified, options: &Options, schedule: &[Step]) -> Replayed {
    match schedule.len() {
        0..=64 => run::<1>(program, options, schedule),
        65..=256 => run::<4>(program, options, schedule),
        _ => run::<16>(program, options, schedule),
    }
}

fn run<const W: usize>(program: &Verified, options: &Options, schedule: &[Step]) -> Replayed {
    let (rules, limits) = (Rules::of(options.model), &options.limits);
    let mut events = Vec::new();
    let ahead = Ahead::new(program, rules, limits.bounds(), limits.events, Graph::<W>::ROOM);
    let mut ahead = match ahead {
        Ok(ahead) => ahead,
        Err(fault) => return Replayed::cannot_start(fault),
    };
    let mut graph: Graph<W> = Graph::default();
    let teller = Teller::new(program);
    ahead.run_all();
    for (n, step) in schedule.iter().enumerate() {
        if let Some(spent) = limits.budget.spent() {
            return Replayed { end: ReplayEnd::Spent(spent), events };
        }
        let mut next = act(&ahead, &graph, step);
        // The search lets threads go ahead in loops where there is nothing else to do.
        while next.is_none() && ahead.hurry() {
            next = act(&ahead, &graph, step);
        }
        let Some(act) = next else {
            return Replayed { end: ReplayEnd::Stuck(n), events };
        };
        // Threads run ahead as far as they can: afterwards this one is somewhere else.
        let at = ahead.place(step.thread().0);
        match perform(&mut ahead, &mut graph, act) {
            Ok(()) => events.push(teller.event(&ahead, &graph, act, at)),
            Err(Refused::Forbidden | Refused::Full) => {
                return Replayed { end: ReplayEnd::Stuck(n), events };
            }
        }
    }
    events.extend(ahead.failures().map(|failed| tell::failure(&ahead, failed)));
    let end = end(&mut ahead, &graph);
    if is_deadlock(&end) {
        let waiting = waiting(&ahead, &graph).unwrap_or_default();
        let left = left(&mut ahead, &graph, &waiting).unwrap_or_default();
        events.extend(left.stuck.iter().map(|stuck| teller.stuck(&ahead, stuck)));
    }
    let end = limits.budget.spent().map_or(end, ReplayEnd::Spent);
    Replayed { end, events }
}

fn is_deadlock(end: &ReplayEnd) -> bool {
    match end {
        ReplayEnd::Failed(sites) => sites.iter().any(|site| site.kind == FailureKind::Deadlock),
        _ => false,
    }
}

fn end<const W: usize>(ahead: &mut Ahead<'_>, graph: &Graph<W>) -> ReplayEnd {
    if (0..ahead.thread_count()).any(|thread| ahead.is_choosing(thread)) {
        return ReplayEnd::Short;
    }
    match end_of(ahead, graph) {
        Some(End::Complete) => {
            let mut state = Vec::new();
            final_state(ahead, graph, &mut state);
            ReplayEnd::Complete { state }
        }
        Some(End::Blocked) => ReplayEnd::Blocked,
        Some(End::Cut(..) | End::Endless(_)) => ReplayEnd::Cut,
        Some(End::Failed(sites)) => ReplayEnd::Failed(sites),
        None => ReplayEnd::Short,
    }
}
