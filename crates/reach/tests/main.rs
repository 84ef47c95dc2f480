//! Every test of the crate from outside, as one program: linking costs more than most tests.

mod agreement;
mod families;
mod threads;

use raddle_engine::{Checks, Model, Options, Strategy};

/// Goals where the program has any, failures otherwise: as `raddle reach` asks.
fn options(model: Model) -> Options {
    let checks = Checks { goals: true, ..Checks::default() };
    Options { checks, ..Options::new(model).by(Strategy::Lazy) }
}
