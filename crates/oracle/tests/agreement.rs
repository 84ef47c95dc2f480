//! The two oracles against each other on generated programs.
//!
//! `RADDLE_LONG=1` runs many more seeds. A disagreement is shrunk before it is shown.

use crate::common;

use common::BUDGET;
use raddle_ir::{Program, text};
use raddle_oracle::generate::{self, Config, Weights};
use raddle_oracle::shrink::shrink;
use raddle_oracle::{Model, Outcome, Trouble, axiomatic, interleavings};

fn seeds(short: u64) -> u64 {
    raddle_testing::scaled(short, 40)
}

/// What the oracles say, if they say different things. One may give up, but not on a program
/// that it does not know.
fn disagreement(program: &Program, model: Model) -> Option<[Result<Outcome, Trouble>; 2]> {
    let one = axiomatic::executions(program, model);
    let other = interleavings::executions(program, model, BUDGET);
    let gave_up = |outcome: &Result<Outcome, Trouble>| *outcome == Err(Trouble::Budget);
    (one != other && !gave_up(&one) && !gave_up(&other)).then_some([one, other])
}

fn agree_on(config: &Config, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let program = generate::program(config, seed);
        for model in Model::ALL {
            if disagreement(&program, model).is_some() {
                let small = shrink(&program, &mut |p| disagreement(p, model).is_some());
                let outcomes = disagreement(&small, model);
                panic!("seed {seed}, {model}: {outcomes:#?}\n{}", text::print(&small));
            }
        }
    }
}

#[test]
fn on_machine_accesses() {
    agree_on(&Config::memory(), 0..seeds(500));
}

#[test]
fn on_c11_accesses_of_every_width() {
    agree_on(&Config::c11(), 0..seeds(250));
}

/// Mostly stores, so that coherence and store-store barriers matter.
#[test]
fn on_stores_and_barriers() {
    let weights = Weights { store: 30, load: 12, store_fence: 8, rmw: 3, ..Weights::default() };
    let config = Config { instructions: 2..=4, weights, ..Config::memory() };
    agree_on(&config, 0..seeds(300));
}

/// Four threads of few accesses to three places.
#[test]
fn on_many_threads() {
    let weights = Weights { store: 10, load: 10, cmpxchg: 2, ..Weights::default() };
    let (threads, instructions) = (4..=4, 1..=2);
    let config = Config { threads, instructions, locations: 3, weights, ..Config::memory() };
    agree_on(&config, 0..seeds(300));
}

/// The models are ordered by strength: what one allows, a weaker one allows too.
#[test]
fn weaker_models_allow_more() {
    for seed in 0..seeds(150) {
        let program = generate::program(&Config::synchronised(), seed);
        let states = |model| match interleavings::executions(&program, model, BUDGET) {
            Ok(outcome) => Some(outcome.states),
            Err(Trouble::Budget) => None,
            Err(trouble) => panic!("seed {seed}: {trouble}"),
        };
        let all: Option<Vec<_>> = Model::ALL.into_iter().map(states).collect();
        for pair in all.iter().flat_map(|all| all.windows(2)) {
            let included = pair[0].keys().all(|state| pair[1].contains_key(state));
            assert!(included, "seed {seed}\n{}", text::print(&program));
        }
    }
}
