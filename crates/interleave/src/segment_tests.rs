//! A search by several workers has the result of one, whatever they do when.

use raddle_engine::{Engine, Model, Options, Strategy, Summary};
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare_under, generated, only_if, same};
use raddle_oracle::generate::Config;

const STRATEGIES: [Strategy; 4] =
    [Strategy::Optimal, Strategy::Source, Strategy::Persistent, Strategy::Exhaustive];

/// Everything that a search finds, with the order in which it is found.
fn found(program: &Verified, options: &Options) -> Summary {
    crate::explore(program, options)
}

fn same_search(program: &Verified, model: Model) -> Comparison {
    for strategy in STRATEGIES {
        for keep_going in [true, false] {
            let options = Options { keep_going, ..Options::new(model).by(strategy) };
            let mut small = options.clone();
            small.limits.executions = Some(3_000);
            let expected = found(program, &small);
            only_if(
                expected.stopped
                    != small.limits.executions.map(|_| raddle_engine::Stopped::Executions),
            )?;
            for workers in [2, 3, 8] {
                let mut shared = options.clone();
                shared.limits.workers = workers;
                same("the summary", &found(program, &shared), &expected)?;
            }
        }
    }
    Ok(())
}

fn agree(config: &Config) {
    let models: Vec<Model> = Engine::Interleave.models().collect();
    let tally = compare_under(generated(config, 40), &models, same_search);
    assert!(tally.compared > tally.skipped, "most programs are too large");
    let begun = crate::segment::tests::BEGUN.load(std::sync::atomic::Ordering::Relaxed);
    eprintln!("{begun} subtrees were shared");
    assert!(begun > 100, "{begun} subtrees were shared");
}

#[test]
fn over_memory() {
    agree(&Config::memory());
}

#[test]
fn over_waits() {
    agree(&Config::waiting());
}

#[test]
fn over_synchronisation() {
    agree(&Config::synchronised());
}
