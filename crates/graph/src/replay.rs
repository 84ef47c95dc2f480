//! Running a schedule again: a sequence of commits, each with its parameter.
//!
//! There is no search and no deferral: a step says which event is committed next and which store it
//! reads from or follows, and the model decides whether that is allowed. A replay confirms a failure
//! or a final state that a search has found.

use crate::dependency::{Dependency, dependencies};
use crate::fetch::Threads;
use crate::graph::Graph;
use crate::narrate::Narrator;
use crate::outcome::{end_of, final_state};
use crate::state::{Refused, act, perform};
use crate::stuck::{left, waiting};
use raddle_engine::{Cast, Options, ReplayEnd, Replayed, Step};
use raddle_ir::Verified;

/// Runs a program along a schedule.
pub fn replay(program: &Verified, options: &Options, schedule: &[Step]) -> Replayed {
    replay_with_dependencies(program, options, schedule).0
}

/// Runs a program along a schedule. Each step has one event; dependencies are between steps.
pub fn replay_with_dependencies(
    program: &Verified,
    options: &Options,
    schedule: &[Step],
) -> (Replayed, Vec<Dependency>) {
    match schedule.len() {
        0..=64 => run::<1>(program, options, schedule),
        65..=256 => run::<4>(program, options, schedule),
        _ => run::<16>(program, options, schedule),
    }
}

fn run<const W: usize>(
    program: &Verified,
    options: &Options,
    schedule: &[Step],
) -> (Replayed, Vec<Dependency>) {
    let budget = &options.limits.budget;
    let mut threads = match Threads::new(program, options, Graph::<W>::CAPACITY) {
        Ok(threads) => threads,
        Err(fault) => return (Replayed::cannot_start(fault), Vec::new()),
    };
    let mut graph: Graph<W> = Graph::default();
    let mut narrator = Narrator::new(program);
    // For each row of the graph, its step.
    let mut committed = Vec::new();
    threads.note_calls();
    threads.run_all();
    for (n, step) in schedule.iter().enumerate() {
        if let Some(spent) = budget.spent() {
            return (narrator.replayed(ReplayEnd::Spent(spent)), Vec::new());
        }
        let mut next = act(&threads, &graph, step);
        // The search lets threads speculate in loops only where nothing can be committed; so does a replay.
        while next.is_none() && threads.speculate() {
            next = act(&threads, &graph, step);
        }
        let Some(act) = next else {
            return (narrator.replayed(ReplayEnd::Stuck(n)), Vec::new());
        };
        // The thread fetches on during `perform`, so its place is taken before.
        let at = (threads.place(step.thread()), threads.calls(step.thread()));
        narrator.before(&threads, act);
        match perform(&mut threads, &mut graph, act) {
            Ok(()) => {
                committed.resize(graph.len(), n);
                narrator.event(&threads, &graph, act, at);
            }
            Err(Refused::Forbidden | Refused::Full) => {
                return (narrator.replayed(ReplayEnd::Stuck(n)), Vec::new());
            }
        }
    }
    narrator.rest(&threads);
    narrator.failures(&threads, &graph);
    let end = end(&mut threads, &graph);
    if end.is_deadlock() {
        let waiting = waiting(&threads, &graph).unwrap_or_default();
        let left = left(&mut threads, &graph, &waiting).unwrap_or_default();
        left.stuck.iter().for_each(|stuck| narrator.stuck(&threads, stuck));
    }
    let end = budget.spent().map_or(end, ReplayEnd::Spent);
    let dependencies = dependencies(&threads, &graph, &committed);
    (narrator.replayed(end), dependencies)
}

fn end<const W: usize>(threads: &mut Threads<'_>, graph: &Graph<W>) -> ReplayEnd {
    if threads.ids().any(|thread| threads.is_choosing(thread)) {
        return ReplayEnd::Short;
    }
    match end_of(threads, graph) {
        Some(end) => ReplayEnd::of(end, |state| final_state(threads, graph, state)),
        None => ReplayEnd::Short,
    }
}
