//! `raddle robust`.

use super::limits::{estimated, limits, refuse_for_states, shown};
use super::search::distinct;
use super::source::SourceConfig;
use crate::args::commands::{ByArg, RobustArgs};
use crate::output::Stop;
use crate::progress::Shown;
use raddle_analysis::robust::By;
use raddle_engine::{Limits, Model};
use std::time::Duration;

/// The validated arguments of `raddle robust`.
#[derive(Debug)]
pub(crate) struct RobustConfig {
    /// Each with a budget of its own.
    pub programs: Vec<SourceConfig>,
    pub models: Vec<Model>,
    pub limits: Limits,
    pub json: bool,
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
        self.by.or((program.is_automata() && model == Model::Tso).then_some(By::Attacks))
    }
}

pub(crate) fn robust(args: &RobustArgs) -> Result<RobustConfig, Stop> {
    let by = args.by.map(|by| match by {
        ByArg::Monitor => By::Monitor,
        ByArg::Cycles => By::Cycles,
        ByArg::Count => By::Count,
        ByArg::Attacks => By::Attacks,
    });
    if by == Some(By::Attacks) && args.models.iter().any(|model| *model != Model::Tso) {
        let why = "--by attacks is for tso; under pso take monitor, cycles or count";
        return Err(Stop::Usage(why.to_owned()));
    }
    let (shown, estimate) = (shown(&args.progress)?, estimated(&args.estimate)?);
    let limits = Limits { progress: shown.progress.clone(), ..limits(&args.limits)? };
    let programs = SourceConfig::new(&args.source, &limits.budget).programs();
    let config = RobustConfig {
        programs,
        models: distinct(&args.models),
        limits,
        json: args.output.json,
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
