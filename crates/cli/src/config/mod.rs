//! Parsed arguments become validated ones, here and nowhere else. Commands check only what needs the
//! loaded program.
//!
//! | module | subject |
//! |---|---|
//! | [`source`] | the files and options that a program is made from |
//! | [`search`] | the searches of `litmus` and `check`: models, strategies, store buffers |
//! | [`mod@limits`] | limits, time and memory |
//! | [`mod@robust`], [`mod@monitor`] | the commands that take several programs |

mod limits;
mod monitor;
mod robust;
mod search;
mod source;

pub(crate) use limits::refuse_for_states;
pub(crate) use monitor::{MonitorConfig, Monitored, monitor};
pub(crate) use robust::{RobustConfig, robust};
pub(crate) use source::{SourceConfig, source_of};

use crate::args::commands::{
    CheckArg, CheckArgs, FenceArgs, LitmusArgs, PrintArgs, ReachArgs, ReplayArgs,
};
use crate::output::Stop;
use limits::{budget, limits, workers};
use raddle_analysis::fence::{Question, Target};
use raddle_budget::Budget;
use raddle_engine::{Checks, Engine, Options, Strategy, Unroll};
use std::path::PathBuf;

/// The validated arguments of `raddle litmus`.
#[derive(Debug)]
pub(crate) struct LitmusConfig {
    pub paths: Vec<PathBuf>,
    /// One search per model, in the order given.
    pub searches: Vec<Options>,
    /// For each test.
    pub budget: Budget,
    pub strict: bool,
    pub json: bool,
    /// Threads to use; 0 for one per core.
    pub jobs: usize,
}

pub(crate) fn litmus(args: &LitmusArgs) -> Result<LitmusConfig, Stop> {
    if let Some(name) = search::by_states(&args.search) {
        return Err(Stop::Usage(format!("--strategy {name} is for check: it counts nothing")));
    }
    let limits = limits(&args.limits)?;
    if !limits.unroll.at.is_empty() {
        let why = "--unroll FILE:LINE=N is for one program: use raddle check for a test with loops";
        return Err(Stop::Usage(why.to_owned()));
    }
    let budget = limits.budget.clone();
    let searches = search::all(&args.models, &args.search, &limits, Checks::default(), true)?;
    let (searches, iterates) = search::with_buffers(&args.buffers, searches)?;
    if iterates {
        return Err(Stop::Usage("--buffer-bound iterate is for raddle check".to_owned()));
    }
    Ok(LitmusConfig {
        budget,
        paths: args.paths.clone(),
        searches,
        strict: args.limits.strict,
        json: args.output.json,
        jobs: args.jobs.map_or(0, usize::from),
    })
}

/// The validated arguments of `raddle check`.
#[derive(Debug)]
pub(crate) struct CheckConfig {
    pub source: SourceConfig,
    pub searches: Vec<Options>,
    /// The bounds on loops that all of them have.
    pub unroll: Unroll,
    /// Whether the bound on buffers is raised until it makes no difference.
    pub iterates: bool,
    /// The checks that all of them make.
    pub checks: Checks,
    pub strict: bool,
    pub json: bool,
    /// Where the violations are written.
    pub witness: Option<PathBuf>,
}

pub(crate) fn check(args: &CheckArgs) -> Result<CheckConfig, Stop> {
    let checks = Checks { races: args.checks.contains(&CheckArg::Races), goals: false };
    if let Some(name) = search::by_states(&args.search) {
        refuse_for_states(args.limits.of_executions(), &format!("--strategy {name}"))?;
    }
    let limits = limits(&args.limits)?;
    let searches = search::all(&args.models, &args.search, &limits, checks, args.keep_going)?;
    let (searches, iterates) = search::with_buffers(&args.buffers, searches)?;
    Ok(CheckConfig {
        source: SourceConfig::new(&args.source, &limits.budget),
        searches,
        unroll: limits.unroll,
        iterates,
        checks,
        strict: args.limits.strict,
        json: args.output.json,
        witness: args.witness.clone(),
    })
}

/// The validated arguments of `raddle fence`.
#[derive(Debug)]
pub(crate) struct FenceConfig {
    pub source: SourceConfig,
    pub question: Question,
    /// Whether to print a patch and nothing else.
    pub patch: bool,
    pub strict: bool,
    pub json: bool,
    /// An option that a search of states has no use for.
    of_executions: Option<&'static str>,
}

impl FenceConfig {
    /// Refuses limits on executions where states are searched. Whether they are depends on the program if
    /// its goals are asked for: a condition is about executions that end.
    pub(crate) fn refuse_limits(&self, searches_states: bool) -> Result<(), Stop> {
        match searches_states && Engine::Reach.has(self.question.options.model) {
            true => {
                let what = format!("fence --model {}", self.question.options.model);
                refuse_for_states(self.of_executions, &what)
            }
            false => Ok(()),
        }
    }
}

pub(crate) fn fence(args: &FenceArgs) -> Result<FenceConfig, Stop> {
    let limits = limits(&args.limits)?;
    let mut source = SourceConfig::new(&args.source, &limits.budget);
    source.c.list_sources = true;
    let options = Options { limits, workers: workers(None), ..Options::new(args.model) };
    let target = if args.goal { Target::Goals } else { Target::Robust };
    let config = FenceConfig {
        source,
        question: Question { target, options },
        patch: args.patch,
        strict: args.limits.strict,
        json: args.output.json,
        of_executions: args.limits.of_executions(),
    };
    config.refuse_limits(!args.goal)?;
    Ok(config)
}

/// The validated arguments of `raddle reach`.
#[derive(Debug)]
pub(crate) struct ReachConfig {
    pub source: SourceConfig,
    pub options: Options,
    pub json: bool,
    /// Where the goal that was reached is written.
    pub witness: Option<PathBuf>,
}

pub(crate) fn reach(args: &ReachArgs) -> Result<ReachConfig, Stop> {
    let budget = budget(&args.budget)?;
    Ok(ReachConfig {
        source: SourceConfig::new(&args.source, &budget),
        options: Options {
            checks: Checks { goals: true, ..Checks::default() },
            workers: workers(args.jobs),
            ..Options::new(args.model).by(Strategy::Lazy).within(budget)
        },
        json: args.output.json,
        witness: args.witness.clone(),
    })
}

/// The validated arguments of `raddle replay`.
#[derive(Debug)]
pub(crate) struct ReplayConfig {
    pub file: PathBuf,
    pub budget: Budget,
    pub json: bool,
}

pub(crate) fn replay(args: &ReplayArgs) -> Result<ReplayConfig, Stop> {
    let budget = budget(&args.budget)?;
    Ok(ReplayConfig { file: args.file.clone(), budget, json: args.output.json })
}

/// The program that `raddle print` prints.
pub(crate) fn print(args: &PrintArgs) -> Result<SourceConfig, Stop> {
    Ok(SourceConfig::new(&args.source, &budget(&args.budget)?))
}
