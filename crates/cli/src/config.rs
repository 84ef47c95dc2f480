//! Parsed arguments become validated ones, here and nowhere else.

use crate::args::{
    BudgetArgs, CheckArg, CheckArgs, LimitArgs, LitmusArgs, ModelArgs, SearchArgs, SourceArgs,
    SourceLine,
};
use crate::input::shown;
use crate::output::{Output, Stop};
use crate::signals;
use crate::unroll;
use clap::Parser;
use raddle_budget::{Budget, default_memory};
use raddle_engine::{Checks, Engine, Limits, Model, Options, Sampling, Strategy, Unroll};
use raddle_report::document::Origin;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What `raddle litmus` is to do.
#[derive(Debug)]
pub struct LitmusConfig {
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

/// What `raddle check` is to do.
#[derive(Debug)]
pub struct CheckConfig {
    pub source: SourceConfig,
    pub searches: Vec<Options>,
    /// The bounds on loops that all of them have.
    pub unroll: Unroll,
    /// Whether the bound on buffers is raised until it makes no difference.
    pub iterates: bool,
    /// What all of them look for.
    pub checks: Checks,
    pub strict: bool,
    pub json: bool,
    /// Where to write what was found.
    pub witness: Option<PathBuf>,
}

/// What a program is made from.
#[derive(Debug)]
pub struct SourceConfig {
    /// At least one.
    pub files: Vec<PathBuf>,
    pub c: raddle_front_c::Options,
}

impl SourceConfig {
    /// What makes the same program again: [`source_of`] undoes it. The compiler is not part of it: a
    /// file that someone else wrote is not to say what is run.
    pub fn origin(&self) -> Origin {
        let mut arguments = Vec::new();
        let (low, high) = (self.c.nondet.start(), self.c.nondet.end());
        if (*low, *high) != (0, 3) {
            arguments.push(format!("--nondet-range={low}..{high}").into());
        }
        if self.c.spurious_wakeups {
            arguments.push("--spurious-wakeups".into());
        }
        if !self.c.flags.is_empty() {
            arguments.push("--".into());
            arguments.extend(self.c.flags.iter().cloned());
        }
        let inputs = self.files.iter().map(|file| file.clone().into()).collect();
        Origin { inputs, arguments }
    }
}

/// The other way round; what is wrong with the arguments, as the command line puts it.
pub fn source_of(origin: &Origin, budget: &Budget) -> Result<SourceConfig, String> {
    if origin.inputs.is_empty() {
        return Err("it names 0 files".to_owned());
    }
    // A file whose name looks like an option is a file: only the arguments are parsed.
    let line = ["raddle", "FILE"].into_iter().map(OsString::from);
    let line = line.chain(origin.arguments.iter().cloned());
    let parsed = SourceLine::try_parse_from(line).map_err(|error| {
        let text = error.to_string();
        text.lines().next().unwrap_or("").trim_start_matches("error: ").to_owned()
    })?;
    let config = source(&parsed.source, budget);
    if config.c.clang.is_some() {
        return Err("it names a compiler, which is for $CLANG to do".to_owned());
    }
    if let [_, file, ..] = &*config.files {
        let file = shown(file);
        return Err(format!("the argument '{file}' is not an option"));
    }
    let files = origin.inputs.iter().map(PathBuf::from).collect();
    Ok(SourceConfig { files, ..config })
}

pub fn source(args: &SourceArgs, budget: &Budget) -> SourceConfig {
    let c = raddle_front_c::Options {
        clang: args.clang.clone(),
        flags: args.flags.clone(),
        colour: Output::colours(),
        nondet: args.nondet_range.low..=args.nondet_range.high,
        spurious_wakeups: args.spurious_wakeups,
        budget: budget.clone(),
        texts: Vec::new(),
    };
    SourceConfig { files: args.files.clone(), c }
}

pub fn litmus(args: &LitmusArgs) -> Result<LitmusConfig, Stop> {
    if args.search.strategy == Some(Strategy::Lazy) {
        return Err(Stop::Usage("--strategy lazy is for check: it counts nothing".to_owned()));
    }
    let limits = limits(&args.limits)?;
    if !limits.unroll.at.is_empty() {
        let why = "--unroll FILE:LINE=N is for one program: use raddle check for a test with loops";
        return Err(Stop::Usage(why.to_owned()));
    }
    let budget = limits.budget.clone();
    let searches = searches(&args.models, &args.search, &limits, Checks::default(), true)?;
    Ok(LitmusConfig {
        budget,
        paths: args.paths.clone(),
        searches: args.buffers.fixed(searches)?,
        strict: args.limits.strict,
        json: args.output.json,
        jobs: args.jobs.map_or(0, usize::from),
    })
}

pub fn check(args: &CheckArgs) -> Result<CheckConfig, Stop> {
    let checks = Checks { races: args.checks.contains(&CheckArg::Races), goals: false };
    if args.search.strategy == Some(Strategy::Lazy) {
        refuse_execution_limits(&args.limits, "--strategy lazy")?;
    }
    let limits = limits(&args.limits)?;
    let searches = searches(&args.models, &args.search, &limits, checks, args.keep_going)?;
    let (searches, iterates) = args.buffers.bounded(searches)?;
    Ok(CheckConfig {
        source: source(&args.source, &limits.budget),
        searches,
        unroll: limits.unroll,
        iterates,
        checks,
        strict: args.limits.strict,
        json: args.output.json,
        witness: args.witness.clone(),
    })
}

/// The random schedules that are asked for.
pub fn sampling(seed: Option<u64>, runs: Option<u64>) -> Sampling {
    let default = Sampling::default();
    Sampling { seed: seed.unwrap_or(default.seed), runs: runs.unwrap_or(default.runs) }
}

/// As many workers as there are cores, unless told otherwise.
pub fn workers(jobs: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    jobs.map_or_else(cores, usize::from)
}

fn searches(
    models: &ModelArgs,
    search: &SearchArgs,
    limits: &Limits,
    checks: Checks,
    keep_going: bool,
) -> Result<Vec<Options>, Stop> {
    if search.strategy != Some(Strategy::Random) && (search.seed.is_some() || search.runs.is_some())
    {
        return Err(Stop::Usage("--seed and --runs need --strategy random".to_owned()));
    }
    let asked = |model: Model| {
        let strategy = search.strategy.unwrap_or(Strategy::default_of(model));
        // Where some model has races to look for, those given by axioms are searched without.
        let races = checks.races && strategy.engine() != Engine::Graph;
        let options = Options {
            limits: limits.clone(),
            checks: Checks { races, ..checks },
            keep_going,
            // Interleavings say little; what compares with the other strategies is the traces.
            count_traces: strategy == Strategy::Exhaustive,
            sampling: sampling(search.seed, search.runs),
            workers: workers(None),
            ..Options::new(model).by(strategy)
        };
        options.validate().map_err(|refusal| Stop::Usage(refusal.to_string()))?;
        Ok(options)
    };
    let searches: Vec<Options> =
        distinct(&models.models).into_iter().map(asked).collect::<Result<_, Stop>>()?;
    if checks.races && !searches.iter().any(|options| options.checks.races) {
        let message = "--check races goes with sc, tso and pso and not with --strategy graph, \
                       which power and arm are searched by";
        return Err(Stop::Usage(message.to_owned()));
    }
    Ok(searches)
}

/// A model that is named twice runs once.
fn distinct(models: &[Model]) -> Vec<Model> {
    let mut seen = Vec::new();
    for model in models {
        if !seen.contains(model) {
            seen.push(*model);
        }
    }
    seen
}

pub fn limits(args: &LimitArgs) -> Result<Limits, Stop> {
    let defaults = Limits::default();
    Ok(Limits {
        executions: args.max_executions,
        budget: budget(&args.budget)?,
        events: args.max_events.unwrap_or(defaults.events),
        unroll: unroll::bounds(&args.unroll, args.unroll_all)?,
        ..defaults
    })
}

/// Refuses limits that a search of states has no use for: `what` is the search.
pub fn refuse_execution_limits(args: &LimitArgs, what: &str) -> Result<(), Stop> {
    let given = [
        ("--max-executions", args.max_executions.is_some()),
        ("--max-events", args.max_events.is_some()),
        ("--unroll", !args.unroll.is_empty()),
        ("--unroll-all", args.unroll_all),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Stop::Usage(format!(
            "{option} is for searches of executions, but {what} searches states; \
             --timeout and --max-memory limit both"
        ))),
    }
}

/// The budget of a command, from now on. All its work on one program shares it.
pub fn budget(args: &BudgetArgs) -> Result<Budget, Stop> {
    let time = args.timeout.map(timeout).transpose()?;
    let memory = args.max_memory.map(bytes).transpose()?.or_else(default_memory);
    let budget = Budget::new(time, memory);
    signals::interrupt(&budget);
    Ok(budget)
}

fn timeout(seconds: f64) -> Result<Duration, Stop> {
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|d| !d.is_zero());
    duration.ok_or_else(|| {
        Stop::Usage(format!("--timeout takes a positive number of seconds, not {seconds}"))
    })
}

fn bytes(mib: u64) -> Result<u64, Stop> {
    let bytes = mib.checked_mul(1 << 20);
    bytes.ok_or_else(|| Stop::Usage(format!("--max-memory {mib} is more than any machine has")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn checked(words: &str) -> Result<CheckConfig, Stop> {
        let cli = Cli::parse_from(["raddle", "check", "f.rir"].into_iter().chain(words.split(' ')));
        match &cli.command {
            Command::Check(args) => check(args),
            other => panic!("not a check: {other:?}"),
        }
    }

    #[test]
    fn options_reach_the_engine() {
        let config =
            checked("--model tso,pso,tso --strategy random --runs 7 --timeout 1.5 --max-memory 2");
        let config = config.expect("valid arguments");
        let models: Vec<&str> =
            config.searches.iter().map(|options| options.model.name()).collect();
        assert_eq!(models, ["tso", "pso"]);
        let options = &config.searches[0];
        assert_eq!(options.strategy, Strategy::Random);
        assert_eq!(options.sampling, Sampling { seed: 0, runs: 7 });
        let left = options.limits.budget.time_left().expect("a limit on time");
        assert!(left <= Duration::from_millis(1500), "{left:?}");
        assert!(!options.limits.budget.affords(2 << 20));
    }

    #[test]
    fn every_model_has_an_engine() {
        let strategies = |words: &str| -> Vec<&'static str> {
            let config = checked(words).expect("valid arguments");
            config.searches.iter().map(|options| options.strategy.name()).collect()
        };
        assert_eq!(strategies("--model tso,power,arm"), ["optimal", "graph", "graph"]);
        assert_eq!(strategies("--model sc,power --strategy graph"), ["graph", "graph"]);
    }

    #[test]
    fn races_are_looked_for_when_asked() {
        let races = |words| checked(words).map(|config| config.searches[0].checks.races);
        assert!(matches!(races("--model sc"), Ok(false)));
        assert!(matches!(races("--model sc --check races"), Ok(true)));
        assert!(matches!(races("--model sc,power --check races"), Ok(true)));
        assert!(matches!(races("--model power,sc --check races"), Ok(false)));
    }

    #[test]
    fn what_makes_no_sense_together_is_refused() {
        for words in [
            "--model sc --seed 1",
            "--model tso,power --strategy source",
            "--model arm --check races",
            "--model power,arm --check races",
            "--model sc,tso --strategy graph --check races",
            "--model sc --strategy source --runs 5",
            "--model sc --timeout 0",
            "--model sc --timeout=-1",
            "--model sc --timeout nan",
            "--model sc --buffer-bound 1",
            "--model tso --strategy lazy --buffer-bound 1",
            "--model tso --strategy graph --buffer-bound iterate",
            "--model sc --buffer-bound iterate",
            "--model sc --max-memory 18446744073709551615",
            "--model tso --strategy lazy --max-executions 5",
            "--model sc --strategy lazy --max-events 5",
            "--model sc --strategy lazy --unroll 5",
        ] {
            assert!(matches!(checked(words), Err(Stop::Usage(_))), "{words}");
        }
    }
}
