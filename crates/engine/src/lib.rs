//! What engines are asked and what they answer, whatever the models and the kind of search.
//!
//! | module | subject |
//! |---|---|
//! | `limits` | where to stop, what to look for |
//! | `failure` | what can go wrong, and the steps that lead there |
//! | `summary` | the result of a search |

mod failure;
mod limits;
mod summary;

pub use failure::{Failure, FailureKind, FailureSite, Step};
pub use limits::{Checks, Limits};
pub use summary::{BoundKind, BoundMet, Stopped, Summary};
