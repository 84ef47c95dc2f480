//! Parsed arguments become validated ones, here and nowhere else.

use crate::args::{CheckArgs, LimitArgs, LitmusArgs, ModelArgs, SearchArgs, StrategyArg};
use crate::output::Stop;
use raddle_interleave::{Limits, Model, Options, Strategy};
use std::path::PathBuf;
use std::time::Duration;

const DEFAULT_RUNS: u64 = 1000;

/// What `raddle litmus` is to do.
#[derive(Debug)]
pub struct LitmusConfig {
    pub paths: Vec<PathBuf>,
    /// One search per model, in the order given.
    pub searches: Vec<Options>,
    pub strict: bool,
    pub json: bool,
    /// Threads to use; 0 for one per core.
    pub jobs: usize,
}

/// What `raddle check` is to do.
#[derive(Debug)]
pub struct CheckConfig {
    pub file: PathBuf,
    pub searches: Vec<Options>,
    pub strict: bool,
    pub json: bool,
    /// Where to write what was found.
    pub witness: Option<PathBuf>,
}

pub fn litmus(args: &LitmusArgs) -> Result<LitmusConfig, Stop> {
    Ok(LitmusConfig {
        paths: args.paths.clone(),
        searches: searches(&args.models, &args.search, &args.limits, true)?,
        strict: args.limits.strict,
        json: args.output.json,
        jobs: args.jobs.map_or(0, usize::from),
    })
}

pub fn check(args: &CheckArgs) -> Result<CheckConfig, Stop> {
    Ok(CheckConfig {
        file: args.file.clone(),
        searches: searches(&args.models, &args.search, &args.limits, args.keep_going)?,
        strict: args.limits.strict,
        json: args.output.json,
        witness: args.witness.clone(),
    })
}

fn searches(
    models: &ModelArgs,
    search: &SearchArgs,
    limit_args: &LimitArgs,
    keep_going: bool,
) -> Result<Vec<Options>, Stop> {
    let strategy = strategy(search)?;
    let limits = limits(limit_args)?;
    let options = |model: Model| Options {
        strategy,
        limits: limits.clone(),
        keep_going,
        // Interleavings say little; what compares with the other strategies is the traces.
        count_traces: strategy == Strategy::Exhaustive,
        ..Options::new(model)
    };
    Ok(distinct(&models.models).into_iter().map(options).collect())
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

fn strategy(args: &SearchArgs) -> Result<Strategy, Stop> {
    if args.strategy != StrategyArg::Random && (args.seed.is_some() || args.runs.is_some()) {
        return Err(Stop::Usage("--seed and --runs need --strategy random".to_owned()));
    }
    Ok(match args.strategy {
        StrategyArg::Optimal => Strategy::Optimal,
        StrategyArg::Source => Strategy::Source,
        StrategyArg::Exhaustive => Strategy::Exhaustive,
        StrategyArg::Random => Strategy::Random {
            seed: args.seed.unwrap_or_default(),
            runs: args.runs.unwrap_or(DEFAULT_RUNS),
        },
    })
}

fn limits(args: &LimitArgs) -> Result<Limits, Stop> {
    let defaults = Limits::default();
    Ok(Limits {
        executions: args.max_executions,
        time: args.timeout.map(timeout).transpose()?,
        memory: args.max_memory.map(bytes).transpose()?,
        events: args.max_events.unwrap_or(defaults.events),
        unroll: args.unroll,
        ..defaults
    })
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
        let models: Vec<Model> = config.searches.iter().map(|options| options.model).collect();
        assert_eq!(models, [Model::Tso, Model::Pso]);
        let options = &config.searches[0];
        assert_eq!(options.strategy, Strategy::Random { seed: 0, runs: 7 });
        assert_eq!(options.limits.time, Some(Duration::from_millis(1500)));
        assert_eq!(options.limits.memory, Some(2 << 20));
    }

    #[test]
    fn what_makes_no_sense_together_is_refused() {
        for words in [
            "--model sc --seed 1",
            "--model sc --strategy source --runs 5",
            "--model sc --timeout 0",
            "--model sc --timeout=-1",
            "--model sc --timeout nan",
            "--model sc --max-memory 18446744073709551615",
        ] {
            assert!(matches!(checked(words), Err(Stop::Usage(_))), "{words}");
        }
    }
}
