//! `raddle monitor`.

use crate::args::{LimitArgs, OutputArgs, SourceArgs};
use crate::config;
use crate::input;
use crate::models;
use crate::output::{Output, Stop};
use crate::robust::programs;
use crate::source::{self, NotLoaded};
use crate::status::Status;
use crate::stream::Stream;
use crate::unroll;
use clap::{Args, ValueEnum};
use raddle_analysis::robust::{Interlocked, Runs, Sample, buffers, sample};
use raddle_budget::Budget;
use raddle_engine::Stopped;
use raddle_engine::{Limits, Model};
use raddle_ir::{Diagnostic, Severity, Verified};
use raddle_monitor::Buffers;
use raddle_monitor::log::{self, BadLine, Trouble};
use raddle_report::json;
use raddle_report::monitor::{self, Logged};
use raddle_report::robust::Subject;
use std::path::{Path, PathBuf};
use std::time::Instant;

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
    let budget = config::budget(&args.limits.budget)?;
    for log in logs {
        run_log(args, log, &budget.afresh(), output)?;
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
        ("--max-executions", limits.max_executions.is_some()),
        ("--max-events", limits.max_events.is_some()),
        ("--unroll", !limits.unroll.is_empty() || limits.unroll_all),
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

fn run_log(
    args: &MonitorArgs,
    path: &Path,
    budget: &Budget,
    output: &mut Output,
) -> Result<(), Stop> {
    if let Some(diagnostic) = input::no_stream(path).filter(|_| path != Path::new("-")) {
        output.refuse(&diagnostic);
        return Ok(());
    }
    let file = input::shown(path);
    let start = Instant::now();
    // All models at once: a pipe can be read only once.
    let each: Vec<Buffers> = args.models.iter().map(|model| buffers(*model)).collect();
    let opened = Stream::open(path, budget).map_err(Trouble::Io);
    let readings = match opened.and_then(|opened| log::monitor_each(opened, &each, budget)) {
        Ok(readings) => readings,
        Err(trouble) => {
            output.diagnose(&diagnostic(&file, trouble), &[]);
            output.note(Status::Bad);
            return Ok(());
        }
    };
    let elapsed = start.elapsed();
    for (model, reading) in args.models.iter().zip(&readings) {
        let stopped = budget.spent().filter(|_| !reading.complete).map(Stopped::from);
        output.note(match (reading.violations.is_empty(), stopped) {
            (false, _) => Status::Violation,
            (true, Some(_)) => Status::Unknown,
            (true, None) => Status::Fine,
        });
        let logged = Logged { file: &file, model: model.name(), reading, stopped, elapsed };
        let shown = match args.output.json {
            true => json::line(&monitor::log_json(&logged)),
            false => monitor::log_text(&logged),
        };
        output.print(&shown)?;
    }
    Ok(())
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
    let sampling = config::sampling(args.seed, args.runs);
    for mut config in programs(config::source(&args.source, &limits.budget)) {
        let budget = limits.budget.afresh();
        config.c.budget = budget.clone();
        let loaded = source::load(&config, output);
        if loaded.as_ref().err() == Some(&NotLoaded::Refused) {
            output.note(Status::Bad);
            continue;
        }
        let unloaded = &Verified::default();
        let program = loaded.as_ref().map_or(unloaded, |source| &source.program);
        if loaded.is_ok() {
            unroll::check(program, &limits.unroll)?;
        }
        let subject = Subject { file: &source::shown(&config), program };
        let sampled = |(n, model): (usize, &Model)| {
            let budget = budget.share(args.models.len() - n);
            let limits = Limits { budget, ..limits.clone() };
            match loaded {
                Err(NotLoaded::Stopped(spent)) => Sample::unsearched(*model, spent),
                _ => sample(program, *model, &Runs { sampling, interlocked, limits }),
            }
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
