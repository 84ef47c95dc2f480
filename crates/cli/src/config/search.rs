//! The searches of `litmus` and `check`: models, strategies, store buffers.

use super::limits::sampling;
use crate::args::shared::{BufferArgs, ModelArgs, SearchArgs};
use crate::args::values::BufferBound;
use crate::output::Stop;
use raddle_engine::{Checks, Coverage, Engine, Limits, Model, Options, Strategy};
use raddle_ir::file::one_of;

/// One search for each model.
pub(super) fn all(
    models: &ModelArgs,
    search: &SearchArgs,
    limits: &Limits,
    checks: Checks,
    keep_going: bool,
) -> Result<Vec<Options>, Stop> {
    let sampled = search.sampling.seed.is_some() || search.sampling.runs.is_some();
    let samples = |strategy: Strategy| strategy.coverage() == Coverage::Sample;
    if sampled && !search.strategy.is_some_and(samples) {
        let names = one_of(&Strategy::names(samples));
        return Err(Stop::Usage(format!("--seed and --runs need --strategy {names}")));
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
            count_traces: strategy.coverage() == Coverage::Interleavings,
            sampling: sampling(&search.sampling),
            ..Options::new(model).by(strategy)
        };
        options.validate().map_err(|refusal| Stop::Usage(refusal.to_string()))?;
        Ok(options)
    };
    let searches: Vec<Options> =
        distinct(&models.models).into_iter().map(asked).collect::<Result<_, Stop>>()?;
    if checks.races && !searches.iter().any(|options| options.checks.races) {
        let models = Model::names(Engine::Interleave.models());
        let others = all_but(Engine::finds_races);
        let message = format!(
            "--check races needs --model {models}, and a strategy that runs interleavings: {others}"
        );
        return Err(Stop::Usage(message));
    }
    Ok(searches)
}

/// The strategies of engines without a property, as a phrase: `not lazy, not graph`.
fn all_but(property: fn(Engine) -> bool) -> String {
    let others = Strategy::names(|strategy| !property(strategy.engine()));
    others.iter().map(|name| format!("not {name}")).collect::<Vec<_>>().join(", ")
}

/// The name of the strategy that was asked for, if it searches states: it counts no executions.
pub(super) fn by_states(search: &SearchArgs) -> Option<&'static str> {
    let strategy = search.strategy.filter(|strategy| !strategy.engine().counts_executions());
    strategy.map(Strategy::name)
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
        let models = Model::names(Model::ALL.into_iter().filter(|model| model.is_buffered()));
        let others = all_but(Engine::bounds_buffers);
        return Err(Stop::Usage(format!(
            "--buffer-bound needs --model {models}, and a strategy that runs them with store \
             buffers: {others}"
        )));
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

    /// Whether `--seed` and `--runs` are for a strategy follows from its row.
    #[test]
    fn samples_have_seeds_and_runs() {
        for strategy in Strategy::ALL {
            let words = format!("--model sc --strategy {} --seed 3 --runs 7", strategy.name());
            match (strategy.coverage(), checked(&words)) {
                (Coverage::Sample, Ok(config)) => {
                    assert_eq!(config.searches[0].sampling, Sampling { seed: 3, runs: 7 });
                }
                (_, Err(Stop::Usage(message))) => {
                    let named = message.strip_prefix("--seed and --runs need --strategy ");
                    let named: Vec<&str> = named.unwrap_or_default().split(" or ").collect();
                    assert!(named.contains(&"random"), "{message}");
                    assert!(!named.contains(&strategy.name()), "{message}");
                }
                (_, other) => panic!("{}: {other:?}", strategy.name()),
            }
        }
    }

    #[test]
    fn messages_name_what_the_tables_have() {
        type Has<T> = fn(T) -> bool;
        let cases: [(&str, Has<Model>, Has<Engine>); 2] = [
            ("--model sc --buffer-bound 1", Model::is_buffered, Engine::bounds_buffers),
            ("--model arm --check races", |it| Engine::Interleave.has(it), Engine::finds_races),
        ];
        for (line, has, by) in cases {
            let Err(Stop::Usage(message)) = checked(line) else { panic!("{line} is not refused") };
            let words: Vec<&str> = message.split(|c: char| !c.is_alphanumeric()).collect();
            for model in Model::ALL {
                assert_eq!(words.contains(&model.name()), has(model), "{message}");
            }
            for strategy in Strategy::ALL {
                let is_refused = message.contains(&format!("not {}", strategy.name()));
                assert_eq!(is_refused, !by(strategy.engine()), "{message}");
            }
        }
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
