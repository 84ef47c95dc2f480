//! A search by several workers has the result of one, whatever they do when.

use raddle_engine::slices::Sliced;
use raddle_engine::{Engine, Model, Options, Sampling, Stopped, Strategy, Summary};
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare_under, generated, only_if, same};
use raddle_oracle::generate::Config;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

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

/// A search that is stopped again and again, and divided into parts, has the result of one that is not.
fn same_slices(program: &Verified, model: Model) -> Comparison {
    let (mut parts, mut waits) = (0, 0);
    let random = [Strategy::Random];
    for (seed, strategy) in STRATEGIES.into_iter().chain(random).enumerate() {
        for keep_going in [true, false] {
            let sampling = Sampling { seed: 3, runs: 150 };
            let options = Options { keep_going, sampling, ..Options::new(model).by(strategy) };
            let mut small = options.clone();
            small.limits.executions = Some(300);
            let expected = found(program, &small);
            only_if(expected.stopped != Some(Stopped::Executions))?;
            let seed = 10 * expected.events + seed as u64;
            let mut sliced = Sliced::new(&options, seed, |options| found(program, options));
            same("the summary", &sliced.run(), &expected)?;
            (parts, waits) = (parts + sliced.parts, waits + sliced.waits);
        }
    }
    PARTS.fetch_add(parts, Relaxed);
    WAITS.fetch_add(waits, Relaxed);
    Ok(())
}

static PARTS: AtomicU32 = AtomicU32::new(0);
static WAITS: AtomicU32 = AtomicU32::new(0);

#[test]
fn in_slices() {
    let models: Vec<Model> = Engine::Interleave.models().collect();
    for config in [Config::memory(), Config::waiting(), Config::synchronised()] {
        let tally = compare_under(generated(&config, 20), &models, same_slices);
        assert!(tally.compared > tally.skipped, "most programs are too large");
    }
    let (parts, waits) = (PARTS.load(Relaxed), WAITS.load(Relaxed));
    eprintln!("{parts} parts, {waits} slices that had to wait");
    assert!(parts > 100 && waits > 20, "{parts} parts, {waits} slices that had to wait");
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
