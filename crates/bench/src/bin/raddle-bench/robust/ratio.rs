//! One program under one model: checking under SC and deciding robustness, in turns.

use super::subjects::Subject;
use raddle_analysis::check;
use raddle_analysis::robust::robust;
use raddle_engine::{Limits, Model, Options};
use serde::Serialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The minimum duration of one side of a round: short enough that some rounds are not interrupted.
const ROUND: Duration = Duration::from_millis(1);
/// The minimum duration of a measurement, and the minimum and maximum number of its rounds.
const WHOLE: Duration = Duration::from_millis(600);
const ROUNDS: std::ops::RangeInclusive<u128> = 7..=200;

/// The measurement of a program.
#[derive(Serialize, Debug)]
pub(super) struct Ratio {
    pub program: String,
    pub model: &'static str,
    /// The answer of `robust`.
    pub robust: Option<bool>,
    pub executions: u64,
    pub check_us: f64,
    pub robust_us: f64,
    pub ratio: f64,
}

pub(super) fn measure(subject: &Subject, model: Model) -> Ratio {
    let program = &subject.program;
    let checked = || {
        black_box(check(program, &Options::new(Model::Sc)));
    };
    let limits = Limits::default();
    let judged = || robust(program, model, &limits, None);
    let answer = judged();
    let once = time(checked).as_nanos().max(1);
    let times = (ROUND.as_nanos() / once).clamp(1, 100_000) as u32;
    let round = 2 * once * u128::from(times);
    let rounds = (WHOLE.as_nanos() / round).clamp(*ROUNDS.start(), *ROUNDS.end());
    let mut least = [f64::MAX; 2];
    for _ in 0..rounds {
        let check = time(|| (0..times).for_each(|_| checked()));
        let robust = time(|| {
            (0..times).for_each(|_| {
                black_box(judged());
            });
        });
        for (least, time) in least.iter_mut().zip([check, robust]) {
            *least = least.min(time.as_secs_f64() * 1e6 / f64::from(times));
        }
    }
    let [check_us, robust_us] = least;
    Ratio {
        program: subject.name.clone(),
        model: model.name(),
        robust: answer.robust,
        executions: answer.executions(),
        check_us,
        robust_us,
        ratio: robust_us / check_us.max(1e-9),
    }
}

/// Elapsed time: the system counts the processor time of a thread too coarsely for a round.
fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
