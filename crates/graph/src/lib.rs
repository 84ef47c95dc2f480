//! The graph engine: POWER, ARM, and SC, TSO, PSO as axioms.
//!
//! Paper 003: Abdulla, Atig, Jonsson, Leonardsson, *Stateless Model Checking for POWER* (CAV 2016). States
//! are partial Shasha-Snir traces; an instruction is committed with a parameter (the store that a load
//! reads from, the place of a store in coherence order) when its commit-before predecessors are; a commit
//! is allowed if the axioms hold for the trace that results. The search visits every complete trace
//! once; how it differs from the paper's is said in `search`.
//!
//! | module | subject |
//! |---|---|
//! | `ahead` | threads that run ahead of their loads, and the events that they fetch |
//! | `bits` | sets of events |
//! | `graph` | committed events and their relations |
//! | `model` | axioms, commit-before, and what fences and orders become |
//! | `commit_before` | when an event may be committed |
//! | `state` | one step of the execution model |
//! | `hope` | whether stores can still come for loads that wait for them |
//! | `lock` | locks that are held: nobody but the holder writes there |
//! | `search` | the search |
//! | `queue` | condition variables: who is woken, whose order does not count |
//! | `outcome` | how executions end |
//! | `stuck` | deadlocks: who waits for what |
//! | `replay` | running a schedule again |
//! | `tell` | what happened, for people |

mod ahead;
mod bits;
mod commit_before;
mod graph;
mod hope;
mod lock;
mod model;
mod outcome;
mod queue;
mod replay;
mod search;
mod state;
mod stuck;
mod tell;

pub use replay::replay;

use ahead::Ahead;
use graph::Graph;
use model::Rules;
use raddle_engine::{Options, Summary};
use raddle_ir::Verified;
use raddle_machine::{Fault, FaultKind};
use search::{Search, TooSmall};

/// Searches the executions of a program.
pub fn explore(program: &Verified, options: &Options) -> Summary {
    // Most programs have few events; who has more is searched again with larger sets.
    let found = attempt::<1>(program, options)
        .or_else(|_| attempt::<2>(program, options))
        .or_else(|_| attempt::<4>(program, options))
        .or_else(|_| attempt::<8>(program, options))
        .or_else(|_| attempt::<16>(program, options));
    found.unwrap_or_else(|TooSmall| {
        let message = "an execution of more than 1024 events is not supported by the graph engine \
            (--unroll shortens loops)";
        Summary::cannot_start(Fault::new(FaultKind::Unsupported, message), &options.limits)
    })
}

fn attempt<const W: usize>(program: &Verified, options: &Options) -> Result<Summary, TooSmall> {
    let rules = Rules::of(options.model);
    let limits = &options.limits;
    match Ahead::new(program, rules, limits.bounds(), limits.events, Graph::<W>::ROOM) {
        Ok(ahead) => Search::<W>::new(ahead, options).run(),
        Err(fault) => Ok(Summary::cannot_start(fault, limits)),
    }
}
