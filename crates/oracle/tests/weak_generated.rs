//! Generated programs under POWER and ARM: what must hold of them without another implementation.
//!
//! `RADDLE_LONG=1` runs many more seeds.

use raddle_ir::text;
use raddle_oracle::cycles::{Between, Edge, enumerate};
use raddle_oracle::generate::{self, Config};
use raddle_oracle::{Model, Observation, Trouble, axiomatic, weak};

/// Larger programs are passed over.
const BUDGET: u64 = 30_000;

fn seeds(short: u64) -> u64 {
    raddle_testing::scaled(short, 40)
}

/// Whatever sequential consistency allows, weak models allow.
#[test]
fn weak_models_are_weaker_than_sequential_consistency() {
    let (mut compared, mut relaxed) = (0, 0);
    for config in [Config::weak(), Config::weak_c11(), Config::c11()] {
        for seed in 0..seeds(60) {
            let program = generate::program(&config, seed);
            // Exclusives are not in the other oracle.
            let Ok(strong) = axiomatic::executions(&program, Model::Sc) else { continue };
            for model in weak::Model::ALL {
                let found = match weak::executions_within(&program, model, BUDGET) {
                    Ok(found) => found,
                    Err(Trouble::Budget) => continue,
                    Err(trouble) => panic!("seed {seed} under {model}: {trouble}"),
                };
                let shown = || text::print(&program);
                for (state, count) in &strong.states {
                    let here = found.states.get(state).copied().unwrap_or(0);
                    assert!(here >= *count, "seed {seed}, {model}: {state:?}\n{}", shown());
                }
                assert!(found.assertion_failures >= strong.assertion_failures);
                compared += 1;
                relaxed += u32::from(found.executions > strong.executions);
            }
        }
    }
    println!("{compared} programs compared, {relaxed} have executions of their own");
    assert!(compared > 200 && relaxed > 30);
}

/// A cycle of full fences and communication is forbidden; one with a bare step is not, unless
/// other reasons than fences order it: those of one place.
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
        for model in weak::Model::ALL {
            let outcome = weak::executions(&program, model).expect("small enough");
            if let Some(observation) = outcome.observation(&program).expect("a layout") {
                assert_eq!(observation, Observation::Never, "{cycle} under {model}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20);
}
