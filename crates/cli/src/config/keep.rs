//! Searches that are kept, and slices of them.

use super::limits::{budget, duration, workers};
use crate::args::shared::{BudgetArgs, KeepArgs};
use crate::args::slice::SliceArgs;
use crate::destination::is_one_file;
use crate::output::Stop;
use raddle_budget::Budget;
use raddle_engine::{Engine, Options};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a search is saved, unless told otherwise.
const EVERY: Duration = Duration::from_secs(60);

/// Where a search is kept.
#[derive(Clone, Debug)]
pub(crate) struct KeepConfig {
    pub checkpoint: Option<PathBuf>,
    pub every: Duration,
    pub resume: Option<PathBuf>,
    pub frontier: Option<PathBuf>,
}

impl KeepConfig {
    /// Whether the search is to be kept.
    pub(crate) fn keeps(&self) -> bool {
        self.checkpoint.is_some() || self.resume.is_some()
    }

    /// Whether the search goes on in the file that it comes from.
    pub(crate) fn goes_on_in(&self, path: &Path) -> bool {
        self.resume.as_ref().is_some_and(|resume| is_one_file(resume, path))
    }
}

pub(super) fn keep(
    args: &KeepArgs,
    searches: &[Options],
    iterates: bool,
) -> Result<KeepConfig, Stop> {
    let every = args.every.map(|seconds| duration("--every", seconds)).transpose()?;
    let config = KeepConfig {
        checkpoint: args.checkpoint.clone(),
        every: every.unwrap_or(EVERY),
        resume: args.resume.clone(),
        frontier: args.frontier.clone(),
    };
    if !config.keeps() && config.frontier.is_none() {
        return Ok(config);
    }
    let refused = |why: &str| {
        Err(Stop::Usage(format!("--checkpoint, --resume and --frontier are for one search: {why}")))
    };
    let [search] = searches else { return refused("one model, not several") };
    if iterates {
        return refused("not --buffer-bound iterate");
    }
    let strategy = search.strategy;
    if strategy.engine() == Engine::Reach {
        return refused(&format!(
            "they need one of executions, not --strategy {}",
            strategy.name()
        ));
    }
    Ok(config)
}

/// The validated arguments of `raddle slice`.
#[derive(Debug)]
pub(crate) struct SliceConfig {
    pub frontier: PathBuf,
    pub results: Vec<PathBuf>,
    pub folder: PathBuf,
    pub time: Duration,
    pub parts: usize,
    pub jobs: usize,
    pub budget: Budget,
}

pub(crate) fn slice(args: &SliceArgs) -> Result<SliceConfig, Stop> {
    let time = Duration::try_from_secs_f64(args.seconds).map_err(|_| {
        Stop::Usage(format!("--seconds takes a number of seconds, not {}", args.seconds))
    })?;
    let jobs = workers(&args.jobs);
    Ok(SliceConfig {
        frontier: args.frontier.clone(),
        results: args.results.clone(),
        folder: args.folder.clone(),
        time,
        parts: args.parts.map_or(2 * jobs, usize::from),
        jobs,
        budget: budget(&BudgetArgs { timeout: None, max_memory: args.max_memory })?,
    })
}
