//! The interface of the engines: options and results, independent of the model and of the kind of search.
//!
//! | module | subject |
//! |---|---|
//! | `model` | the memory models: one table |
//! | `strategy` | the strategies and engines, and the models that they support: one table |
//! | `options`, `limits` | the options of a search: when to stop, what to check |
//! | `failure` | what can go wrong |
//! | `ignored` | errors that a search goes past |
//! | `schedule` | the steps that lead to an execution |
//! | `fences` | which fences empty a store buffer |
//! | `share` | one search by several workers |
//! | `frontier`, `keeper` | what is left of a search as a value: saved, gone on with, divided |
//! | `slices` | searches in slices, for tests: with the feature of this name |
//! | `summary` | the result of a search |
//! | `tally` | how executions end, counted into a summary |
//! | `progress` | how far a search has got, for a display |
//! | `probe`, `estimate` | random probes of a search, and the size they suggest |
//! | `story` | the events of a replay, and their wording |
//! | `names`, `elements` | names of objects, threads and array elements |
//! | `need` | the needs of threads that are stuck |

mod elements;
mod estimate;
mod failure;
mod fences;
mod frontier;
mod ignored;
mod keeper;
mod limits;
mod model;
mod names;
mod need;
mod options;
mod parts;
mod place;
mod probe;
mod progress;
mod schedule;
mod share;
mod shown;
#[cfg(feature = "slices")]
pub mod slices;
mod story;
mod strategy;
mod summary;
mod tally;

pub use estimate::{Estimate, Sample};
pub use failure::{Failed, Failure, FailureSite};
pub use fences::tso_drains;
pub use frontier::{Frontier, Item, Moment, save};
pub use ignored::{Disregard, Ignored, IgnoredPlaces, KnownError, Spot};
pub use keeper::{FrontierState, Keeper, NOT_MISSING, Part, Saved, Start};
pub use limits::{Checks, Limits};
pub use model::{Buffering, Model};
pub use names::{Cast, Names, Origin};
pub use need::{Need, Stuck, Waiter};
pub use options::{Options, Sampling};
pub use probe::{Probe, ProbeEnd, Probing};
pub use progress::{Phase, Progress, Reporter, Snapshot};
pub use raddle_budget::{Budget, Spent};
pub use raddle_machine::{Calls, Ending, FailureKind, Frame, LoopBound, Unroll, loop_places};
pub use schedule::{EventRef, Step};
pub use share::{
    Crew, Explored, Found, Hire, Offers, Reached, Save, Saving, Sharing, Slot, Subtrees, Task,
};
pub use story::{
    Aside, Bytes, Cell, Datum, Deed, Other, ReplayEnd, ReplayEvent, Replayed, Writing,
};
pub use strategy::{Coverage, Engine, Refusal, Strategy};
pub use summary::{BoundKind, BoundMet, MAX_SILENT, Stopped, Summary};
pub use tally::{End, Tally};
