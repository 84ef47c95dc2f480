//! Random probes, compared with the searches whose size they estimate.

use raddle_engine::{Model, Options, Probing, Sample};
use raddle_graph::{explore, probe};
use raddle_ir::Verified;
use raddle_oracle::campaign::{compare_under, generated, only_if, seeded};
use raddle_oracle::generate::Config;
use raddle_oracle::spinning;

const MODELS: [Model; 4] = [Model::Sc, Model::Tso, Model::Power, Model::Arm];
/// The probes of one program.
const PROBES: u32 = 250;
/// Smaller programs tell nothing, larger ones take too long.
const SIZES: std::ops::Range<u64> = 4..3_000;

fn options(model: Model) -> Options {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.local_steps = 100_000;
    options.limits.events = 1_000;
    options
}

fn estimated(program: &Verified, model: Model, seed: u64) -> f64 {
    let (mut sample, mut left) = (Sample::default(), PROBES);
    let ended = probe(program, &options(model), seed, |probing| {
        match probing {
            Probing::Starts => (sample, left) = (Sample::default(), PROBES),
            Probing::Ended(probe) => {
                sample.add(probe.counted());
                left -= 1;
            }
        }
        left > 0
    });
    assert_eq!(ended, Ok(()));
    sample.estimate().map_or(0.0, |estimate| estimate.executions)
}

/// The ratio of each estimate to the number of executions, sorted, of the programs that are neither too small nor too
/// large.
fn ratios(programs: impl Iterator<Item = raddle_oracle::campaign::Subject>) -> Vec<f64> {
    let mut ratios = Vec::new();
    compare_under(programs, &MODELS, |program, model| {
        let mut options = options(model);
        options.limits.executions = Some(SIZES.end);
        let summary = explore(program, &options);
        let size = summary.executions + summary.blocked + summary.cut;
        only_if(summary.stopped.is_none() && SIZES.contains(&size))?;
        ratios.push(estimated(program, model, 1) / size as f64);
        Ok(())
    });
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// The estimates are within a tenth of the truth in the middle, and nearly all within a factor of two.
fn are_close(ratios: &[f64]) {
    let part = |part: usize| ratios[ratios.len() * part / 100];
    assert!((0.9..1.1).contains(&part(50)), "the median is {}", part(50));
    assert!(part(3) > 0.5 && part(97) < 2.0, "{} to {}", part(3), part(97));
    assert!(ratios[0] > 0.1 && ratios[ratios.len() - 1] < 10.0, "{ratios:?}");
}

#[test]
fn loads_and_stores() {
    are_close(&ratios(generated(&Config::weak(), 20)));
}

#[test]
fn atomic_operations() {
    let config = Config { threads: 3..=3, instructions: 2..=4, ..Config::memory() };
    are_close(&ratios(generated(&config, 12)));
}

/// Executions that a loop blocks count, too.
#[test]
fn loops_that_spin() {
    are_close(&ratios(seeded(25, spinning::program)));
}

#[test]
fn the_seed_determines_the_probes() {
    let subject = generated(&Config::weak(), 3).last().expect("a program");
    let found = |seed| estimated(&subject.program, Model::Power, seed);
    assert_eq!(found(5), found(5));
}
