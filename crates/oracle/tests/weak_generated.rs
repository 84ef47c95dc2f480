//! Generated programs under POWER and ARM: properties that need no other implementation of the models.
//!
//! `RADDLE_LONG=1` runs many more seeds.

use raddle_oracle::campaign::{Stop, compare_under, ensure, generated};
use raddle_oracle::cycles::{Between, Edge, enumerate};
use raddle_oracle::generate::Config;
use raddle_oracle::{Model, Observation, axiomatic, weak};

/// The number of candidates that the oracle may visit; programs with more are skipped.
const BUDGET: u64 = 30_000;

/// Weak models allow every execution that sequential consistency allows.
#[test]
fn weak_models_are_weaker_than_sequential_consistency() {
    let (mut compared, mut relaxed) = (0, 0);
    for config in [Config::weak(), Config::weak_c11(), Config::c11()] {
        let tally =
            compare_under(generated(&config, 60), &weak::Hardware::ALL, |program, model| {
                // The other oracle does not support exclusives.
                let strong = axiomatic::executions(program, Model::Sc).map_err(|_| Stop::Skip)?;
                let found = weak::executions_within(program, model, BUDGET)?;
                for (state, count) in &strong.states {
                    let here = found.states.get(state).copied().unwrap_or(0);
                    ensure(here >= *count, || format!("{here} of {count} end in {state:?}"))?;
                }
                let failures = [found.assertion_failures, strong.assertion_failures];
                ensure(failures[0] >= failures[1], || format!("{failures:?} failures"))?;
                relaxed += u32::from(found.executions > strong.executions);
                Ok(())
            });
        compared += tally.compared;
    }
    assert!(compared > 200 && relaxed > 30, "{compared} compared, {relaxed} relaxed");
}

/// A cycle of full fences and communication is forbidden. A cycle with an edge without a fence is not, unless
/// the accesses of that edge are ordered because they are to one location.
#[test]
fn full_fences_forbid_all_cycles() {
    let mut alphabet = Edge::weak();
    alphabet.retain(|edge| match edge {
        Edge::Po { between, .. } => *between == Between::FullFence,
        _ => true,
    });
    let mut checked = 0;
    for cycle in enumerate(&alphabet, 5) {
        let program = cycle.program();
        for model in weak::Hardware::ALL {
            let outcome = weak::executions(&program, model).expect("small enough");
            if let Some(observation) = outcome.observation(&program).expect("a layout") {
                assert_eq!(observation, Observation::Never, "{cycle} under {model}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20);
}
