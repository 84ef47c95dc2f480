//! Random probes, compared with the searches whose size they estimate.

use raddle_engine::{Estimate, Model, Options, ProbeEnd, Probing, Sample};
use raddle_graph::{explore, probe};
use raddle_ir::Verified;
use raddle_oracle::campaign::{Subject, compare_under, generated, only_if, seeded};
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

/// The estimates after so many probes.
fn estimates<const N: usize>(
    program: &Verified,
    model: Model,
    seed: u64,
    probes: [u32; N],
) -> [Option<Estimate>; N] {
    let (mut sample, mut made, mut found) = (Sample::default(), 0, [None; N]);
    let ended = probe(program, &options(model), seed, |probing| {
        match probing {
            Probing::Starts => (sample, made) = (Sample::default(), 0),
            Probing::Ended(probe) => {
                sample.add(probe.counted());
                made += 1;
                if let Some(n) = probes.iter().position(|wanted| *wanted == made) {
                    found[n] = sample.estimate();
                }
            }
        }
        made < probes[N - 1]
    });
    assert_eq!(ended, Ok(()));
    found
}

fn estimated(program: &Verified, model: Model, seed: u64) -> f64 {
    let [found] = estimates(program, model, seed, [PROBES]);
    found.map_or(0.0, |estimate| estimate.executions)
}

/// Shows the programs that are neither too small nor too large, each with a model and the number of its executions.
fn of_some_size(
    programs: impl Iterator<Item = Subject>,
    mut visit: impl FnMut(&Verified, Model, f64),
) {
    compare_under(programs, &MODELS, |program, model| {
        let mut options = options(model);
        options.limits.executions = Some(SIZES.end);
        let summary = explore(program, &options);
        let size = summary.executions + summary.blocked + summary.cut;
        only_if(summary.stopped.is_none() && SIZES.contains(&size))?;
        visit(program, model, size as f64);
        Ok(())
    });
}

/// The ratio of each estimate to the number of executions, sorted.
fn ratios(programs: impl Iterator<Item = Subject>) -> Vec<f64> {
    let mut ratios = Vec::new();
    of_some_size(programs, |program, model, size| {
        ratios.push(estimated(program, model, 1) / size);
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

/// After this many probes the range has to hold what it promises.
const CALIBRATED: [u32; 4] = [10, 30, 100, 250];

/// The truth is in the range of at least nine of ten estimates, also of those from a few probes.
fn are_honest(programs: impl Iterator<Item = Subject>) {
    let (mut all, mut inside) = (0, [0; CALIBRATED.len()]);
    of_some_size(programs, |program, model, size| {
        for seed in 1..=4 {
            all += 1;
            let found = estimates(program, model, seed, CALIBRATED);
            for (inside, found) in inside.iter_mut().zip(found) {
                let within = |it: Estimate| it.low <= size * 1.001 && size * 0.999 <= it.high;
                *inside += u32::from(found.is_some_and(within));
            }
        }
    });
    println!("the truth is in the range of {inside:?} of {all}, after {CALIBRATED:?} probes");
    assert!(all > 40, "{all}");
    for inside in inside {
        assert!(inside * 10 >= all * 9, "{inside} of {all}");
    }
}

#[test]
fn ranges_of_loads_and_stores() {
    are_honest(generated(&Config::weak(), 20));
}

#[test]
fn ranges_of_atomic_operations() {
    let config = Config { threads: 3..=3, instructions: 2..=4, ..Config::memory() };
    are_honest(generated(&config, 12));
}

#[test]
fn ranges_of_loops_that_spin() {
    are_honest(seeded(25, spinning::program));
}

#[test]
fn the_seed_determines_the_probes() {
    let subject = generated(&Config::weak(), 3).last().expect("a program");
    let found = |seed| estimated(&subject.program, Model::Power, seed);
    assert_eq!(found(5), found(5));
}

/// Pairs of threads contend for slots. The loser takes a slot of its own, at the place in program order where the winner
/// goes on to the next one: it does not wait there for the winner, which has fetched something else by then.
#[test]
fn losers_do_not_wait_for_winners() {
    const PAIRS: u32 = 6;
    const SLOTS: u32 = 3;
    let mut text = String::new();
    for pair in 0..PAIRS {
        let mut body = String::new();
        for slot in 0..SLOTS {
            let name = format!("s{pair}_{slot}");
            text.push_str(&format!("global @{name}: i32\nglobal @{name}b: i32\n"));
            body.push_str(&format!(
                "    jump try{slot}\n  try{slot}:\n    %old, %ok = cmpxchg i32 asm @{name}, 0, 1\n    \
                 br %ok, won{slot}, lost{slot}\n  lost{slot}:\n    %old, %ok = cmpxchg i32 asm @{name}b, 0, 1\n    \
                 jump won{slot}\n  won{slot}:\n"
            ));
        }
        text.push_str(&format!(
            "thread P{pair}a = @f{pair}()\nthread P{pair}b = @f{pair}()\n\
             func @f{pair}() {{\n  reg %old: i32, %ok: i1\n  entry:\n{body}    ret\n}}\n"
        ));
    }
    let program = raddle_ir::text::load("slots.rir", text.as_bytes()).expect("a program");
    let (mut made, mut redundant) = (0, 0);
    let ended = probe(&program, &options(Model::Sc), 1, |probing| {
        if let Probing::Ended(probe) = probing {
            made += 1;
            redundant += u32::from(probe.end == ProbeEnd::Redundant);
        }
        made < PROBES
    });
    assert_eq!(ended, Ok(()));
    assert!(redundant * 2 < made, "{redundant} of {made}");
    let truth = f64::from(1 << (PAIRS * SLOTS));
    let ratio = estimated(&program, Model::Sc, 1) / truth;
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
}
