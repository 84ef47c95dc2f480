//! Estimates from few random probes, compared with closed forms.

use raddle_bench::{atomics, cells, locks};
use raddle_engine::{Estimate, Model, Options, Probing, Sample};
use raddle_graph::probe;
use raddle_ir::Verified;

/// As many as a loaded machine makes in a second of the slowest of these programs.
const PROBES: u32 = 40;

fn estimate(program: &Verified, model: Model) -> Estimate {
    let (mut sample, mut left) = (Sample::default(), PROBES);
    let ended = probe(program, &Options::new(model), 0, |probing| {
        if let Probing::Ended(probe) = probing {
            sample.add(probe.counted());
            left -= 1;
        }
        left > 0
    });
    assert_eq!(ended, Ok(()));
    sample.estimate().expect("an estimate")
}

/// The estimate is within a factor of two, and the truth is in the range.
fn is_close(program: &Verified, model: Model, truth: u64) {
    let (truth, name) = (truth as f64, &program.name);
    let found = estimate(program, model);
    let ratio = found.executions / truth;
    assert!((0.5..2.0).contains(&ratio), "{name} under {model}: {ratio}, {found:?}");
    let in_range = found.low <= truth * 1.000_1 && truth <= found.high * 1.000_1;
    assert!(in_range, "{name} under {model}: {truth}, {found:?}");
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

#[test]
fn forty_probes_suffice_where_the_writes_tell_the_size() {
    for model in [Model::Sc, Model::Tso, Model::Power, Model::Arm] {
        is_close(&cells::writers(11), model, factorial(11));
        is_close(&cells::readers(22), model, 1 << 22);
        is_close(&atomics::increments(10), model, factorial(10));
        is_close(&locks::stack(4), model, factorial(8) >> 4);
        is_close(&locks::locks(5), model, factorial(10) >> 5);
    }
    is_close(&locks::locks(6), Model::Sc, factorial(12) >> 6);
}
