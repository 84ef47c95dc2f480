//! `raddle robust`.

use super::files::{self, FilesConfig};
use super::limits::{estimated, limits, refuse_for_states, shown};
use super::search::distinct;
use super::source::SourceConfig;
use crate::args::commands::{ByArg, RobustArgs};
use crate::output::Stop;
use crate::progress::Shown;
use raddle_analysis::robust::By;
use raddle_engine::{Limits, Model};
use raddle_ir::file::one_of;
use std::time::Duration;

/// The validated arguments of `raddle robust`.
#[derive(Debug)]
pub(crate) struct RobustConfig {
    /// Each with a budget of its own.
    pub programs: Vec<SourceConfig>,
    pub models: Vec<Model>,
    pub limits: Limits,
    pub json: bool,
    pub files: FilesConfig,
    pub all_steps: bool,
    pub shown: Shown,
    /// To estimate for this long how large the searches are, and nothing else.
    pub estimate: Option<Duration>,
    /// The way that was asked for.
    by: Option<By>,
}

impl RobustConfig {
    /// How to decide the robustness of a program; `None`: the fastest way that is complete. Automata are
    /// loops that never end, so a search of their executions does not end either.
    pub(crate) fn by(&self, program: &SourceConfig, model: Model) -> Option<By> {
        self.by.or((program.is_automata() && By::Attacks.has(model)).then_some(By::Attacks))
    }
}

pub(crate) fn robust(args: &RobustArgs) -> Result<RobustConfig, Stop> {
    files::refuse_same(&[args.files.named(), args.reports.named()].concat())?;
    let by = args.by.map(|by| match by {
        ByArg::Monitor => By::Monitor,
        ByArg::Cycles => By::Cycles,
        ByArg::Count => By::Count,
        ByArg::Attacks => By::Attacks,
    });
    if let Some(by) = by {
        refuse_others(by, &args.models)?;
    }
    let (shown, estimate) = (shown(&args.progress)?, estimated(&args.estimate)?);
    let limits = Limits { progress: shown.progress.clone(), ..limits(&args.limits)? };
    let programs = SourceConfig::new(&args.source, &limits.budget).programs();
    let config = RobustConfig {
        programs,
        models: distinct(&args.models),
        limits,
        json: args.output.json,
        files: FilesConfig::from(&args.files),
        all_steps: args.story.all_steps,
        shown,
        estimate,
        by,
    };
    let searches_states = |program: &SourceConfig| {
        args.models.iter().any(|model| config.by(program, *model) == Some(By::Attacks))
    };
    if config.programs.iter().any(searches_states) {
        let what = match by {
            Some(_) => "--by attacks",
            None => "--by attacks, the default for automata,",
        };
        let estimate = args.estimate.estimate.map(|_| "--estimate");
        refuse_for_states(args.limits.of_executions().or(estimate), what)?;
    }
    Ok(config)
}

/// Refuses models against which robustness cannot be decided in this way.
fn refuse_others(by: By, models: &[Model]) -> Result<(), Stop> {
    let Some(model) = models.iter().copied().find(|model| !by.has(*model)) else { return Ok(()) };
    let others = By::ALL.into_iter().filter(|by| by.has(model)).map(By::name);
    Err(Stop::Usage(format!(
        "--by {} is for {}; under {model} take {}",
        by.name(),
        Model::names(by.models().filter(|model| model.is_buffered())),
        one_of(&others.collect::<Vec<_>>())
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_are_for_the_models_that_have_them() {
        let Err(Stop::Usage(message)) = refuse_others(By::Attacks, &[Model::Tso, Model::Pso])
        else {
            panic!("attacks under pso are not refused");
        };
        assert!(message.starts_with("--by attacks is for tso"), "{message}");
        assert!(message.ends_with("; under pso take monitor, cycles or count"), "{message}");
        for by in By::ALL {
            for model in Model::ALL {
                assert_eq!(refuse_others(by, &[model]).is_ok(), by.has(model), "{by:?} {model}");
            }
        }
    }
}
