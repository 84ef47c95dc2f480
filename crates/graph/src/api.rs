//! What the engine is asked. What it answers is common to all engines: `raddle_engine`.

use raddle_engine::Limits;
pub use raddle_engine::Model;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub model: Model,
    pub limits: Limits,
    /// Go on after the first failure and report every distinct one.
    pub keep_going: bool,
}

impl Options {
    pub fn new(model: Model) -> Options {
        Options { model, limits: Limits::default(), keep_going: false }
    }
}
