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
//! | `search` | the search |
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
mod state;
mod stuck;
mod table;

pub use dependency::{Dependency, Via};
pub use replay::{replay, replay_with_dependencies};

use fetch::Threads;
use graph::Graph;
use raddle_engine::{Options, Summary};
use raddle_ir::Verified;
use raddle_machine::{FailureKind, Fault};
use search::{Search, TooSmall};

/// Searches the executions of a program.
pub fn explore(program: &Verified, options: &Options) -> Summary {
    // Most programs have few events. One that has more is searched again with larger sets.
    let found = attempt::<1>(program, options)
        .or_else(|_| attempt::<2>(program, options))
        .or_else(|_| attempt::<4>(program, options))
        .or_else(|_| attempt::<8>(program, options))
        .or_else(|_| attempt::<16>(program, options));
    found.unwrap_or_else(|TooSmall| {
        let message = "an execution of more than 1024 events is not supported by the graph engine \
            (--unroll shortens loops)";
        Summary::cannot_start(Fault::new(FailureKind::Unsupported, message), &options.limits)
    })
}

fn attempt<const W: usize>(program: &Verified, options: &Options) -> Result<Summary, TooSmall> {
    match Threads::new(program, options, Graph::<W>::CAPACITY) {
        Ok(threads) => Search::<W>::new(threads, options).run(),
        Err(fault) => Ok(Summary::cannot_start(fault, &options.limits)),
    }
}
