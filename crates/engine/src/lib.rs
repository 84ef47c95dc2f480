//! What engines are asked and what they answer, whatever the models and the kind of search.
//!
//! | module | subject |
//! |---|---|
//! | `limits` | where to stop, what to look for |
//! | `failure` | what can go wrong, and the steps that lead there |
//! | `fences` | which fences empty a store buffer |
//! | `summary` | the result of a search |
//! | `story` | what happens in a replay: values and the words for them |

mod failure;
mod fences;
mod limits;
mod story;
mod summary;

pub use failure::{Failure, FailureKind, FailureSite, Step};
pub use fences::tso_drains;
pub use limits::{Checks, Limits};
pub use story::{
    Bytes, Cell, Datum, Deed, Other, ReplayEnd, ReplayEvent, Replayed, Wants, Writing,
};
pub use summary::{BoundKind, BoundMet, Stopped, Summary};
