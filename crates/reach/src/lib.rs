//! The reachability engine: stateful search under SC, and what stands on it for TSO.
//!
//! For programs with unbounded loops over finite data: states are encoded, kept, and visited once.
//! Robustness against TSO is asked by attacks, reachability under TSO lazily: paper 004 (Bouajjani,
//! Calin, Derevenetc, Meyer, *Lazy TSO Reachability*), and *Checking and Enforcing Robustness against
//! TSO* (Bouajjani, Derevenetc, Meyer, ESOP 2013) under it. Neither rewrites the program: what the
//! papers add by instrumentation is part of the states here.
//!
//! | module | subject |
//! |---|---|
//! | `api` | the answers |
//! | `lazy`, `finals` | the queries: reachability, robustness, attacks; final states |
//! | `search`, `worker` | breadth-first search, on several cores |
//! | `memo`, `memoizable` | moves that are remembered instead of made |
//! | `judge`, `alone` | what was found; whether threads wait for ever in loops |
//! | `space`, `roots`, `tree`, `tables`, `recent` | the states seen, in few bytes each |
//! | `system` | the machine under SC, with what is delayed; states from it and back |
//! | `moves`, `perform` | what could happen next, and what it does |
//! | `delay` | stores that others do not see yet |
//! | `attack`, `past` | the state of an attack; what happens after something |
//! | `delayable` | which stores are worth delaying |
//! | `rules` | how a search differs from plain SC |
//! | `path` | from something found to a schedule |
//!
//! Invariants: states are kept exactly, never by a hash alone; a search that met no limit has visited
//! every state; the schedule of a witness is a schedule of the interleaving engine.

mod alone;
mod api;
mod attack;
#[cfg(test)]
mod attack_tests;
#[cfg(test)]
mod codec_tests;
mod delay;
mod delayable;
mod finals;
mod judge;
mod lazy;
mod memo;
mod memoizable;
mod moves;
mod recent;

mod past;
mod path;
mod perform;
mod roots;
mod rules;
mod search;
mod space;
mod system;
mod tables;
mod tree;
mod worker;

pub use api::{
    Answer, Attacks, Effort, End, FeasibleAttack, FinalState, FinalStates, Reachability, Reached,
    Robust, Robustness, Unknown,
};
pub use finals::final_states;
pub use lazy::{attacks, reach, robust};
