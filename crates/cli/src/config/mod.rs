//! Parsed arguments become validated ones, here and nowhere else. Commands check only what needs the
//! loaded program.
//!
//! | module | subject |
//! |---|---|
//! | [`source`] | the files and options that a program is made from |
//! | [`search`] | the searches of `litmus` and `check`: models, strategies, store buffers |
//! | [`files`] | files for people, beside the output |
//! | [`keep`] | searches that are kept, and slices of them |
//! | [`mod@kinds`] | which errors are checked, and which are known |
//! | [`mod@limits`] | limits, time and memory |
//! | [`mod@matrix`] | one program under all models |
//! | [`mod@robust`], [`mod@monitor`] | the commands that take several programs |

mod files;
mod keep;
mod kinds;
mod limits;
mod matrix;
mod monitor;
mod robust;
mod search;
mod source;

pub(crate) use files::FilesConfig;
pub(crate) use keep::{KeepConfig, SliceConfig, slice};
pub(crate) use limits::{refuse_for_states, timeout};
pub(crate) use matrix::{MatrixConfig, matrix};
pub(crate) use monitor::{MonitorConfig, Monitored, monitor};
pub(crate) use robust::{RobustConfig, robust};
pub(crate) use source::{SourceConfig, source_of};

use crate::args::commands::{CheckArgs, FenceArgs, LitmusArgs, PrintArgs, ReachArgs, ReplayArgs};
use crate::output::Stop;
use crate::progress::Shown;
use kinds::kinds;
use limits::{budget, estimated, limits, shown, workers};
use raddle_analysis::estimate::is_estimable;
use raddle_analysis::fence::{Avoided, Question, Target};
use raddle_budget::Budget;
use raddle_engine::{Checks, Coverage, Engine, Limits, Options, Strategy, Unroll};
use raddle_ir::file::one_of;
use std::path::PathBuf;
use std::time::Duration;

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
    files::refuse_same(&args.reports.named())?;
    // Files are run at the same time, each by one worker.
    let limits = Limits { workers: 1, ..limits(&args.limits)? };
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
        jobs: workers(&args.limits.jobs),
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
    pub all_steps: bool,
    /// Whether witnesses show the calls on the stack at each step.
    pub calls: bool,
    /// Where the violations are written.
    pub witness: Option<PathBuf>,
    pub files: FilesConfig,
    pub shown: Shown,
    /// To estimate for this long how large the searches are, and nothing else.
    pub estimate: Option<Duration>,
    /// Where the search is kept.
    pub keep: KeepConfig,
}

pub(crate) fn check(args: &CheckArgs) -> Result<CheckConfig, Stop> {
    let written = [
        ("--witness", &args.witness),
        ("--checkpoint", &args.keep.checkpoint),
        ("--frontier", &args.keep.frontier),
    ];
    files::refuse_same(&[&written[..], &args.files.named(), &args.reports.named()].concat())?;
    let (checks, ignored) = kinds(&args.kinds)?;
    if let Some(name) = search::by_states(&args.search) {
        let option = args.limits.of_executions().or(kinds::of_executions(&ignored));
        refuse_for_states(option, &format!("--strategy {name}"))?;
    }
    let (shown, estimate) = (shown(&args.progress)?, estimated(&args.estimate)?);
    let limits = Limits { progress: shown.progress.clone(), ..limits(&args.limits)? };
    let mut searches = search::all(&args.models, &args.search, &limits, checks, args.keep_going)?;
    searches.iter_mut().for_each(|options| options.ignored.clone_from(&ignored));
    let (searches, iterates) = search::with_buffers(&args.buffers, searches)?;
    let keep = keep::keep(&args.keep, &searches, iterates)?;
    if estimate.is_some() && (iterates || !searches.iter().all(is_estimable)) {
        let others = Strategy::names(|strategy| strategy.coverage() != Coverage::Traces);
        let others = one_of(&others);
        return Err(Stop::Usage(format!(
            "--estimate is for searches that visit each trace once: not --strategy {others}, not --buffer-bound"
        )));
    }
    Ok(CheckConfig {
        keep,
        shown,
        estimate,
        source: SourceConfig::new(&args.source, &limits.budget),
        searches,
        unroll: limits.unroll,
        iterates,
        checks,
        strict: args.limits.strict,
        json: args.output.json,
        all_steps: args.story.all_steps,
        calls: args.story.calls,
        witness: args.witness.clone(),
        files: FilesConfig::from(&args.files),
    })
}

/// The validated arguments of `raddle fence`.
#[derive(Debug)]
pub(crate) struct FenceConfig {
    pub source: SourceConfig,
    pub question: Question,
    pub shown: Shown,
    /// Whether to print a patch and nothing else.
    pub patch: bool,
    pub files: FilesConfig,
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
    files::refuse_same(&[&[("--html", &args.html)][..], &args.reports.named()].concat())?;
    let shown = shown(&args.progress)?;
    let limits = Limits { progress: shown.progress.clone(), ..limits(&args.limits)? };
    let source = SourceConfig::new(&args.source, &limits.budget);
    let options = Options { limits, ..Options::new(args.model) };
    let target = if args.goal { Target::Goals } else { Target::Robust };
    let config = FenceConfig {
        shown,
        source,
        question: Question {
            target,
            options,
            avoided: Avoided { named: args.avoid.clone(), ..Avoided::default() },
        },
        patch: args.patch,
        files: FilesConfig { html: args.html.clone(), dot: None },
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
    pub all_steps: bool,
    /// Where the goal that was reached is written.
    pub witness: Option<PathBuf>,
    pub files: FilesConfig,
    pub shown: Shown,
}

pub(crate) fn reach(args: &ReachArgs) -> Result<ReachConfig, Stop> {
    let witness = [("--witness", &args.witness)];
    files::refuse_same(&[&witness[..], &args.files.named(), &args.reports.named()].concat())?;
    let (shown, budget) = (shown(&args.progress)?, budget(&args.budget)?);
    let progress = shown.progress.clone();
    Ok(ReachConfig {
        shown,
        source: SourceConfig::new(&args.source, &budget),
        options: Options {
            limits: Limits { budget, progress, workers: workers(&args.jobs), ..Limits::default() },
            checks: Checks { goals: true, ..Checks::default() },
            ..Options::new(args.model).by(Strategy::Lazy)
        },
        json: args.output.json,
        all_steps: args.story.all_steps,
        witness: args.witness.clone(),
        files: FilesConfig::from(&args.files),
    })
}

/// The validated arguments of `raddle replay`.
#[derive(Debug)]
pub(crate) struct ReplayConfig {
    pub file: PathBuf,
    pub budget: Budget,
    pub json: bool,
    pub all_steps: bool,
}

pub(crate) fn replay(args: &ReplayArgs) -> Result<ReplayConfig, Stop> {
    let budget = budget(&args.budget)?;
    Ok(ReplayConfig {
        file: args.file.clone(),
        budget,
        json: args.output.json,
        all_steps: args.story.all_steps,
    })
}

/// The program that `raddle print` prints.
pub(crate) fn print(args: &PrintArgs) -> Result<SourceConfig, Stop> {
    Ok(SourceConfig::new(&args.source, &budget(&args.budget)?))
}
