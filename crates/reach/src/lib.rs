//! The reachability engine: a stateful search under SC, and queries about TSO that are built on it.
//!
//! The engine is for programs with unbounded loops over finite data. States are encoded, stored, and
//! visited once. Robustness against TSO is decided by a search for attacks (*Checking and Enforcing
//! Robustness against TSO*, Bouajjani, Derevenetc, Meyer, ESOP 2013). Reachability under TSO is decided
//! lazily on top of that (paper 004: Bouajjani, Calin, Derevenetc, Meyer, *Lazy TSO Reachability*). Both
//! papers instrument the program; here the state of the instrumentation is part of the searched states
//! instead.
//!
//! | module | subject |
//! |---|---|
//! | `api` | the answers |
//! | `lazy`, `finals` | the queries: reachability, robustness, attacks; final states |
//! | `search`, `worker` | breadth-first search, on several cores |
//! | `memo`, `memoizable` | moves that are looked up instead of executed |
//! | `judge`, `alone` | failures, deadlocks and final states; whether threads wait forever in loops |
//! | `space`, `roots`, `tree`, `tables`, `recent` | the visited states, stored in few bytes each |
//! | `system` | the machine under SC with delayed stores; encoding and decoding of its states |
//! | `moves`, `perform` | the enabled moves, and their effects |
//! | `delay` | stores that are not visible to other threads yet |
//! | `attack`, `past` | the state of an attack; the happens-after relation from a load |
//! | `delayable` | which stores are worth delaying |
//! | `rules` | how a search differs from plain SC |
//! | `path` | the schedule that leads to a finding |
//!
//! Invariants: states are stored exactly, never as a hash alone; a search that met no limit has visited
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
#[cfg(test)]
mod search_tests;
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
