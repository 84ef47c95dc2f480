//! What engines are asked and what they answer, whatever the models and the kind of search.
//!
//! | module | subject |
//! |---|---|
//! | `model` | the memory models: one table |
//! | `strategy` | the strategies and engines, and which go with which models: one table |
//! | `options`, `limits` | what a search is asked: where to stop, what to look for |
//! | `failure` | what can go wrong |
//! | `schedule` | the steps that lead to an execution |
//! | `fences` | which fences empty a store buffer |
//! | `summary` | the result of a search |
//! | `tally` | how executions end, counted into a summary |
//! | `names`, `elements` | names of objects, threads and array elements |
//! | `need` | what threads that are stuck wait for |
//! | `story` | what happens in a replay: values and the words for them |

mod elements;
mod failure;
mod fences;
mod limits;
mod model;
mod names;
mod need;
mod options;
mod schedule;
mod story;
mod strategy;
mod summary;
mod tally;

pub use failure::{Awaits, Failure, FailureKind, FailureSite, Waiter};
pub use fences::tso_drains;
pub use limits::{Checks, Limits};
pub use model::{Buffering, Model};
pub use names::{Cast, Names};
pub use need::{Need, Stuck};
pub use options::{Options, Sampling};
pub use raddle_budget::{Budget, Spent};
pub use raddle_machine::{Ending, LoopBound, Unroll, loop_places};
pub use schedule::{EventRef, Step};
pub use story::{
    Bytes, Cell, Datum, Deed, Other, ReplayEnd, ReplayEvent, Replayed, Wants, Writing,
};
pub use strategy::{Engine, Refusal, Strategy};
pub use summary::{BoundKind, BoundMet, MAX_SILENT, Stopped, Summary};
pub use tally::{End, Tally};
