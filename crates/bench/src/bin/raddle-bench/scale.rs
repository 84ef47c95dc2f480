//! One search by several workers, and a search that is saved, compared with a search by one worker.
//!
//! The programs are those whose search by one worker takes about a second or more. All searches of a program run in this process, one
//! after the other, several times in turn, and the shortest times are compared: other work on the machine makes single times longer, never
//! shorter. The results must be the same.

use crate::cpu;
use crate::programs::subjects;
use crate::table::json_line;
use raddle_analysis::explore;
use raddle_engine::{Keeper, Model, Options, Summary};
use raddle_ir::Verified;
use serde::Serialize;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// The searches of a program are repeated so often.
const TIMES: u32 = 3;
/// How often the search that is kept is saved.
const EVERY: Duration = Duration::from_millis(500);

/// The result for a program.
#[derive(Serialize, Debug)]
struct Row {
    program: String,
    model: &'static str,
    executions: u64,
    /// Seconds by one worker, and by two.
    one: f64,
    two: f64,
    speed_up: f64,
    /// Processor time of one worker that is ready to share and has nobody to share with, divided by that of one that is not.
    ready: f64,
    /// Processor time per save, in milliseconds.
    save: f64,
    saves: u64,
    /// The size of the last frontier.
    bytes: usize,
}

/// Measures the programs whose names begin with one of `names`, or all of them.
pub(crate) fn run(
    (names, models): (&[String], &[Model]),
    out: &mut impl Write,
    mut json: Option<&mut dyn Write>,
) -> io::Result<()> {
    writeln!(out, "\none and two workers; saving")?;
    writeln!(
        out,
        "{:16} {:5} {:>11} {:>8} {:>8} {:>8} {:>7} {:>9} {:>9}",
        "program", "model", "executions", "1, s", "2, s", "speed-up", "ready", "save, ms", "KiB"
    )?;
    for (name, program, model) in subjects(names, models) {
        let row = measure(name, &program, model);
        writeln!(
            out,
            "{:16} {:5} {:>11} {:>8.2} {:>8.2} {:>8.2} {:>7.3} {:>9.2} {:>9.1}",
            row.program,
            row.model,
            row.executions,
            row.one,
            row.two,
            row.speed_up,
            row.ready,
            row.save,
            row.bytes as f64 / 1024.0,
        )?;
        out.flush()?;
        json.as_mut().map_or(Ok(()), |json| json_line(json, &row))?;
    }
    Ok(())
}

fn measure(name: String, program: &Verified, model: Model) -> Row {
    let options = Options { keep_going: true, ..Options::new(model) };
    let by = |workers: usize| {
        let mut options = options.clone();
        options.limits.workers = workers;
        let start = Instant::now();
        let summary = explore(program, &options);
        (start.elapsed().as_secs_f64(), summary)
    };
    let (mut one, mut two, mut plain, mut ready) = (f64::MAX, f64::MAX, f64::MAX, f64::MAX);
    let mut kept = Kept { seconds: f64::MAX, saves: 0, bytes: 0 };
    let mut expected: Option<Summary> = None;
    for _ in 0..TIMES {
        let mut summary = None;
        let mut time = 0.0;
        plain = plain.min(
            cpu::time(|| {
                (time, summary) = {
                    let (time, summary) = by(1);
                    (time, Some(summary))
                }
            })
            .as_secs_f64(),
        );
        one = one.min(time);
        let summary = summary.unwrap_or_default();
        let expected = expected.get_or_insert(summary.clone());
        assert_eq!(summary, *expected, "{name} {model}: two searches differ");
        let (time, summary) = by(2);
        two = two.min(time);
        assert_eq!(summary, *expected, "{name} {model}: a search by two workers differs");
        // One worker with a frontier that is never saved.
        ready = ready.min(keep(program, &options, None, expected).seconds);
        let saved = keep(program, &options, Some(EVERY), expected);
        if saved.seconds < kept.seconds {
            kept = saved;
        }
    }
    let executions = expected.map_or(0, |summary| summary.executions);
    Row {
        program: name,
        model: model.name(),
        executions,
        one,
        two,
        speed_up: one / two,
        ready: ready / plain,
        save: (kept.seconds - ready).max(0.0) * 1e3 / kept.saves.max(1) as f64,
        saves: kept.saves,
        bytes: kept.bytes,
    }
}

/// A search that is kept: the processor time of its one worker.
struct Kept {
    seconds: f64,
    saves: u64,
    bytes: usize,
}

fn keep(
    program: &Verified,
    options: &Options,
    every: Option<Duration>,
    expected: &Summary,
) -> Kept {
    let (saves, bytes) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let counts = (Arc::clone(&saves), Arc::clone(&bytes));
    let keeper = Keeper::new(None, 0, move |saved| {
        if !saved.is_last {
            counts.0.fetch_add(1, Relaxed);
            counts.1.store(saved.rest.len() as u64, Relaxed);
        }
    });
    let mut options = options.clone();
    options.limits.keeper = keeper.clone();
    let is_over = AtomicBool::new(false);
    let seconds = thread::scope(|scope| {
        if let Some(every) = every {
            let (keeper, is_over) = (&keeper, &is_over);
            scope.spawn(move || {
                while !is_over.load(Relaxed) {
                    thread::park_timeout(every);
                    keeper.request();
                }
            });
        }
        let mut summary = Summary::default();
        let time = cpu::time(|| summary = explore(program, &options));
        is_over.store(true, Relaxed);
        assert_eq!(summary, *expected, "a search that is kept differs");
        time.as_secs_f64()
    });
    Kept { seconds, saves: saves.load(Relaxed), bytes: bytes.load(Relaxed) as usize }
}
