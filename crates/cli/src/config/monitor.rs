//! `raddle monitor`.

use super::limits::{budget, limits, sampling};
use super::search::distinct;
use super::source::SourceConfig;
use crate::args::commands::{InterlockedArg, MonitorArgs};
use crate::input::shown;
use crate::output::Stop;
use raddle_analysis::robust::{Interlocked, Runs};
use raddle_budget::Budget;
use raddle_engine::Model;
use raddle_ir::FileKind;
use std::path::{Path, PathBuf};

/// The validated arguments of `raddle monitor`.
#[derive(Debug)]
pub(crate) struct MonitorConfig {
    pub monitored: Monitored,
    pub models: Vec<Model>,
    pub json: bool,
}

/// Each log and each program has a budget of its own.
#[derive(Debug)]
pub(crate) enum Monitored {
    Logs { files: Vec<PathBuf>, budget: Budget },
    Programs { programs: Vec<SourceConfig>, runs: Runs, strict: bool },
}

pub(crate) fn monitor(args: &MonitorArgs) -> Result<MonitorConfig, Stop> {
    let files = &args.source.files;
    let monitored = match files.iter().find(|file| is_log(file)) {
        None => programs(args)?,
        Some(log) if !files.iter().all(|file| is_log(file)) => {
            return Err(Stop::Usage(format!(
                "'{}' is a log by its name; expected logs only, or programs only",
                shown(log)
            )));
        }
        Some(_) => logs(args)?,
    };
    Ok(MonitorConfig { monitored, models: distinct(&args.models), json: args.output.json })
}

/// A file that is not a program of any kind; `-` is the standard input.
fn is_log(path: &Path) -> bool {
    !FileKind::of(path).is_some_and(FileKind::is_program)
}

fn logs(args: &MonitorArgs) -> Result<Monitored, Stop> {
    if let Some(option) = for_programs(args) {
        return Err(Stop::Usage(format!("{option}: for programs, not for a log")));
    }
    let budget = budget(&args.limits.budget)?;
    Ok(Monitored::Logs { files: args.source.files.clone(), budget })
}

/// The first option given that means nothing for a log.
fn for_programs(args: &MonitorArgs) -> Option<&'static str> {
    let MonitorArgs { source, sampling, limits, .. } = args;
    let given = [
        ("--runs", sampling.runs.is_some()),
        ("--seed", sampling.seed.is_some()),
        ("--interlocked", args.interlocked != InterlockedArg::default()),
        ("--strict", limits.strict),
        ("--clang", source.clang.is_some()),
        ("--spurious-wakeups", source.spurious_wakeups),
        ("--stub", !source.stubs.is_empty()),
        ("flags of clang", !source.flags.is_empty()),
    ];
    let given = given.into_iter().find_map(|(option, given)| given.then_some(option));
    given.or_else(|| limits.of_executions())
}

fn programs(args: &MonitorArgs) -> Result<Monitored, Stop> {
    let limits = limits(&args.limits)?;
    let programs = SourceConfig::new(&args.source, &limits.budget).programs();
    let interlocked = match args.interlocked {
        InterlockedArg::All => Interlocked::Drains,
        InterlockedArg::Address => Interlocked::OwnAddress,
    };
    let runs = Runs { sampling: sampling(&args.sampling), interlocked, limits };
    Ok(Monitored::Programs { programs, runs, strict: args.limits.strict })
}
