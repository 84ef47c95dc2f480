//! The answers of the engine.

use raddle_engine::{FailureSite, Spent, Step, Stopped};
use raddle_ir::{LocId, Point};
use std::fmt;
use std::time::Duration;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    Spent(Spent),
    /// The 32-bit numbers of the parts of states ran out.
    States,
    /// A thread ran for too long without a visible operation.
    LocalSteps(LocId),
    /// It was not decided whether a thread waits forever in a loop.
    Waiting(LocId),
    /// The search reached an operation that raddle cannot run.
    Unsupported(String, LocId),
    /// Only some values of the inputs were tried, and nothing was found for these.
    Inputs,
    /// More stores would have to be delayed than [`raddle_engine::Limits::delayed_stores`].
    Delayed(usize),
    /// A finding has no schedule: a defect of raddle.
    Lost,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::Spent(spent) => f.write_str(Stopped::from(*spent).phrase()),
            Unknown::States => f.write_str("there are more states than numbers for them"),
            Unknown::LocalSteps(_) => {
                f.write_str("a thread ran for too long without a visible operation")
            }
            Unknown::Waiting(_) => f.write_str(Stopped::Waiting.phrase()),
            Unknown::Unsupported(message, _) => write!(f, "reached an operation that cannot be run: {message}"),
            Unknown::Lost => f.write_str(Stopped::Lost.phrase()),
            Unknown::Inputs => f.write_str(
                "unreachable for the inputs tried, which are some of those there are (--nondet-range)",
            ),
            Unknown::Delayed(most) => {
                write!(f, "a thread may have to delay more than {most} stores at the same time")
            }
        }
    }
}

/// The kind of state that was reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// One of the program's goals.
    Goal,
    Failure(FailureSite),
}

/// A state that was reached, and its schedule: steps of the interleaving engine, whose replay is the proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    pub end: End,
    pub schedule: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Reachable(Reached),
    Unreachable,
    Unknown(Unknown),
}

/// The cost of an answer.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Searches of a state space: for goals and for attacks.
    pub queries: u32,
    /// The states of all queries together.
    pub states: u64,
    /// The states of the largest query.
    pub largest: u64,
    /// The bytes used by the states of the largest query.
    pub bytes: u64,
    pub elapsed: Duration,
}

impl Effort {
    pub fn bytes_per_state(&self) -> f64 {
        if self.largest == 0 { 0.0 } else { self.bytes as f64 / self.largest as f64 }
    }

    pub fn states_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds == 0.0 { 0.0 } else { self.states as f64 / seconds }
    }
}

/// The answer to a reachability query.
#[derive(Clone, PartialEq, Debug)]
pub struct Reachability {
    pub answer: Answer,
    pub effort: Effort,
}

/// An attack that succeeds: a store of a thread is delayed past a load of the same thread, and the result is
/// not possible under SC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeasibleAttack {
    /// Number and name of the attacking thread.
    pub number: u32,
    pub thread: String,
    pub store: Point,
    pub load: Point,
    /// A schedule under TSO that shows it.
    pub schedule: Vec<Step>,
}

/// Whether a program behaves under TSO as under SC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Robust {
    Robust,
    Attacked(FeasibleAttack),
    Unknown(Unknown),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Robustness {
    pub verdict: Robust,
    pub effort: Effort,
}

/// All attacks that succeed: one schedule for each thread, store and load.
#[derive(Clone, PartialEq, Debug)]
pub struct Attacks {
    pub feasible: Vec<FeasibleAttack>,
    /// Why more attacks may exist.
    pub unknown: Option<Unknown>,
    pub effort: Effort,
}

/// A final state of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinalState {
    /// The values of the observables, in the program's order.
    pub values: Vec<u64>,
    /// A schedule that ends in this state.
    pub schedule: Vec<Step>,
}

/// The final states of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct FinalStates {
    /// Each once, in order of the values.
    pub states: Vec<FinalState>,
    /// Why they are not known.
    pub unknown: Option<Unknown>,
    pub effort: Effort,
}
