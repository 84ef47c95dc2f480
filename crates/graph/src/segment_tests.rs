//! A search by several workers has the result of one, whatever they do when.

use crate::segment::tests::BEGUN;
use raddle_engine::{Model, Options, Stopped, Strategy};
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare_under, generated, only_if, same};
use raddle_oracle::generate::Config;
use std::sync::atomic::Ordering::Relaxed;

fn same_search(program: &Verified, model: Model) -> Comparison {
    for keep_going in [true, false] {
        let options = Options { keep_going, ..Options::new(model).by(Strategy::Graph) };
        let mut few = options.clone();
        few.limits.executions = Some(1_000);
        let expected = crate::explore(program, &few);
        only_if(expected.stopped != Some(Stopped::Executions))?;
        for workers in [2, 3, 8] {
            let mut shared = options.clone();
            shared.limits.workers = workers;
            same("the summary", &crate::explore(program, &shared), &expected)?;
        }
    }
    Ok(())
}

fn agree(config: &Config) {
    let tally = compare_under(generated(config, 20), &Model::ALL, same_search);
    assert!(tally.compared > tally.skipped, "most programs are too large");
    let begun = BEGUN.load(Relaxed);
    assert!(begun > 50, "{begun} subtrees were shared");
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
