//! Estimates of the size of a search after one second, compared with the truth.
//!
//! The programs are those whose search takes longer than ten seconds: all families of the catalogue, and C programs of
//! the tests. The truth is a closed form where one is known, and otherwise a complete search, which may take as long as
//! `--timeout` says. The searches and the estimates run in this process, one after the other.

use crate::table::json_line;
use raddle_analysis::estimate::forecast;
use raddle_analysis::explore;
use raddle_bench::{atomics, cells, locks};
use raddle_budget::Budget;
use raddle_engine::{Engine, Estimate, Limits, Model, Options};
use raddle_front_c::{clang, load};
use raddle_ir::Verified;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time that an estimate has.
const TIME: Duration = Duration::from_secs(1);
/// The estimates should be within this factor of the truth.
const ALLOWED: f64 = 10.0;

/// A program with a parameter.
struct Family {
    name: &'static str,
    build: fn(u32) -> Verified,
    /// The number of executions under every model.
    known: Option<fn(u64) -> u64>,
    /// The parameter for the models of the interleaving engine, and for those of the graph engine.
    sizes: [u32; 2],
}

const FAMILIES: [Family; 10] = [
    Family { name: "writers", build: cells::writers, known: Some(factorial), sizes: [11, 10] },
    Family { name: "readers", build: cells::readers, known: Some(|n| 1 << n), sizes: [24, 21] },
    Family { name: "lastzero", build: cells::lastzero, known: None, sizes: [20, 18] },
    Family { name: "fib_bench", build: cells::fib_bench, known: None, sizes: [6, 5] },
    Family {
        name: "increments",
        build: atomics::increments,
        known: Some(factorial),
        sizes: [11, 10],
    },
    Family { name: "cas_increments", build: atomics::cas_increments, known: None, sizes: [7, 6] },
    Family { name: "casrot", build: atomics::casrot, known: None, sizes: [13, 12] },
    Family { name: "indexer", build: atomics::indexer, known: Some(collisions), sizes: [18, 17] },
    Family { name: "stack", build: locks::stack, known: Some(orders_of_pairs), sizes: [6, 5] },
    Family { name: "locks", build: locks::locks, known: Some(orders_of_pairs), sizes: [6, 5] },
];

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// From the twelfth thread on, each finds three slots taken by another one.
fn collisions(threads: u64) -> u64 {
    1 << (3 * threads.saturating_sub(11))
}

/// The orders of two critical sections of each of `n` threads.
fn orders_of_pairs(n: u64) -> u64 {
    factorial(2 * n) >> n
}

/// A file, its flags, and the models under which the search takes long.
type CProgram = (&'static str, &'static str, fn(Model) -> bool);

const C_PROGRAMS: [CProgram; 3] = [
    ("tests/c/table1/fib.c", "", |_| true),
    ("tests/c/table1/fib.c", "-DSTEPS=6 -DBOUND=377", has_interleavings),
    ("tests/c/witnesses/seqlock_config.c", "", |model| {
        matches!(model, Model::Pso | Model::Power | Model::Arm)
    }),
];

/// Whether the interleaving engine, which is faster than the graph engine, has the model.
fn has_interleavings(model: Model) -> bool {
    Engine::Interleave.has(model)
}

/// A program under a model.
struct Subject {
    name: String,
    program: Verified,
    model: Model,
    known: Option<u64>,
}

/// The result for a subject.
#[derive(Serialize, Debug)]
struct Row {
    program: String,
    model: &'static str,
    /// The number of executions; `None` if the search did not end in time.
    truth: Option<f64>,
    /// How long the complete search took; `None` if the number is known otherwise.
    seconds: Option<f64>,
    estimate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    probes: u64,
    /// The estimate divided by the truth.
    factor: Option<f64>,
}

/// Measures the programs whose names begin with one of `names`, or all of them.
pub(crate) fn run(
    (names, models, timeout): (&[String], &[Model], Duration),
    out: &mut impl Write,
    mut json: Option<&mut dyn Write>,
) -> io::Result<()> {
    writeln!(out, "\nestimates after {} s; load: {}", TIME.as_secs(), load_average())?;
    writeln!(
        out,
        "{:30} {:5} {:>11} {:>8} {:>11} {:>7} {:>23} {:>7}",
        "program", "model", "executions", "seconds", "estimate", "factor", "range", "probes"
    )?;
    let wanted = |name: &str| names.is_empty() || names.iter().any(|it| name.starts_with(it));
    let (mut all, mut close, mut inside) = (0, 0, 0);
    for subject in subjects(&wanted).into_iter().filter(|it| models.contains(&it.model)) {
        let row = measure(&subject, timeout);
        if let (Some(truth), true) = (row.truth, row.seconds.is_none_or(|seconds| seconds >= 1.0)) {
            all += 1;
            close += u32::from(row.factor.is_some_and(|it| it < ALLOWED && it > 1.0 / ALLOWED));
            let (low, high) = (row.low.unwrap_or(0.0), row.high.unwrap_or(0.0));
            inside += u32::from(low <= truth * 1.000_1 && truth <= high * 1.000_1);
        }
        print(out, &row)?;
        json.as_mut().map_or(Ok(()), |json| json_line(json, &row))?;
    }
    writeln!(
        out,
        "{close} of {all} within a factor of {ALLOWED}, {inside} with the truth in the range"
    )?;
    writeln!(out, "load: {}", load_average())
}

fn subjects(wanted: &dyn Fn(&str) -> bool) -> Vec<Subject> {
    let mut all = Vec::new();
    for Family { name, build, known, sizes } in FAMILIES.into_iter().filter(|it| wanted(it.name)) {
        for model in Model::ALL {
            let size = sizes[usize::from(!has_interleavings(model))];
            let known = known.map(|known| known(size.into()));
            let (name, program) = (format!("{name}({size})"), build(size));
            all.push(Subject { name, program, model, known });
        }
    }
    if clang::find(None, &Budget::default()).is_err() || !Path::new("tests/c").is_dir() {
        eprintln!("no clang or no tests/c here: C programs are left out");
        return all;
    }
    for (file, flags, models) in C_PROGRAMS {
        let name = file.rsplit('/').next().unwrap_or(file);
        if !wanted(name) {
            continue;
        }
        let flags: Vec<_> = flags.split_whitespace().map(Into::into).collect();
        let options = raddle_front_c::Options { flags, ..Default::default() };
        match load(&[Path::new(file).into()], &options) {
            Ok(loaded) => {
                all.extend(Model::ALL.into_iter().filter(|it| models(*it)).map(|model| {
                    let flags: Vec<_> =
                        options.flags.iter().map(|it| it.to_string_lossy()).collect();
                    let name = format!("{name} {}", flags.join(" ")).trim_end().to_owned();
                    Subject { name, program: loaded.program.clone(), model, known: None }
                }))
            }
            Err(error) => eprintln!("{file} is left out: {error:?}"),
        }
    }
    all
}

fn measure(subject: &Subject, timeout: Duration) -> Row {
    let Subject { name, program, model, known } = subject;
    let options = Options { keep_going: true, ..Options::new(*model) };
    let found = forecast(program, &options, TIME);
    let Estimate { executions, low, high, probes } =
        found.estimate.unwrap_or(Estimate { executions: 0.0, low: 0.0, high: 0.0, probes: 0 });
    let is_known = known.is_some();
    let (truth, seconds) = match known {
        Some(known) => (Some(*known as f64), None),
        None => searched(program, &options, timeout),
    };
    let some = |number: f64| found.estimate.map(|_| number);
    Row {
        program: name.clone(),
        model: model.name(),
        truth,
        seconds: seconds.filter(|_| !is_known),
        estimate: some(executions),
        low: some(low),
        high: some(high),
        probes,
        factor: truth.zip(some(executions)).map(|(truth, estimate)| estimate / truth),
    }
}

/// The number of executions and the time of a complete search.
fn searched(program: &Verified, options: &Options, time: Duration) -> (Option<f64>, Option<f64>) {
    let limits = Limits { budget: Budget::new(Some(time), None), ..options.limits.clone() };
    let start = Instant::now();
    let summary = explore(program, &Options { limits, ..options.clone() });
    let counted = summary.executions + summary.blocked + summary.cut;
    let seconds = start.elapsed().as_secs_f64();
    (summary.stopped.is_none().then_some(counted as f64), Some(seconds))
}

fn print(out: &mut impl Write, row: &Row) -> io::Result<()> {
    let number = |number: Option<f64>| number.map_or("?".to_owned(), |it| format!("{it:.0}"));
    let seconds = row.seconds.map_or("known".to_owned(), |it| format!("{it:.1}"));
    let factor = row.factor.map_or("?".to_owned(), |it| format!("{it:.2}"));
    let range = match (row.low, row.high) {
        (Some(low), Some(high)) => format!("{low:.3e} to {high:.3e}"),
        _ => "?".to_owned(),
    };
    writeln!(
        out,
        "{:30} {:5} {:>11} {seconds:>8} {:>11} {factor:>7} {range:>23} {:>7}",
        row.program,
        row.model,
        number(row.truth),
        number(row.estimate),
        row.probes,
    )?;
    out.flush()
}

/// How many processes want a core, where the system tells.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let average = text.split_whitespace().next().unwrap_or("unknown").to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{average} on {cores} cores")
}
