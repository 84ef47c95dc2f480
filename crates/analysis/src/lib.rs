//! Analyses over the engines: the meaning of a search for the user.
//!
//! An engine counts executions and collects failures. This crate turns them into the verdicts of the
//! design's section 7 and into litmus observations. It does not know where a program came from, or how a
//! result is shown.
//!
//! | module | subject |
//! |---|---|
//! | [`mod@check`] | safe, safe up to bounds, violation, unknown |
//! | [`mod@iterate`] | the same with store buffers of growing size |
//! | [`mod@litmus`] | Never, Sometimes, Always |
//! | [`search`] | a query to an engine |
//! | [`estimate`] | how many executions a search is going to visit |
//! | [`mod@reach`] | whether goals and failures can be reached, under SC and TSO |
//! | `fallible` | a syntactic test whether anything can fail at all |
//! | [`condition`] | evaluating final conditions over final states |
//! | [`witness`] | replaying a schedule before a violation is reported |
//! | [`mod@matrix`] | one program under several models |
//! | `shorten` | fewer steps and fewer changes of thread, replayed again |
//! | [`mod@robust`] | whether a model shows behaviour that SC does not |
//! | [`fence`] | the smallest set of fences that helps |
//! | [`cycle`] | the order of accesses, and the cycles in it |
//! | [`mod@relations`] | the relations between the events of a witness, for its graph |
//! | [`mod@why`] | the cause of a failure, in words |
//! | `values` | values as the program means them |
//!
//! Invariant: a failure or a violated condition is a [`Violation`] only after its schedule was replayed to
//! the same end, outside of the search. One whose schedule does not replay is kept in
//! [`CheckResult::unconfirmed`] and makes the verdict unknown.

pub mod check;
pub mod condition;
pub mod cycle;
pub mod estimate;
mod fallible;
pub mod fence;
pub mod iterate;
pub mod litmus;
pub mod matrix;
pub mod reach;
pub mod relations;
pub mod robust;
pub mod search;
mod shorten;
mod values;
pub mod why;
pub mod witness;

pub use check::{CheckResult, Offence, Verdict, Violation, check};
pub use condition::{ConditionResult, Outcome};
pub use iterate::{Iterated, iterate};
pub use litmus::{LitmusResult, Observation, litmus};
pub use raddle_graph::Via;
pub use relations::{Relation, Relations, relations};
pub use robust::{By, Robustness, robust};
pub use search::{explore, replay, untried_inputs};
pub use why::{Cause, Why};
pub use witness::Witness;
