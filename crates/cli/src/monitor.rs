//! `raddle monitor`.

use crate::args::{LimitArgs, OutputArgs, SourceArgs};
use crate::config;
use crate::input;
use crate::models;
use crate::output::{Output, Stop};
use crate::robust::programs;
use crate::source;
use crate::status::Status;
use clap::{Args, ValueEnum};
use raddle_analysis::robust::{Interlocked, Runs, sample};
use raddle_interleave::{Limits, Model};
use raddle_ir::{Diagnostic, Severity};
use raddle_monitor::Buffers;
use raddle_monitor::log::{self, BadLine, Trouble};
use raddle_report::json;
use raddle_report::monitor::{self, Logged};
use raddle_report::robust::Subject;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

const DEFAULT_RUNS: u64 = 1000;

/// Run the monitors of tso and pso on a recorded log, or on random runs of a program under sc.
///
/// A violation (exit status 1) is an access that another thread's store could have been delayed past:
/// the program is not robust. That none was seen on some runs proves nothing; `raddle robust` does.
/// A file that is no program by its ending is a log (docs/monitor.md); `-` is a log from standard input.
#[derive(Args, Debug)]
pub struct MonitorArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model, or both.
    #[arg(
        short, long = "model", default_value = "tso,pso", value_delimiter = ',',
        value_name = "MODEL", value_parser = models::BUFFERED, help_heading = "Model"
    )]
    pub models: Vec<Model>,
    /// Number of random schedules of a program [default: 1000].
    #[arg(
        long, value_name = "N", help_heading = "Search", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub runs: Option<u64>,
    /// Seed of the random schedules [default: 0].
    #[arg(long, value_name = "S", help_heading = "Search", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// What a read-modify-write of a program waits for under pso.
    #[arg(long, value_enum, default_value_t, value_name = "STORES", help_heading = "Model")]
    pub interlocked: InterlockedArg,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InterlockedArg {
    /// For all earlier stores of its thread, as under `raddle check --model pso`.
    #[default]
    All,
    /// For those to its own address, as in paper 001.
    Address,
}

pub fn run(args: &MonitorArgs, output: &mut Output) -> Result<Status, Stop> {
    let logs: Vec<&PathBuf> = args.source.files.iter().filter(|file| is_log(file)).collect();
    if logs.is_empty() {
        run_programs(args, output)?;
        return Ok(output.status());
    }
    if logs.len() < args.source.files.len() {
        let log = input::shown(logs[0]);
        return Err(Stop::Usage(format!(
            "'{log}' is a log by its name; expected logs only, or programs only"
        )));
    }
    if let Some(option) = for_programs(args) {
        return Err(Stop::Usage(format!("{option}: for programs, not for a log")));
    }
    for log in logs {
        run_log(args, log, output)?;
    }
    Ok(output.status())
}

/// The first option given that means nothing for a log.
fn for_programs(args: &MonitorArgs) -> Option<&'static str> {
    let MonitorArgs { source, limits, .. } = args;
    let given = [
        ("--runs", args.runs.is_some()),
        ("--seed", args.seed.is_some()),
        ("--interlocked", args.interlocked != InterlockedArg::default()),
        ("--timeout", limits.budget.timeout.is_some()),
        ("--max-memory", limits.budget.max_memory.is_some()),
        ("--max-executions", limits.max_executions.is_some()),
        ("--max-events", limits.max_events.is_some()),
        ("--unroll", limits.unroll.is_some()),
        ("--strict", limits.strict),
        ("--clang", source.clang.is_some()),
        ("--spurious-wakeups", source.spurious_wakeups),
        ("flags of clang", !source.flags.is_empty()),
    ];
    given.into_iter().find_map(|(option, given)| given.then_some(option))
}

/// Whatever is no program of any kind; `-` is the standard input.
fn is_log(path: &Path) -> bool {
    !source::is_compiled(path) && !input::is_program(path)
}

fn open(path: &Path) -> Result<Box<dyn Read>, Trouble> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    File::open(path).map(|file| Box::new(file) as Box<dyn Read>).map_err(Trouble::Io)
}

fn run_log(args: &MonitorArgs, path: &Path, output: &mut Output) -> Result<(), Stop> {
    if let Some(diagnostic) = input::no_file(&[path.to_owned()]).filter(|_| path != Path::new("-"))
    {
        output.diagnose(&diagnostic, &[]);
        output.note(Status::Bad);
        return Ok(());
    }
    let file = input::shown(path);
    let start = Instant::now();
    // All models at once: a pipe can be read only once.
    let each: Vec<Buffers> = args.models.iter().map(|model| buffers(*model)).collect();
    let readings = match open(path).and_then(|opened| log::monitor_each(opened, &each)) {
        Ok(readings) => readings,
        Err(trouble) => {
            output.diagnose(&diagnostic(&file, trouble), &[]);
            output.note(Status::Bad);
            return Ok(());
        }
    };
    let elapsed = start.elapsed();
    for (model, reading) in args.models.iter().zip(&readings) {
        let found = !reading.violations.is_empty();
        output.note(if found { Status::Violation } else { Status::Fine });
        let logged = Logged { file: &file, model: model.name(), reading, elapsed };
        let shown = match args.output.json {
            true => json::line(&monitor::log_json(&logged)),
            false => monitor::log_text(&logged),
        };
        output.print(&shown)?;
    }
    Ok(())
}

fn buffers(model: Model) -> Buffers {
    match model {
        Model::Sc | Model::Tso => Buffers::PerThread,
        Model::Pso => Buffers::PerAddress,
    }
}

fn diagnostic(file: &str, trouble: Trouble) -> Diagnostic {
    match trouble {
        Trouble::Io(error) => Diagnostic::whole_file(file, format!("cannot be read: {error}")),
        Trouble::Bad(BadLine { line, column, message, expected }) => Diagnostic {
            severity: Severity::Error,
            file: file.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column,
            span: None,
            message,
            expected: Some(expected.to_owned()),
            help: Some("docs/monitor.md has the format of logs".to_owned()),
        },
    }
}

fn run_programs(args: &MonitorArgs, output: &mut Output) -> Result<(), Stop> {
    let limits = config::limits(&args.limits)?;
    let interlocked = match args.interlocked {
        InterlockedArg::All => Interlocked::Drains,
        InterlockedArg::Address => Interlocked::OwnAddress,
    };
    let (seed, count) = (args.seed.unwrap_or_default(), args.runs.unwrap_or(DEFAULT_RUNS));
    for config in programs(config::source(&args.source)) {
        let budget = limits.budget.afresh();
        let Some(source) = source::load(&config, output) else {
            output.note(Status::Bad);
            continue;
        };
        let subject = Subject { file: &source.shown, program: &source.program };
        let sampled = |(n, model): (usize, &Model)| {
            let budget = budget.share(args.models.len() - n);
            let limits = Limits { budget, ..limits.clone() };
            sample(&source.program, *model, &Runs { seed, runs: count, interlocked, limits })
        };
        let samples: Vec<_> = args.models.iter().enumerate().map(sampled).collect();
        let found = samples.iter().any(|sample| !sample.violations.is_empty());
        let bounded = samples.iter().any(|sample| !sample.summary.bounds.is_empty());
        output.note(match found {
            true => Status::Violation,
            false if bounded && args.limits.strict => Status::Unknown,
            false => Status::Fine,
        });
        let shown = match args.output.json {
            true => {
                samples.iter().map(|sample| json::line(&monitor::json(&subject, sample))).collect()
            }
            false => monitor::table(&subject, &samples),
        };
        output.print(&shown)?;
    }
    Ok(())
}
