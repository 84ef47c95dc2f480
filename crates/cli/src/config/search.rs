//! The searches of `litmus` and `check`: models, strategies, store buffers.

use super::limits::{sampling, workers};
use crate::args::shared::{BufferArgs, ModelArgs, SearchArgs};
use crate::args::values::BufferBound;
use crate::output::Stop;
use raddle_engine::{Checks, Engine, Limits, Model, Options, Strategy};

/// One search for each model.
pub(super) fn all(
    models: &ModelArgs,
    search: &SearchArgs,
    limits: &Limits,
    checks: Checks,
    keep_going: bool,
) -> Result<Vec<Options>, Stop> {
    let sampled = search.sampling.seed.is_some() || search.sampling.runs.is_some();
    if sampled && search.strategy != Some(Strategy::Random) {
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
            // Numbers of interleavings are not comparable with other strategies; numbers of traces are.
            count_traces: strategy == Strategy::Exhaustive,
            sampling: sampling(&search.sampling),
            workers: workers(None),
            ..Options::new(model).by(strategy)
        };
        options.validate().map_err(|refusal| Stop::Usage(refusal.to_string()))?;
        Ok(options)
    };
    let searches: Vec<Options> =
        distinct(&models.models).into_iter().map(asked).collect::<Result<_, Stop>>()?;
    if checks.races && !searches.iter().any(|options| options.checks.races) {
        let models = Model::names(Engine::Interleave.models());
        let message = format!(
            "--check races needs --model {models}, and a strategy that runs interleavings: not lazy, not graph"
        );
        return Err(Stop::Usage(message));
    }
    Ok(searches)
}

/// A model that is named twice runs once.
pub(super) fn distinct(models: &[Model]) -> Vec<Model> {
    let mut seen = Vec::new();
    for model in models {
        if !seen.contains(model) {
            seen.push(*model);
        }
    }
    seen
}

/// The searches with their bound on store buffers; whether it is to be raised.
pub(super) fn with_buffers(
    args: &BufferArgs,
    searches: Vec<Options>,
) -> Result<(Vec<Options>, bool), Stop> {
    let Some(bound) = args.buffer_bound else { return Ok((searches, false)) };
    if !searches.iter().any(Options::has_buffers) {
        let why = "--buffer-bound needs --model tso or pso, and a strategy that runs them with \
                   store buffers: not lazy, not graph";
        return Err(Stop::Usage(why.to_owned()));
    }
    Ok(match bound {
        BufferBound::Iterate => (searches, true),
        BufferBound::Stores(most) => {
            let bounded = searches.into_iter().map(|options| {
                let buffer_bound = options.has_buffers().then_some(most);
                Options { buffer_bound, ..options }
            });
            (bounded.collect(), false)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use crate::config::{CheckConfig, check};
    use clap::Parser;
    use raddle_engine::Sampling;
    use std::time::Duration;

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
