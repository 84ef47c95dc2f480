//! The graph engine: POWER, ARM, and SC, TSO, PSO as axioms.
//!
//! Paper 003: Abdulla, Atig, Jonsson, Leonardsson, *Stateless Model Checking for POWER* (CAV 2016). States
//! are partial Shasha-Snir traces; an instruction is committed with a parameter (the store that a load
//! reads from, the place of a store in coherence order) when its commit-before predecessors are; a commit
//! is allowed if the axioms hold for the resulting trace. The search visits every complete trace
//! once; `search` says how it differs from the paper's.
//!
//! | module | subject |
//! |---|---|
//! | `fetch` | threads, which fetch events ahead of their loads |
//! | `table` | tables indexed by typed ids |
//! | `bits` | sets of committed events |
//! | `graph` | committed events and their relations |
//! | `model` | axioms, commit-before, and the barriers of fences and orders |
//! | `commit_before` | when an event may be committed |
//! | `state` | one step of the execution model |
//! | `completable` | whether deferred loads can still be committed |
//! | `lock` | held locks, which only their holders write |
//! | `search` | the search; in `search::probe`, random probes of its tree, and in `search::writes`, what they learn of writes |
//! | `sizes` | learned sizes of subtrees, which lead the probes |
//! | `queue` | condition variables: wake-ups, and updates whose order is irrelevant |
//! | `outcome` | how executions end |
//! | `stuck` | deadlocks: the threads that wait, and their reasons |
//! | `replay` | running a schedule again |
//! | `dependency` | the dependencies between events, by their kinds |
//! | `narrate` | the events of a replay, for people |

mod bits;
mod commit_before;
mod completable;
mod dependency;
mod fetch;
mod graph;
mod lock;
mod model;
mod narrate;
mod outcome;
mod queue;
mod replay;
mod search;
mod segment;
#[cfg(test)]
mod segment_tests;
mod sizes;
mod state;
mod stuck;
mod table;

pub use dependency::{Dependency, Via};
pub use replay::{replay, replay_with_dependencies};

use fastrand::Rng;
use fetch::Threads;
use graph::Graph;
use raddle_engine::{Options, Probing, Summary};
use raddle_ir::Verified;
use raddle_machine::{FailureKind, Fault};
use search::{Search, TooSmall};

/// Searches the executions of a program.
pub fn explore(program: &Verified, options: &Options) -> Summary {
    explore_up_to(program, options, u64::MAX)
}

/// Searches the executions of a program until there are more than `most` that are complete or blocked.
pub fn explore_up_to(program: &Verified, options: &Options, most: u64) -> Summary {
    options.limits.progress.search(options.model);
    // Most programs have few events. One that has more is searched again with larger sets.
    let found = attempt::<1>(program, options, most)
        .or_else(|_| attempt::<2>(program, options, most))
        .or_else(|_| attempt::<4>(program, options, most))
        .or_else(|_| attempt::<8>(program, options, most))
        .or_else(|_| attempt::<16>(program, options, most));
    found.unwrap_or_else(|TooSmall| Summary::cannot_start(too_large(), &options.limits))
}

fn too_large() -> Fault {
    let message = "an execution of more than 1024 events is not supported by the graph engine \
        (--unroll shortens loops)";
    Fault::new(FailureKind::Unsupported, message)
}

/// Makes random probes of the search until the visitor has seen enough or the budget is spent. `start` is called
/// before the first probe, and again if the probes start over with larger sets.
pub fn probe(
    program: &Verified,
    options: &Options,
    seed: u64,
    mut visit: impl FnMut(Probing) -> bool,
) -> Result<(), Fault> {
    let visit: &mut dyn FnMut(Probing) -> bool = &mut visit;
    probes::<1>(program, options, seed, visit)
        .or_else(|_| probes::<2>(program, options, seed, visit))
        .or_else(|_| probes::<4>(program, options, seed, visit))
        .or_else(|_| probes::<8>(program, options, seed, visit))
        .or_else(|_| probes::<16>(program, options, seed, visit))
        .unwrap_or_else(|TooSmall| Err(too_large()))
}

fn probes<const W: usize>(
    program: &Verified,
    options: &Options,
    seed: u64,
    visit: &mut dyn FnMut(Probing) -> bool,
) -> Result<Result<(), Fault>, TooSmall> {
    let threads = match Threads::new(program, options, Graph::<W>::CAPACITY) {
        Ok(threads) => threads,
        Err(fault) => return Ok(Err(fault)),
    };
    visit(Probing::Starts);
    let search = Search::<W>::new(threads, options, None);
    let ended = search.probes(&mut Rng::with_seed(seed), &mut |probe| visit(Probing::Ended(probe)));
    ended.map(Ok)
}

fn attempt<const W: usize>(
    program: &Verified,
    options: &Options,
    most: u64,
) -> Result<Summary, TooSmall> {
    match Threads::new(program, options, Graph::<W>::CAPACITY) {
        // The order in which executions are visited is that of one worker, so that a limit on their number has a
        // meaning.
        Ok(threads)
            if options.limits.keeper.keeps()
                || options.limits.workers > 1
                    && options.limits.executions.is_none()
                    && most == u64::MAX =>
        {
            segment::explore::<W>(program, threads, options)
        }
        Ok(threads) => Search::<W>::new(threads, options, None).up_to(most).explore(),
        Err(fault) => Ok(Summary::cannot_start(fault, &options.limits)),
    }
}
