//! A search by several workers has the result of one, whatever they do when.

use crate::segment::tests::BEGUN;
use raddle_engine::slices::Sliced;
use raddle_engine::{Model, Options, Stopped, Strategy};
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare_under, generated, only_if, same};
use raddle_oracle::generate::Config;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

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

/// A search that is stopped again and again, and divided into parts, has the result of one that is not.
fn same_slices(program: &Verified, model: Model) -> Comparison {
    for (seed, keep_going) in [true, false].into_iter().enumerate() {
        let options = Options { keep_going, ..Options::new(model).by(Strategy::Graph) };
        let mut few = options.clone();
        few.limits.executions = Some(300);
        let expected = crate::explore(program, &few);
        only_if(expected.stopped != Some(Stopped::Executions))?;
        let explore = |options: &Options| crate::explore(program, options);
        let mut sliced = Sliced::new(&options, 10 * expected.events + seed as u64, explore);
        same("the summary", &sliced.run(), &expected)?;
        PARTS.fetch_add(sliced.parts, Relaxed);
        WAITS.fetch_add(sliced.waits, Relaxed);
    }
    Ok(())
}

static PARTS: AtomicU32 = AtomicU32::new(0);
static WAITS: AtomicU32 = AtomicU32::new(0);

#[test]
fn in_slices() {
    for config in [Config::memory(), Config::waiting(), Config::synchronised()] {
        let tally = compare_under(generated(&config, 20), &Model::ALL, same_slices);
        assert!(tally.compared > tally.skipped, "most programs are too large");
    }
    let (parts, waits) = (PARTS.load(Relaxed), WAITS.load(Relaxed));
    eprintln!("{parts} parts, {waits} slices that had to wait");
    assert!(parts > 100 && waits > 20, "{parts} parts, {waits} slices that had to wait");
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
