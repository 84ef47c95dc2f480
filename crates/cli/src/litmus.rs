//! `raddle litmus`: many files in parallel, results in the order of the files.
//!
//! Workers take files in order and send their results to the main thread, which alone prints.
//! A result that comes before its turn waits in a buffer, so the output is the same for any
//! number of workers.

use crate::config::LitmusConfig;
use crate::input;
use crate::output::{Output, Stop};
use crate::reports::{Reports, outcome};
use crate::signals;
use crate::source;
use crate::status::Status;
use indicatif::{ProgressBar, ProgressStyle};
use raddle_budget::Budget;
use raddle_front_c::Error;
use raddle_ir::Verified;
use raddle_report::findings::Case;
use raddle_report::findings::case::Cases;
use raddle_report::source::Sources;
use raddle_report::{Run, json, litmus};
use rayon::iter::{ParallelBridge, ParallelIterator};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// A file of at most this size is read without a thread that can be abandoned.
const SMALL: u64 = 1 << 16;

/// The outcome of one file; without results, the file and why it was not read.
type Done = Result<Shown, (String, Error)>;

/// A file's results under all models, ready to print.
struct Shown {
    text: String,
    status: Status,
    /// For reports, if there are any.
    cases: Vec<Case>,
}

pub(crate) fn run(
    config: &LitmusConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let (files, problems) = input::litmus_files(&config.paths);
    files.chunks(1).for_each(|file| reports.know(file));
    for problem in &problems {
        output.diagnose(problem, &[]);
        output.note(Status::Bad);
        reports.refused(&problem.file, output);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(config.jobs).build();
    let pool = pool.map_err(|error| Stop::Io(std::io::Error::other(error)))?;
    let bar = progress(files.len());
    let (sender, receiver) = sync_channel(pool.current_num_threads());
    let wanted = reports.are_wanted();
    let printed = std::thread::scope(|scope| {
        scope.spawn(|| pool.install(|| work(config, &files, wanted, sender)));
        print_in_order(receiver, &bar, reports, output)
    });
    bar.finish_and_clear();
    let done = printed?;
    let run = done.len();
    if run < files.len() {
        let skipped = files.iter().enumerate().filter(|(n, _)| !done.contains(n));
        let skipped = skipped.map(|(_, file)| Case::skipped(&input::shown(file), "litmus"));
        reports.extend(skipped.filter(|_| wanted));
        let were = if run == 1 { "was" } else { "were" };
        let tests = if files.len() == 1 { "test" } else { "tests" };
        output.complain(&format!("interrupted: {run} of {} {tests} {were} run", files.len()));
        output.note(Status::Unknown);
    }
    Ok(output.status())
}

/// Runs every file; ends early when the printer is gone.
fn work(config: &LitmusConfig, files: &[PathBuf], wanted: bool, sender: SyncSender<(usize, Done)>) {
    let numbered = files.iter().enumerate().par_bridge();
    // The error means "the printer is gone", which is the reason to stop, not a failure.
    let _ = numbered.try_for_each_with(sender, |sender, (index, file)| match signals::received() {
        None => sender.send((index, run_file(config, file, wanted))),
        Some(_) => Ok(()),
    });
}

/// Gives the numbers of the files that were run.
fn print_in_order(
    receiver: Receiver<(usize, Done)>,
    bar: &ProgressBar,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<BTreeSet<usize>, Stop> {
    let mut waiting = BTreeMap::new();
    let (mut next, mut run) = (0, BTreeSet::new());
    for (index, done) in receiver {
        run.insert(index);
        bar.inc(1);
        waiting.insert(index, done);
        while let Some(done) = waiting.remove(&next) {
            bar.suspend(|| show(done, reports, output))?;
            next += 1;
        }
    }
    // Where an interruption has left tests out, their places stay empty.
    waiting.into_values().try_for_each(|done| bar.suspend(|| show(done, reports, output)))?;
    Ok(run)
}

fn show(done: Done, reports: &mut Reports, output: &mut Output) -> Result<(), Stop> {
    match done {
        Ok(shown) => {
            output.note(shown.status);
            reports.extend(shown.cases);
            output.print(&shown.text)?;
            output.flush()
        }
        Err((file, error)) => {
            if source::complain(&file, error, output).is_ok() {
                output.note(Status::Unknown);
            }
            reports.refused(&file, output);
            Ok(())
        }
    }
}

fn run_file(config: &LitmusConfig, path: &Path, wanted: bool) -> Done {
    let (budget, file) = (config.budget.afresh(), input::shown(path));
    let program = match load(path, &budget) {
        Ok(program) => program,
        Err(error) => return Err((file, error)),
    };
    let mut shown = Shown { text: String::new(), status: Status::Fine, cases: Vec::new() };
    let sources = Sources::from_disk();
    for (n, options) in config.searches.iter().enumerate() {
        let options = options.clone().within(budget.share(config.searches.len() - n));
        let result = raddle_analysis::litmus(&program, &options);
        let run = Run { file: &file, program: &program, options: &options };
        let status = Status::of(result.check.verdict, config.strict);
        shown.status = shown.status.max(status);
        if wanted {
            let cases = Cases { run: &run, command: "litmus", sources: &sources };
            let text = litmus::text(&run, &result);
            shown.cases.push(cases.litmus(&result.check, outcome(status), text));
        }
        shown.text.push_str(&match config.json {
            true => json::line(&json::litmus(&run, &result)),
            false => litmus::text(&run, &result),
        });
    }
    Ok(shown)
}

/// Reads a file while the budget lasts.
fn load(path: &Path, budget: &Budget) -> Result<Verified, Error> {
    let small = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= SMALL);
    if small {
        return input::load(path);
    }
    let path = path.to_owned();
    source::while_it_lasts(budget, move || input::load(&path))
}

/// A bar on standard error, if that is a terminal and there is more than a moment to wait.
fn progress(files: usize) -> ProgressBar {
    if files < 2 || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files as u64);
    match ProgressStyle::with_template("{bar:40} {pos}/{len} tests, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
