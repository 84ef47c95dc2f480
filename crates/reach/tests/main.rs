//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod agreement;
mod families;
mod threads;

use raddle_engine::{Checks, Model, Options, Strategy};

/// Searches like `raddle reach`: for goals if the program has any, otherwise for failures.
fn options(model: Model) -> Options {
    let checks = Checks { goals: true, ..Checks::default() };
    Options { checks, ..Options::new(model).by(Strategy::Lazy) }
}
