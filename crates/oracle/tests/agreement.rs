//! Compares the two oracles on generated programs.
//!
//! `RADDLE_LONG=1` runs many more seeds. A program with a difference is shrunk before it is shown.

use crate::common;

use common::BUDGET;
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare, compare_under, ensure, generated, same};
use raddle_oracle::generate::{Config, Weights};
use raddle_oracle::{Model, Outcome, Trouble, axiomatic, interleavings};

/// An oracle may reach its limit, but must support every construct of the program.
fn oracles_agree(program: &Verified, model: Model) -> Comparison {
    let one = axiomatic::executions(program, model)?;
    same("axiomatic and operational", &one, &interleavings::executions(program, model, BUDGET)?)
}

fn agree_on(config: &Config, count: u64) {
    compare_under(generated(config, count), &Model::ALL, oracles_agree);
}

#[test]
fn on_machine_accesses() {
    agree_on(&Config::memory(), 250);
}

#[test]
fn on_c11_accesses_of_every_width() {
    agree_on(&Config::c11(), 150);
}

/// Mostly stores, so that coherence and store-store barriers matter.
#[test]
fn on_stores_and_barriers() {
    let weights = Weights { store: 30, load: 12, store_fence: 8, rmw: 3, ..Weights::default() };
    let config = Config { instructions: 2..=4, weights, ..Config::memory() };
    agree_on(&config, 150);
}

/// Four threads with few accesses to three locations.
#[test]
fn on_many_threads() {
    let weights = Weights { store: 10, load: 10, cmpxchg: 2, ..Weights::default() };
    let (threads, instructions) = (4..=4, 1..=2);
    let config = Config { threads, instructions, locations: 3, weights, ..Config::memory() };
    agree_on(&config, 150);
}

/// The models are ordered by strength: a weaker model allows every outcome of a stronger one.
#[test]
fn weaker_models_allow_more() {
    compare(generated(&Config::synchronised(), 150), |program| {
        let executions = |model| interleavings::executions(program, model, BUDGET);
        let all: Result<Vec<Outcome>, Trouble> = Model::ALL.into_iter().map(executions).collect();
        for pair in all?.windows(2) {
            let mut states = pair[0].states.keys();
            let lost = states.find(|state| !pair[1].states.contains_key(*state));
            ensure(lost.is_none(), || format!("{lost:?} is lost"))?;
        }
        Ok(())
    });
}
